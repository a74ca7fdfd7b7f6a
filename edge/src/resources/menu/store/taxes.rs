//! Rows of tax_categories.

use super::{Search, found, json, to_json};
use crate::db::{self, Row, Source, Transaction, list, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::{MenuError, TaxCategory, TaxDraft};
use rusqlite::params;
use tiffin_common::Uuid;

const SELECT: &str = "SELECT id, name, components, version, created_at, updated_at FROM tax_categories
  WHERE outlet_id = ?1 AND archived_at IS NULL";

fn read(row: &Row<'_>) -> db::Result<TaxCategory> {
    Ok(TaxCategory {
        id: row.get(0)?,
        name: row.get(1)?,
        components: json(row, 2)?,
        version: row.get(3)?,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
    })
}

/// One tax category of the outlet.
///
/// # Errors
/// [`MenuError::NotFound`]; whatever the store reports.
pub fn find_tax(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<TaxCategory, MenuError> {
    found(opt(conn, &format!("{SELECT} AND id = ?2"), params![outlet, id], read), "tax category")
}

/// The tax category of that name, in any case.
pub fn tax_by_name(conn: &dyn Source, outlet: Uuid, name: &str) -> db::Result<Option<TaxCategory>> {
    let sql = format!("{SELECT} AND lower(name) = lower(?2) ORDER BY id LIMIT 1");
    opt(conn, &sql, params![outlet, name], read)
}

/// A page of tax categories, by name.
pub fn list_taxes(conn: &dyn Source, outlet: Uuid, search: &Search) -> db::Result<Page<TaxCategory>> {
    let matches = "(?2 IS NULL OR instr(lower(name), lower(?2)) > 0)";
    let sql = format!("{SELECT} AND {matches} ORDER BY name, id LIMIT ?3 OFFSET ?4");
    let items = list(conn, &sql, params![outlet, search.q, search.limit, search.offset], read)?;
    let sql = format!(
        "SELECT count(*) FROM tax_categories WHERE outlet_id = ?1 AND archived_at IS NULL AND {matches}"
    );
    let total = one(conn, &sql, params![outlet, search.q], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// How many dishes it is used by.
pub fn items_taxed(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM menu_items WHERE outlet_id = ?1 AND tax_category_id = ?2 AND archived_at IS NULL";
    one(conn, sql, params![outlet, id], |row| row.get(0))
}

/// Adds a checked tax category.
///
/// # Errors
/// A name that is taken; whatever SQLite reports.
pub fn insert_tax(tx: &Transaction<'_>, outlet: Uuid, draft: &TaxDraft) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO tax_categories (id, outlet_id, name, components, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        params![id, outlet, draft.name, to_json(&draft.components), tx.now()],
    )?;
    Ok(id)
}

/// Changes a tax category.
///
/// # Errors
/// A name that is taken; whatever SQLite reports.
pub fn update_tax(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, draft: &TaxDraft) -> db::Result<()> {
    tx.execute(
        "UPDATE tax_categories SET name = ?3, components = ?4, version = version + 1, updated_at = ?5
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, draft.name, to_json(&draft.components), tx.now()],
    )
    .map(drop)
}

/// Archives a tax category.
pub fn archive_tax(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE tax_categories SET archived_at = ?3, version = version + 1, updated_at = ?3
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, tx.now()],
    )
    .map(drop)
}
