//! Rows of `stock_movements`: the ledger. Only ever inserted into.

use super::date_text;
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one};
use crate::resources::inventory::rules::{Cause, Kind};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Quantity, UnitCost, Uuid};

/// One change of stock, to be written.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct NewMovement<'a> {
    pub(in super::super) item: Uuid,
    pub(in super::super) batch: Option<Uuid>,
    pub(in super::super) kind: Kind,
    pub(in super::super) delta: Quantity,
    pub(in super::super) before: Quantity,
    pub(in super::super) after: Quantity,
    pub(in super::super) unit_cost: UnitCost,
    pub(in super::super) cost_micros: i64,
    pub(in super::super) cause: &'a Cause,
    pub(in super::super) reverses: Option<Uuid>,
}

pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    actor: &Actor,
    date: &str,
    m: &NewMovement<'_>,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO stock_movements (id, outlet_id, stock_item_id, batch_id, kind, quantity_delta, quantity_before,
           quantity_after, unit_cost, cost_micros, cause_type, cause_id, order_id, order_item_id, reverses_id, reason, note,
           actor_id, business_date, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
        params![
            id,
            actor.outlet_id,
            m.item,
            m.batch,
            m.kind.name(),
            m.delta,
            m.before,
            m.after,
            m.unit_cost,
            m.cost_micros,
            m.cause.kind,
            m.cause.id,
            m.cause.order_id,
            m.cause.order_item_id,
            m.reverses,
            m.cause.reason,
            m.cause.note,
            actor.account_id,
            date,
            tx.now()
        ],
    )?;
    Ok(id)
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

/// What the line still holds.
pub fn taken_by_line(conn: &dyn Source, outlet: Uuid, order_item: Uuid) -> db::Result<Vec<Taken>> {
    let sql = "SELECT m.id, m.stock_item_id, m.batch_id, m.order_id, m.unit_cost,
                 -m.quantity_delta - coalesce((SELECT sum(r.quantity_delta) FROM stock_movements r
                   WHERE r.reverses_id = m.id AND r.kind = 'RETURN'), 0),
                 -m.cost_micros - coalesce((SELECT sum(r.cost_micros) FROM stock_movements r
                   WHERE r.reverses_id = m.id AND r.kind = 'RETURN'), 0)
               FROM stock_movements m
               WHERE m.order_item_id = ?1 AND m.outlet_id = ?2 AND m.kind = 'SALE' ORDER BY m.id";
    rows(conn, sql, params![order_item, outlet], |row| {
        Ok(Taken {
            id: row.get(0)?,
            item: row.get(1)?,
            batch: row.get(2)?,
            order_id: row.get(3)?,
            order_item_id: Some(order_item),
            unit_cost: row.get(4)?,
            quantity: row.get(5)?,
            cost_micros: row.get(6)?,
        })
    })
}

/// The batches that met the item's deficits, the latest first, each with what it gave.
pub fn settlements(conn: &dyn Source, item: Uuid) -> db::Result<Vec<(Uuid, Quantity, UnitCost)>> {
    let sql = "SELECT batch_id, -quantity_delta, unit_cost FROM stock_movements
               WHERE stock_item_id = ?1 AND kind = 'SETTLEMENT' AND batch_id IS NOT NULL
               ORDER BY at DESC, id DESC LIMIT 8";
    rows(conn, sql, [item], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// A movement as the ledger shows it.
#[derive(Debug, Clone)]
pub struct Movement {
    /// Id.
    pub id: Uuid,
    /// See [`Kind`].
    pub kind: String,
    /// The batch; none: without stock.
    pub batch_id: Option<Uuid>,
    /// Its number.
    pub batch_number: Option<String>,
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
    pub business_date: String,
    /// When.
    pub at: Millis,
}

const COLUMNS: &str = "m.id, m.kind, m.batch_id, b.batch_number, m.quantity_delta, m.quantity_before, m.quantity_after,
  m.unit_cost, m.cost_micros, m.cause_type, m.cause_id, m.order_id, m.order_item_id, m.reverses_id, m.reason, m.note,
  m.actor_id, m.business_date, m.at
  FROM stock_movements m LEFT JOIN stock_batches b ON b.id = m.batch_id";

fn read(row: &Row<'_>) -> db::Result<Movement> {
    Ok(Movement {
        id: row.get(0)?,
        kind: row.get(1)?,
        batch_id: row.get(2)?,
        batch_number: row.get(3)?,
        quantity_delta: row.get(4)?,
        quantity_before: row.get(5)?,
        quantity_after: row.get(6)?,
        unit_cost: row.get(7)?,
        cost_micros: row.get(8)?,
        cause_type: row.get(9)?,
        cause_id: row.get(10)?,
        order_id: row.get(11)?,
        order_item_id: row.get(12)?,
        reverses_id: row.get(13)?,
        reason: row.get(14)?,
        note: row.get(15)?,
        actor_id: row.get(16)?,
        business_date: row.get(17)?,
        at: row.get(18)?,
    })
}

/// Which part of an item's ledger.
#[derive(Debug, Clone, Default)]
pub struct LedgerFilter {
    /// Only this kind.
    pub kind: Option<String>,
    /// From this business date.
    pub from: Option<NaiveDate>,
    /// To this business date.
    pub to: Option<NaiveDate>,
}

/// A page of the item's ledger, the newest first; and how many movements there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    filter: &LedgerFilter,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Movement>, i64)> {
    let holds = "m.stock_item_id = ?1 AND m.outlet_id = ?2 AND (?3 IS NULL OR m.kind = ?3)
                 AND (?4 IS NULL OR m.business_date >= ?4) AND (?5 IS NULL OR m.business_date <= ?5)";
    let (from, to) = (filter.from.map(date_text), filter.to.map(date_text));
    let sql = format!("SELECT {COLUMNS} WHERE {holds} ORDER BY m.at DESC, m.id DESC LIMIT ?6 OFFSET ?7");
    let movements = rows(conn, &sql, params![item, outlet, filter.kind, from, to, limit, offset], read)?;
    let count = format!("SELECT count(*) FROM stock_movements m WHERE {holds}");
    let total = one(conn, &count, params![item, outlet, filter.kind, from, to], |row| row.get(0))?;
    Ok((movements, total))
}

/// Movements by their ids, in the order of the ids.
pub fn of_ids(conn: &dyn Source, ids: &[Uuid]) -> db::Result<Vec<Movement>> {
    let sql = format!("SELECT {COLUMNS} WHERE m.id = ?1");
    ids.iter().map(|id| one(conn, &sql, [id], read)).collect()
}
