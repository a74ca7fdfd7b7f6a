//! Rows of `shifts` and `shift_swaps`. Every finder is scoped by outlet and passes over what was taken off the roster; never
//! decides anything.

pub mod swaps;

use super::rules::{Shift, ShiftStatus, ShiftType};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::outlets::rules::{parse_time, time_text};
use chrono::{NaiveDate, NaiveTime};
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::Uuid;

const COLUMNS: &str =
    "id, employee_id, date, shift_type, start_time, end_time, station, notes, status, off_reason,
  leave_request_id, version, created_at, updated_at";

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

fn read(row: &Row<'_>) -> db::Result<Shift> {
    Ok(Shift {
        id: row.get(0)?,
        employee_id: row.get(1)?,
        date: name(row, 2, |text| text.parse().ok())?,
        shift_type: name(row, 3, ShiftType::of_name)?,
        start: time(row.get(4)?),
        end: time(row.get(5)?),
        station: row.get(6)?,
        notes: row.get(7)?,
        status: name(row, 8, ShiftStatus::of_name)?,
        off_reason: row.get(9)?,
        leave_request_id: row.get(10)?,
        version: row.get(11)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
    })
}

fn time(text: Option<String>) -> Option<NaiveTime> {
    text.as_deref().and_then(parse_time)
}

/// The shift of that id.
pub fn find(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Shift>> {
    let sql =
        format!("SELECT {COLUMNS} FROM shifts WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL");
    opt(conn, &sql, [id, outlet_id], read)
}

/// All shifts of an employee that begin on the dates `from` to `to`, both included, drafts and days off too; by beginning.
pub fn of_employee(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Shift>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM shifts
         WHERE employee_id = ?1 AND date BETWEEN ?2 AND ?3 AND outlet_id = ?4 AND archived_at IS NULL
         ORDER BY date, start_time IS NOT NULL, start_time, id"
    );
    rows(conn, &sql, params![employee_id, from.to_string(), to.to_string(), outlet_id], read)
}

/// All shifts of the outlet that begin on the dates `from` to `to`, both included; by beginning.
pub fn in_range(
    conn: &dyn Source,
    outlet_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Shift>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM shifts WHERE outlet_id = ?1 AND date BETWEEN ?2 AND ?3 AND archived_at IS NULL
         ORDER BY date, start_time IS NOT NULL, start_time, id"
    );
    rows(conn, &sql, params![outlet_id, from.to_string(), to.to_string()], read)
}

/// What a list of shifts is narrowed to.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Not before this date.
    pub from: Option<NaiveDate>,
    /// Not after this date.
    pub to: Option<NaiveDate>,
    /// Of this employee.
    pub employee_id: Option<Uuid>,
    /// In this state.
    pub status: Option<ShiftStatus>,
}

/// A page of shifts, by beginning.
pub fn list(conn: &dyn Source, outlet_id: Uuid, filter: &Filter, paging: Paging) -> db::Result<Page<Shift>> {
    let condition = "outlet_id = ?1 AND date >= ?2 AND date <= ?3 AND (?4 IS NULL OR employee_id = ?4)
      AND (?5 IS NULL OR status = ?5) AND archived_at IS NULL";
    let from = filter.from.map_or_else(String::new, |date| date.to_string());
    let to = filter.to.map_or_else(|| "9999-12-31".to_owned(), |date| date.to_string());
    let (employee, status) = (filter.employee_id, filter.status.map(ShiftStatus::name));
    let count = format!("SELECT count(*) FROM shifts WHERE {condition}");
    let total = one(conn, &count, params![outlet_id, from, to, employee, status], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM shifts WHERE {condition} ORDER BY date, start_time IS NOT NULL, start_time, id LIMIT ?6 OFFSET ?7"
    );
    let args = params![outlet_id, from, to, employee, status, paging.limit, paging.offset];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}

/// Writes a new shift.
pub fn insert(tx: &Transaction<'_>, actor: &Actor, shift: &Shift) -> db::Result<()> {
    tx.execute(
        "INSERT INTO shifts (id, outlet_id, employee_id, date, shift_type, start_time, end_time, station, notes, status,
           created_at, created_by, updated_at, updated_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?11, ?12)",
        params![
            shift.id,
            actor.outlet_id,
            shift.employee_id,
            shift.date.to_string(),
            shift.shift_type.name(),
            shift.start.map(time_text),
            shift.end.map(time_text),
            shift.station,
            shift.notes,
            shift.status.name(),
            tx.now(),
            actor.account_id,
        ],
    )
    .map(drop)
}

/// Writes what may change of a shift.
pub fn update(tx: &Transaction<'_>, actor: &Actor, shift: &Shift) -> db::Result<()> {
    tx.execute(
        "UPDATE shifts SET employee_id = ?3, date = ?4, shift_type = ?5, start_time = ?6, end_time = ?7, station = ?8,
           notes = ?9, off_reason = ?10, leave_request_id = ?11, updated_at = ?12, updated_by = ?13, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            shift.id,
            actor.outlet_id,
            shift.employee_id,
            shift.date.to_string(),
            shift.shift_type.name(),
            shift.start.map(time_text),
            shift.end.map(time_text),
            shift.station,
            shift.notes,
            shift.off_reason,
            shift.leave_request_id,
            tx.now(),
            actor.account_id,
        ],
    )
    .map(drop)
}

/// Takes a shift off the roster; swaps still name it.
pub fn archive(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE shifts SET archived_at = ?3, updated_at = ?3, updated_by = ?4, version = version + 1
               WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, params![id, actor.outlet_id, tx.now(), actor.account_id]).map(drop)
}

/// Shows a draft to the staff.
pub fn set_published(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE shifts SET status = 'PUBLISHED', published_at = ?3, updated_at = ?3, updated_by = ?4,
                 version = version + 1
               WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, params![id, actor.outlet_id, tx.now(), actor.account_id]).map(drop)
}
