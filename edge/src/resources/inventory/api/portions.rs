//! How many portions are left, and giving dishes and options back to the automatic availability.

use super::now;
use crate::access::Cx;
use crate::db;
use crate::http::{Id, Paged, Paging, Query, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::portions::Orderable;
use crate::resources::inventory::store::portions::{PortionFilter, Portions};
use crate::resources::menu::rules::{Availability, AvailabilityState, WeightUnit};
use crate::resources::{menu, outlets};
use tiffin_common::Uuid;

/// Which dishes.
#[apply(request!)]
pub struct ListPortions {
    /// Only this dish.
    menu_item_id: Option<Uuid>,
    /// A part of the name, in any case.
    #[schemars(length(max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// A dish, or a variant of one, and how many portions of it can be made.
#[apply(answer!)]
pub struct DishPortions {
    menu_item_id: Uuid,
    /// The variant; null where the dish has none.
    variant_id: Option<Uuid>,
    name: String,
    /// From what is in usable batches now, what is made ahead with its ingredients, open orders taken off; null when nothing that is counted goes in.
    portions_left: Option<i64>,
    /// What a dish that is sold by weight is weighed in: `portionsLeft` are whole units of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_unit: Option<WeightUnit>,
    /// What allows no more.
    limiting_item: Option<LimitingItem>,
    /// What the menu says of the dish.
    availability: Availability,
}

/// A stock item that limits a dish.
#[apply(answer!)]
pub struct LimitingItem {
    id: Uuid,
    name: String,
}

impl DishPortions {
    fn new(portions: Portions, availability: Availability) -> DishPortions {
        DishPortions {
            menu_item_id: portions.menu_item_id,
            variant_id: portions.variant_id,
            name: portions.name,
            portions_left: portions.left,
            weight_unit: portions.weight_unit,
            limiting_item: portions.limiting.map(|(id, name)| LimitingItem { id, name }),
            availability,
        }
    }
}

/// Lists the dishes that have a recipe.
pub async fn list_portions(cx: Cx, Query(query): Query<ListPortions>) -> Result<Paged<DishPortions>> {
    let (now, paging) = (now(&cx), query.paging);
    let search = query.q.filter(|q| !q.trim().is_empty());
    let filter = PortionFilter { menu_item_id: query.menu_item_id, search };
    cx.list(paging, move |conn, outlet| -> db::Result<_> {
        let larder = actions::larder(&outlets::store::find(conn, outlet)?, now);
        let found = actions::list_portions(conn, &larder, &filter, paging.into())?;
        let states = menu::store::list_states(conn, outlet, now)?;
        let state = |id| states.get(&id).map_or(Availability::IN_STOCK, |stated| stated.state.clone());
        Ok(found.map(|dish| {
            let state = state(dish.variant_id.unwrap_or(dish.menu_item_id));
            DishPortions::new(dish, state)
        }))
    })
    .await
}

/// Lets a dish, or a variant of one, follow the stock again.
pub async fn delete_item_availability(cx: Cx, Id(id): Id) -> Result<Updated<AvailabilityState>> {
    cx.update(move |tx, actor| actions::follow_again(tx, actor, Orderable { id, is_option: false })).await
}

/// Lets a modifier option follow the stock again.
pub async fn delete_option_availability(cx: Cx, Id(id): Id) -> Result<Updated<AvailabilityState>> {
    cx.update(move |tx, actor| actions::follow_again(tx, actor, Orderable { id, is_option: true })).await
}
