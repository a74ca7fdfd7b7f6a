//! Rows of tax_categories.

use super::{Search, found, list_named};
use crate::db::{self, Columns, Json, Source, Tx, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::{Result, TaxCategory, TaxComponent, TaxDraft};
use tiffin_common::Uuid;

/// One tax category of the outlet.
///
/// # Errors
/// No such one.
pub fn find_tax(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<TaxCategory> {
    let sql = select!(TaxCategory, "WHERE outlet_id = ?1 AND archived_at IS NULL AND id = ?2");
    found(opt(conn, sql, [outlet, id], TaxCategory::read), "tax category")
}

/// A page of tax categories, by name.
pub fn list_taxes(conn: &dyn Source, outlet: Uuid, search: &Search) -> db::Result<Page<TaxCategory>> {
    list_named(conn, outlet, search, "name, id")
}

/// How many dishes it is used by.
pub fn count_items_taxed(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM menu_items WHERE outlet_id = ?1 AND tax_category_id = ?2 AND archived_at IS NULL";
    one(conn, sql, [outlet, id], |row| row.get(0))
}

/// The taxes of the outlet's service: those that most of its dishes bear, which are no goods. None where no dish bears any.
pub fn find_service_taxes(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<TaxComponent>> {
    let sql = "SELECT t.components FROM tax_categories t JOIN menu_items i ON i.tax_category_id = t.id
        WHERE t.outlet_id = ?1 AND t.is_goods = 0 AND t.components <> '[]' AND i.outlet_id = ?1 AND i.archived_at IS NULL
        GROUP BY t.id, t.components ORDER BY count(*) DESC, t.id LIMIT 1";
    let found: Option<Json<Vec<TaxComponent>>> = opt(conn, sql, [outlet], |row| row.get("components"))?;
    Ok(found.map(|found| found.0).unwrap_or_default())
}

/// Adds a checked tax category.
///
/// # Errors
/// A name that is taken.
pub fn insert_tax(tx: &Tx<'_>, outlet: Uuid, draft: &TaxDraft) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(tx, tax_categories { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })?;
    Ok(id)
}

/// Changes a tax category.
///
/// # Errors
/// A name that is taken.
pub fn update_tax(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &TaxDraft) -> db::Result<()> {
    update!(tx, tax_categories { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Archives a tax category.
pub fn set_tax_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, tax_categories { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}
