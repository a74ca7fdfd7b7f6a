//! Rows of menu_categories.

use super::{Search, found, list_named};
use crate::db::{self, Columns, Source, Tx, list, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::{CategoryDraft, MenuCategory, Result};
use tiffin_common::Uuid;

/// One category of the outlet.
///
/// # Errors
/// No such one.
pub fn find_category(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<MenuCategory> {
    let sql = select!(MenuCategory, "WHERE outlet_id = ?1 AND archived_at IS NULL AND id = ?2");
    found(opt(conn, sql, [outlet, id], MenuCategory::read), "menu category")
}

/// A page of categories, in their order.
pub fn list_categories(conn: &dyn Source, outlet: Uuid, search: &Search) -> db::Result<Page<MenuCategory>> {
    list_named(conn, outlet, search, "sort_order, name, id")
}

/// The place in the order behind all that are taken.
pub fn next_sort_order(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT coalesce(max(sort_order), -1) FROM menu_categories WHERE outlet_id = ?1 AND archived_at IS NULL";
    one(conn, sql, [outlet], |row| row.get::<_, i64>(0)).map(|last| last.saturating_add(1))
}

/// How many dishes it holds.
pub fn count_items_in(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<i64> {
    let sql =
        "SELECT count(*) FROM menu_items WHERE outlet_id = ?1 AND category_id = ?2 AND archived_at IS NULL
           AND variant_of_id IS NULL";
    one(conn, sql, [outlet, id], |row| row.get(0))
}

/// The dishes it holds.
pub fn list_items_in(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM menu_items WHERE outlet_id = ?1 AND category_id = ?2 AND archived_at IS NULL
           AND variant_of_id IS NULL ORDER BY id";
    list(conn, sql, [outlet, id], |row| row.get(0))
}

/// Adds a checked category.
///
/// # Errors
/// A name that is taken.
pub fn insert_category(tx: &Tx<'_>, outlet: Uuid, draft: &CategoryDraft) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(tx, menu_categories { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })?;
    Ok(id)
}

/// Changes a category.
///
/// # Errors
/// A name that is taken.
pub fn update_category(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &CategoryDraft) -> db::Result<()> {
    update!(tx, menu_categories { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Archives a category.
pub fn set_category_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, menu_categories { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}
