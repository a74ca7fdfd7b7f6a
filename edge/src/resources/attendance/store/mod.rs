//! Rows of attendances, their records and corrections. Every finder is scoped by outlet; nothing here decides.

mod lists;
mod plan;

pub use lists::{
    Filter, Present, list, list_beside, list_people, list_present, list_records_between, list_timesheet_days,
};
pub use plan::list_planned_around;

use super::rules::clock::Remembered;
use super::rules::{Attendance, Correction, FORGOTTEN_MS, Record};
use crate::access::Actor;
use crate::db::{self, Columns, Row, Source, Tx, list as rows, opt};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Hlc, Millis, Uuid};

/// Whether an attendance `a` was begun and not ended, and somebody may still end it: begun after `?2`, which is
/// [`FORGOTTEN_MS`] before `?3`, now, and nothing of the same employee was begun after it.
const GOES_ON: &str = "(a.state <> 'OUT' AND a.started_at > ?2 AND NOT EXISTS (
  SELECT 1 FROM attendances later WHERE later.employee_id = a.employee_id AND later.started_at > a.started_at
    AND later.started_at <= ?3))";

/// Whether an attendance `a` counts as nothing until somebody corrects it.
fn needs_review() -> String {
    format!("(a.is_disordered = 1 OR (a.state <> 'OUT' AND NOT {GOES_ON}))")
}

/// What a record has of its attendance `a`.
fn of_attendance() -> String {
    let needs_review = needs_review();
    format!("a.employee_name, a.business_date AS attendance_date, a.shift_id, {needs_review} AS needs_review")
}

/// A query of records `r` of attendances `a`.
macro_rules! records {
    ($rest:literal) => {
        select!(
            Record as r,
            &of_attendance(),
            concat!("JOIN attendances a ON a.id = r.attendance_id WHERE ", $rest)
        )
    };
}
use records;

fn read_record(row: &Row<'_>) -> db::Result<Record> {
    Ok(Record {
        employee_name: row.get("employee_name")?,
        attendance_date: row.get("attendance_date")?,
        shift_id: row.get("shift_id")?,
        needs_review: row.get("needs_review")?,
        ..Record::read(row)?
    })
}

/// What `?2` stands for.
fn forgotten_before(now: Millis) -> Millis {
    now.after(-FORGOTTEN_MS)
}

/// The record of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid, now: Millis) -> db::Result<Option<Record>> {
    let sql = records!("r.id = ?1 AND r.outlet_id = ?4");
    opt(conn, sql, params![id, forgotten_before(now), now, outlet], read_record)
}

