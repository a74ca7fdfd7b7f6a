//! Rows of `stock_items`.

use super::like;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::resources::inventory::rules::{ItemDraft, Rotation, StockItem};
use rusqlite::params;
use tiffin_common::Uuid;

const COLUMNS: &str = "id, name, category, unit, sku, rotation, min_stock_threshold, par_level, supplier_id,
  unit_conversions, coalesce((SELECT l.last_unit_cost FROM stock_levels l WHERE l.stock_item_id = stock_items.id), 0), version,
  created_at, updated_at";

fn read(row: &Row<'_>) -> db::Result<StockItem> {
    Ok(StockItem {
        id: row.get(0)?,
        draft: ItemDraft {
            name: row.get(1)?,
            category: row.get(2)?,
            unit: row.get(3)?,
            sku: row.get(4)?,
            rotation: Rotation::of_name(&row.get::<_, String>(5)?),
            min_stock_threshold: row.get(6)?,
            par_level: row.get(7)?,
            supplier_id: row.get(8)?,
            unit_conversions: serde_json::from_str(&row.get::<_, String>(9)?).unwrap_or_default(),
        },
        last_unit_cost: row.get(10)?,
        version: row.get(11)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
    })
}

/// The outlet's item of that id, unless it is archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<StockItem>> {
    let sql =
        format!("SELECT {COLUMNS} FROM stock_items WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL");
    opt(conn, &sql, params![id, outlet], read)
}

/// The outlet's item of that code.
pub fn find_by_sku(conn: &dyn Source, outlet: Uuid, sku: &str) -> db::Result<Option<StockItem>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM stock_items WHERE outlet_id = ?1 AND sku = ?2 AND archived_at IS NULL"
    );
    opt(conn, &sql, params![outlet, sku], read)
}

/// The outlet's item of that name.
pub fn find_by_name(conn: &dyn Source, outlet: Uuid, name: &str) -> db::Result<Option<StockItem>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM stock_items WHERE outlet_id = ?1 AND name = ?2 AND archived_at IS NULL"
    );
    opt(conn, &sql, params![outlet, name], read)
}

/// The outlet's items by name; only those of `category`, or whose name or code contains `search`, when given.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    category: Option<&str>,
    search: Option<&str>,
) -> db::Result<Vec<StockItem>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM stock_items WHERE outlet_id = ?1 AND archived_at IS NULL
           AND (?2 IS NULL OR category = ?2 COLLATE NOCASE)
           AND (?3 IS NULL OR name LIKE ?3 ESCAPE '\\' OR sku LIKE ?3 ESCAPE '\\')
         ORDER BY name, id"
    );
    rows(conn, &sql, params![outlet, category, search.map(like)], read)
}

/// Whether anything ever moved of the item.
pub fn has_moved(conn: &dyn Source, id: Uuid) -> db::Result<bool> {
    one(conn, "SELECT EXISTS (SELECT 1 FROM stock_movements WHERE stock_item_id = ?1)", [id], |row| {
        row.get(0)
    })
}

/// The units that live recipes use the item in.
pub fn recipe_units(conn: &dyn Source, id: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT DISTINCT i.unit FROM recipe_ingredients i JOIN recipes r ON r.id = i.recipe_id
               WHERE i.stock_item_id = ?1 AND r.archived_at IS NULL ORDER BY 1";
    rows(conn, sql, [id], |row| row.get(0))
}

fn conversions(draft: &ItemDraft) -> db::Result<String> {
    serde_json::to_string(&draft.unit_conversions)
        .map_err(|e| db::DbError::from(rusqlite::Error::ToSqlConversionFailure(Box::new(e))))
}

pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    d: &ItemDraft,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_items (id, outlet_id, name, category, unit, sku, rotation, min_stock_threshold, par_level,
           supplier_id, unit_conversions, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)",
        params![
            id,
            outlet,
            d.name,
            d.category,
            d.unit,
            d.sku,
            d.rotation.name(),
            d.min_stock_threshold,
            d.par_level,
            d.supplier_id,
            conversions(d)?,
            tx.now()
        ],
    )
    .map(drop)
}

pub(in super::super) fn update(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    d: &ItemDraft,
) -> db::Result<()> {
    tx.execute(
        "UPDATE stock_items SET name = ?3, category = ?4, unit = ?5, sku = ?6, rotation = ?7, min_stock_threshold = ?8,
           par_level = ?9, supplier_id = ?10, unit_conversions = ?11, updated_at = ?12, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            id,
            outlet,
            d.name,
            d.category,
            d.unit,
            d.sku,
            d.rotation.name(),
            d.min_stock_threshold,
            d.par_level,
            d.supplier_id,
            conversions(d)?,
            tx.now()
        ],
    )
    .map(drop)
}

pub(in super::super) fn set_archived(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE stock_items SET archived_at = ?3, updated_at = ?3, version = version + 1 WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, tx.now()],
    )
    .map(drop)
}
