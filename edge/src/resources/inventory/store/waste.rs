//! Rows of `waste_logs`, and the movements they are the cause of.

use super::date_text;
use super::movements::Taken;
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::resources::inventory::rules::waste::Reversal;
use crate::resources::inventory::rules::{WasteLog, WasteReason};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::{Quantity, Uuid};

const COLUMNS: &str = "id, stock_item_id, menu_item_id, name, quantity, unit, batch_number, reason, note, station_id, order_id,
  order_item_id, cost_micros, business_date, at, by_id, by_name, reversed_at, reversed_by, reversed_by_name, reversal_reason";

fn reason(row: &Row<'_>, column: usize) -> db::Result<WasteReason> {
    WasteReason::of_name(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown reason".into(),
        ))
    })
}

fn read(row: &Row<'_>) -> db::Result<WasteLog> {
    let reversal = match row.get(17)? {
        None => None,
        Some(at) => {
            let by_name = row.get::<_, Option<String>>(19)?.unwrap_or_default();
            let reason = row.get::<_, Option<String>>(20)?.unwrap_or_default();
            Some(Reversal { at, by_id: row.get(18)?, by_name, reason })
        }
    };
    Ok(WasteLog {
        id: row.get(0)?,
        stock_item_id: row.get(1)?,
        menu_item_id: row.get(2)?,
        name: row.get(3)?,
        quantity: row.get(4)?,
        unit: row.get(5)?,
        batch_number: row.get(6)?,
        reason: reason(row, 7)?,
        note: row.get(8)?,
        station_id: row.get(9)?,
        order_id: row.get(10)?,
        order_item_id: row.get(11)?,
        cost_micros: row.get(12)?,
        business_date: row.get(13)?,
        at: row.get(14)?,
        by_id: row.get(15)?,
        by_name: row.get(16)?,
        reversal,
    })
}

/// The outlet's entry of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<WasteLog>> {
    let sql = format!("SELECT {COLUMNS} FROM waste_logs WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [id, outlet], read)
}

/// Which entries.
#[derive(Debug, Clone, Default)]
pub struct WasteFilter {
    /// From this business date.
    pub from: Option<NaiveDate>,
    /// To this business date.
    pub to: Option<NaiveDate>,
    /// Only for this reason.
    pub reason: Option<WasteReason>,
    /// Only of this stock item, thrown away as such.
    pub stock_item_id: Option<Uuid>,
    /// Only of this dish.
    pub menu_item_id: Option<Uuid>,
}

/// A page of the entries, the newest first; and how many there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &WasteFilter,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<WasteLog>, i64)> {
    let holds = "outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND (?4 IS NULL OR reason = ?4)
                 AND (?5 IS NULL OR stock_item_id = ?5) AND (?6 IS NULL OR menu_item_id = ?6)";
    let from = filter.from.map_or_else(String::new, date_text);
    let to = filter.to.map_or_else(|| "~".to_owned(), date_text);
    let (reason, item, dish) =
        (filter.reason.map(WasteReason::name), filter.stock_item_id, filter.menu_item_id);
    let sql = format!(
        "SELECT {COLUMNS} FROM waste_logs WHERE {holds} ORDER BY business_date DESC, at DESC, id DESC LIMIT ?7 OFFSET ?8"
    );
    let logs = rows(conn, &sql, params![outlet, from, to, reason, item, dish, limit, offset], read)?;
    let count = format!("SELECT count(*) FROM waste_logs WHERE {holds}");
    let total = one(conn, &count, params![outlet, from, to, reason, item, dish], |row| row.get(0))?;
    Ok((logs, total))
}

/// What an entry took, movement by movement.
pub fn taken(conn: &dyn Source, outlet: Uuid, log: &WasteLog) -> db::Result<Vec<Taken>> {
    // By the day's waste: movements have no index by cause.
    let sql = "SELECT id, stock_item_id, batch_id, order_id, order_item_id, -quantity_delta, unit_cost, -cost_micros
               FROM stock_movements WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'WASTE' AND cause_id = ?3
                 AND reverses_id IS NULL ORDER BY id";
    rows(conn, sql, params![outlet, log.business_date, log.id], |row| {
        Ok(Taken {
            id: row.get(0)?,
            item: row.get(1)?,
            batch: row.get(2)?,
            order_id: row.get(3)?,
            order_item_id: row.get(4)?,
            quantity: row.get(5)?,
            unit_cost: row.get(6)?,
            cost_micros: row.get(7)?,
        })
    })
}

/// Waste of one stock item for one reason at one station, entries that were undone taken off.
#[derive(Debug, Clone)]
pub struct WasteSum {
    /// Why.
    pub reason: WasteReason,
    /// The stock item.
    pub stock_item_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the dish is made; none: thrown away in the store.
    pub station_id: Option<Uuid>,
    /// How much.
    pub quantity: Quantity,
    /// What it cost, in millionths of a cent.
    pub cost_micros: i64,
}

/// What the ledger says was thrown away on these business dates. What was taken off bills before there were entries counts
/// as such.
pub fn sums(conn: &dyn Source, outlet: Uuid, from: NaiveDate, to: NaiveDate) -> db::Result<Vec<WasteSum>> {
    let sql = "SELECT coalesce(w.reason, 'VOID_AFTER_PREP'), m.stock_item_id, s.name, s.unit, w.station_id,
                 -sum(m.quantity_delta), -sum(m.cost_micros)
               FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id LEFT JOIN waste_logs w ON w.id = m.cause_id
               WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind = 'WASTE'
               GROUP BY 1, m.stock_item_id, s.name, s.unit, w.station_id
               ORDER BY s.name, m.stock_item_id, 1, w.station_id IS NOT NULL, w.station_id";
    rows(conn, sql, params![outlet, date_text(from), date_text(to)], |row| {
        Ok(WasteSum {
            reason: reason(row, 0)?,
            stock_item_id: row.get(1)?,
            name: row.get(2)?,
            unit: row.get(3)?,
            station_id: row.get(4)?,
            quantity: row.get(5)?,
            cost_micros: row.get(6)?,
        })
    })
}

/// How many entries of these business dates stand, by reason.
pub fn counts(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<(WasteReason, i64)>> {
    let sql = "SELECT reason, count(*) FROM waste_logs
               WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND reversed_at IS NULL GROUP BY reason";
    rows(conn, sql, params![outlet, date_text(from), date_text(to)], |row| Ok((reason(row, 0)?, row.get(1)?)))
}

pub(in super::super) fn insert(tx: &Transaction<'_>, outlet: Uuid, log: &WasteLog) -> db::Result<()> {
    tx.execute(
        "INSERT INTO waste_logs (id, outlet_id, stock_item_id, menu_item_id, name, quantity, unit, batch_number, reason, note,
           station_id, order_id, order_item_id, cost_micros, business_date, at, by_id, by_name)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
        params![
            log.id,
            outlet,
            log.stock_item_id,
            log.menu_item_id,
            log.name,
            log.quantity,
            log.unit,
            log.batch_number,
            log.reason.name(),
            log.note,
            log.station_id,
            log.order_id,
            log.order_item_id,
            log.cost_micros,
            log.business_date,
            log.at,
            log.by_id,
            log.by_name
        ],
    )
    .map(drop)
}

pub(in super::super) fn set_reversed(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    reason: &str,
) -> db::Result<()> {
    tx.execute(
        "UPDATE waste_logs SET reversed_at = ?3, reversed_by = ?4, reversed_by_name = ?5, reversal_reason = ?6
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, actor.outlet_id, tx.now(), actor.account_id, actor.name, reason],
    )
    .map(drop)
}
