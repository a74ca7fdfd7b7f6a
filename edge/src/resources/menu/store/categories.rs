//! Rows of menu_categories.

use super::{Search, found};
use crate::db::{self, Row, Source, Transaction, list, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::{CategoryDraft, MenuCategory, MenuError};
use rusqlite::params;
use tiffin_common::Uuid;

const SELECT: &str = "SELECT id, name, description, sort_order, is_active, version, created_at, updated_at
  FROM menu_categories WHERE outlet_id = ?1 AND archived_at IS NULL";

fn read(row: &Row<'_>) -> db::Result<MenuCategory> {
    Ok(MenuCategory {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        sort_order: row.get(3)?,
        is_active: row.get(4)?,
        version: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

/// One category of the outlet.
///
/// # Errors
/// [`MenuError::NotFound`]; whatever the store reports.
pub fn find_category(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<MenuCategory, MenuError> {
    found(opt(conn, &format!("{SELECT} AND id = ?2"), params![outlet, id], read), "menu category")
}

/// The category of that name, in any case.
pub fn category_by_name(conn: &dyn Source, outlet: Uuid, name: &str) -> db::Result<Option<MenuCategory>> {
    let sql = format!("{SELECT} AND lower(name) = lower(?2) ORDER BY id LIMIT 1");
    opt(conn, &sql, params![outlet, name], read)
}

/// A page of categories, in their order.
pub fn list_categories(conn: &dyn Source, outlet: Uuid, search: &Search) -> db::Result<Page<MenuCategory>> {
    let matches = "(?2 IS NULL OR instr(lower(name), lower(?2)) > 0)";
    let sql = format!("{SELECT} AND {matches} ORDER BY sort_order, name, id LIMIT ?3 OFFSET ?4");
    let items = list(conn, &sql, params![outlet, search.q, search.limit, search.offset], read)?;
    let sql = format!(
        "SELECT count(*) FROM menu_categories WHERE outlet_id = ?1 AND archived_at IS NULL AND {matches}"
    );
    let total = one(conn, &sql, params![outlet, search.q], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// The highest place in the order that is taken.
pub fn last_sort_order(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT coalesce(max(sort_order), -1) FROM menu_categories WHERE outlet_id = ?1 AND archived_at IS NULL";
    one(conn, sql, [outlet], |row| row.get(0))
}

/// How many dishes it holds.
pub fn items_in(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<i64> {
    let sql =
        "SELECT count(*) FROM menu_items WHERE outlet_id = ?1 AND category_id = ?2 AND archived_at IS NULL";
    one(conn, sql, params![outlet, id], |row| row.get(0))
}

/// Adds a checked category.
///
/// # Errors
/// A name that is taken; whatever SQLite reports.
pub fn insert_category(tx: &Transaction<'_>, outlet: Uuid, draft: &CategoryDraft) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO menu_categories (id, outlet_id, name, description, sort_order, is_active, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
        params![id, outlet, draft.name, draft.description, draft.sort_order, draft.is_active, tx.now()],
    )?;
    Ok(id)
}

/// Changes a category.
///
/// # Errors
/// A name that is taken; whatever SQLite reports.
pub fn update_category(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    draft: &CategoryDraft,
) -> db::Result<()> {
    tx.execute(
        "UPDATE menu_categories SET name = ?3, description = ?4, sort_order = ?5, is_active = ?6,
           version = version + 1, updated_at = ?7
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, draft.name, draft.description, draft.sort_order, draft.is_active, tx.now()],
    )
    .map(drop)
}

/// Archives a category.
pub fn archive_category(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE menu_categories SET archived_at = ?3, version = version + 1, updated_at = ?3
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, tx.now()],
    )
    .map(drop)
}
