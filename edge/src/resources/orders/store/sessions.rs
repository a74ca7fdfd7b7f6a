//! What an order needs to know beside its own rows: of a table's seating, of the lines split off one of its own, of tickets
//! that are ready. Only reads.

use crate::db::{self, Source, list, one, opt};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// The seating at a table, if somebody sits there.
pub fn find_open_session(conn: &dyn Source, outlet: Uuid, table: Uuid) -> db::Result<Option<Uuid>> {
    let sql = "SELECT id FROM table_sessions WHERE table_id = ?1 AND outlet_id = ?2 AND closed_at IS NULL";
    opt(conn, sql, params![table, outlet], |row| row.get(0))
}

/// Whether staff have dealt with the party of a seating: they accepted an order of it, or took one themselves.
pub fn is_approved(conn: &dyn Source, session: Uuid) -> db::Result<bool> {
    one(
        conn,
        "SELECT s.approved_at IS NOT NULL OR EXISTS (
           SELECT 1 FROM orders o WHERE o.table_session_id = s.id AND o.source <> 'QR' AND o.status <> 'CANCELLED')
         FROM table_sessions s WHERE s.id = ?1",
        [session],
        |row| row.get(0),
    )
}

/// Whether any order of a seating has its bill.
pub fn has_bill(conn: &dyn Source, session: Uuid) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM orders WHERE table_session_id = ?1 AND invoice_id IS NOT NULL)";
    one(conn, sql, [session], |row| row.get(0))
}

/// A guests' order that waits for staff: its id, its table, the phone.
pub type Waiting = (Uuid, Option<Uuid>, Option<Uuid>);

/// Guests' orders that wait for staff and were taken before `before`.
pub fn list_waiting(conn: &dyn Source, outlet: Uuid, before: Millis) -> db::Result<Vec<Waiting>> {
    let sql = "SELECT id, table_id, guest_key FROM orders
        WHERE outlet_id = ?1 AND status = 'PENDING' AND created_at < ?2 AND source = 'QR' AND dispatched_at IS NULL";
    list(conn, sql, params![outlet, before], |row| {
        Ok((row.get("id")?, row.get("table_id")?, row.get("guest_key")?))
    })
}

/// How many portions of a line, with all lines split off it, still hold the ingredients that were taken for it.
pub fn sum_outstanding(conn: &dyn Source, root: Uuid) -> db::Result<i64> {
    one(
        conn,
        "SELECT coalesce(sum(l.quantity - (
           SELECT coalesce(sum(r.quantity), 0) FROM refund_items r WHERE r.order_item_id = l.id AND (r.restocked = 1 OR r.wasted = 1))), 0)
         FROM (SELECT id, quantity, order_id FROM order_items WHERE id = ?1
           UNION ALL SELECT id, quantity, order_id FROM order_items WHERE split_from_id = ?1) l
         JOIN orders o ON o.id = l.order_id WHERE o.status <> 'CANCELLED'",
        [root],
        |row| row.get(0),
    )
}

/// The tickets of an order that are ready to go out, with nothing of another order on them.
pub fn list_ready_tickets(conn: &dyn Source, order: Uuid) -> db::Result<Vec<Uuid>> {
    list(
        conn,
        "SELECT DISTINCT t.id FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         WHERE i.order_id = ?1 AND t.status = 'READY' AND t.type IN ('NEW', 'ADDITION') AND NOT EXISTS (
           SELECT 1 FROM kitchen_ticket_items o WHERE o.ticket_id = t.id AND o.order_id <> ?1 AND o.status <> 'CANCELLED')",
        [order],
        |row| row.get(0),
    )
}
