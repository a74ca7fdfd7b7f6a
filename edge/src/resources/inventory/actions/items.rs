//! Stock items are made, changed and archived.

use super::availability;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Stale;
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::rules::{ItemDraft, Result, StockError, StockItem, pick::NEVER, units};
use crate::resources::inventory::store::levels::{self, Level};
use crate::resources::inventory::store::{OpenOrders, items, recipes, suppliers};
use serde_json::json;
use tiffin_common::{Quantity, Uuid};

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
/// [`StockError::Stale`]; a conflict while recipes use it, a preparation is kept as it, purchase orders are open for it, or its books are not
/// at nothing: what an archived item holds, nobody can count or use up any more.
pub fn archive_item(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    orders: OpenOrders,
) -> Result<StockItem> {
    let item = find(tx, actor, id)?;
    Stale::check(expected, item.version)?;
    let mut users = recipes::list_users(tx, id)?;
    users.extend(recipes::list_kept_as(tx, id)?);
    users.extend(orders(tx, actor.outlet_id, id)?);
    let ItemDraft { name, sku, unit, .. } = &item.draft;
    if !users.is_empty() {
        return Err(StockError::Conflict(format!("{name} is used by: {}", users.join(", "))));
    }
    let level = levels::list(tx, actor.outlet_id, &[id], NEVER)?.remove(&id);
    let is_open = |level: &Level| (level.on_hand, level.deficit) != (Quantity::ZERO, Quantity::ZERO);
    if let Some(Level { on_hand, .. }) = level.filter(is_open) {
        let held = format!("{name} still has {on_hand} {unit} on its books: adjust it to 0 first");
        return Err(StockError::Conflict(held));
    }
    items::set_archived(tx, actor.outlet_id, id)?;
    let entry = Entry::new("inventory.item.archive", "inventory_item", Some(id))
        .before(&json!({"name": name, "sku": sku, "unit": unit}));
    audit::actions::record(tx, actor, entry)?;
    Ok(item)
}
