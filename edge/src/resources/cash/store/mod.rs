//! Rows of cash sessions, their movements, and day closes. Every finder is scoped by outlet.

pub mod checkout;
mod day;
mod methods;
mod reconcile;
mod report;

pub use day::Day;
pub use report::{sum_after_close, sum_day, sum_outside_drawers};

use super::rules::{Blockers, CashFlow, ClosedDay, Movement, OpenDrawer, OpenOrder, Session, SessionStatus};
use crate::db::{self, Columns, Json, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Cents, Uuid};

/// The session of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Session>> {
    opt(conn, select!(Session, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet], Session::read)
}

/// The open session of a drawer.
pub fn find_open(conn: &dyn Source, outlet: Uuid, drawer: &str) -> db::Result<Option<Session>> {
    let sql = select!(Session, "WHERE outlet_id = ?1 AND drawer = ?2 AND status = 'OPEN'");
    opt(conn, sql, params![outlet, drawer], Session::read)
}

/// A page of sessions, newest first: opened on a date, counted from one date to another.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    status: Option<SessionStatus>,
    (date, from, to): (Option<NaiveDate>, Option<NaiveDate>, Option<NaiveDate>),
    paging: Paging,
) -> db::Result<Page<Session>> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR business_date = ?3)
        AND (?4 IS NULL OR coalesce(counted_date, business_date) >= ?4) AND (?5 IS NULL OR coalesce(counted_date, business_date) <= ?5)";
    Page::read(conn, (condition, "opened_at DESC, id DESC"), params![outlet, status, date, from, to], paging)
}

/// Writes a new session.
pub fn insert(tx: &Tx<'_>, outlet: Uuid, session: &Session) -> db::Result<()> {
    insert!(tx, cash_sessions { outlet_id: outlet, ..session })
}

/// Closes a session: writes its count.
pub fn set_closed(tx: &Tx<'_>, outlet: Uuid, s: &Session) -> db::Result<()> {
    update!(tx, cash_sessions {
        status: s.status, expected_cents: s.expected, counted_cents: s.counted, over_short_cents: s.over_short,
        closed_at: s.closed_at, closed_by: s.closed_by, note: s.note, version: s.version,
        denominations: Json(&s.denominations), counted_date: s.counted_date,
    } where { id: s.id, outlet_id: outlet })
}

/// Sets how many pay-outs of more than the session held were refused.
pub fn set_refused_pay_outs(tx: &Tx<'_>, outlet: Uuid, id: Uuid, count: i64) -> db::Result<()> {
    update!(tx, cash_sessions { refused_pay_outs: count } where { id: id, outlet_id: outlet })
}

/// Writes a movement of `session`.
pub fn insert_movement(tx: &Tx<'_>, outlet: Uuid, session: Uuid, movement: &Movement) -> db::Result<()> {
    insert!(tx, cash_movements { outlet_id: outlet, cash_session_id: session, ..movement })
}

/// The movements of a session, in their order.
pub fn list_movements(conn: &dyn Source, session: Uuid) -> db::Result<Vec<Movement>> {
    rows(conn, select!(Movement, "WHERE cash_session_id = ?1 ORDER BY at, id"), [session], Movement::read)
}

/// What went through a session.
pub fn sum_flow(conn: &dyn Source, session: Uuid) -> db::Result<CashFlow> {
    let sql = "SELECT
      (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE cash_session_id = ?1)
        + (SELECT coalesce(sum(CASE new_method WHEN 'CASH' THEN new_amount_cents ELSE 0 END
             - CASE old_method WHEN 'CASH' THEN old_amount_cents ELSE 0 END), 0) FROM payment_corrections WHERE cash_session_id = ?1)
        AS payments_cents,
      (SELECT coalesce(sum(tip_cents), 0) FROM payments WHERE cash_session_id = ?1)
        + (SELECT coalesce(sum(CASE new_method WHEN 'CASH' THEN new_tip_cents ELSE 0 END
             - CASE old_method WHEN 'CASH' THEN old_tip_cents ELSE 0 END), 0) FROM payment_corrections WHERE cash_session_id = ?1)
        AS tips_cents,
      (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE cash_session_id = ?1) AS refunds_cents,
      (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements WHERE cash_session_id = ?1 AND kind = 'PAY_IN') AS paid_in_cents,
      (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements WHERE cash_session_id = ?1 AND kind = 'PAY_OUT' AND is_tips = 0) AS paid_out_cents,
      (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements WHERE cash_session_id = ?1 AND is_tips = 1) AS tips_paid_out_cents";
    one(conn, sql, [session], |row| {
        Ok(read!(row => CashFlow {
            payments_cents, tips_cents, refunds_cents, paid_in_cents, paid_out_cents, tips_paid_out_cents
        }))
    })
}

