//! Rows of `stock_items`.

use super::like;
use crate::db::{self, Columns, Row, Source, Tx, list as rows, one, opt};
use crate::resources::inventory::rules::{ItemDraft, StockItem};
use rusqlite::params;
use tiffin_common::Uuid;

/// The outlet's (?1) items that are not archived, and for which the rest holds.
macro_rules! items {
    ($rest:literal) => {
        select!(
            StockItem as s,
            "coalesce((SELECT l.last_unit_cost FROM stock_levels l WHERE l.stock_item_id = s.id), 0) AS last_unit_cost",
            concat!("WHERE s.outlet_id = ?1 AND s.archived_at IS NULL AND ", $rest)
        )
    };
}

fn read(row: &Row<'_>) -> db::Result<StockItem> {
    Ok(StockItem { last_unit_cost: row.get("last_unit_cost")?, ..StockItem::read(row)? })
}

/// The outlet's item of that id, unless it is archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<StockItem>> {
    opt(conn, items!("s.id = ?2"), [outlet, id], read)
}

/// The outlet's item of that code.
pub fn find_by_sku(conn: &dyn Source, outlet: Uuid, sku: &str) -> db::Result<Option<StockItem>> {
    opt(conn, items!("s.sku = ?2"), params![outlet, sku], read)
}

/// The outlet's item of that name.
pub fn find_by_name(conn: &dyn Source, outlet: Uuid, name: &str) -> db::Result<Option<StockItem>> {
    opt(conn, items!("s.name = ?2"), params![outlet, name], read)
}

/// The outlet's item that a preparation lies in the store room as.
pub fn find_shelf(conn: &dyn Source, outlet: Uuid, preparation: Uuid) -> db::Result<Option<StockItem>> {
    opt(conn, items!("s.preparation_id = ?2 ORDER BY s.id LIMIT 1"), [outlet, preparation], read)
}

/// The outlet's items by name; only those of `category`, or whose name or code contains `search`, when given.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    category: Option<&str>,
    search: Option<&str>,
) -> db::Result<Vec<StockItem>> {
    let sql = items!(
        "(?2 IS NULL OR s.category = ?2 COLLATE NOCASE)
           AND (?3 IS NULL OR s.name LIKE ?3 ESCAPE '\\' OR s.sku LIKE ?3 ESCAPE '\\')
         ORDER BY s.name, s.id"
    );
    rows(conn, sql, params![outlet, category, search.map(like)], read)
}

/// Whether ingredients were taken for a line of an order.
pub fn is_taken(conn: &dyn Source, order_item: Uuid) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM stock_movements WHERE order_item_id = ?1)";
    one(conn, sql, [order_item], |row| row.get(0))
}

/// Whether anything ever moved of the item.
pub fn has_moved(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = concat!("SELECT EXISTS (SELECT 1 FROM ", super::movements::of_item!(), " f)");
    one(conn, sql, [id, outlet], |row| row.get(0))
}

/// The units that live recipes use the item in, or make it in.
pub fn list_recipe_units(conn: &dyn Source, id: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT i.unit FROM recipe_ingredients i JOIN recipes r ON r.id = i.recipe_id
               WHERE i.stock_item_id = ?1 AND r.archived_at IS NULL
               UNION SELECT r.yield_unit FROM stock_items s JOIN recipes r ON r.id = s.preparation_id
               WHERE s.id = ?1 AND r.archived_at IS NULL ORDER BY 1";
    rows(conn, sql, [id], |row| row.get(0))
}

pub(in super::super) fn insert(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &ItemDraft) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, stock_items { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })
}

pub(in super::super) fn update(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &ItemDraft) -> db::Result<()> {
    update!(tx, stock_items { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

pub(in super::super) fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, stock_items { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Notes of which preparation the item is the stock.
pub(in super::super) fn set_preparation(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    preparation: Uuid,
) -> db::Result<()> {
    update!(tx, stock_items { preparation_id: preparation, updated_at: tx.now(); "version = version + 1" }
        where { id: id, outlet_id: outlet })
}
