//! Rows of `leave_requests` and `leave_entitlements`. Every finder is scoped by outlet; never decides anything.

use super::rules::{HalfDays, Leave, LeaveDays, LeaveStatus, LeaveType};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::shifts::Absence;
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::Uuid;

const COLUMNS: &str =
    "id, employee_id, leave_type, from_date, to_date, half_day, reason, status, was_forced, requested_at, requested_by,
  decided_at, decided_by_name, decision_reason, version";

/// Reads a text column that has to be understood.
fn name<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> db::Result<T> {
    read(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown name".into(),
        ))
    })
}

fn read(row: &Row<'_>) -> db::Result<Leave> {
    let date = |column: usize| name(row, column, |text| text.parse::<NaiveDate>().ok());
    Ok(Leave {
        id: row.get(0)?,
        employee_id: row.get(1)?,
        leave_type: name(row, 2, LeaveType::of_name)?,
        days: LeaveDays { from: date(3)?, to: date(4)?, is_half: row.get(5)? },
        reason: row.get(6)?,
        status: name(row, 7, LeaveStatus::of_name)?,
        was_forced: row.get(8)?,
        requested_at: row.get(9)?,
        requested_by: row.get(10)?,
        decided_at: row.get(11)?,
        decided_by_name: row.get(12)?,
        decision_reason: row.get(13)?,
        version: row.get(14)?,
    })
}

/// The request of that id.
pub fn find(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Leave>> {
    let sql = format!("SELECT {COLUMNS} FROM leave_requests WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [id, outlet_id], read)
}

/// What a list of requests is narrowed to.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this employee.
    pub employee_id: Option<Uuid>,
    /// In this state.
    pub status: Option<LeaveStatus>,
    /// Not over before this date.
    pub from: Option<NaiveDate>,
    /// Begun by this date.
    pub to: Option<NaiveDate>,
}

/// A page of requests, newest first.
pub fn list(conn: &dyn Source, outlet_id: Uuid, filter: &Filter, paging: Paging) -> db::Result<Page<Leave>> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR employee_id = ?2) AND (?3 IS NULL OR status = ?3)
      AND (?4 IS NULL OR to_date >= ?4) AND (?5 IS NULL OR from_date <= ?5)";
    let (status, employee) = (filter.status.map(LeaveStatus::name), filter.employee_id);
    let (from, to) = (filter.from.map(|date| date.to_string()), filter.to.map(|date| date.to_string()));
    let count = format!("SELECT count(*) FROM leave_requests WHERE {condition}");
    let total = one(conn, &count, params![outlet_id, employee, status, from, to], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM leave_requests WHERE {condition} ORDER BY requested_at DESC, id DESC LIMIT ?6 OFFSET ?7"
    );
    let args = params![outlet_id, employee, status, from, to, paging.limit, paging.offset];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}

/// The pending and approved requests of an employee that touch the dates `from` to `to`, by date.
pub fn standing(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Leave>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM leave_requests
         WHERE employee_id = ?1 AND to_date >= ?2 AND from_date <= ?3 AND outlet_id = ?4
           AND status IN ('PENDING', 'APPROVED')
         ORDER BY from_date"
    );
    rows(conn, &sql, params![employee_id, from.to_string(), to.to_string(), outlet_id], read)
}

/// Who is away for whole days on the dates `from` to `to`: one employee, or everybody. What shifts asks before it plans.
pub fn absences(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Option<Uuid>,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Absence>> {
    // The index holds what is pending or approved, and is used only where the query says just that.
    let sql = "SELECT employee_id, from_date, to_date, leave_type FROM leave_requests
               WHERE outlet_id = ?1 AND (?2 IS NULL OR employee_id = ?2) AND to_date >= ?3 AND from_date <= ?4
                 AND status IN ('PENDING', 'APPROVED') AND status = 'APPROVED' AND half_day = 0";
    rows(conn, sql, params![outlet_id, employee_id, from.to_string(), to.to_string()], |row| {
        let date = |column: usize| name(row, column, |text| text.parse::<NaiveDate>().ok());
        let what = format!("{} leave", row.get::<_, String>(3)?);
        Ok(Absence { employee_id: row.get(0)?, from: date(1)?, to: date(2)?, what })
    })
}

/// Writes a new request.
pub fn insert(tx: &Transaction<'_>, actor: &Actor, leave: &Leave) -> db::Result<()> {
    tx.execute(
        "INSERT INTO leave_requests (id, outlet_id, employee_id, leave_type, from_date, to_date, half_day, reason,
           requested_at, requested_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            leave.id,
            actor.outlet_id,
            leave.employee_id,
            leave.leave_type.name(),
            leave.days.from.to_string(),
            leave.days.to.to_string(),
            leave.days.is_half,
            leave.reason,
            tx.now(),
            actor.account_id,
        ],
    )
    .map(drop)
}

/// Writes a decision.
pub fn decide(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    status: LeaveStatus,
    reason: Option<&str>,
    was_forced: bool,
) -> db::Result<()> {
    tx.execute(
        "UPDATE leave_requests SET status = ?3, decided_at = ?4, decided_by = ?5, decided_by_name = ?6, decision_reason = ?7,
           was_forced = ?8, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, actor.outlet_id, status.name(), tx.now(), actor.account_id, actor.name, reason, was_forced],
    )
    .map(drop)
}

/// An employee's own entitlements of a year, where they differ from the usual ones.
pub fn entitlements(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    year: i32,
) -> db::Result<Vec<(LeaveType, HalfDays)>> {
    let sql = "SELECT leave_type, half_days FROM leave_entitlements
               WHERE employee_id = ?1 AND year = ?2 AND outlet_id = ?3";
    rows(conn, sql, params![employee_id, year, outlet_id], |row| {
        Ok((name(row, 0, LeaveType::of_name)?, HalfDays(row.get(1)?)))
    })
}

/// Writes an employee's own entitlement.
pub fn set_entitlement(
    tx: &Transaction<'_>,
    actor: &Actor,
    employee_id: Uuid,
    year: i32,
    leave_type: LeaveType,
    entitled: HalfDays,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO leave_entitlements (id, outlet_id, employee_id, year, leave_type, half_days, updated_at, updated_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (employee_id, year, leave_type) DO UPDATE SET half_days = excluded.half_days,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by, version = version + 1",
        params![
            tx.new_id(),
            actor.outlet_id,
            employee_id,
            year,
            leave_type.name(),
            entitled.0,
            tx.now(),
            actor.account_id
        ],
    )
    .map(drop)
}
