//! What the kitchen's rows say of preparation times. Never writes.

use super::standing::COOKED;
use crate::db::list as rows;
use crate::db::{self, Source};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// Times of one station over a period, milliseconds.
#[derive(Debug)]
pub(in super::super) struct StationTimes {
    pub(in super::super) station_id: Uuid,
    pub(in super::super) name: String,
    pub(in super::super) tickets: i64,
    pub(in super::super) wait_ms: Option<i64>,
    pub(in super::super) cook_ms: Option<i64>,
    pub(in super::super) total_ms: Option<i64>,
    pub(in super::super) longest_ms: Option<i64>,
    pub(in super::super) late: i64,
    pub(in super::super) recalled: i64,
}

/// Times of the cooked tickets that were ready, by station, over business dates `from` to `to`.
pub(in super::super) fn station_times(
    conn: &dyn Source,
    outlet: Uuid,
    (from, to): (NaiveDate, NaiveDate),
    station: Option<Uuid>,
) -> db::Result<Vec<StationTimes>> {
    let sql = format!(
        "SELECT t.station_id, s.name, count(*), sum(t.started_at - t.fired_at) / count(*),
           sum(t.ready_at - t.started_at) / count(*), sum(t.ready_at - t.fired_at) / count(*), max(t.ready_at - t.fired_at),
           count(*) FILTER (WHERE t.ready_at > t.target_ready_at), sum(t.recalled_count)
         FROM kitchen_tickets t JOIN kitchen_stations s ON s.id = t.station_id
         WHERE t.outlet_id = ?1 AND t.business_date BETWEEN ?2 AND ?3 AND (?4 IS NULL OR t.station_id = ?4)
           AND t.ready_at IS NOT NULL AND {COOKED}
         GROUP BY t.station_id, s.name ORDER BY s.name, t.station_id"
    );
    rows(conn, &sql, params![outlet, from.to_string(), to.to_string(), station], |row| {
        Ok(StationTimes {
            station_id: row.get(0)?,
            name: row.get(1)?,
            tickets: row.get(2)?,
            wait_ms: row.get(3)?,
            cook_ms: row.get(4)?,
            total_ms: row.get(5)?,
            longest_ms: row.get(6)?,
            late: row.get(7)?,
            recalled: row.get(8)?,
        })
    })
}

/// Times of one dish over a period, milliseconds.
#[derive(Debug)]
pub(in super::super) struct ItemTimes {
    pub(in super::super) menu_item_id: Uuid,
    pub(in super::super) name: String,
    pub(in super::super) lines: i64,
    pub(in super::super) quantity: i64,
    pub(in super::super) cook_ms: Option<i64>,
    pub(in super::super) total_ms: Option<i64>,
    pub(in super::super) longest_ms: Option<i64>,
}

/// Times of the items that were ready, by dish and name, over business dates `from` to `to`, the slowest first.
pub(in super::super) fn item_times(
    conn: &dyn Source,
    outlet: Uuid,
    (from, to): (NaiveDate, NaiveDate),
    station: Option<Uuid>,
) -> db::Result<Vec<ItemTimes>> {
    let sql = format!(
        "SELECT i.menu_item_id, max(i.name), count(*), sum(i.quantity), sum(i.ready_at - i.started_at) / count(*),
           sum(i.ready_at - t.fired_at) / count(*), max(i.ready_at - t.fired_at)
         FROM kitchen_tickets t JOIN kitchen_ticket_items i ON i.ticket_id = t.id
         WHERE t.outlet_id = ?1 AND t.business_date BETWEEN ?2 AND ?3 AND (?4 IS NULL OR t.station_id = ?4)
           AND i.ready_at IS NOT NULL AND i.status = 'READY' AND {COOKED}
         GROUP BY i.menu_item_id ORDER BY 6 DESC, 2, 1"
    );
    rows(conn, &sql, params![outlet, from.to_string(), to.to_string(), station], |row| {
        Ok(ItemTimes {
            menu_item_id: row.get(0)?,
            name: row.get(1)?,
            lines: row.get(2)?,
            quantity: row.get(3)?,
            cook_ms: row.get(4)?,
            total_ms: row.get(5)?,
            longest_ms: row.get(6)?,
        })
    })
}
