//! Rows of `stock_batches`.

use crate::db::{self, Columns, Page, Row, Source, Tx, list as rows, one, opt, page};
use crate::resources::inventory::rules::pick::NEVER;
use crate::resources::inventory::rules::{BatchSource, OpenBatch};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Quantity, UnitCost, Uuid};

table! {
    /// A batch with what is left of it.
    pub struct Batch: stock_batches {
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
        /// Where it comes from.
        pub source_type: BatchSource,
        /// What is left.
        pub quantity: Quantity => none,
    }
}

impl Batch {
    /// Whether it may be used on business date `date`: on its last date it still may.
    pub fn is_usable(&self, date: NaiveDate) -> bool {
        self.expiry_date.is_none_or(|expiry| expiry >= date)
    }

    /// What picking needs to know of it.
    pub fn open(&self) -> OpenBatch {
        OpenBatch {
            id: self.id,
            quantity: self.quantity,
            unit_cost: self.unit_cost,
            expiry_date: self.expiry_date.unwrap_or(NEVER),
            received_at: self.received_at,
        }
    }
}

/// Batches beside their levels, for which the rest holds.
macro_rules! batches {
    ($rest:literal) => {
        select!(
            Batch as b,
            "coalesce(l.quantity, 0) AS quantity",
            concat!("LEFT JOIN stock_batch_levels l ON l.batch_id = b.id WHERE ", $rest)
        )
    };
}

fn read(row: &Row<'_>) -> db::Result<Batch> {
    Ok(Batch { quantity: row.get("quantity")?, ..Batch::read(row)? })
}

/// The outlet's batch of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Batch>> {
    opt(conn, batches!("b.id = ?1 AND b.outlet_id = ?2"), [id, outlet], read)
}

/// The item's batch of that number; where two lives of the box gave it out, the later.
pub fn find_by_number(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    number: &str,
) -> db::Result<Option<Batch>> {
    let sql =
        batches!("b.stock_item_id = ?1 AND b.batch_number = ?2 AND b.outlet_id = ?3 ORDER BY b.id DESC");
    opt(conn, sql, params![item, number, outlet], read)
}

/// The batches of every item that are of the lot `number`: what came of it again, at another price, says in brackets what it came with.
pub fn list_of_lot(conn: &dyn Source, outlet: Uuid, number: &str) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM stock_batches WHERE outlet_id = ?1
                 AND (batch_number = ?2 OR substr(batch_number, 1, length(?2) + 2) = ?2 || ' (') ORDER BY id";
    rows(conn, sql, params![outlet, number], |row| row.get("id"))
}

/// The item's newest batch that may be used on `date`, empty or not.
pub fn find_newest_usable(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    date: NaiveDate,
) -> db::Result<Option<Batch>> {
    let sql = batches!(
        "b.stock_item_id = ?1 AND b.outlet_id = ?2 AND coalesce(b.expiry_date, ?3) >= ?3
         ORDER BY b.received_at DESC, b.id DESC LIMIT 1"
    );
    opt(conn, sql, params![item, outlet, date], read)
}

/// What is left of the item past its date on `date`, the earliest first.
pub fn list_expired(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    date: NaiveDate,
) -> db::Result<Vec<OpenBatch>> {
    let sql = select!(
        OpenBatch,
        "WHERE stock_item_id = ?1 AND outlet_id = ?2 AND expiry_date < ?3 ORDER BY expiry_date, received_at, batch_id"
    );
    rows(conn, sql, params![item, outlet, date], OpenBatch::read)
}

/// A page of the item's batches: those with something left first, then the newest.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    open_only: bool,
    paging: (u32, u32),
) -> db::Result<Page<Batch>> {
    let sql = batches!(
        "b.stock_item_id = ?1 AND b.outlet_id = ?2 AND (NOT ?3 OR l.quantity > 0)
         ORDER BY coalesce(l.quantity, 0) > 0 DESC, b.received_at DESC, b.id DESC"
    );
    let count = "SELECT count(*) FROM stock_batches b LEFT JOIN stock_batch_levels l ON l.batch_id = b.id
       WHERE b.stock_item_id = ?1 AND b.outlet_id = ?2 AND (NOT ?3 OR l.quantity > 0)";
    page(conn, (sql, count), params![item, outlet, open_only], paging, read)
}

