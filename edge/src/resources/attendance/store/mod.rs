//! Rows of attendances, their records and corrections. Every finder is scoped by outlet; nothing here decides.

mod lists;
mod plan;
mod write;

pub use lists::{Filter, Present, list, present, records_of_dates, timesheet_days};
pub use plan::planned_around;
pub use write::{Judged, insert_attendance, insert_correction, insert_record, set_attendance, set_record};

use super::rules::clock::Remembered;
use super::rules::punch::Planned;
use super::rules::span::Mark;
use super::rules::{Attendance, EventType, FORGOTTEN_MS, PunchStatus, Record, State};
use crate::db::{self, Row, Source, list as rows, opt};
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::{Hlc, Millis, Uuid};

const ATTENDANCE: &str =
    "a.id, a.employee_id, a.employee_name, a.business_date, a.shift_id, a.scheduled_start,
  a.scheduled_end, a.state, a.started_at, a.ended_at, a.is_disordered";

/// Whether an attendance `a` was begun and not ended, and somebody may still end it: begun after `?2`, which is
/// [`FORGOTTEN_MS`] before `?3`, now, and nothing of the same employee was begun after it.
const GOES_ON: &str = "(a.state <> 'OUT' AND a.started_at > ?2 AND NOT EXISTS (
  SELECT 1 FROM attendances later WHERE later.employee_id = a.employee_id AND later.started_at > a.started_at
    AND later.started_at <= ?3))";

/// Whether an attendance `a` counts as nothing until somebody corrects it.
fn needs_review() -> String {
    format!("(a.is_disordered = 1 OR (a.state <> 'OUT' AND NOT {GOES_ON}))")
}

fn record_columns() -> String {
    let needs_review = needs_review();
    format!(
        "r.id, r.attendance_id, r.employee_id, a.employee_name, r.event_type, r.at, r.effective_at, r.status, r.business_date,
         a.business_date, a.shift_id, r.is_manual, r.clock_suspect, {needs_review}, r.device, r.version"
    )
}

/// What `?2` stands for.
fn forgotten_before(now: Millis) -> Millis {
    now.after(-FORGOTTEN_MS)
}

fn name<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> db::Result<T> {
    read(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown name".into(),
        ))
    })
}

fn read_planned(row: &Row<'_>, first: usize) -> db::Result<Option<Planned>> {
    let (shift_id, start, end): (Option<Uuid>, Option<Millis>, Option<Millis>) =
        (row.get(first)?, row.get(first + 1)?, row.get(first + 2)?);
    let times = shift_id.zip(start).zip(end);
    Ok(times.map(|((shift_id, start), end)| Planned { shift_id, start, end }))
}

fn read_attendance(row: &Row<'_>) -> db::Result<Attendance> {
    Ok(Attendance {
        id: row.get(0)?,
        employee_id: row.get(1)?,
        employee_name: row.get(2)?,
        business_date: row.get(3)?,
        planned: read_planned(row, 4)?,
        state: name(row, 7, State::of_name)?,
        started_at: row.get(8)?,
        ended_at: row.get(9)?,
        is_disordered: row.get(10)?,
    })
}

fn read_record(row: &Row<'_>) -> db::Result<Record> {
    Ok(Record {
        id: row.get(0)?,
        attendance_id: row.get(1)?,
        employee_id: row.get(2)?,
        employee_name: row.get(3)?,
        event: name(row, 4, EventType::of_name)?,
        at: row.get(5)?,
        effective_at: row.get(6)?,
        status: name(row, 7, PunchStatus::of_name)?,
        business_date: row.get(8)?,
        attendance_date: row.get(9)?,
        shift_id: row.get(10)?,
        is_manual: row.get(11)?,
        clock_suspect: row.get(12)?,
        needs_review: row.get(13)?,
        device: row.get(14)?,
        version: row.get(15)?,
    })
}

/// The record of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid, now: Millis) -> db::Result<Option<Record>> {
    let sql = format!(
        "SELECT {} FROM attendance_records r JOIN attendances a ON a.id = r.attendance_id
         WHERE r.id = ?1 AND r.outlet_id = ?4",
        record_columns()
    );
    opt(conn, &sql, params![id, forgotten_before(now), now, outlet], read_record)
}

