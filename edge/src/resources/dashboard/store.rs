//! What the dashboard reads. Only reads: of the tables of all resources, by their indexes.

use super::rules::{
    Approvals, Comparison, ExpiringBatch, LateTicket, LowItem, Oddity, OnShift, Rostered, SHOWN, Sales,
};
use crate::db::{self, Bind, Page, Row, Source, TimeOfDay, list as rows, one};
use crate::resources::orders::rules::OrderStatus;
use crate::resources::tables::rules::TableStatus;
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::FromSql;
use std::collections::BTreeMap;
use tiffin_common::{Millis, Uuid};

pub(super) fn sum_sales(conn: &dyn Source, outlet: Uuid, days: &Comparison) -> db::Result<Sales> {
    let sql = "SELECT coalesce(sum(s.subtotal) FILTER (WHERE s.date = ?2), 0) AS today,
        count(*) FILTER (WHERE s.date = ?2) AS orders,
        coalesce(sum(s.subtotal) FILTER (WHERE s.date = ?3 AND s.taken <= ?4), 0) AS before
      FROM (
        SELECT i.business_date AS date, o.subtotal_cents AS subtotal, o.created_at AS taken
        FROM invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id AND o.status <> 'CANCELLED'
        WHERE i.outlet_id = ?1 AND i.business_date IN (?2, ?3) AND i.kind = 'INVOICE'
        UNION ALL
        SELECT p.business_date, o.subtotal_cents, o.created_at
        FROM order_slips p CROSS JOIN orders o ON o.id = p.order_id AND o.slip_id = p.id AND o.invoice_id IS NULL AND o.status <> 'CANCELLED'
        WHERE p.outlet_id = ?1 AND p.business_date IN (?2, ?3) AND p.kind = 'SLIP'
        UNION ALL
        SELECT ?2, o.subtotal_cents, o.created_at FROM orders o
        WHERE o.outlet_id = ?1 AND o.invoice_id IS NULL AND o.slip_id IS NULL AND o.status NOT IN ('COMPLETED', 'CANCELLED')
          AND o.dispatched_at IS NOT NULL) AS s";
    let args = params![outlet, days.today, days.before, days.until];
    one(conn, sql, args, |row| Ok(read!(row => Sales { today, orders, before })))
}

/// How many there are of each of the `words`; none of a word is 0.
fn count<W: FromSql + ToString>(
    conn: &dyn Source,
    sql: &str,
    args: impl Bind,
    words: &[W],
) -> db::Result<BTreeMap<String, i64>> {
    let found =
        rows(conn, sql, args, |row| Ok((row.get::<_, W>("status")?.to_string(), row.get("number")?)))?;
    Ok(words.iter().map(|word| (word.to_string(), 0)).chain(found).collect())
}

/// `coalesce`, so that a date is not looked for among all orders that ever ended in that state.
const ORDERS_BY_STATE: &str = "SELECT status, count - (SELECT count(*) FROM orders o WHERE o.outlet_id = ?1 AND o.status = order_counts.status
          AND o.release_at IS NOT NULL AND o.dispatched_at IS NULL AND o.closed_at IS NULL) AS number FROM order_counts
        WHERE outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED')
      UNION ALL SELECT coalesce(status, ''), count(*) FROM orders
        WHERE outlet_id = ?1 AND business_date = ?2 AND coalesce(status, '') IN ('COMPLETED', 'CANCELLED')
          AND (dispatched_at IS NOT NULL OR release_at IS NULL)
        GROUP BY coalesce(status, '')";

/// Orders by state: whatever is open, and what was finished of `today`.
pub(super) fn count_orders(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
) -> db::Result<BTreeMap<String, i64>> {
    count(conn, ORDERS_BY_STATE, params![outlet, today], OrderStatus::ALL)
}

