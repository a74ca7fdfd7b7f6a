//! What the dashboard reads. Only reads: of the tables of all resources, by their indexes.

use super::rules::{Comparison, SHOWN};
use crate::db::{self, Source, list as rows, one};
use chrono::NaiveDate;
use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{Millis, Quantity, Uuid};

/// Sums and counts of two days' sales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sales {
    pub(super) today: i64,
    pub(super) orders: i64,
    pub(super) before: i64,
}

pub(super) fn sales(conn: &dyn Source, outlet: Uuid, days: &Comparison) -> db::Result<Sales> {
    let sql = "SELECT coalesce(sum(subtotal_cents) FILTER (WHERE business_date = ?2), 0),
        count(*) FILTER (WHERE business_date = ?2),
        coalesce(sum(subtotal_cents) FILTER (WHERE business_date = ?3 AND created_at <= ?4), 0)
      FROM orders WHERE outlet_id = ?1 AND business_date IN (?2, ?3) AND status <> 'CANCELLED'
        AND dispatched_at IS NOT NULL";
    let args = params![outlet, days.today.to_string(), days.before.to_string(), days.until];
    one(conn, sql, args, |row| Ok(Sales { today: row.get(0)?, orders: row.get(1)?, before: row.get(2)? }))
}

/// How many there are of each name; names nobody has are 0.
fn counted(
    conn: &dyn Source,
    sql: &str,
    args: impl crate::db::Bind,
    names: &[&str],
) -> db::Result<BTreeMap<String, i64>> {
    let found = rows(conn, sql, args, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let none = names.iter().map(|name| ((*name).to_owned(), 0));
    Ok(none.chain(found).collect())
}

/// Orders by state: whatever is open, and what was finished of `today`.
pub(super) fn orders_by_state(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
    names: &[&str],
) -> db::Result<BTreeMap<String, i64>> {
    let sql = "SELECT status, count(*) FROM orders
        WHERE outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED') GROUP BY status
      UNION ALL SELECT status, count(*) FROM orders
        WHERE outlet_id = ?1 AND business_date = ?2 AND status IN ('COMPLETED', 'CANCELLED') GROUP BY status";
    counted(conn, sql, params![outlet, today.to_string()], names)
}

/// Tables by status.
pub(super) fn tables_by_status(
    conn: &dyn Source,
    outlet: Uuid,
    names: &[&str],
) -> db::Result<BTreeMap<String, i64>> {
    let sql = "SELECT status, count(*) FROM dining_tables WHERE outlet_id = ?1 AND archived_at IS NULL GROUP BY status";
    counted(conn, sql, [outlet], names)
}

/// A kitchen ticket past its time.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LateTicket {
    id: Uuid,
    ticket_number: i64,
    order_id: Uuid,
    order_number: String,
    table_number: Option<String>,
    station_name: String,
    status: String,
    target_ready_at: Millis,
    late_minutes: i64,
}

/// The tickets past their time that still cook, the latest first, and how many in all.
pub(super) fn late_tickets(
    conn: &dyn Source,
    outlet: Uuid,
    now: Millis,
) -> db::Result<(i64, Vec<LateTicket>)> {
    let sql = "SELECT t.id, t.ticket_number, t.order_id, t.order_number, t.table_number, s.name, t.status,
        t.target_ready_at, (?2 - t.target_ready_at) / 60000, count(*) OVER ()
      FROM kitchen_tickets t JOIN kitchen_stations s ON s.id = t.station_id
      WHERE t.outlet_id = ?1 AND t.status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY')
        AND t.status IN ('QUEUED', 'IN_PREPARATION') AND t.target_ready_at < ?2
      ORDER BY t.target_ready_at, t.id LIMIT ?3";
    let found = rows(conn, sql, params![outlet, now, SHOWN], |row| {
        let ticket = LateTicket {
            id: row.get(0)?,
            ticket_number: row.get(1)?,
            order_id: row.get(2)?,
            order_number: row.get(3)?,
            table_number: row.get(4)?,
            station_name: row.get(5)?,
            status: row.get(6)?,
            target_ready_at: row.get(7)?,
            late_minutes: row.get(8)?,
        };
        Ok((row.get(9)?, ticket))
    })?;
    Ok(with_total(found))
}

/// Rows that each carry how many there are in all.
fn with_total<T>(found: Vec<(i64, T)>) -> (i64, Vec<T>) {
    let total = found.first().map_or(0, |(total, _)| *total);
    (total, found.into_iter().map(|(_, row)| row).collect())
}

/// Stock at or below its threshold.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LowItem {
    id: Uuid,
    name: String,
    unit: String,
    current_stock: Quantity,
    min_stock_threshold: Quantity,
}

/// What is low, the emptiest first, and how much of it there is in all. Expired batches count for nothing.
pub(super) fn low_stock(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
) -> db::Result<(i64, Vec<LowItem>)> {
    let sql = "SELECT id, name, unit, current, min_stock_threshold, count(*) OVER () FROM (
        SELECT s.id, s.name, s.unit, s.min_stock_threshold, coalesce(l.on_hand, 0) - (
          SELECT coalesce(sum(b.quantity), 0) FROM stock_batch_levels b
          WHERE b.stock_item_id = s.id AND b.expiry_date < ?2) AS current
        FROM stock_items s LEFT JOIN stock_levels l ON l.stock_item_id = s.id
        WHERE s.outlet_id = ?1 AND s.archived_at IS NULL) AS levels
      WHERE current <= min_stock_threshold ORDER BY current - min_stock_threshold, name, id LIMIT ?3";
    let found = rows(conn, sql, params![outlet, today.to_string(), SHOWN], |row| {
        let item = LowItem {
            id: row.get(0)?,
            name: row.get(1)?,
            unit: row.get(2)?,
            current_stock: row.get(3)?,
            min_stock_threshold: row.get(4)?,
        };
        Ok((row.get(5)?, item))
    })?;
    Ok(with_total(found))
}

