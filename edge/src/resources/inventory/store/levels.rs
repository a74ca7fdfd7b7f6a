//! Rows of `stock_levels` and `stock_batch_levels`: what is left, kept beside the ledger it is the sum of.

use crate::db::{self, Columns, Row, Source, Tx, list as rows, one, table};
use crate::resources::inventory::rules::{OpenBatch, Rotation, pick::NEVER};
use chrono::NaiveDate;
use rusqlite::{ToSql, params};
use std::collections::BTreeMap;
use tiffin_common::{Overflow, Quantity, UnitCost, Uuid};

/// How an item stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// What it is counted in.
    pub unit: String,
    /// Which batch goes first.
    pub rotation: Rotation,
    /// At or below it the item is low.
    pub threshold: Quantity,
    /// What a unit of the newest receipt cost.
    pub last_unit_cost: UnitCost,
    /// The most that one portion of a dish, or one choice of an option, takes.
    pub largest_need: Quantity,
    /// The sum of all movements.
    pub on_hand: Quantity,
    /// Sold without stock.
    pub deficit: Quantity,
    /// What that was booked at, in millionths of a cent.
    pub deficit_cost_micros: i64,
    /// Left in batches past their expiry.
    pub expired: Quantity,
}

impl Level {
    /// What may still be sold: never what has expired, less what was sold without stock.
    pub fn current(&self) -> Result<Quantity, Overflow> {
        self.on_hand.minus(self.expired)
    }
}

/// Ids a statement is prepared for; fewer are padded, more take another round.
const CHUNK: usize = 16;

/// How the outlet's items of those ids stand on `date`. Ids of other outlets are left out.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    ids: &[Uuid],
    date: NaiveDate,
) -> db::Result<BTreeMap<Uuid, Level>> {
    let sql = "SELECT s.id, s.name, s.unit, s.rotation, s.min_stock_threshold,
                 coalesce(l.last_unit_cost, 0) AS last_unit_cost, coalesce(l.on_hand, 0) AS on_hand,
                 coalesce(l.deficit, 0) AS deficit, coalesce(l.deficit_cost_micros, 0) AS deficit_cost_micros,
                 coalesce(l.largest_need, 0) AS largest_need,
                 (SELECT coalesce(sum(b.quantity), 0) FROM stock_batch_levels b
                  WHERE b.stock_item_id = s.id AND b.expiry_date < ?2) AS expired
               FROM stock_items s LEFT JOIN stock_levels l ON l.stock_item_id = s.id
               WHERE s.outlet_id = ?1 AND s.id IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    let mut found = BTreeMap::new();
    for chunk in ids.chunks(CHUNK) {
        let mut values: Vec<&dyn ToSql> = Vec::with_capacity(CHUNK + 2);
        values.extend([&outlet as &dyn ToSql, &date]);
        values.extend(chunk.iter().chain(chunk.iter().cycle()).take(CHUNK).map(|id| id as &dyn ToSql));
        found.extend(rows(conn, sql, values.as_slice(), read)?);
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> db::Result<(Uuid, Level)> {
    let level = Level {
        name: row.get("name")?,
        unit: row.get("unit")?,
        rotation: row.get("rotation")?,
        threshold: row.get("min_stock_threshold")?,
        last_unit_cost: row.get("last_unit_cost")?,
        on_hand: row.get("on_hand")?,
        deficit: row.get("deficit")?,
        deficit_cost_micros: row.get("deficit_cost_micros")?,
        largest_need: row.get("largest_need")?,
        expired: row.get("expired")?,
    };
    Ok((row.get("id")?, level))
}

/// The statement that picks: one range of one index, read only as far as needed.
pub(in super::super) fn pick_sql(rotation: Rotation) -> &'static str {
    match rotation {
        Rotation::Fefo => select!(
            OpenBatch,
            "WHERE stock_item_id = ?1 AND expiry_date >= ?2 ORDER BY expiry_date, received_at, batch_id"
        ),
        Rotation::Fifo => select!(
            OpenBatch,
            "WHERE stock_item_id = ?1 AND +expiry_date >= ?2 ORDER BY received_at, batch_id"
        ),
    }
}

/// The batches of an item that `need` would be taken from on `date`, in their order; all usable ones when `need` is none.
pub fn list_shelf(
    conn: &dyn Source,
    item: Uuid,
    rotation: Rotation,
    date: NaiveDate,
    need: Option<Quantity>,
) -> db::Result<Vec<OpenBatch>> {
    let mut shelf = Vec::new();
    let mut missing = need.map(Quantity::get);
    if missing.is_some_and(|left| left <= 0) {
        return Ok(shelf);
    }
    conn.rows(pick_sql(rotation), &[&item, &date], &mut |row| {
        let batch = OpenBatch::read(row)?;
        missing = missing.map(|left| left.saturating_sub(batch.quantity.get()));
        shelf.push(batch);
        Ok(missing.is_none_or(|left| left > 0))
    })?;
    Ok(shelf)
}

/// What of an item may be used on `date`.
pub fn sum_shelf(conn: &dyn Source, item: Uuid, date: NaiveDate) -> db::Result<Quantity> {
    one(conn, sum_shelf_sql(), params![item, date], |row| row.get(0))
}

/// The statement of [`sum_shelf`]: asked for what is made ahead, for every order of a dish that takes some.
pub(in super::super) fn sum_shelf_sql() -> &'static str {
    "SELECT coalesce(sum(quantity), 0) FROM stock_batch_levels WHERE stock_item_id = ?1 AND expiry_date >= ?2"
}

