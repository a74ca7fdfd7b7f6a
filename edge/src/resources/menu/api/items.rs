//! `/menu/items`.

use super::parts::{MenuArchived, search};
use crate::access::Cx;
use crate::http::{Change, Data, Json, Paged, Paging, Patch, Path, Problem, Query};
use crate::resources::menu::rules::{Dietary, ItemDraft, MenuError, MenuItem, Weekday, Window};
use crate::resources::menu::{actions, store};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Cents, Uuid};

/// Which dishes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListMenuItems {
    /// Of this category.
    category_id: Option<Uuid>,
    /// Active, or not.
    is_active: Option<bool>,
    /// A part of the name in any case, or the sku.
    #[schemars(length(max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists dishes.
pub(super) async fn list_items(
    cx: Cx,
    Query(filter): Query<ListMenuItems>,
) -> Result<Paged<MenuItem>, Problem> {
    let (paging, now) = (filter.paging, cx.db.env().clock.now());
    let filter = store::ItemFilter {
        category_id: filter.category_id,
        is_active: filter.is_active,
        search: search(filter.q, paging),
    };
    let page = cx
        .read(move |conn, outlet| {
            store::list_items(conn, outlet, &filter, &store::find_local_now(conn, outlet, now)?)
        })
        .await?;
    Ok(Paged::new(page, paging))
}

/// One dish.
pub(super) async fn get_item(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<MenuItem>, Problem> {
    let now = cx.db.env().clock.now();
    cx.read(move |conn, outlet| -> Result<_, MenuError> {
        store::find_item(conn, outlet, id, &store::find_local_now(conn, outlet, now)?).map(Data::new)
    })
    .await
}

/// A modifier group, by its id or as an object that holds it (as a dish shows it).
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ModifierGroupRef {
    /// Its id.
    Id(Uuid),
    /// The group as a dish shows it; only the id counts.
    Group {
        /// Id of the group.
        id: Uuid,
    },
}

impl From<ModifierGroupRef> for Uuid {
    fn from(reference: ModifierGroupRef) -> Self {
        match reference {
            ModifierGroupRef::Id(id) | ModifierGroupRef::Group { id } => id,
        }
    }
}

/// A new dish.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateMenuItem {
    /// The category it stands in.
    category_id: Uuid,
    /// What guests read on menu and bill.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The shared price.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Cents,
    #[serde(flatten)]
    details: MenuItemDetails,
}

/// What else a dish has; what is absent keeps its value or default, null clears.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MenuItemDetails {
    /// As cooks call it.
    #[serde(default)]
    #[schemars(length(max = 60))]
    kitchen_name: Patch<String>,
    /// What guests read below its name.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    description: Patch<String>,
    /// Unique in the outlet.
    #[serde(default)]
    #[schemars(length(max = 60))]
    sku: Patch<String>,
    /// What it is taxed with.
    #[serde(default)]
    tax_category_id: Patch<Uuid>,
    /// GST code, 4 to 8 digits.
    #[serde(default)]
    #[schemars(length(max = 8))]
    hsn_sac: Patch<String>,
    /// Where it is prepared; the default station when null.
    #[serde(default)]
    station_id: Patch<Uuid>,
    /// When in the meal it comes.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    course: Patch<i64>,
    /// Minutes it takes.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_440))]
    prep_minutes: Patch<i64>,
    /// What it is made of.
    #[serde(default)]
    dietary: Patch<Dietary>,
    /// What to warn of.
    #[serde(default)]
    #[schemars(length(max = 30), inner(length(min = 1, max = 40)))]
    allergens: Patch<Vec<String>>,
    /// Address of a picture of it.
    #[serde(default)]
    #[schemars(length(max = 500))]
    image_url: Patch<String>,
    /// The choices, in their order.
    #[serde(default)]
    #[schemars(length(max = 30))]
    modifier_groups: Patch<Vec<ModifierGroupRef>>,
    /// `HH:MM` by the outlet's clock.
    #[serde(default)]
    #[schemars(length(max = 5))]
    available_from: Patch<String>,
    /// `HH:MM` by the outlet's clock, exclusive; before `availableFrom` it is on the next day.
    #[serde(default)]
    #[schemars(length(max = 5))]
    available_to: Patch<String>,
    /// Every day when null.
    #[serde(default)]
    #[schemars(length(min = 1, max = 7))]
    available_days: Patch<Vec<Weekday>>,
    /// Whether it is for sale at all.
    #[serde(default)]
    is_active: Change<bool>,
    /// Lower comes first.
    #[serde(default)]
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    sort_order: Change<i64>,
}

impl MenuItemDetails {
    fn over(self, present: ItemDraft) -> ItemDraft {
        let group_ids = match self.modifier_groups {
            Patch::Keep => present.group_ids,
            Patch::Clear => Vec::new(),
            Patch::Set(list) => list.into_iter().map(Uuid::from).collect(),
        };
        ItemDraft {
            category_id: present.category_id,
            name: present.name,
            price: present.price,
            kitchen_name: self.kitchen_name.apply(present.kitchen_name),
            description: self.description.apply(present.description),
            sku: self.sku.apply(present.sku),
            tax_category_id: self.tax_category_id.apply(present.tax_category_id),
            hsn_sac: self.hsn_sac.apply(present.hsn_sac),
            station_id: self.station_id.apply(present.station_id),
            course: self.course.apply(present.course),
            prep_minutes: self.prep_minutes.apply(present.prep_minutes),
            dietary: self.dietary.apply(present.dietary),
            allergens: self.allergens.apply(Some(present.allergens)).unwrap_or_default(),
            image_url: self.image_url.apply(present.image_url),
            window: Window {
                from: self.available_from.apply(present.window.from),
                to: self.available_to.apply(present.window.to),
                days: self.available_days.apply(present.window.days),
            },
            is_active: self.is_active.apply(present.is_active),
            sort_order: self.sort_order.apply(present.sort_order),
            group_ids,
        }
    }
}

/// Adds a dish.
pub(super) async fn create_item(cx: Cx, Json(body): Json<CreateMenuItem>) -> Result<Response, Problem> {
    let draft = body.details.over(ItemDraft::new(body.category_id, body.name, body.price_cents));
    cx.create(move |tx, actor| actions::create_item(tx, actor, draft)).await
}

/// A change of a dish.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateMenuItem {
    /// The category it stands in.
    #[serde(default)]
    category_id: Change<Uuid>,
    /// What guests read on menu and bill.
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    name: Change<String>,
    /// The shared price. An outlet with a price of its own keeps that.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Change<Cents>,
    #[serde(flatten)]
    details: MenuItemDetails,
}

/// Changes a dish.
pub(super) async fn update_item(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<UpdateMenuItem>,
) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| {
        actions::update_item(tx, actor, id, expected, |present| {
            let present = ItemDraft {
                category_id: body.category_id.apply(present.category_id),
                name: body.name.apply(present.name),
                price: body.price_cents.apply(present.price),
                ..present
            };
            body.details.over(present)
        })
    })
    .await
}

/// Archives a dish.
pub(super) async fn delete_item(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| -> Result<_, MenuError> {
        actions::archive_item(tx, actor, id, expected)?;
        Ok(MenuArchived::of(id))
    })
    .await
}
