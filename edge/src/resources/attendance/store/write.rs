//! The statements that change attendances, their records and corrections. Never decides anything.

use super::Correction;
use crate::access::Actor;
use crate::db::{self, Transaction};
use crate::resources::attendance::rules::{Attendance, PunchStatus, Record};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Writes a new attendance.
pub fn insert_attendance(tx: &Transaction<'_>, actor: &Actor, new: &Attendance) -> db::Result<()> {
    tx.execute(
        "INSERT INTO attendances (id, outlet_id, employee_id, employee_name, business_date, shift_id, scheduled_start,
           scheduled_end, state, started_at, ended_at, is_disordered, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)",
        params![
            new.id,
            actor.outlet_id,
            new.employee_id,
            new.employee_name,
            new.business_date,
            new.planned.map(|planned| planned.shift_id),
            new.planned.map(|planned| planned.start),
            new.planned.map(|planned| planned.end),
            new.state.name(),
            new.started_at,
            new.ended_at,
            new.is_disordered,
            tx.now(),
        ],
    )
    .map(drop)
}

/// Writes what an attendance has become.
pub fn set_attendance(tx: &Transaction<'_>, actor: &Actor, attendance: &Attendance) -> db::Result<()> {
    tx.execute(
        "UPDATE attendances SET business_date = ?3, shift_id = ?4, scheduled_start = ?5, scheduled_end = ?6, state = ?7,
           started_at = ?8, ended_at = ?9, is_disordered = ?10, updated_at = ?11
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            attendance.id,
            actor.outlet_id,
            attendance.business_date,
            attendance.planned.map(|planned| planned.shift_id),
            attendance.planned.map(|planned| planned.start),
            attendance.planned.map(|planned| planned.end),
            attendance.state.name(),
            attendance.started_at,
            attendance.ended_at,
            attendance.is_disordered,
            tx.now(),
        ],
    )
    .map(drop)
}

/// Writes a new record.
pub fn insert_record(tx: &Transaction<'_>, actor: &Actor, new: &Record) -> db::Result<()> {
    tx.execute(
        "INSERT INTO attendance_records (id, outlet_id, attendance_id, employee_id, event_type, at, effective_at, status,
           business_date, is_manual, clock_suspect, device, by_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?14)",
        params![
            new.id,
            actor.outlet_id,
            new.attendance_id,
            new.employee_id,
            new.event.name(),
            new.at,
            new.effective_at,
            new.status.name(),
            new.business_date,
            new.is_manual,
            new.clock_suspect,
            new.device,
            actor.account_id,
            tx.now(),
        ],
    )
    .map(drop)
}

/// What a record is after a correction.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The record.
    pub id: Uuid,
    /// Its time.
    pub effective_at: Millis,
    /// How that compares with the plan.
    pub status: PunchStatus,
    /// The business date of its time.
    pub business_date: String,
}

/// Writes what a record has become. The raw punch stays.
pub fn set_record(tx: &Transaction<'_>, actor: &Actor, judged: &Judged) -> db::Result<()> {
    tx.execute(
        "UPDATE attendance_records SET effective_at = ?3, status = ?4, business_date = ?5, version = version + 1,
           updated_at = ?6
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            judged.id,
            actor.outlet_id,
            judged.effective_at,
            judged.status.name(),
            judged.business_date,
            tx.now()
        ],
    )
    .map(drop)
}

/// Keeps a correction of `record`.
pub fn insert_correction(
    tx: &Transaction<'_>,
    actor: &Actor,
    record: Uuid,
    correction: &Correction,
    business_date: &str,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO attendance_corrections (id, outlet_id, record_id, old_at, new_at, reason, by_id, by_name, approver_id,
           approver_name, business_date, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            correction.id,
            actor.outlet_id,
            record,
            correction.old_at,
            correction.new_at,
            correction.reason,
            correction.by_id,
            correction.by_name,
            correction.approver_id,
            correction.approver_name,
            business_date,
            correction.at,
        ],
    )
    .map(drop)
}