/// Tables by status.
pub(super) fn count_tables(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<String, i64>> {
    let sql =
        "SELECT status, count(*) AS number FROM dining_tables WHERE outlet_id = ?1 AND archived_at IS NULL
      GROUP BY status";
    count(conn, sql, [outlet], TableStatus::ALL)
}

/// The rows of `sql`, each of which says how many there are in all.
fn shown<T>(
    conn: &dyn Source,
    sql: &str,
    args: impl Bind,
    read: impl Fn(&Row<'_>) -> db::Result<T>,
) -> db::Result<Page<T>> {
    let mut total = 0;
    let items = rows(conn, sql, args, |row| {
        total = row.get("total")?;
        read(row)
    })?;
    Ok(Page { items, total })
}

/// The stations first: the index of what is open begins with them.
const LATE_TICKETS: &str = "SELECT t.id, t.ticket_number, t.order_id, t.order_number, t.table_number, s.name AS station_name,
        t.status, t.target_ready_at, count(*) OVER () AS total
      FROM kitchen_stations s CROSS JOIN kitchen_tickets t
      WHERE s.outlet_id = ?1 AND t.station_id = s.id AND t.outlet_id = ?1 AND t.status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY')
        AND t.status IN ('QUEUED', 'IN_PREPARATION') AND t.target_ready_at < ?2
      ORDER BY t.target_ready_at, t.id LIMIT ?3";

/// The tickets past their time that still cook, the latest first.
pub(super) fn list_late_tickets(
    conn: &dyn Source,
    outlet: Uuid,
    now: Millis,
) -> db::Result<Page<LateTicket>> {
    shown(conn, LATE_TICKETS, params![outlet, now, SHOWN], |row| {
        Ok(read!(row => LateTicket {
            id, ticket_number, order_id, order_number, table_number, station_name, status, target_ready_at
        }))
    })
}

/// What should not be usual and was done since `since`, the newest `most` first: guessing, tokens that came back, resets, looks and changes
/// by hand, data that went out as a whole, restores, bills that another key signs, and pay-outs of more than a drawer held.
pub fn list_oddities(conn: &dyn Source, outlet: Uuid, since: Millis, most: i64) -> db::Result<Page<Oddity>> {
    let sql = "SELECT at, action, actor_name, device, count(*) OVER () AS total FROM audit_log
      WHERE outlet_id = ?1 AND at >= ?2 AND action IN ('auth.login_locked', 'auth.pin_locked', 'auth.pin_refused',
        'auth.refresh_reused', 'auth.reset_asked', 'sql.read', 'sql.write', 'sql.refused', 'data.export', 'data.restore', 'invoice.key_begun',
        'cash.pay_out_refused')
      ORDER BY at DESC, id DESC LIMIT ?3";
    shown(conn, sql, params![outlet, since, most], |row| {
        Ok(read!(row => Oddity { at, action, actor_name, device }))
    })
}

/// What is low, the emptiest first. Expired batches count for nothing.
pub(super) fn list_low_stock(conn: &dyn Source, outlet: Uuid, today: NaiveDate) -> db::Result<Page<LowItem>> {
    let sql = "SELECT id, name, unit, current_stock, min_stock_threshold, count(*) OVER () AS total FROM (
        SELECT s.id, s.name, s.unit, s.min_stock_threshold, coalesce(l.on_hand, 0) - (
          SELECT coalesce(sum(b.quantity), 0) FROM stock_batch_levels b
          WHERE b.stock_item_id = s.id AND b.expiry_date < ?2) AS current_stock
        FROM stock_items s LEFT JOIN stock_levels l ON l.stock_item_id = s.id
        WHERE s.outlet_id = ?1 AND s.archived_at IS NULL) AS levels
      WHERE current_stock <= min_stock_threshold ORDER BY current_stock - min_stock_threshold, name, id LIMIT ?3";
    shown(conn, sql, params![outlet, today, SHOWN], |row| {
        Ok(read!(row => LowItem { id, name, unit, current_stock, min_stock_threshold }))
    })
}

/// Batches with something left that expire from `from`, or ever, to `to`, the next first.
pub(super) fn list_expiring(
    conn: &dyn Source,
    outlet: Uuid,
    from: Option<NaiveDate>,
    to: NaiveDate,
) -> db::Result<Page<ExpiringBatch>> {
    let sql = "SELECT s.id AS item_id, s.name, s.unit, b.batch_number, l.quantity, l.expiry_date,
        count(*) OVER () AS total
      FROM stock_items s CROSS JOIN stock_batch_levels l ON l.stock_item_id = s.id
      JOIN stock_batches b ON b.id = l.batch_id
      WHERE s.outlet_id = ?1 AND s.archived_at IS NULL AND l.expiry_date BETWEEN coalesce(?2, '') AND ?3
        AND l.quantity > 0
      ORDER BY l.expiry_date, s.name, b.batch_number, b.id LIMIT ?4";
    shown(conn, sql, params![outlet, from, to, SHOWN], |row| {
        Ok(read!(row => ExpiringBatch { item_id, name, unit, batch_number, quantity, expiry_date }))
    })
}

/// Who is at work: clocked in since `since` and not out.
pub(super) fn list_on_shift(conn: &dyn Source, outlet: Uuid, since: Millis) -> db::Result<Vec<OnShift>> {
    let sql = "SELECT employee_id, employee_name, state, started_at FROM attendances
      WHERE outlet_id = ?1 AND state <> 'OUT' AND started_at > ?2 ORDER BY started_at, employee_name, id LIMIT 500";
    rows(conn, sql, params![outlet, since], |row| {
        Ok(read!(row => OnShift { employee_id, employee_name, state, started_at }))
    })
}

/// Who is to work on `today`; whoever of them should be here by (`date`, `time`) and has not clocked in is late.
pub(super) fn count_rostered(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
    (date, time): &(NaiveDate, TimeOfDay),
) -> db::Result<Rostered> {
    let sql = "SELECT count(DISTINCT s.employee_id) AS rostered,
        count(DISTINCT s.employee_id) FILTER (WHERE (s.date < ?3 OR s.start_time < ?4) AND NOT EXISTS (
          SELECT 1 FROM attendances a
          WHERE a.outlet_id = ?1 AND a.business_date = ?2 AND a.employee_id = s.employee_id)) AS late
      FROM shifts s WHERE s.outlet_id = ?1 AND s.date = ?2 AND s.status = 'PUBLISHED' AND s.shift_type <> 'OFF'
        AND s.archived_at IS NULL";
    one(conn, sql, params![outlet, today, date, time], |row| Ok(read!(row => Rostered { rostered, late })))
}

/// What waits; an attendance begun by `forgotten` and not ended was forgotten.
pub(super) fn count_approvals(conn: &dyn Source, outlet: Uuid, forgotten: Millis) -> db::Result<Approvals> {
    let sql = "SELECT
        (SELECT count(*) FROM leave_requests WHERE outlet_id = ?1 AND status = 'PENDING') AS leave_requests,
        (SELECT count(*) FROM shift_swaps WHERE outlet_id = ?1 AND status = 'ACCEPTED') AS swaps,
        (SELECT count(*) FROM orders WHERE outlet_id = ?1 AND status = 'PENDING' AND dispatched_at IS NULL
          AND release_at IS NULL) AS qr_orders,
        (SELECT count(*) FROM attendances WHERE outlet_id = ?1 AND state <> 'OUT' AND started_at <= ?2)
          AS needs_review_attendance,
        (SELECT count(*) FROM tickets WHERE outlet_id = ?1 AND archived_at IS NULL AND priority = 'URGENT'
          AND status IN ('OPEN', 'IN_PROGRESS', 'WAITING')) AS urgent_tickets,
        (SELECT count(*) FROM feedback
         WHERE outlet_id = ?1 AND status <> 'RESOLVED' AND (rating <= 2 OR callback_wanted = 1)) AS feedback_to_answer";
    one(conn, sql, params![outlet, forgotten], |row| {
        Ok(read!(row => Approvals {
            leave_requests, swaps, qr_orders, needs_review_attendance, urgent_tickets, feedback_to_answer
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn what_is_finished_does_not_slow_the_dashboard() {
        let plan = |sql| Fixture::new().plan(sql).join("\n");
        let orders = plan(ORDERS_BY_STATE);
        assert!(orders.contains("orders_number (outlet_id=? AND business_date=?)"), "{orders}");
        assert!(!orders.contains("orders_by_status"), "{orders}");
        let tickets = plan(LATE_TICKETS);
        assert!(tickets.contains("kitchen_tickets_open (outlet_id=? AND station_id=?)"), "{tickets}");
    }
}
