//! Rows of `leave_requests`, `leave_entitlements` and `holidays`. Every finder is scoped by outlet; never decides anything.

use super::rules::{Calendar, HalfDays, Holiday, Leave, LeaveStatus, LeaveType};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, opt};
use crate::http::{Page, Paging};
use crate::resources::outlets::rules::Outlet;
use crate::resources::shifts::Absence;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// The dates of a stretch on which an employee of an outlet worked. Attendance knows them and stands above: it is handed down.
pub type Worked = fn(&dyn Source, Uuid, Uuid, NaiveDate, NaiveDate) -> db::Result<Vec<NaiveDate>>;

/// The request of that id.
pub fn find(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Leave>> {
    opt(conn, select!(Leave, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet_id], Leave::read)
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
    let args = params![outlet_id, filter.employee_id, filter.status, filter.from, filter.to];
    Page::read(conn, (condition, "requested_at DESC, id DESC"), args, paging)
}

/// The pending and approved requests of an employee that touch the dates `from` to `to`, by date.
pub fn list_standing(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Leave>> {
    let sql = select!(
        Leave,
        "WHERE employee_id = ?1 AND to_date >= ?2 AND from_date <= ?3 AND outlet_id = ?4
           AND status IN ('PENDING', 'APPROVED')
         ORDER BY from_date"
    );
    rows(conn, sql, params![employee_id, from, to, outlet_id], Leave::read)
}

/// Who is away for whole days on the dates `from` to `to`: one employee, or everybody. What shifts asks before it plans.
pub fn list_absences(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Option<Uuid>,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Absence>> {
    // The index holds what is pending or approved, and is used only where the query says just that.
    let sql = select!(
        Leave,
        "WHERE outlet_id = ?1 AND (?2 IS NULL OR employee_id = ?2) AND to_date >= ?3 AND from_date <= ?4
           AND status IN ('PENDING', 'APPROVED') AND status = 'APPROVED' AND half_day = 0"
    );
    rows(conn, sql, params![outlet_id, employee_id, from, to], |row| {
        let Leave { employee_id, leave_type, days, .. } = Leave::read(row)?;
        Ok(Absence { employee_id, from: days.from, to: days.to, what: format!("{leave_type} leave") })
    })
}

/// Writes a new request.
pub fn insert(tx: &Tx<'_>, actor: &Actor, leave: &Leave) -> db::Result<()> {
    insert!(tx, leave_requests { outlet_id: actor.outlet_id, ..leave }).map(drop)
}

/// Writes a decision.
pub fn set_decided(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    status: LeaveStatus,
    reason: Option<&str>,
    was_forced: bool,
) -> db::Result<()> {
    update!(tx, leave_requests {
        status: status, decided_at: tx.now(), decided_by: actor.account_id, decided_by_name: actor.name,
        decision_reason: reason, was_forced: was_forced; "version = version + 1"
    } where { id: id, outlet_id: actor.outlet_id })
    .map(drop)
}

/// The approved requests of everybody that touch the dates `from` to `to`.
pub fn list_approved(
    conn: &dyn Source,
    outlet_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Leave>> {
    // As above: the index holds what is pending or approved.
    let sql = select!(
        Leave,
        "WHERE outlet_id = ?1 AND to_date >= ?2 AND from_date <= ?3 AND status IN ('PENDING', 'APPROVED') AND status = 'APPROVED'
         ORDER BY from_date, id"
    );
    rows(conn, sql, params![outlet_id, from, to], Leave::read)
}

/// The days from `from` to `to` on which one employee, or each of them, does not have to work anyway.
pub fn find_calendar(
    conn: &dyn Source,
    outlet: &Outlet,
    employee_id: Option<Uuid>,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Calendar> {
    let sql = "SELECT date FROM holidays WHERE outlet_id = ?1 AND date BETWEEN ?2 AND ?3";
    let holidays = rows(conn, sql, params![outlet.id, from, to], |row| row.get(0))?;
    let sql = "SELECT employee_id, date FROM shifts
               WHERE outlet_id = ?1 AND date BETWEEN ?2 AND ?3 AND (?4 IS NULL OR employee_id = ?4)
                 AND shift_type = 'OFF' AND leave_request_id IS NULL AND archived_at IS NULL";
    let off = rows(conn, sql, params![outlet.id, from, to, employee_id], |row| {
        Ok((row.get("employee_id")?, row.get("date")?))
    })?;
    let rest = from.iter_days().take_while(|date| *date <= to).filter(|date| outlet.rests_on(*date));
    Ok(Calendar {
        rest: rest.collect(),
        holidays: holidays.into_iter().collect(),
        off: off.into_iter().collect(),
    })
}

/// A page of holidays, by date.
pub fn list_holidays(
    conn: &dyn Source,
    outlet_id: Uuid,
    dates: (Option<NaiveDate>, Option<NaiveDate>),
    paging: Paging,
) -> db::Result<Page<Holiday>> {
    let condition = "outlet_id = ?1 AND date BETWEEN coalesce(?2, '') AND coalesce(?3, '9999-12-31')";
    Page::read(conn, (condition, "date"), params![outlet_id, dates.0, dates.1], paging)
}

/// The holiday of that id.
pub fn find_holiday(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Holiday>> {
    opt(conn, select!(Holiday, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet_id], Holiday::read)
}

/// Whether that date is a holiday.
pub fn is_holiday(conn: &dyn Source, outlet_id: Uuid, date: NaiveDate) -> db::Result<bool> {
    let sql = "SELECT 1 FROM holidays WHERE outlet_id = ?1 AND date = ?2";
    Ok(opt(conn, sql, params![outlet_id, date], |_| Ok(()))?.is_some())
}

/// Writes a holiday.
pub fn insert_holiday(tx: &Tx<'_>, actor: &Actor, holiday: &Holiday) -> db::Result<()> {
    insert!(tx, holidays { outlet_id: actor.outlet_id, ..holiday })
}

/// Takes a holiday away.
pub fn delete_holiday(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM holidays WHERE id = ?1 AND outlet_id = ?2", [id, actor.outlet_id])
}

/// An employee's own entitlements of the years until `year`, where they differ from the usual ones.
pub fn list_entitlements(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    year: i32,
) -> db::Result<Vec<(i32, LeaveType, HalfDays)>> {
    let sql = "SELECT id, year, leave_type, half_days FROM leave_entitlements
               WHERE employee_id = ?1 AND year <= ?2 AND outlet_id = ?3";
    rows(conn, sql, params![employee_id, year, outlet_id], |row| {
        Ok((row.get("year")?, row.get("leave_type")?, HalfDays(row.get("half_days")?)))
    })
}

/// Writes an employee's own entitlement.
pub fn set_entitlement(
    tx: &Tx<'_>,
    actor: &Actor,
    employee_id: Uuid,
    year: i32,
    leave_type: LeaveType,
    entitled: HalfDays,
) -> db::Result<()> {
    insert!(
        tx,
        leave_entitlements {
            id: tx.new_id(),
            outlet_id: actor.outlet_id,
            employee_id: employee_id,
            year: year,
            leave_type: leave_type,
            half_days: entitled.0,
            updated_at: tx.now(),
            updated_by: actor.account_id,
        },
        "ON CONFLICT (employee_id, year, leave_type) DO UPDATE SET half_days = excluded.half_days,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by, version = version + 1"
    )
    .map(drop)
}
