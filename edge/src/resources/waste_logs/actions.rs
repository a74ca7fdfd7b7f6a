//! What happens to waste beside the stock: a dish is named and its station found. Never touches stock itself.

use super::rules::WasteDraft;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::{Result, StockError, Waste, WasteLog, Wasted};
use crate::resources::menu::rules::MenuError;
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
        (None, Some(id)) => dish(tx, actor.outlet_id, id)?,
        (None, None) => return Err(StockError::field("inventoryItemId", "is required")),
    };
    let waste = Waste { what, quantity: draft.quantity, reason: draft.reason, note: draft.note };
    inventory::actions::log_waste(tx, actor, &outlet, &waste)
}

fn dish(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> Result<Wasted> {
    let at = menu::store::find_local_now(tx, outlet, tx.now())?;
    let dish = match menu::store::find_item(tx, outlet, id, &at) {
        Ok(dish) => dish,
        Err(MenuError::Db(error)) => return Err(error.into()),
        Err(_) => return Err(StockError::field("menuItemId", "is not a dish of this outlet")),
    };
    let station = kitchen::actions::station_for(tx, outlet, dish.draft.station_id)?;
    Ok(Wasted::Dish { id, name: dish.draft.name, station_id: station })
}

/// Undoes a wrong entry.
///
/// # Errors
/// No such entry; one that was undone already.
pub fn reverse(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: &str) -> Result<WasteLog> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    inventory::actions::reverse_waste(tx, actor, &outlet, id, reason)
}
