//! Rows of `waste_logs`, and the movements they are the cause of.

use super::movements::{Taken, read_taken};
use crate::access::Actor;
use crate::db::{self, Columns, Page, Source, Tx, list as rows, opt, page, table};
use crate::resources::inventory::rules::waste::WasteSum;
use crate::resources::inventory::rules::{WasteLog, WasteReason};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::Uuid;

/// The outlet's entry of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<WasteLog>> {
    opt(conn, select!(WasteLog, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet], WasteLog::read)
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

/// A page of the entries, the newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &WasteFilter,
    paging: (u32, u32),
) -> db::Result<Page<WasteLog>> {
    let holds = "WHERE outlet_id = ?1 AND business_date BETWEEN coalesce(?2, '') AND coalesce(?3, '~')
      AND (?4 IS NULL OR reason = ?4) AND (?5 IS NULL OR stock_item_id = ?5) AND (?6 IS NULL OR menu_item_id = ?6)";
    let sql =
        table::select::<WasteLog>("", "", &format!("{holds} ORDER BY business_date DESC, at DESC, id DESC"));
    let count = format!("SELECT count(*) FROM waste_logs {holds}");
    let WasteFilter { from, to, reason, stock_item_id, menu_item_id } = filter;
    let values = params![outlet, from, to, reason, stock_item_id, menu_item_id];
    page(conn, (&sql, &count), values, paging, WasteLog::read)
}

/// What an entry took, movement by movement.
pub fn list_taken(conn: &dyn Source, outlet: Uuid, log: &WasteLog) -> db::Result<Vec<Taken>> {
    // By the day's waste: movements have no index by cause.
    let sql = "SELECT id, stock_item_id, batch_id, order_id, order_item_id, -quantity_delta AS quantity, unit_cost,
                 -cost_micros AS cost_micros
               FROM stock_movements WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'WASTE' AND cause_id = ?3
                 AND reverses_id IS NULL ORDER BY id";
    rows(conn, sql, params![outlet, log.business_date, log.id], read_taken)
}

/// What the ledger says was thrown away on these business dates. What was taken off bills before there were entries counts
/// as such.
pub fn list_sums(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<WasteSum>> {
    let sql = "SELECT coalesce(w.reason, 'VOID_AFTER_PREP') AS reason, m.stock_item_id, s.name, s.unit, w.station_id,
                 -sum(m.quantity_delta) AS quantity, -sum(m.cost_micros) AS cost_micros
               FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id LEFT JOIN waste_logs w ON w.id = m.cause_id
               WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind = 'WASTE'
               GROUP BY 1, m.stock_item_id, s.name, s.unit, w.station_id
               ORDER BY s.name, m.stock_item_id, 1, w.station_id IS NOT NULL, w.station_id";
    rows(conn, sql, params![outlet, from, to], |row| {
        Ok(WasteSum {
            reason: row.get("reason")?,
            stock_item_id: row.get("stock_item_id")?,
            name: row.get("name")?,
            unit: row.get("unit")?,
            station_id: row.get("station_id")?,
            quantity: row.get("quantity")?,
            cost_micros: row.get("cost_micros")?,
        })
    })
}

/// How many entries of these business dates stand, by reason.
pub fn count_by_reason(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<BTreeMap<WasteReason, i64>> {
    let sql = "SELECT reason, count(*) AS entries FROM waste_logs
               WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND reversed_at IS NULL GROUP BY reason";
    let counts =
        rows(conn, sql, params![outlet, from, to], |row| Ok((row.get("reason")?, row.get("entries")?)))?;
    Ok(counts.into_iter().collect())
}

pub(in super::super) fn insert(tx: &Tx<'_>, outlet: Uuid, log: &WasteLog) -> db::Result<()> {
    insert!(tx, waste_logs { outlet_id: outlet, ..log })
}

pub(in super::super) fn set_reversed(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: &str) -> db::Result<()> {
    update!(tx, waste_logs {
        reversed_at: tx.now(), reversed_by: actor.account_id, reversed_by_name: actor.name, reversal_reason: reason
    } where { id: id, outlet_id: actor.outlet_id })
}