/// Every batch of the outlet (or of one item) that has something left, with its item and number, in FEFO order.
pub fn list_open(
    conn: &dyn Source,
    outlet: Uuid,
    item: Option<Uuid>,
) -> db::Result<Vec<(Uuid, String, OpenBatch)>> {
    let only = if item.is_some() { "AND l.stock_item_id = ?2" } else { "AND ?2 IS NULL" };
    let rest = format!(
        "JOIN stock_batches b ON b.id = l.batch_id WHERE l.outlet_id = ?1 {only}
         ORDER BY l.stock_item_id, l.expiry_date, l.received_at, l.batch_id"
    );
    let sql = table::select::<OpenBatch>("l", "l.stock_item_id, b.batch_number", &rest);
    rows(conn, &sql, params![outlet, item], |row| {
        Ok((row.get("stock_item_id")?, row.get("batch_number")?, OpenBatch::read(row)?))
    })
}

/// What was sold without stock, of every item of the outlet.
pub fn list_deficits(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, Quantity>> {
    let sql = "SELECT stock_item_id, deficit FROM stock_levels WHERE outlet_id = ?1 AND deficit <> 0";
    let found = rows(conn, sql, [outlet], |row| Ok((row.get("stock_item_id")?, row.get("deficit")?)))?;
    Ok(found.into_iter().collect())
}

pub(in super::super) fn set(tx: &Tx<'_>, outlet: Uuid, item: Uuid, level: &Level) -> db::Result<()> {
    let Level { on_hand, deficit, deficit_cost_micros, last_unit_cost, .. } = level;
    update!(tx, stock_levels {
        on_hand: on_hand, deficit: deficit, deficit_cost_micros: deficit_cost_micros, last_unit_cost: last_unit_cost
    } where { stock_item_id: item })?;
    if tx.changed() == 0 {
        tx.execute(
            "INSERT INTO stock_levels (stock_item_id, outlet_id, on_hand, deficit, deficit_cost_micros, last_unit_cost,
               largest_need)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6,
               coalesce((SELECT max(n.quantity) FROM portion_needs n WHERE n.stock_item_id = ?1), 0))",
            params![item, outlet, on_hand, deficit, deficit_cost_micros, last_unit_cost],
        )?;
    }
    Ok(())
}

/// A new item: nothing there, nothing owed.
pub(in super::super) fn insert(tx: &Tx<'_>, outlet: Uuid, item: Uuid) -> db::Result<()> {
    insert!(tx, stock_levels { stock_item_id: item, outlet_id: outlet, on_hand: Quantity::ZERO })
}

