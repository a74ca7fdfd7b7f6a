//! Stock items are made, changed and archived.

use super::availability;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Stale;
use crate::resources::inventory::rules::{ItemDraft, Result, StockError, StockItem, units};
use crate::resources::inventory::store::{items, levels, recipes, suppliers};
use tiffin_common::Uuid;

/// Makes a stock item; what is there comes by an adjustment with the reason OPENING, or a delivery.
///
/// # Errors
/// Offending fields; a name or code that is taken.
pub fn create_item(tx: &Tx<'_>, actor: &Actor, draft: ItemDraft) -> Result<StockItem> {
    create_item_as(tx, actor, tx.new_id(), draft)
}

/// [`create_item`] with an id that is known elsewhere in the chain.
pub(super) fn create_item_as(tx: &Tx<'_>, actor: &Actor, id: Uuid, draft: ItemDraft) -> Result<StockItem> {
    let draft = draft.checked()?;
    known_supplier(tx, actor, &draft)?;
    items::insert(tx, actor.outlet_id, id, &draft)?;
    levels::insert(tx, actor.outlet_id, id)?;
    find(tx, actor, id)
}

fn known_supplier(tx: &Tx<'_>, actor: &Actor, draft: &ItemDraft) -> Result<()> {
    match draft.supplier_id {
        Some(id) if suppliers::find(tx, actor.outlet_id, id)?.is_none() => {
            Err(StockError::field("supplierId", "is not a supplier of this outlet"))
        }
        _ => Ok(()),
    }
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<StockItem> {
    items::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("inventory item"))
}

/// Changes a stock item.
///
/// # Errors
/// [`StockError::Stale`]; offending fields: also another unit once stock has moved, and conversions that recipes need.
pub fn update_item(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(ItemDraft) -> ItemDraft,
) -> Result<StockItem> {
    let before = find(tx, actor, id)?;
    Stale::check(expected, before.version)?;
    let draft = change(before.draft.clone()).checked()?;
    known_supplier(tx, actor, &draft)?;
    if write_item(tx, actor, &before, &draft)? {
        availability::rebuild_needs(tx, actor)?;
    }
    find(tx, actor, id)
}

/// Writes a checked draft of an item; answers whether its units are others, after which needs are to be worked out anew.
///
/// # Errors
/// Offending fields.
pub(super) fn write_item(
    tx: &Tx<'_>,
    actor: &Actor,
    StockItem { id, draft: before, .. }: &StockItem,
    draft: &ItemDraft,
) -> Result<bool> {
    if draft.unit != before.unit && items::has_moved(tx, actor.outlet_id, *id)? {
        return Err(StockError::field("unit", "cannot change once stock has moved"));
    }
    for unit in items::list_recipe_units(tx, *id)? {
        if units::factor(&unit, &draft.unit, &draft.unit_conversions).is_none() {
            let name = if draft.unit == before.unit { "unitConversions" } else { "unit" };
            return Err(StockError::field(
                name,
                format!("a recipe uses {unit}, which would no longer convert"),
            ));
        }
    }
    items::update(tx, actor.outlet_id, *id, draft)?;
    Ok((&draft.unit, &draft.unit_conversions) != (&before.unit, &before.unit_conversions))
}

/// Archives a stock item; its history stays.
///
/// # Errors
/// [`StockError::Stale`]; a conflict while recipes use it.
pub fn archive_item(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<StockItem> {
    let item = find(tx, actor, id)?;
    Stale::check(expected, item.version)?;
    let users = recipes::list_users(tx, id)?;
    if !users.is_empty() {
        return Err(StockError::Conflict(format!("{} is used by: {}", item.draft.name, users.join(", "))));
    }
    items::set_archived(tx, actor.outlet_id, id)?;
    Ok(item)
}
