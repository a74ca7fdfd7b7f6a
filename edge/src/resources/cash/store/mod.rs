//! Rows of cash sessions, their movements, and day closes. Every finder is scoped by outlet.

mod report;

pub use report::{Day, after_close, outside_drawers, read as read_day};

use super::rules::{Blockers, CashFlow, MovementKind, OpenDrawer, OpenOrder, Session, SessionStatus};
use crate::access::{Actor, Approver};
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::{Cents, Millis, Uuid};

const SESSION: &str =
    "id, drawer, status, opening_float_cents, expected_cents, counted_cents, over_short_cents, business_date,
  opened_at, opened_by, opened_by_name, closed_at, note, version";

fn name<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> db::Result<T> {
    read(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown name".into(),
        ))
    })
}

fn read_session(row: &Row<'_>) -> db::Result<Session> {
    Ok(Session {
        id: row.get(0)?,
        drawer: row.get(1)?,
        status: name(row, 2, SessionStatus::of_name)?,
        opening_float: row.get(3)?,
        expected: row.get(4)?,
        counted: row.get(5)?,
        over_short: row.get(6)?,
        business_date: row.get(7)?,
        opened_at: row.get(8)?,
        opened_by: row.get(9)?,
        opened_by_name: row.get(10)?,
        closed_at: row.get(11)?,
        note: row.get(12)?,
        version: row.get(13)?,
    })
}

/// The session of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Session>> {
    opt(
        conn,
        &format!("SELECT {SESSION} FROM cash_sessions WHERE id = ?1 AND outlet_id = ?2"),
        [id, outlet],
        read_session,
    )
}

/// The open session of a drawer.
pub fn find_open(conn: &dyn Source, outlet: Uuid, drawer: &str) -> db::Result<Option<Session>> {
    let sql = format!(
        "SELECT {SESSION} FROM cash_sessions WHERE outlet_id = ?1 AND drawer = ?2 AND status = 'OPEN'"
    );
    opt(conn, &sql, params![outlet, drawer], read_session)
}

/// A page of sessions, newest first, and how many there are in all.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    status: Option<SessionStatus>,
    date: Option<NaiveDate>,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Session>, i64)> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR business_date = ?3)";
    let (status, date) = (status.map(SessionStatus::name), date.map(|date| date.to_string()));
    let count = format!("SELECT count(*) FROM cash_sessions WHERE {condition}");
    let total = one(conn, &count, params![outlet, status, date], |row| row.get(0))?;
    let sql = format!(
        "SELECT {SESSION} FROM cash_sessions WHERE {condition} ORDER BY opened_at DESC, id DESC LIMIT ?4 OFFSET ?5"
    );
    Ok((rows(conn, &sql, params![outlet, status, date, limit, offset], read_session)?, total))
}

/// Writes a new session.
pub fn insert(
    tx: &Transaction<'_>,
    actor: &Actor,
    drawer: &str,
    float: Cents,
    date: NaiveDate,
    note: Option<&str>,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO cash_sessions (id, outlet_id, drawer, opening_float_cents, business_date, opened_at, opened_by,
           opened_by_name, note)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            id,
            actor.outlet_id,
            drawer,
            float,
            date.to_string(),
            tx.now(),
            actor.account_id,
            actor.name,
            note
        ],
    )?;
    Ok(id)
}

/// Closes a session.
pub fn close(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Cents,
    counted: Cents,
    over_short: Cents,
    note: Option<&str>,
) -> db::Result<()> {
    tx.execute(
        "UPDATE cash_sessions SET status = 'CLOSED', expected_cents = ?3, counted_cents = ?4, over_short_cents = ?5,
           closed_at = ?6, closed_by = ?7, note = coalesce(?8, note), version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, actor.outlet_id, expected, counted, over_short, tx.now(), actor.account_id, note],
    )
    .map(drop)
}

/// Something that happened in a drawer beside sales.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of cash_movements")]
pub struct Movement {
    pub id: Uuid,
    pub kind: MovementKind,
    pub amount: Cents,
    pub reason: String,
    pub at: Millis,
    pub by_id: Option<Uuid>,
    pub approver_id: Option<Uuid>,
}

/// Writes a movement.
pub fn insert_movement(
    tx: &Transaction<'_>,
    actor: &Actor,
    session: Uuid,
    movement: &Movement,
    date: NaiveDate,
    approver: Option<&Approver>,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO cash_movements (id, outlet_id, cash_session_id, kind, amount_cents, reason, business_date, at, by_id,
           approver_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            movement.id,
            actor.outlet_id,
            session,
            movement.kind.name(),
            movement.amount,
            movement.reason,
            date.to_string(),
            movement.at,
            movement.by_id,
            approver.map(|approver| approver.employee_id),
        ],
    )
    .map(drop)
}

