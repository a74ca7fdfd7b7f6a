//! What the kitchen's rows say of preparation times. Never writes.

use super::standing::COOKED;
use crate::db::list as rows;
use crate::db::{self, Source};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// Times of one station over a period, milliseconds.
#[derive(Debug)]
pub struct StationTimes {
    pub station_id: Uuid,
    pub name: String,
    pub tickets: i64,
    pub wait_ms: Option<i64>,
    pub cook_ms: Option<i64>,
    pub total_ms: Option<i64>,
    pub longest_ms: Option<i64>,
    pub late: i64,
    pub recalled: i64,
}

/// Times of the cooked tickets that were ready, by station, over business dates `from` to `to`.
pub fn list_station_times(
    conn: &dyn Source,
    outlet: Uuid,
    (from, to): (NaiveDate, NaiveDate),
    station: Option<Uuid>,
) -> db::Result<Vec<StationTimes>> {
    let sql = format!(
        "SELECT t.station_id, s.name, count(*) AS tickets, sum(t.started_at - t.fired_at) / count(*) AS wait_ms,
           sum(t.ready_at - t.started_at) / count(*) AS cook_ms, sum(t.ready_at - t.fired_at) / count(*) AS total_ms,
           max(t.ready_at - t.fired_at) AS longest_ms,
           count(*) FILTER (WHERE t.ready_at > t.target_ready_at) AS late, sum(t.recalled_count) AS recalled
         FROM kitchen_tickets t JOIN kitchen_stations s ON s.id = t.station_id
         WHERE t.outlet_id = ?1 AND t.business_date BETWEEN ?2 AND ?3 AND (?4 IS NULL OR t.station_id = ?4)
           AND t.ready_at IS NOT NULL AND {COOKED}
         GROUP BY t.station_id, s.name ORDER BY s.name, t.station_id"
    );
    rows(conn, &sql, params![outlet, from, to, station], |row| {
        Ok(read!(row => StationTimes {
            station_id, name, tickets, wait_ms, cook_ms, total_ms, longest_ms, late, recalled
        }))
    })
}

/// Times of one dish, or one variant of it, over a period, milliseconds.
#[derive(Debug)]
pub struct ItemTimes {
    pub menu_item_id: Uuid,
    pub variant_id: Option<Uuid>,
    pub name: String,
    pub lines: i64,
    pub quantity: i64,
    pub cook_ms: Option<i64>,
    pub total_ms: Option<i64>,
    pub longest_ms: Option<i64>,
}

/// Times of the items that were ready, by dish and variant, over business dates `from` to `to`, the slowest first.
pub fn list_item_times(
    conn: &dyn Source,
    outlet: Uuid,
    (from, to): (NaiveDate, NaiveDate),
    station: Option<Uuid>,
) -> db::Result<Vec<ItemTimes>> {
    let sql = format!(
        "SELECT i.menu_item_id, i.variant_id, max(i.name) AS name, count(*) AS lines, sum(i.quantity) AS quantity,
           sum(i.ready_at - i.started_at) / count(*) AS cook_ms, sum(i.ready_at - t.fired_at) / count(*) AS total_ms,
           max(i.ready_at - t.fired_at) AS longest_ms
         FROM kitchen_tickets t JOIN kitchen_ticket_items i ON i.ticket_id = t.id
         WHERE t.outlet_id = ?1 AND t.business_date BETWEEN ?2 AND ?3 AND (?4 IS NULL OR t.station_id = ?4)
           AND i.ready_at IS NOT NULL AND i.status = 'READY' AND {COOKED}
         GROUP BY i.menu_item_id, i.variant_id ORDER BY 7 DESC, 3, 1, i.variant_id IS NOT NULL, i.variant_id"
    );
    rows(conn, &sql, params![outlet, from, to, station], |row| {
        Ok(
            read!(row => ItemTimes { menu_item_id, variant_id, name, lines, quantity, cook_ms, total_ms, longest_ms }),
        )
    })
}