/// A batch whose time is near.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpiringBatch {
    inventory_item_id: Uuid,
    name: String,
    unit: String,
    batch_number: String,
    quantity: Quantity,
    expiry_date: String,
}

/// Batches with something left that expire from `from` to `to`, the next first, and how many in all.
pub(super) fn expiring(
    conn: &dyn Source,
    outlet: Uuid,
    from: &str,
    to: &str,
) -> db::Result<(i64, Vec<ExpiringBatch>)> {
    let sql = "SELECT s.id, s.name, s.unit, b.batch_number, l.quantity, l.expiry_date, count(*) OVER ()
      FROM stock_items s CROSS JOIN stock_batch_levels l ON l.stock_item_id = s.id
      JOIN stock_batches b ON b.id = l.batch_id
      WHERE s.outlet_id = ?1 AND s.archived_at IS NULL AND l.expiry_date BETWEEN ?2 AND ?3 AND l.quantity > 0
      ORDER BY l.expiry_date, s.name, b.batch_number, b.id LIMIT ?4";
    let found = rows(conn, sql, params![outlet, from, to, SHOWN], |row| {
        let batch = ExpiringBatch {
            inventory_item_id: row.get(0)?,
            name: row.get(1)?,
            unit: row.get(2)?,
            batch_number: row.get(3)?,
            quantity: row.get(4)?,
            expiry_date: row.get(5)?,
        };
        Ok((row.get(6)?, batch))
    })?;
    Ok(with_total(found))
}

/// Somebody who is at work.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OnShift {
    employee_id: Uuid,
    name: String,
    /// IN or BREAK.
    state: String,
    /// When they clocked in.
    since: Millis,
}

/// Who is at work: clocked in since `since` and not out.
pub(super) fn on_shift(conn: &dyn Source, outlet: Uuid, since: Millis) -> db::Result<Vec<OnShift>> {
    let sql = "SELECT employee_id, employee_name, state, started_at FROM attendances
      WHERE outlet_id = ?1 AND state <> 'OUT' AND started_at > ?2 ORDER BY started_at, employee_name, id LIMIT 500";
    rows(conn, sql, params![outlet, since], |row| {
        Ok(OnShift { employee_id: row.get(0)?, name: row.get(1)?, state: row.get(2)?, since: row.get(3)? })
    })
}

/// How many are to work on `today`, and how many of them should be here by (`date`, `time`) and have not clocked in.
pub(super) fn rostered(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
    (date, time): &(String, String),
) -> db::Result<(i64, i64)> {
    let sql = "SELECT count(DISTINCT s.employee_id),
        count(DISTINCT s.employee_id) FILTER (WHERE (s.date < ?3 OR s.start_time < ?4) AND NOT EXISTS (
          SELECT 1 FROM attendances a
          WHERE a.outlet_id = ?1 AND a.business_date = ?2 AND a.employee_id = s.employee_id))
      FROM shifts s WHERE s.outlet_id = ?1 AND s.date = ?2 AND s.status = 'PUBLISHED' AND s.shift_type <> 'OFF'
        AND s.archived_at IS NULL";
    one(conn, sql, params![outlet, today.to_string(), date, time], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// What waits for somebody's decision.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approvals {
    /// Leave nobody has decided on.
    leave_requests: i64,
    /// Swaps both colleagues agree to.
    swaps: i64,
    /// Guests' orders that wait for staff.
    qr_orders: i64,
    /// Attendances that were never ended.
    needs_review_attendance: i64,
    /// Staff queries that are open and urgent.
    urgent_tickets: i64,
    /// Feedback of 1 or 2, or with a call wanted, that nobody has dealt with.
    feedback_to_answer: i64,
}

/// What waits; an attendance begun by `forgotten` and not ended was forgotten.
pub(super) fn approvals(conn: &dyn Source, outlet: Uuid, forgotten: Millis) -> db::Result<Approvals> {
    let sql = "SELECT
        (SELECT count(*) FROM leave_requests WHERE outlet_id = ?1 AND status = 'PENDING'),
        (SELECT count(*) FROM shift_swaps WHERE outlet_id = ?1 AND status = 'ACCEPTED'),
        (SELECT count(*) FROM orders WHERE outlet_id = ?1 AND status = 'PENDING' AND dispatched_at IS NULL),
        (SELECT count(*) FROM attendances WHERE outlet_id = ?1 AND state <> 'OUT' AND started_at <= ?2),
        (SELECT count(*) FROM tickets WHERE outlet_id = ?1 AND archived_at IS NULL AND priority = 'URGENT'
          AND status IN ('OPEN', 'IN_PROGRESS', 'WAITING')),
        (SELECT count(*) FROM feedback
         WHERE outlet_id = ?1 AND status <> 'RESOLVED' AND (rating <= 2 OR callback_wanted = 1))";
    one(conn, sql, params![outlet, forgotten], |row| {
        Ok(Approvals {
            leave_requests: row.get(0)?,
            swaps: row.get(1)?,
            qr_orders: row.get(2)?,
            needs_review_attendance: row.get(3)?,
            urgent_tickets: row.get(4)?,
            feedback_to_answer: row.get(5)?,
        })
    })
}
