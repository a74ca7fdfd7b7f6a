//! Rows of `stock_movements`: the ledger. Only ever inserted into.

use crate::db::{self, Columns, Page, Row, Source, Tx, list as rows, one, page};
use crate::resources::inventory::rules::Kind;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Quantity, UnitCost, Uuid};

table! {
    /// A movement of the ledger.
    pub struct Movement: stock_movements {
        /// Id.
        pub id: Uuid,
        /// The item.
        pub stock_item_id: Uuid,
        /// See [`Kind`].
        pub kind: Kind,
        /// The batch; none: without stock.
        pub batch_id: Option<Uuid>,
        /// Its number.
        pub batch_number: Option<String> => none,
        /// By how much the stock changed.
        pub quantity_delta: Quantity,
        /// The item's running total before.
        pub quantity_before: Quantity,
        /// And after.
        pub quantity_after: Quantity,
        /// What one unit cost.
        pub unit_cost: UnitCost,
        /// What it cost in all, sign of the delta, in millionths of a cent.
        pub cost_micros: i64,
        /// Why.
        pub cause_type: String,
        /// The record of that kind.
        pub cause_id: Option<Uuid>,
        /// The order.
        pub order_id: Option<Uuid>,
        /// The order line.
        pub order_item_id: Option<Uuid>,
        /// The movement it takes back.
        pub reverses_id: Option<Uuid>,
        /// The reason given.
        pub reason: Option<String>,
        /// A note.
        pub note: Option<String>,
        /// Who.
        pub actor_id: Option<Uuid>,
        /// The business date.
        pub business_date: NaiveDate,
        /// When.
        pub at: Millis,
        /// By a clock that was not followed.
        pub clock_suspect: bool,
    }
}

pub(in super::super) fn insert_all(tx: &Tx<'_>, outlet: Uuid, movements: &[Movement]) -> db::Result<()> {
    insert_all!(tx, stock_movements { outlet_id: outlet, ..movements })
}

/// What an order line took in one movement, and what of it already came back.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The movement.
    pub id: Uuid,
    /// The item.
    pub item: Uuid,
    /// From which batch; none: without stock.
    pub batch: Option<Uuid>,
    /// The order it was taken for.
    pub order_id: Option<Uuid>,
    /// The line it was taken for.
    pub order_item_id: Option<Uuid>,
    /// How much is still taken.
    pub quantity: Quantity,
    /// What one unit cost.
    pub unit_cost: UnitCost,
    /// What the rest still taken cost, in millionths of a cent.
    pub cost_micros: i64,
}

pub(super) fn read_taken(row: &Row<'_>) -> db::Result<Taken> {
    Ok(Taken {
        id: row.get("id")?,
        item: row.get("stock_item_id")?,
        batch: row.get("batch_id")?,
        order_id: row.get("order_id")?,
        order_item_id: row.get("order_item_id")?,
        quantity: row.get("quantity")?,
        unit_cost: row.get("unit_cost")?,
        cost_micros: row.get("cost_micros")?,
    })
}

/// What the line still holds.
pub fn list_taken_by_line(conn: &dyn Source, outlet: Uuid, order_item: Uuid) -> db::Result<Vec<Taken>> {
    let sql = "SELECT m.id, m.stock_item_id, m.batch_id, m.order_id, m.order_item_id, m.unit_cost,
                 -m.quantity_delta - coalesce((SELECT sum(r.quantity_delta) FROM stock_movements r
                   WHERE r.reverses_id = m.id AND r.kind = 'RETURN'), 0) AS quantity,
                 -m.cost_micros - coalesce((SELECT sum(r.cost_micros) FROM stock_movements r
                   WHERE r.reverses_id = m.id AND r.kind = 'RETURN'), 0) AS cost_micros
               FROM stock_movements m
               WHERE m.order_item_id = ?1 AND m.outlet_id = ?2 AND m.kind = 'SALE' ORDER BY m.id";
    rows(conn, sql, [order_item, outlet], read_taken)
}

/// The batches that met the item's deficits, the latest first, each with what it gave.
pub fn list_settlements(conn: &dyn Source, item: Uuid) -> db::Result<Vec<(Uuid, Quantity, UnitCost)>> {
    let sql = "SELECT batch_id, -quantity_delta AS quantity, unit_cost FROM stock_movements
               WHERE stock_item_id = ?1 AND kind = 'SETTLEMENT' AND kind <> 'SALE' AND batch_id IS NOT NULL
               ORDER BY at DESC, id DESC LIMIT 8";
    rows(conn, sql, [item], |row| Ok((row.get("batch_id")?, row.get("quantity")?, row.get("unit_cost")?)))
}

