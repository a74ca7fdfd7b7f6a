//! How far an order, a course or a line is in the kitchen. Never writes.

use crate::db::{self, Source, one, opt};
use crate::resources::kitchen::rules::{Courses, LineStanding, Progress};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// What is cooked, as against slips.
pub(super) const COOKED: &str = "t.type IN ('NEW', 'ADDITION')";

/// How far the order's courses are.
pub fn find_courses(conn: &dyn Source, order: Uuid) -> db::Result<Courses> {
    let sql = format!(
        "SELECT max(CASE WHEN t.status NOT IN ('HELD', 'CANCELLED') THEN t.course END) AS fired,
                min(CASE WHEN t.status IN ('HELD', 'QUEUED', 'IN_PREPARATION') THEN t.course END) AS lowest_open
         FROM kitchen_tickets t
         WHERE {COOKED} AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?1)"
    );
    one(conn, &sql, [order], |row| Ok(read!(row => Courses { fired, lowest_open })))
}

/// How far the order's cooked items are; none when nothing of it is wanted or started.
pub fn find_progress(conn: &dyn Source, order: Uuid) -> db::Result<Option<Progress>> {
    let sql = format!(
        "SELECT count(*) AS wanted, count(*) FILTER (WHERE i.status <> 'QUEUED') AS begun,
           count(*) FILTER (WHERE i.status = 'READY') AS ready
         FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         WHERE i.order_id = ?1 AND i.status <> 'CANCELLED' AND {COOKED}"
    );
    let (all, begun, ready): (i64, i64, i64) =
        one(conn, &sql, [order], |row| Ok((row.get("wanted")?, row.get("begun")?, row.get("ready")?)))?;
    Ok(match (all, begun) {
        (0, _) | (_, 0) => None,
        _ if ready == all => Some(Progress::AllReady),
        _ => Some(Progress::Started),
    })
}

/// Whether cooking of the order's line has begun.
pub fn is_started(conn: &dyn Source, order_item: Uuid) -> db::Result<bool> {
    let sql = format!(
        "SELECT 1 FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         WHERE i.order_item_id = ?1 AND i.started_at IS NOT NULL AND i.status <> 'CANCELLED' AND {COOKED} LIMIT 1"
    );
    opt(conn, &sql, [order_item], |_| Ok(())).map(|found| found.is_some())
}

/// How far the kitchen is with a line of an order at `now`.
pub fn find_line_standing(conn: &dyn Source, order_item: Uuid, now: Millis) -> db::Result<LineStanding> {
    let sql = format!(
        "SELECT max(t.fired_at) AS told_at, coalesce(max(i.started_at IS NOT NULL), 0) AS is_started,
           coalesce(max(t.target_ready_at <= ?2), 0) AS is_due,
           coalesce(max(t.fired_at IS NOT NULL AND s.print_tickets = 1), 0) AS is_on_paper,
           coalesce(max(EXISTS (SELECT 1 FROM print_jobs j
             WHERE j.ticket_id = t.id AND (j.status = 'DONE' OR j.sends > 0))), 0) AS is_printed
         FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         LEFT JOIN kitchen_stations s ON s.id = t.station_id
         WHERE i.order_item_id = ?1 AND i.status <> 'CANCELLED' AND {COOKED}"
    );
    one(conn, &sql, params![order_item, now], |row| {
        Ok(read!(row => LineStanding { told_at, is_started, is_due, is_on_paper, is_printed }))
    })
}
