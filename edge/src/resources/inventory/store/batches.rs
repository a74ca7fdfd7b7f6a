//! Rows of `stock_batches`.

use super::date_text;
use crate::db::{self, Row, Source, Transaction, list as rows, opt};
use crate::resources::inventory::rules::OpenBatch;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Quantity, UnitCost, Uuid};

/// A batch with what is left of it.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Id.
    pub id: Uuid,
    /// The item.
    pub stock_item_id: Uuid,
    /// Unique within the item.
    pub batch_number: String,
    /// The last date it may be used.
    pub expiry_date: Option<NaiveDate>,
    /// When it came.
    pub received_at: Millis,
    /// What one unit cost.
    pub unit_cost: UnitCost,
    /// Who delivered it.
    pub supplier_id: Option<Uuid>,
    /// OPENING, DELIVERY, ADJUSTMENT or TRANSFER.
    pub source_type: String,
    /// What is left.
    pub quantity: Quantity,
}

impl Batch {
    /// Whether it may be used on business date `date` (`YYYY-MM-DD`): on its last date it still may.
    pub fn is_usable(&self, date: &str) -> bool {
        self.expiry_date.is_none_or(|expiry| date_text(expiry).as_str() >= date)
    }

    /// What picking needs to know of it.
    pub fn open(&self) -> OpenBatch {
        OpenBatch {
            id: self.id,
            quantity: self.quantity,
            unit_cost: self.unit_cost,
            expiry_date: self.expiry_date,
            received_at: self.received_at,
        }
    }
}

const COLUMNS: &str = "b.id, b.stock_item_id, b.batch_number, b.expiry_date, b.received_at, b.unit_cost, b.supplier_id,
  b.source_type, coalesce(l.quantity, 0) FROM stock_batches b LEFT JOIN stock_batch_levels l ON l.batch_id = b.id";

fn read(row: &Row<'_>) -> db::Result<Batch> {
    Ok(Batch {
        id: row.get(0)?,
        stock_item_id: row.get(1)?,
        batch_number: row.get(2)?,
        expiry_date: row.get::<_, Option<String>>(3)?.and_then(|text| text.parse().ok()),
        received_at: row.get(4)?,
        unit_cost: row.get(5)?,
        supplier_id: row.get(6)?,
        source_type: row.get(7)?,
        quantity: row.get(8)?,
    })
}

/// The outlet's batch of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Batch>> {
    let sql = format!("SELECT {COLUMNS} WHERE b.id = ?1 AND b.outlet_id = ?2");
    opt(conn, &sql, params![id, outlet], read)
}

/// The item's batch of that number.
pub fn find_by_number(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    number: &str,
) -> db::Result<Option<Batch>> {
    let sql =
        format!("SELECT {COLUMNS} WHERE b.stock_item_id = ?1 AND b.batch_number = ?2 AND b.outlet_id = ?3");
    opt(conn, &sql, params![item, number, outlet], read)
}

/// The item's newest batch that may be used on `date`, empty or not.
pub fn newest_usable(conn: &dyn Source, outlet: Uuid, item: Uuid, date: &str) -> db::Result<Option<Batch>> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE b.stock_item_id = ?1 AND b.outlet_id = ?2 AND coalesce(b.expiry_date, ?3) >= ?3
         ORDER BY b.received_at DESC, b.id DESC LIMIT 1"
    );
    opt(conn, &sql, params![item, outlet, date], read)
}

/// What is left of the item past its date on `date`, the earliest first.
pub fn expired(conn: &dyn Source, outlet: Uuid, item: Uuid, date: &str) -> db::Result<Vec<OpenBatch>> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE l.stock_item_id = ?1 AND l.outlet_id = ?2 AND l.expiry_date < ?3
         ORDER BY l.expiry_date, l.received_at, l.batch_id"
    );
    rows(conn, &sql, params![item, outlet, date], |row| read(row).map(|batch| batch.open()))
}

/// A page of the item's batches: those with something left first, then the newest; and how many there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    open_only: bool,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Batch>, i64)> {
    let filter = "WHERE b.stock_item_id = ?1 AND b.outlet_id = ?2 AND (NOT ?3 OR l.quantity > 0)";
    let sql = format!(
        "SELECT {COLUMNS} {filter}
         ORDER BY coalesce(l.quantity, 0) > 0 DESC, b.received_at DESC, b.id DESC LIMIT ?4 OFFSET ?5"
    );
    let batches = rows(conn, &sql, params![item, outlet, open_only, limit, offset], read)?;
    let count = format!(
        "SELECT count(*) FROM stock_batches b LEFT JOIN stock_batch_levels l ON l.batch_id = b.id {filter}"
    );
    let total = crate::db::one(conn, &count, params![item, outlet, open_only], |row| row.get(0))?;
    Ok((batches, total))
}

/// How many batches of the item have a number that begins with `prefix`.
pub fn count_numbered(conn: &dyn Source, item: Uuid, prefix: &str) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM stock_batches WHERE stock_item_id = ?1 AND batch_number >= ?2 AND batch_number < ?2 || '~'";
    crate::db::one(conn, sql, params![item, prefix], |row| row.get(0))
}

pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    outlet: Uuid,
    batch: &Batch,
    source_id: Option<Uuid>,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_batches (id, outlet_id, stock_item_id, batch_number, expiry_date, received_at, unit_cost,
           supplier_id, source_type, source_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            batch.id,
            outlet,
            batch.stock_item_id,
            batch.batch_number,
            batch.expiry_date.map(date_text),
            batch.received_at,
            batch.unit_cost,
            batch.supplier_id,
            batch.source_type,
            source_id
        ],
    )
    .map(drop)
}

/// An order that took from a batch.
#[derive(Debug, Clone)]
pub struct TracedOrder {
    /// The order.
    pub order_id: Uuid,
    /// Its number.
    pub order_number: Option<String>,
    /// When it took first.
    pub at: Millis,
    /// Its business date.
    pub business_date: String,
    /// What it holds of the batch, returns taken off.
    pub quantity: Quantity,
}

/// A page of the orders that took from the batch, the oldest first; and how many there are.
pub fn trace(
    conn: &dyn Source,
    outlet: Uuid,
    batch: &Batch,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<TracedOrder>, i64)> {
    let taken = "SELECT coalesce(i.order_id, m.order_id) AS order_id, min(m.at) AS at,
                   min(m.business_date) AS business_date, -sum(m.quantity_delta) AS quantity
                 FROM stock_movements m LEFT JOIN order_items i ON i.id = m.order_item_id
                 WHERE m.stock_item_id = ?1 AND m.batch_id = ?2 AND m.outlet_id = ?3 AND m.order_id IS NOT NULL
                   AND m.kind IN ('SALE', 'RETURN')
                 GROUP BY coalesce(i.order_id, m.order_id) HAVING sum(m.quantity_delta) < 0";
    let sql = format!(
        "SELECT t.order_id, o.order_number, t.at, t.business_date, t.quantity FROM ({taken}) t
         LEFT JOIN orders o ON o.id = t.order_id ORDER BY t.at, t.order_id LIMIT ?4 OFFSET ?5"
    );
    let item = batch.stock_item_id;
    let orders = rows(conn, &sql, params![item, batch.id, outlet, limit, offset], |row| {
        Ok(TracedOrder {
            order_id: row.get(0)?,
            order_number: row.get(1)?,
            at: row.get(2)?,
            business_date: row.get(3)?,
            quantity: row.get(4)?,
        })
    })?;
    let count = format!("SELECT count(*) FROM ({taken}) AS taken");
    let total = crate::db::one(conn, &count, params![item, batch.id, outlet], |row| row.get(0))?;
    Ok((orders, total))
}

/// What an order's lines hold of one batch.
#[derive(Debug, Clone)]
pub struct TracedIngredient {
    /// The line.
    pub order_item_id: Uuid,
    /// The stock item.
    pub stock_item_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The batch; none: sold without stock.
    pub batch_id: Option<Uuid>,
    /// Its number.
    pub batch_number: Option<String>,
    /// Its last date.
    pub expiry_date: Option<NaiveDate>,
    /// Who delivered it.
    pub supplier_id: Option<Uuid>,
    /// Their name.
    pub supplier_name: Option<String>,
    /// How much, returns taken off.
    pub quantity: Quantity,
    /// What it cost, in millionths of a cent.
    pub cost_micros: i64,
}

/// Which batches the line's ingredients came from (a line that was split off another: ask for the other), and who delivered
/// them. Ingredients that came back are left out.
pub fn trace_line(conn: &dyn Source, outlet: Uuid, order_item: Uuid) -> db::Result<Vec<TracedIngredient>> {
    let sql =
        "SELECT m.order_item_id, m.stock_item_id, s.name, s.unit, m.batch_id, b.batch_number, b.expiry_date,
                 b.supplier_id, p.name, -sum(m.quantity_delta), -sum(m.cost_micros)
               FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id
                 LEFT JOIN stock_batches b ON b.id = m.batch_id LEFT JOIN suppliers p ON p.id = b.supplier_id
               WHERE m.order_item_id = ?1 AND m.outlet_id = ?2
               GROUP BY m.order_item_id, m.stock_item_id, s.name, s.unit, m.batch_id, b.batch_number, b.expiry_date,
                 b.supplier_id, p.name
               HAVING sum(m.quantity_delta) < 0 ORDER BY min(m.id)";
    rows(conn, sql, params![order_item, outlet], |row| {
        Ok(TracedIngredient {
            order_item_id: row.get(0)?,
            stock_item_id: row.get(1)?,
            name: row.get(2)?,
            unit: row.get(3)?,
            batch_id: row.get(4)?,
            batch_number: row.get(5)?,
            expiry_date: row.get::<_, Option<String>>(6)?.and_then(|text| text.parse().ok()),
            supplier_id: row.get(7)?,
            supplier_name: row.get(8)?,
            quantity: row.get(9)?,
            cost_micros: row.get(10)?,
        })
    })
}
