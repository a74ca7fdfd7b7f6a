//! How far an order, a course or a line is in the kitchen. Never writes.

use crate::db::{self, Source, one, opt};
use crate::resources::kitchen::rules::{Courses, Progress};
use tiffin_common::Uuid;

/// What is cooked, as against slips.
pub(super) const COOKED: &str = "t.type IN ('NEW', 'ADDITION')";

/// How far the order's courses are.
pub(in super::super) fn courses(conn: &dyn Source, order: Uuid) -> db::Result<Courses> {
    let sql = format!(
        "SELECT max(CASE WHEN t.status NOT IN ('HELD', 'CANCELLED') THEN t.course END),
                min(CASE WHEN t.status IN ('HELD', 'QUEUED', 'IN_PREPARATION') THEN t.course END)
         FROM kitchen_tickets t
         WHERE {COOKED} AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?1)"
    );
    one(conn, &sql, [order], |row| Ok(Courses { fired: row.get(0)?, lowest_open: row.get(1)? }))
}

/// How far the order's cooked items are; none when nothing of it is wanted or started.
pub(in super::super) fn progress(conn: &dyn Source, order: Uuid) -> db::Result<Option<Progress>> {
    let sql = format!(
        "SELECT count(*), count(*) FILTER (WHERE i.status <> 'QUEUED'), count(*) FILTER (WHERE i.status = 'READY')
         FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         WHERE i.order_id = ?1 AND i.status <> 'CANCELLED' AND {COOKED}"
    );
    let (all, begun, ready): (i64, i64, i64) =
        one(conn, &sql, [order], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(match (all, begun) {
        (0, _) | (_, 0) => None,
        _ if ready == all => Some(Progress::AllReady),
        _ => Some(Progress::Started),
    })
}

/// Whether cooking of the order's line has begun.
pub(in super::super) fn started(conn: &dyn Source, order_item: Uuid) -> db::Result<bool> {
    let sql = format!(
        "SELECT 1 FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         WHERE i.order_item_id = ?1 AND i.started_at IS NOT NULL AND i.status <> 'CANCELLED' AND {COOKED} LIMIT 1"
    );
    opt(conn, &sql, [order_item], |_| Ok(())).map(|found| found.is_some())
}