/// The ids and moments of all movements of item ?1 of outlet ?2: those of finished dates where they were filed, the others by date.
macro_rules! of_item {
    () => {
        "(SELECT movement_id AS id, at FROM stock_filed_movements WHERE stock_item_id = ?1
          UNION ALL SELECT id, at FROM stock_movements WHERE outlet_id = ?2 AND stock_item_id = ?1 AND business_date >
            coalesce((SELECT through FROM stock_filing WHERE outlet_id = ?2), ''))"
    };
}
pub(in super::super) use of_item;

/// Movements with the numbers of their batches, with the rest of the statement.
macro_rules! movements {
    ($rest:expr) => {
        select!(
            Movement as m,
            "b.batch_number",
            concat!("LEFT JOIN stock_batches b ON b.id = m.batch_id ", $rest)
        )
    };
}

fn read(row: &Row<'_>) -> db::Result<Movement> {
    Ok(Movement { batch_number: row.get("batch_number")?, ..Movement::read(row)? })
}

/// Which part of an item's ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerFilter {
    /// Only this kind.
    pub kind: Option<String>,
    /// From this business date.
    pub from: Option<NaiveDate>,
    /// To this business date.
    pub to: Option<NaiveDate>,
}

/// A page of the item's ledger, the newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    filter @ LedgerFilter { kind, from, to }: &LedgerFilter,
    paging: (u32, u32),
) -> db::Result<Page<Movement>> {
    if *filter == LedgerFilter::default() {
        return list_newest(conn, outlet, item, paging);
    }
    macro_rules! holds {
        () => {
            concat!(
                "JOIN ",
                of_item!(),
                " f ON f.id = m.id WHERE m.outlet_id = ?2 AND (?3 IS NULL OR m.kind = ?3)
                 AND (?4 IS NULL OR m.business_date >= ?4) AND (?5 IS NULL OR m.business_date <= ?5)"
            )
        };
    }
    let sql = movements!(concat!(holds!(), " ORDER BY m.at DESC, m.id DESC"));
    let count = concat!("SELECT count(*) FROM stock_movements m ", holds!());
    page(conn, (sql, count), params![item, outlet, kind, from, to], paging, read)
}

/// Ids of the item's movements, the newest first: in the order they are filed in, so that reading ends with the page.
macro_rules! newest {
    () => {
        concat!("SELECT id, at FROM ", of_item!(), " i ORDER BY at DESC, id DESC LIMIT ?3 OFFSET ?4")
    };
}
#[cfg(test)]
pub(in super::super) use newest;

/// A page of the item's whole ledger: of all its movements only those that are shown are looked up.
fn list_newest(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    (limit, offset): (u32, u32),
) -> db::Result<Page<Movement>> {
    let sql = movements!(concat!("JOIN (", newest!(), ") f ON f.id = m.id ORDER BY f.at DESC, f.id DESC"));
    let items = rows(conn, sql, params![item, outlet, limit, offset], read)?;
    let count = concat!("SELECT count(*) FROM ", of_item!(), " f");
    let total = one(conn, count, params![item, outlet], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// Files the movements of `date`, which is finished and the first that is not filed, by item.
pub(in super::super) fn insert_filed(tx: &Tx<'_>, outlet: Uuid, date: NaiveDate) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_filed_movements (stock_item_id, at, movement_id)
         SELECT stock_item_id, at, id FROM stock_movements WHERE outlet_id = ?1 AND business_date = ?2
         ORDER BY stock_item_id, at, id",
        params![outlet, date],
    )?;
    tx.execute(
        "INSERT INTO stock_filing (outlet_id, through) VALUES (?1, ?2)
         ON CONFLICT (outlet_id) DO UPDATE SET through = excluded.through",
        params![outlet, date],
    )
}

/// The first business date before `today` with movements that are not filed.
pub fn find_unfiled(conn: &dyn Source, outlet: Uuid, today: NaiveDate) -> db::Result<Option<NaiveDate>> {
    let sql = "SELECT min(business_date) FROM stock_movements WHERE outlet_id = ?1 AND business_date < ?2
                 AND business_date > coalesce((SELECT through FROM stock_filing WHERE outlet_id = ?1), '')";
    one(conn, sql, params![outlet, today], |row| row.get(0))
}

/// Movements by their ids, in the order of the ids.
pub fn list_of_ids(conn: &dyn Source, ids: &[Uuid]) -> db::Result<Vec<Movement>> {
    ids.iter().map(|id| one(conn, movements!("WHERE m.id = ?1"), [id], read)).collect()
}