/// How many batches of the item have a number that begins with `prefix`.
pub fn count_numbered(conn: &dyn Source, item: Uuid, prefix: &str) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM stock_batches WHERE stock_item_id = ?1 AND batch_number >= ?2 AND batch_number < ?2 || '~'";
    one(conn, sql, params![item, prefix], |row| row.get(0))
}

/// How many batches that were made here have a number that begins with `prefix`, of whatever item.
pub fn count_made(conn: &dyn Source, outlet: Uuid, prefix: &str) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM stock_batches WHERE outlet_id = ?1 AND stock_item_id IN (
                 SELECT id FROM stock_items WHERE preparation_id IS NOT NULL AND outlet_id = ?1)
                 AND batch_number >= ?2 AND batch_number < ?2 || '~' AND source_type = 'PRODUCTION'";
    one(conn, sql, params![outlet, prefix], |row| row.get(0))
}

pub(in super::super) fn insert(
    tx: &Tx<'_>,
    outlet: Uuid,
    batch: &Batch,
    source_id: Option<Uuid>,
) -> db::Result<()> {
    insert!(tx, stock_batches { outlet_id: outlet, source_id: source_id, ..batch })
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
    pub business_date: NaiveDate,
    /// What it holds of the batch, returns taken off.
    pub quantity: Quantity,
}

/// The orders that took from the batch, the oldest first.
pub fn list_orders(conn: &dyn Source, outlet: Uuid, item: Uuid, batch: Uuid) -> db::Result<Vec<TracedOrder>> {
    let sql = concat!(
        "SELECT t.order_id, o.order_number, t.at, t.business_date, t.quantity FROM (
           SELECT coalesce(i.order_id, m.order_id) AS order_id, min(m.at) AS at,
             min(m.business_date) AS business_date, -sum(m.quantity_delta) AS quantity
           FROM ",
        super::movements::of_item!(),
        " f JOIN stock_movements m ON m.id = f.id LEFT JOIN order_items i ON i.id = m.order_item_id
           WHERE m.batch_id = ?3 AND m.order_id IS NOT NULL AND m.kind IN ('SALE', 'RETURN')
           GROUP BY coalesce(i.order_id, m.order_id) HAVING sum(m.quantity_delta) < 0) t
         LEFT JOIN orders o ON o.id = t.order_id ORDER BY t.at, t.order_id"
    );
    rows(conn, sql, [item, outlet, batch], |row| {
        Ok(TracedOrder {
            order_id: row.get("order_id")?,
            order_number: row.get("order_number")?,
            at: row.get("at")?,
            business_date: row.get("business_date")?,
            quantity: row.get("quantity")?,
        })
    })
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
pub fn list_ingredients(
    conn: &dyn Source,
    outlet: Uuid,
    order_item: Uuid,
) -> db::Result<Vec<TracedIngredient>> {
    let sql = "SELECT m.order_item_id, m.stock_item_id, s.name, s.unit, m.batch_id, b.batch_number, b.expiry_date,
                 b.supplier_id, p.name AS supplier_name, -sum(m.quantity_delta) AS quantity,
                 -sum(m.cost_micros) AS cost_micros
               FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id
                 LEFT JOIN stock_batches b ON b.id = m.batch_id LEFT JOIN suppliers p ON p.id = b.supplier_id
               WHERE m.order_item_id = ?1 AND m.outlet_id = ?2
               GROUP BY m.order_item_id, m.stock_item_id, s.name, s.unit, m.batch_id, b.batch_number, b.expiry_date,
                 b.supplier_id, p.name
               HAVING sum(m.quantity_delta) < 0 ORDER BY min(m.id)";
    rows(conn, sql, [order_item, outlet], |row| {
        Ok(TracedIngredient {
            order_item_id: row.get("order_item_id")?,
            stock_item_id: row.get("stock_item_id")?,
            name: row.get("name")?,
            unit: row.get("unit")?,
            batch_id: row.get("batch_id")?,
            batch_number: row.get("batch_number")?,
            expiry_date: row.get("expiry_date")?,
            supplier_id: row.get("supplier_id")?,
            supplier_name: row.get("supplier_name")?,
            quantity: row.get("quantity")?,
            cost_micros: row.get("cost_micros")?,
        })
    })
}