/// Puts `quantity` more into a batch; one that was empty shows up again.
pub(in super::super) fn set_batch_increased(tx: &Tx<'_>, batch: Uuid, quantity: Quantity) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_batch_levels (batch_id, outlet_id, stock_item_id, quantity, unit_cost, expiry_date, received_at)
         SELECT id, outlet_id, stock_item_id, ?2, unit_cost, coalesce(expiry_date, ?3), received_at
         FROM stock_batches WHERE id = ?1
         ON CONFLICT (batch_id) DO UPDATE SET quantity = quantity + excluded.quantity",
        params![batch, quantity, NEVER],
    )
}

/// Takes `quantity` out of a batch, which must hold it. `keeps`: something is surely left of it.
pub(in super::super) fn set_batch_reduced(
    tx: &Tx<'_>,
    batch: Uuid,
    quantity: Quantity,
    keeps: bool,
) -> db::Result<()> {
    let sql = "UPDATE stock_batch_levels SET quantity = quantity - ?2 WHERE batch_id = ?1";
    tx.execute(sql, params![batch, quantity])?;
    if tx.changed() == 0 {
        return Err(db::DbError::Missing);
    }
    if !keeps {
        tx.execute("DELETE FROM stock_batch_levels WHERE batch_id = ?1 AND quantity = 0", [batch])?;
    }
    Ok(())
}

/// What the ledger of an outlet gives, up to one of its rows. Adding up a year's takes seconds and is for a reader; the writer adds what came
/// since.
#[derive(Debug, Clone)]
pub struct LedgerSums {
    /// Whose.
    pub outlet: Uuid,
    /// The number of the last row in it.
    to: i64,
    /// Item, batch, quantity and costs in millionths, as JSON.
    sums: String,
}

impl LedgerSums {
    /// Of nothing: the writer adds up everything.
    pub fn none(outlet: Uuid) -> LedgerSums {
        LedgerSums { outlet, to: 0, sums: "[]".to_owned() }
    }
}

/// Adds up the ledger.
pub(in super::super) fn sum_ledger(conn: &dyn Source, outlet: Uuid) -> db::Result<LedgerSums> {
    // A batch that is used up adds nothing to what comes later.
    const SUMS: &str = "SELECT coalesce(json_group_array(json_array(hex(stock_item_id), hex(batch_id), quantity, cost)), '[]') FROM (
        SELECT stock_item_id, batch_id, sum(quantity_delta) AS quantity, sum(cost_micros) AS cost FROM stock_movements
        WHERE outlet_id = ?1 AND rowid <= ?2 GROUP BY stock_item_id, batch_id
        HAVING batch_id IS NULL OR sum(quantity_delta) <> 0)";
    let last = "SELECT coalesce(max(rowid), 0) FROM stock_movements";
    let to: i64 = one(conn, last, [], |row| row.get(0))?;
    let sums = one(conn, SUMS, (outlet, to), |row| row.get(0))?;
    Ok(LedgerSums { outlet, to, sums })
}

/// Item, batch, quantity and costs of the sums and of all rows after them.
const LEDGER: &str = "WITH ledger AS MATERIALIZED (
    SELECT stock_item_id, batch_id, sum(quantity_delta) AS quantity, sum(cost_micros) AS cost_micros FROM (
      SELECT stock_item_id, batch_id, quantity_delta, cost_micros FROM stock_movements
      WHERE +outlet_id = ?1 AND rowid > ?2
      UNION ALL
      SELECT unhex(value ->> 0), nullif(unhex(value ->> 1), x''), value ->> 2, value ->> 3 FROM json_each(?3))
    GROUP BY stock_item_id, batch_id)";