/// The attendance of that id.
pub fn find_attendance(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Attendance>> {
    let sql = format!("SELECT {ATTENDANCE} FROM attendances a WHERE a.id = ?1 AND a.outlet_id = ?2");
    opt(conn, &sql, [id, outlet], read_attendance)
}

/// The attendance an employee is in the middle of.
pub fn open_attendance(conn: &dyn Source, employee: Uuid, now: Millis) -> db::Result<Option<Attendance>> {
    let sql = format!(
        "SELECT {ATTENDANCE} FROM attendances a WHERE a.employee_id = ?1 AND {GOES_ON}
         ORDER BY a.started_at DESC LIMIT 1"
    );
    opt(conn, &sql, params![employee, forgotten_before(now), now], read_attendance)
}

/// The newest attendance of an employee that was begun at `moment` or before.
pub fn attendance_before(
    conn: &dyn Source,
    employee: Uuid,
    moment: Millis,
) -> db::Result<Option<Attendance>> {
    let sql = format!(
        "SELECT {ATTENDANCE} FROM attendances a WHERE a.employee_id = ?1 AND a.started_at <= ?2
         ORDER BY a.started_at DESC, a.id DESC LIMIT 1"
    );
    opt(conn, &sql, params![employee, moment], read_attendance)
}

/// Whether another attendance of the employee has a moment in common with `from` to `to`. One that goes on has no end.
pub fn overlaps(
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
    let args = params![
        attendance.employee_id,
        forgotten_before(now),
        now,
        attendance.id,
        from,
        to.max(from.after(1))
    ];
    Ok(opt(conn, &sql, args, |_| Ok(()))?.is_some())
}

/// The records of an attendance, in the order they were made.
pub fn records_of(conn: &dyn Source, attendance: Uuid, now: Millis) -> db::Result<Vec<Record>> {
    let sql = format!(
        "SELECT {} FROM attendances a JOIN attendance_records r ON r.attendance_id = a.id
         WHERE a.id = ?1 ORDER BY r.id",
        record_columns()
    );
    rows(conn, &sql, params![attendance, forgotten_before(now), now], read_record)
}

/// The last thing an employee punched.
pub fn last_punch(conn: &dyn Source, employee: Uuid, now: Millis) -> db::Result<Option<Record>> {
    let sql = format!(
        "SELECT {} FROM attendance_records r JOIN attendances a ON a.id = r.attendance_id
         WHERE r.employee_id = ?1 AND r.is_manual = 0 ORDER BY r.id DESC LIMIT 1",
        record_columns()
    );
    opt(conn, &sql, params![employee, forgotten_before(now), now], read_record)
}

/// What the box remembers of time: the head of its change log, whose clock never goes back, and the last punch of anybody.
pub fn remembered(conn: &dyn Source, outlet: Uuid) -> db::Result<Remembered> {
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
pub fn was_suspect(conn: &dyn Source, outlet: Uuid, date: &str) -> db::Result<bool> {
    let sql = "SELECT 1 FROM attendance_records
               WHERE outlet_id = ?1 AND business_date = ?2 AND clock_suspect = 1 AND is_manual = 0 LIMIT 1";
    Ok(opt(conn, sql, params![outlet, date], |_| Ok(()))?.is_some())
}

/// A change of a record's time, or the record's addition.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of attendance_corrections")]
pub struct Correction {
    pub id: Uuid,
    pub old_at: Option<Millis>,
    pub new_at: Millis,
    pub reason: String,
    pub by_id: Option<Uuid>,
    pub by_name: String,
    pub approver_id: Option<Uuid>,
    pub approver_name: Option<String>,
    pub at: Millis,
}

/// The corrections of a record, in their order.
pub fn corrections(conn: &dyn Source, record: Uuid) -> db::Result<Vec<Correction>> {
    let sql = "SELECT id, old_at, new_at, reason, by_id, by_name, approver_id, approver_name, at
               FROM attendance_corrections WHERE record_id = ?1 ORDER BY id";
    rows(conn, sql, [record], |row| {
        Ok(Correction {
            id: row.get(0)?,
            old_at: row.get(1)?,
            new_at: row.get(2)?,
            reason: row.get(3)?,
            by_id: row.get(4)?,
            by_name: row.get(5)?,
            approver_id: row.get(6)?,
            approver_name: row.get(7)?,
            at: row.get(8)?,
        })
    })
}

/// The record as a mark of its attendance.
pub fn mark(record: &Record) -> Mark {
    Mark { event: record.event, at: record.effective_at }
}
