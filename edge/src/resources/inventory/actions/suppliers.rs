//! Suppliers are made, changed and archived.

use crate::access::Actor;
use crate::db::Tx;
use crate::http::Stale;
use crate::resources::inventory::rules::{Result, StockError, Supplier, SupplierDraft};
use crate::resources::inventory::store::suppliers;
use tiffin_common::Uuid;

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Supplier> {
    suppliers::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("supplier"))
}

/// Makes a supplier.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create_supplier(tx: &Tx<'_>, actor: &Actor, draft: SupplierDraft) -> Result<Supplier> {
    let draft = draft.checked()?;
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
    let draft = change(before.draft).checked()?;
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