/// Makes the levels of the outlet anew from its batches, movements and portion needs (after a restore, and to check them).
pub(in super::super) fn set_from_ledger(tx: &Tx<'_>, known: &LedgerSums) -> db::Result<()> {
    let LedgerSums { outlet, to, sums } = known;
    tx.execute("DELETE FROM stock_batch_levels WHERE outlet_id = ?1", [outlet])?;
    tx.execute("DELETE FROM stock_levels WHERE outlet_id = ?1", [outlet])?;
    tx.execute(
        &format!(
            "INSERT INTO stock_batch_levels (batch_id, outlet_id, stock_item_id, quantity, unit_cost, expiry_date, received_at)
             {LEDGER} SELECT b.id, b.outlet_id, b.stock_item_id, m.quantity, b.unit_cost, coalesce(b.expiry_date, ?4), b.received_at
             FROM ledger m JOIN stock_batches b ON b.id = m.batch_id WHERE m.quantity > 0"
        ),
        params![outlet, to, sums, NEVER],
    )?;
    tx.execute(
        &format!(
            "INSERT INTO stock_levels (stock_item_id, outlet_id, on_hand, deficit, deficit_cost_micros, largest_need)
             {LEDGER} SELECT s.id, s.outlet_id, coalesce(m.on_hand, 0), coalesce(m.deficit, 0), coalesce(m.deficit_cost_micros, 0),
               coalesce((SELECT max(n.quantity) FROM portion_needs n WHERE n.stock_item_id = s.id), 0)
             FROM stock_items s LEFT JOIN (
               SELECT stock_item_id, sum(quantity) AS on_hand,
                 -sum(CASE WHEN batch_id IS NULL THEN quantity END) AS deficit,
                 -sum(CASE WHEN batch_id IS NULL THEN cost_micros END) AS deficit_cost_micros
               FROM ledger GROUP BY stock_item_id) m ON m.stock_item_id = s.id
             WHERE s.outlet_id = ?1"
        ),
        params![outlet, to, sums],
    )?;
    set_last_costs(tx, *outlet)
}

/// Batches of which more was taken than they ever held, each with its item, how much and its cost.
pub(in super::super) fn list_owing(
    tx: &Tx<'_>,
    LedgerSums { outlet, to, sums }: &LedgerSums,
) -> db::Result<Vec<(Uuid, Uuid, Quantity, UnitCost)>> {
    let sql = format!(
        "{LEDGER} SELECT m.stock_item_id, m.batch_id, -m.quantity AS quantity, b.unit_cost
         FROM ledger m JOIN stock_batches b ON b.id = m.batch_id WHERE m.quantity < 0 ORDER BY m.batch_id"
    );
    rows(tx, &sql, params![outlet, to, sums], |row| {
        Ok((row.get("stock_item_id")?, row.get("batch_id")?, row.get("quantity")?, row.get("unit_cost")?))
    })
}

/// Items of which more was met than was sold without stock, or whose batches hold more than there is and is owed: one of them owes.
pub(in super::super) fn list_uneven(tx: &Tx<'_>, outlet: Uuid) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT stock_item_id FROM stock_levels l WHERE outlet_id = ?1 AND (deficit < 0 OR on_hand + deficit <>
        (SELECT coalesce(sum(b.quantity), 0) FROM stock_batch_levels b WHERE b.stock_item_id = l.stock_item_id))";
    rows(tx, sql, [outlet], |row| row.get(0))
}

/// Whether the levels of the outlet are what its ledger gives, but for what was paid last.
pub(in super::super) fn is_of_ledger(conn: &dyn Source, outlet: Uuid) -> db::Result<bool> {
    let sql = "WITH m AS MATERIALIZED (
          SELECT stock_item_id, batch_id, sum(quantity_delta) AS quantity, sum(cost_micros) AS cost_micros
          FROM stock_movements WHERE outlet_id = ?1 GROUP BY stock_item_id, batch_id),
        batches AS (SELECT batch_id, quantity FROM m WHERE batch_id IS NOT NULL AND quantity > 0),
        kept AS (SELECT batch_id, quantity FROM stock_batch_levels WHERE outlet_id = ?1)
      SELECT NOT EXISTS (SELECT * FROM batches EXCEPT SELECT * FROM kept)
        AND NOT EXISTS (SELECT * FROM kept EXCEPT SELECT * FROM batches)
        AND NOT EXISTS (SELECT 1 FROM stock_items s LEFT JOIN stock_levels l ON l.stock_item_id = s.id
          LEFT JOIN (SELECT stock_item_id, sum(quantity) AS on_hand,
            -sum(CASE WHEN batch_id IS NULL THEN quantity END) AS deficit,
            -sum(CASE WHEN batch_id IS NULL THEN cost_micros END) AS deficit_cost_micros
            FROM m GROUP BY stock_item_id) i ON i.stock_item_id = s.id
          WHERE s.outlet_id = ?1 AND (l.on_hand IS NOT coalesce(i.on_hand, 0) OR l.deficit IS NOT coalesce(i.deficit, 0)
            OR l.deficit_cost_micros IS NOT coalesce(i.deficit_cost_micros, 0)))";
    one(conn, sql, [outlet], |row| row.get(0))
}