/// The movements of a session, in their order.
pub fn movements(conn: &dyn Source, session: Uuid) -> db::Result<Vec<Movement>> {
    let sql = "SELECT id, kind, amount_cents, reason, at, by_id, approver_id FROM cash_movements
               WHERE cash_session_id = ?1 ORDER BY at, id";
    rows(conn, sql, [session], |row| {
        Ok(Movement {
            id: row.get(0)?,
            kind: name(row, 1, MovementKind::of_name)?,
            amount: row.get(2)?,
            reason: row.get(3)?,
            at: row.get(4)?,
            by_id: row.get(5)?,
            approver_id: row.get(6)?,
        })
    })
}

/// What went through a session.
pub fn flow(conn: &dyn Source, session: Uuid) -> db::Result<CashFlow> {
    one(
        conn,
        "SELECT (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE cash_session_id = ?1),
           (SELECT coalesce(sum(tip_cents), 0) FROM payments WHERE cash_session_id = ?1),
           (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE cash_session_id = ?1),
           (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements WHERE cash_session_id = ?1 AND kind = 'PAY_IN'),
           (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements WHERE cash_session_id = ?1 AND kind = 'PAY_OUT')",
        [session],
        |row| {
            Ok(CashFlow {
                payments_cents: row.get(0)?,
                tips_cents: row.get(1)?,
                refunds_cents: row.get(2)?,
                paid_in_cents: row.get(3)?,
                paid_out_cents: row.get(4)?,
            })
        },
    )
}

/// What stands in the way of closing `date`: what is open of it or of a day before it.
pub fn blockers(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<Blockers> {
    let date = date.to_string();
    let orders = rows(
        conn,
        "SELECT id, order_number, status, business_date, total_cents, max(total_cents - paid_cents, 0) FROM orders
         WHERE outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED') AND business_date <= ?2 ORDER BY created_at, id",
        params![outlet, date],
        |row| {
            Ok(OpenOrder {
                id: row.get(0)?,
                order_number: row.get(1)?,
                status: row.get(2)?,
                business_date: row.get(3)?,
                total_cents: row.get(4)?,
                due_cents: row.get(5)?,
            })
        },
    )?;
    let drawers = rows(
        conn,
        "SELECT id, drawer, opened_by_name, business_date FROM cash_sessions
         WHERE outlet_id = ?1 AND status = 'OPEN' AND business_date <= ?2 ORDER BY opened_at, id",
        params![outlet, date],
        |row| {
            Ok(OpenDrawer {
                id: row.get(0)?,
                drawer: row.get(1)?,
                opened_by: row.get(2)?,
                business_date: row.get(3)?,
            })
        },
    )?;
    Ok(Blockers { orders, drawers })
}

/// A closed day, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of day_closes")]
pub struct CloseRow {
    pub id: Uuid,
    pub business_date: String,
    pub z_number: i64,
    pub report: String,
    pub carried_over: bool,
    pub at: Millis,
    pub by_id: Option<Uuid>,
}

const CLOSE: &str = "id, business_date, z_number, report, carried_over, at, by_id";

fn read_close(row: &Row<'_>) -> db::Result<CloseRow> {
    Ok(CloseRow {
        id: row.get(0)?,
        business_date: row.get(1)?,
        z_number: row.get(2)?,
        report: row.get(3)?,
        carried_over: row.get(4)?,
        at: row.get(5)?,
        by_id: row.get(6)?,
    })
}

/// The close of a day.
pub fn find_close(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<Option<CloseRow>> {
    let sql = format!("SELECT {CLOSE} FROM day_closes WHERE outlet_id = ?1 AND business_date = ?2");
    opt(conn, &sql, params![outlet, date.to_string()], read_close)
}

/// A page of closed days, newest first, and how many there are in all.
pub fn list_closes(
    conn: &dyn Source,
    outlet: Uuid,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<CloseRow>, i64)> {
    let total =
        one(conn, "SELECT count(*) FROM day_closes WHERE outlet_id = ?1", [outlet], |row| row.get(0))?;
    let sql = format!(
        "SELECT {CLOSE} FROM day_closes WHERE outlet_id = ?1 ORDER BY business_date DESC LIMIT ?2 OFFSET ?3"
    );
    Ok((rows(conn, &sql, params![outlet, limit, offset], read_close)?, total))
}

/// Keeps the close of a day under the next number.
pub fn insert_close(
    tx: &Transaction<'_>,
    actor: &Actor,
    date: NaiveDate,
    report: &str,
    carried_over: bool,
) -> db::Result<i64> {
    let sql = "SELECT coalesce(max(z_number), 0) + 1 FROM day_closes WHERE outlet_id = ?1";
    let number: i64 = one(tx, sql, [actor.outlet_id], |row| row.get(0))?;
    tx.execute(
        "INSERT INTO day_closes (id, outlet_id, business_date, z_number, report, carried_over, at, by_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            tx.new_id(),
            actor.outlet_id,
            date.to_string(),
            number,
            report,
            carried_over,
            tx.now(),
            actor.account_id
        ],
    )?;
    Ok(number)
}
