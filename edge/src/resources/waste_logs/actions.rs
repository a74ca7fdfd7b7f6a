//! What happens to waste beside the stock: a dish is named and its station found. Never touches stock itself.

use super::rules::{WasteDraft, is_of_portions};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::waste::PORTIONS;
use crate::resources::inventory::rules::{Result, StockError, Waste, WasteLog, Wasted};
use crate::resources::menu::rules::{MenuError, Variant, WeightUnit};
use crate::resources::{inventory, kitchen, menu, outlets};
use tiffin_common::Uuid;

/// Throws something away.
///
/// # Errors
/// Offending fields.
pub fn log(tx: &Tx<'_>, actor: &Actor, draft: WasteDraft) -> Result<WasteLog> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let what = match (draft.inventory_item_id, draft.menu_item_id) {
        (Some(id), _) => Wasted::Item { id, unit: draft.unit, batch_number: draft.batch_number },
        (None, Some(id)) => dish(tx, actor.outlet_id, id, &draft)?,
        (None, None) => return Err(StockError::field("inventoryItemId", "is required")),
    };
    let waste = Waste { what, quantity: draft.quantity, reason: draft.reason, note: draft.note };
    inventory::actions::log_waste(tx, actor, &outlet, &waste)
}

fn dish(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &WasteDraft) -> Result<Wasted> {
    let variant = draft.variant_id;
    let at = menu::store::find_local_now(tx, outlet, tx.now())?;
    let dish = match menu::store::find_item(tx, outlet, id, &at) {
        Ok(dish) => dish,
        Err(MenuError::Db(error)) => return Err(error.into()),
        Err(_) => return Err(StockError::field("menuItemId", "is not a dish of this outlet")),
    };
    let station = kitchen::actions::station_for(tx, outlet, dish.draft.station_id)?;
    let wanted = |known: &&Variant| variant.map_or(known.is_default, |id| known.id == id);
    let (variant_id, name) = match dish.variants.iter().find(wanted) {
        Some(variant) => (Some(variant.id), variant.full_name.clone()),
        None if variant.is_some() => {
            return Err(StockError::field("variantId", "is no variant of this dish"));
        }
        None if dish.variants.is_empty() => (None, dish.draft.name),
        None => return Err(StockError::field("variantId", "is required: the dish is sold in several sizes")),
    };
    let unit = dish.draft.weight_unit.map_or(PORTIONS, WeightUnit::symbol);
    if draft.unit.as_deref().is_some_and(|said| !is_of_portions(said) && said != unit) {
        return Err(StockError::field("unit", format!("must be {unit}, as the dish is sold")));
    }
    Ok(Wasted::Dish { id, variant_id, name, station_id: station, unit })
}

/// Undoes a wrong entry.
///
/// # Errors
/// No such entry; one that was undone already.
pub fn reverse(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: &str) -> Result<WasteLog> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    inventory::actions::reverse_waste(tx, actor, &outlet, id, reason)
}