/// Sets what was paid last for each item of the outlet, as the ledger has it.
pub(in super::super) fn set_last_costs(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    let set = "UPDATE stock_levels SET last_unit_cost = coalesce((SELECT r.unit_cost FROM stock_movements r
          WHERE r.stock_item_id = stock_levels.stock_item_id AND r.kind <> 'SALE' AND r.batch_id IS NOT NULL
            AND r.quantity_delta > 0 AND r.unit_cost > 0 AND r.kind NOT IN ('SETTLEMENT', 'STOCKTAKE')
            AND r.reverses_id IS NULL
          ORDER BY r.at DESC, r.id DESC LIMIT 1), 0) WHERE outlet_id = ?1";
    tx.execute(set, [outlet])
}

/// What the ledger gives for a batch (or for an item without one), where the ledger itself is not here yet.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// The item.
    pub item: Uuid,
    /// The batch.
    pub batch: Option<Uuid>,
    /// The sum of the movements' quantities, in millionths.
    pub quantity: i64,
    /// The sum of their costs, in millionths of a cent.
    pub cost_micros: i64,
}

/// Sets the levels of the outlet from sums that were made elsewhere, until the ledger is here and [`set_from_ledger`] can make them.
pub(in super::super) fn set_carried(tx: &Tx<'_>, outlet: Uuid, carried: &[Carried]) -> db::Result<()> {
    tx.execute("DELETE FROM stock_batch_levels WHERE outlet_id = ?1", [outlet])?;
    tx.execute("DELETE FROM stock_levels WHERE outlet_id = ?1", [outlet])?;
    tx.execute(
        "INSERT INTO stock_levels (stock_item_id, outlet_id, on_hand, last_unit_cost, largest_need)
         SELECT s.id, s.outlet_id, 0,
           coalesce((SELECT b.unit_cost FROM stock_batches b WHERE b.stock_item_id = s.id AND b.unit_cost > 0
             ORDER BY b.received_at DESC, b.id DESC LIMIT 1), 0),
           coalesce((SELECT max(n.quantity) FROM portion_needs n WHERE n.stock_item_id = s.id), 0)
         FROM stock_items s WHERE s.outlet_id = ?1",
        [outlet],
    )?;
    for Carried { item, batch, quantity, cost_micros } in carried {
        if batch.is_some() && *quantity > 0 {
            tx.execute(
                "INSERT INTO stock_batch_levels (batch_id, outlet_id, stock_item_id, quantity, unit_cost, expiry_date, received_at)
                 SELECT b.id, b.outlet_id, b.stock_item_id, ?2, b.unit_cost, coalesce(b.expiry_date, ?3), b.received_at
                 FROM stock_batches b WHERE b.id = ?1",
                params![batch, quantity, NEVER],
            )?;
        }
        let (short, cost) = if batch.is_none() { (-quantity, -cost_micros) } else { (0, 0) };
        tx.execute(
            "UPDATE stock_levels SET on_hand = on_hand + ?2, deficit = deficit + ?3,
               deficit_cost_micros = deficit_cost_micros + ?4 WHERE stock_item_id = ?1",
            params![item, quantity, short, cost],
        )?;
    }
    Ok(())
}
