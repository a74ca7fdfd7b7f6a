//! Suppliers are made, changed and archived. Never a price of an item that is not the outlet's, or of a unit that says nothing about it.

use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, Stale};
use crate::resources::inventory::rules::{AgreedPrice, Result, StockError, Supplier, SupplierDraft, units};
use crate::resources::inventory::store::{items, suppliers};
use tiffin_common::Uuid;

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Supplier> {
    suppliers::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("supplier"))
}

/// The draft when everything in it holds; a price of `before` may stay whatever became of its item.
pub(super) fn checked(
    tx: &Tx<'_>,
    actor: &Actor,
    draft: SupplierDraft,
    before: &[AgreedPrice],
) -> Result<SupplierDraft> {
    let draft = draft.checked()?;
    let mut checks = Checks::new();
    for (i, price) in draft.agreed_prices.iter().enumerate().filter(|(_, price)| !before.contains(price)) {
        let path = format!("agreedPrices[{i}]");
        let Some(item) = items::find(tx, actor.outlet_id, price.inventory_item_id)? else {
            checks.add(format!("{path}.inventoryItemId"), "is not an item of this outlet");
            continue;
        };
        let unit = price.unit.as_deref().unwrap_or(&item.draft.unit);
        let converts = units::factor(unit, &item.draft.unit, &item.draft.unit_conversions).is_some();
        checks.require(converts, format!("{path}.unit"), format!("does not convert to {}", item.draft.unit));
    }
    Ok(checks.finish(draft)?)
}

/// Makes a supplier.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create_supplier(tx: &Tx<'_>, actor: &Actor, draft: SupplierDraft) -> Result<Supplier> {
    let draft = checked(tx, actor, draft, &[])?;
    let id = tx.new_id();
    suppliers::insert(tx, actor.outlet_id, id, &draft)?;
    find(tx, actor, id)
}

/// Changes a supplier.
///
/// # Errors
/// [`StockError::Stale`]; offending fields; a name that is taken.
pub fn update_supplier(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(SupplierDraft) -> SupplierDraft,
) -> Result<Supplier> {
    let before = find(tx, actor, id)?;
    Stale::check(expected, before.version)?;
    let agreed = before.draft.agreed_prices.clone();
    let draft = checked(tx, actor, change(before.draft), &agreed)?;
    suppliers::update(tx, actor.outlet_id, id, &draft)?;
    find(tx, actor, id)
}

/// Archives a supplier; items keep naming it.
///
/// # Errors
/// [`StockError::Stale`].
pub fn archive_supplier(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Supplier> {
    let supplier = find(tx, actor, id)?;
    Stale::check(expected, supplier.version)?;
    suppliers::set_archived(tx, actor.outlet_id, id)?;
    Ok(supplier)
}