/// The attendance of that id.
pub fn find_attendance(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Attendance>> {
    opt(conn, select!(Attendance, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet], Attendance::read)
}

/// The attendance an employee is in the middle of.
pub fn find_open(conn: &dyn Source, employee: Uuid, now: Millis) -> db::Result<Option<Attendance>> {
    let sql = select!(
        Attendance as a,
        &format!("WHERE a.employee_id = ?1 AND {GOES_ON} ORDER BY a.started_at DESC LIMIT 1")
    );
    opt(conn, sql, params![employee, forgotten_before(now), now], Attendance::read)
}

/// The newest attendance of an employee that was begun at `moment` or before.
pub fn find_begun_before(
    conn: &dyn Source,
    employee: Uuid,
    moment: Millis,
) -> db::Result<Option<Attendance>> {
    let sql = select!(
        Attendance,
        "WHERE employee_id = ?1 AND started_at <= ?2 ORDER BY started_at DESC, id DESC LIMIT 1"
    );
    opt(conn, sql, params![employee, moment], Attendance::read)
}

/// Whether another attendance of the employee has a moment in common with `from` to `to`. One that goes on has no end.
pub fn has_overlap(
    conn: &dyn Source,
    attendance: &Attendance,
    from: Millis,
    to: Millis,
    now: Millis,
) -> db::Result<bool> {
    let sql = format!(
        "SELECT 1 FROM attendances a WHERE a.employee_id = ?1 AND a.id <> ?4 AND a.started_at < ?6
           AND CASE WHEN a.state = 'OUT' THEN a.ended_at WHEN {GOES_ON} THEN 9223372036854775807
                    ELSE a.started_at + 1 END > ?5"
    );
    let (who, to) = (attendance.employee_id, to.max(from.after(1)));
    let args = params![who, forgotten_before(now), now, attendance.id, from, to];
    Ok(opt(conn, &sql, args, |_| Ok(()))?.is_some())
}

/// The business dates from `from` to `to` on which an employee punched in. What leave asks before it is granted.
pub fn list_worked_dates(
    conn: &dyn Source,
    outlet: Uuid,
    employee: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<NaiveDate>> {
    let sql = "SELECT DISTINCT business_date FROM attendances
               WHERE outlet_id = ?1 AND business_date BETWEEN ?3 AND ?4 AND employee_id = ?2 ORDER BY business_date";
    rows(conn, sql, params![outlet, employee, from, to], |row| row.get(0))
}

/// The records of an attendance, in the order they were made.
pub fn list_records_of(conn: &dyn Source, attendance: Uuid, now: Millis) -> db::Result<Vec<Record>> {
    let sql = records!("a.id = ?1 ORDER BY r.id");
    rows(conn, sql, params![attendance, forgotten_before(now), now], read_record)
}

/// The last thing an employee punched.
pub fn find_last_punch(conn: &dyn Source, employee: Uuid, now: Millis) -> db::Result<Option<Record>> {
    let sql = records!("r.employee_id = ?1 AND r.is_manual = 0 ORDER BY r.id DESC LIMIT 1");
    opt(conn, sql, params![employee, forgotten_before(now), now], read_record)
}

/// What the box remembers of time: the head of its change log, whose clock never goes back, and the last punch of anybody.
pub fn find_remembered(conn: &dyn Source, outlet: Uuid) -> db::Result<Remembered> {
    let head = "SELECT hlc FROM sync_log ORDER BY seq DESC LIMIT 1";
    // Ids never go back: the greatest is the newest, and it is found without the outlet's index.
    let last =
        "SELECT at FROM attendance_records WHERE +outlet_id = ?1 AND is_manual = 0 ORDER BY id DESC LIMIT 1";
    Ok(Remembered {
        newest: opt(conn, head, [], |row| row.get::<_, Hlc>(0))?.map(Hlc::wall),
        last_punch: opt(conn, last, [outlet], |row| row.get(0))?,
    })
}

/// Whether a punch of that business date was flagged already.
pub fn has_suspect(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<bool> {
    let sql = "SELECT 1 FROM attendance_records
               WHERE outlet_id = ?1 AND business_date = ?2 AND clock_suspect = 1 AND is_manual = 0 LIMIT 1";
    Ok(opt(conn, sql, params![outlet, date], |_| Ok(()))?.is_some())
}

/// The corrections of a record, in their order.
pub fn list_corrections(conn: &dyn Source, record: Uuid) -> db::Result<Vec<Correction>> {
    rows(conn, select!(Correction, "WHERE record_id = ?1 ORDER BY id"), [record], Correction::read)
}

/// Writes a new attendance.
pub fn insert_attendance(tx: &Tx<'_>, actor: &Actor, new: &Attendance) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, attendances { outlet_id: actor.outlet_id, created_at: now, updated_at: now, ..new }).map(drop)
}

/// Writes what an attendance has become.
pub fn set_attendance(tx: &Tx<'_>, actor: &Actor, a: &Attendance) -> db::Result<()> {
    update!(tx, attendances {
        business_date: a.business_date, state: a.state, started_at: a.started_at, ended_at: a.ended_at,
        is_disordered: a.is_disordered, updated_at: tx.now(), ..&a.planned
    } where { id: a.id, outlet_id: actor.outlet_id })
    .map(drop)
}

/// Writes a new record.
pub fn insert_record(tx: &Tx<'_>, actor: &Actor, new: &Record) -> db::Result<()> {
    let now = tx.now();
    insert!(
        tx,
        attendance_records {
            outlet_id: actor.outlet_id,
            by_id: actor.account_id,
            created_at: now,
            updated_at: now,
            ..new
        }
    )
    .map(drop)
}

/// Writes what a record has become. The raw punch stays.
pub fn set_record(tx: &Tx<'_>, actor: &Actor, record: &Record) -> db::Result<()> {
    update!(tx, attendance_records {
        effective_at: record.effective_at, status: record.status, business_date: record.business_date,
        updated_at: tx.now(); "version = version + 1"
    } where { id: record.id, outlet_id: actor.outlet_id })
    .map(drop)
}

/// Keeps a correction.
pub fn insert_correction(tx: &Tx<'_>, actor: &Actor, correction: &Correction) -> db::Result<()> {
    insert!(tx, attendance_corrections { outlet_id: actor.outlet_id, ..correction }).map(drop)
}