/// What is owed in tips: as they came and were put right, less what was paid out of them.
pub fn sum_tips_owed(conn: &dyn Source, outlet: Uuid) -> db::Result<Cents> {
    let sql = "SELECT (SELECT coalesce(sum(tip_cents), 0) FROM payments WHERE outlet_id = ?1 AND tip_cents <> 0)
      + (SELECT coalesce(sum(new_tip_cents - old_tip_cents), 0) FROM payment_corrections WHERE outlet_id = ?1)
      - (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements WHERE outlet_id = ?1 AND is_tips = 1) AS owed_cents";
    one(conn, sql, [outlet], |row| row.get("owed_cents"))
}

/// What stands in the way of closing `date`: what is open of it or of a day before it.
pub fn list_blockers(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<Blockers> {
    let sql = "SELECT id, order_number, status, business_date, total_cents, max(total_cents - paid_cents - credited_cents - written_off_cents, 0) AS due_cents
        FROM orders WHERE outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED') AND business_date <= ?2
          AND (dispatched_at IS NOT NULL OR release_at IS NULL)
        ORDER BY created_at, id";
    let orders = rows(conn, sql, params![outlet, date], |row| {
        Ok(read!(row => OpenOrder { id, order_number, status, business_date, total_cents, due_cents }))
    })?;
    let sql = "SELECT id, drawer, opened_by_name AS opened_by, business_date FROM cash_sessions
        WHERE outlet_id = ?1 AND status = 'OPEN' AND business_date <= ?2 ORDER BY opened_at, id";
    let drawers = rows(conn, sql, params![outlet, date], |row| {
        Ok(read!(row => OpenDrawer { id, drawer, opened_by, business_date }))
    })?;
    Ok(Blockers { orders, drawers })
}

/// The first date of which the outlet has an order or a drawer.
pub fn find_first_date(conn: &dyn Source, outlet: Uuid) -> db::Result<Option<NaiveDate>> {
    let sql =
        "SELECT min(date) AS date FROM (SELECT min(business_date) AS date FROM orders WHERE outlet_id = ?1
        UNION ALL SELECT min(business_date) FROM cash_sessions WHERE outlet_id = ?1)";
    one(conn, sql, [outlet], |row| row.get("date"))
}

/// The close of a day.
pub fn find_close(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<Option<ClosedDay>> {
    let sql = select!(ClosedDay, "WHERE outlet_id = ?1 AND business_date = ?2");
    opt(conn, sql, params![outlet, date], ClosedDay::read)
}

/// A page of closed days, newest first.
pub fn list_closes(conn: &dyn Source, outlet: Uuid, paging: Paging) -> db::Result<Page<ClosedDay>> {
    Page::read(conn, ("outlet_id = ?1", "business_date DESC"), &[&outlet], paging)
}

/// The number of the next close.
pub fn next_close(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT coalesce(max(z_number), 0) + 1 FROM day_closes WHERE outlet_id = ?1";
    one(conn, sql, [outlet], |row| row.get(0))
}

/// Keeps the close of a day.
pub fn insert_close(tx: &Tx<'_>, outlet: Uuid, day: &ClosedDay) -> db::Result<()> {
    insert!(tx, day_closes { outlet_id: outlet, ..day })
}
