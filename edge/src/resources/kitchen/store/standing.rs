//! How far an order, a course or a line is in the kitchen. Never writes.

use crate::db::{self, Source, one, opt};
use crate::resources::kitchen::rules::{Courses, Progress};
use tiffin_common::Uuid;

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
