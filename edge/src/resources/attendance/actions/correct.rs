//! Corrections by those who may: another time for a punch, or a punch that is missing. The raw punch is kept, and what was and
//! what is are on record.

use super::{Reading, begin, new_record, read, settle};
use crate::access::{Actor, Approver, Permission};
use crate::db::{self, Tx};
use crate::resources::attendance::rules::punch::shift_at;
use crate::resources::attendance::rules::{
    Attendance, AttendanceError, Correction, EventType, LONGEST_MS, OLDEST_MS, Record, Result,
};
use crate::resources::attendance::store;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::outlets::rules::Outlet;
use crate::resources::{auth, employees, outlets};
use serde_json::{Value, json};
use tiffin_common::{Millis, Uuid};

/// Gives the record `id` another time.
///
/// # Errors
/// No such record; no right and no approver; a time that is in the future, long past, or out of the order of events.
pub fn correct(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    new_time: Millis,
    reason: &str,
    pin: &ApproverPin,
) -> Result<Record> {
    let before = find(tx, actor, id)?;
    let right = Permission::AttendanceCorrect;
    let approver = auth::actions::approve_above(tx, actor, right, pin, before.employee_id)?;
    check_time("newTime", new_time, tx.now())?;
    let attendance = store::find_attendance(tx, actor.outlet_id, before.attendance_id)?;
    let attendance = attendance.ok_or(AttendanceError::NotFound("attendance record"))?;
    let mut records = store::list_records_of(tx, attendance.id, tx.now())?;
    for record in records.iter_mut().filter(|record| record.id == id) {
        record.effective_at = new_time;
    }
    rework(tx, actor, attendance, &records, "newTime")?;
    let after = find(tx, actor, id)?;
    put_on_record(tx, actor, Some(&before), &after, reason, approver)?;
    Ok(after)
}

/// A punch that was forgotten.
#[derive(Debug, Clone)]
pub struct Added {
    /// Whose.
    pub employee_id: Uuid,
    /// What.
    pub event: EventType,
    /// When.
    pub time: Millis,
    /// Why.
    pub reason: String,
}

/// Adds a punch that was forgotten; the record says that it was added.
///
/// # Errors
/// Nobody of that id; no right and no approver; a time that is in the future, long past, or out of the order of events.
pub fn add(tx: &Tx<'_>, actor: &Actor, added: &Added, pin: &ApproverPin) -> Result<Record> {
    let right = Permission::AttendanceCorrect;
    let approver = auth::actions::approve_above(tx, actor, right, pin, added.employee_id)?;
    check_time("time", added.time, tx.now())?;
    let employee = employees::store::find(tx, actor.outlet_id, added.employee_id)?
        .ok_or_else(|| AttendanceError::field("employeeId", "is nobody at this outlet"))?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let attendance = if added.event == EventType::ClockIn {
        let open = store::find_open(tx, employee.id, tx.now())?;
        if open.is_some_and(|open| open.started_at <= added.time) {
            return Err(within_other_work("time"));
        }
        let new = begin(tx, &outlet, &employee, added.time)?;
        store::insert_attendance(tx, actor, &new)?;
        new
    } else {
        store::find_begun_before(tx, employee.id, added.time)?
            .ok_or_else(|| AttendanceError::field("time", "is before anything this employee punched"))?
    };
    let mut records = store::list_records_of(tx, attendance.id, tx.now())?;
    let again = added.event == EventType::ClockOut && records.iter().any(|r| r.event == added.event);
    if again {
        return Err(AttendanceError::field("eventType", "is there already: correct that record"));
    }
    let record =
        Record { is_manual: true, ..new_record(tx, actor, &outlet, &attendance, added.event, added.time) };
    let id = record.id;
    records.push(record);
    rework(tx, actor, attendance, &records, "time")?;
    let after = find(tx, actor, id)?;
    put_on_record(tx, actor, None, &after, &added.reason, approver)?;
    Ok(after)
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Record> {
    store::find(tx, actor.outlet_id, id, tx.now())?.ok_or(AttendanceError::NotFound("attendance record"))
}

fn check_time(field: &str, time: Millis, now: Millis) -> Result<()> {
    if time > now {
        return Err(AttendanceError::field(field, "must not be in the future"));
    }
    if now.since(time) > OLDEST_MS {
        return Err(AttendanceError::field(field, "must not be more than a year ago"));
    }
    Ok(())
}

/// Writes what `attendance` and its records become with the times in `records`. `field` is blamed where that cannot be.
fn rework(
    tx: &Tx<'_>,
    actor: &Actor,
    mut attendance: Attendance,
    records: &[Record],
    field: &str,
) -> Result<()> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let was_disordered = attendance.is_disordered;
    replan(tx, &outlet, &mut attendance, records)?;
    let reading = read(&outlet, &attendance, records);
    settle(&mut attendance, records, reading.span.as_ref());
    // Where a jump of the clock has spoilt several times, they are put right one after the other.
    if attendance.is_disordered && !was_disordered {
        return Err(AttendanceError::field(field, "does not fit between the events around it"));
    }
    store::set_attendance(tx, actor, &attendance)?;
    write_records(tx, actor, &outlet, records, &reading)?;
    check_place(tx, &attendance, records, field)
}

/// The shift and the business date follow the CLOCK_IN.
fn replan(tx: &Tx<'_>, outlet: &Outlet, attendance: &mut Attendance, records: &[Record]) -> Result<()> {
    let Some(first) = records.iter().find(|record| record.event == EventType::ClockIn) else { return Ok(()) };
    let date = outlet.business_date(first.effective_at);
    if first.effective_at == attendance.started_at && date == attendance.business_date {
        return Ok(());
    }
    attendance.business_date = date;
    let planned = store::list_planned_around(tx, outlet, attendance.employee_id, first.effective_at)?;
    attendance.planned = shift_at(first.effective_at, &planned);
    Ok(())
}

fn write_records(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    records: &[Record],
    reading: &Reading,
) -> db::Result<()> {
    let attendance = records.first().map_or_else(Uuid::nil, |record| record.attendance_id);
    let kept = store::list_records_of(tx, attendance, tx.now())?;
    let judged = |record: &Record| (record.effective_at, record.status, record.business_date);
    for (record, status) in records.iter().zip(&reading.statuses) {
        let business_date = outlet.business_date(record.effective_at);
        let record = Record { status: *status, business_date, ..record.clone() };
        match kept.iter().find(|kept| kept.id == record.id) {
            None => store::insert_record(tx, actor, &record)?,
            Some(kept) if judged(kept) != judged(&record) => store::set_record(tx, actor, &record)?,
            Some(_) => {}
        }
    }
    Ok(())
}

/// An attendance is at most a day long and has no moment in common with another of the same employee.
fn check_place(tx: &Tx<'_>, attendance: &Attendance, records: &[Record], field: &str) -> Result<()> {
    if attendance.is_disordered {
        return Ok(());
    }
    let now = tx.now();
    let goes_on =
        store::find_open(tx, attendance.employee_id, now)?.is_some_and(|open| open.id == attendance.id);
    let last = records.iter().map(|record| record.effective_at).max().unwrap_or(attendance.started_at);
    let end = attendance.ended_at.unwrap_or(if goes_on { now } else { last });
    if end.since(attendance.started_at) > LONGEST_MS {
        return Err(AttendanceError::field(field, "makes more than 24 hours of work"));
    }
    if store::has_overlap(tx, attendance, attendance.started_at, end, now)? {
        return Err(within_other_work(field));
    }
    Ok(())
}

fn within_other_work(field: &str) -> AttendanceError {
    AttendanceError::field(field, "is within other work of the same employee")
}

fn put_on_record(
    tx: &Tx<'_>,
    actor: &Actor,
    before: Option<&Record>,
    after: &Record,
    reason: &str,
    approver: Option<Approver>,
) -> Result<()> {
    let correction = Correction {
        id: tx.new_id(),
        record_id: after.id,
        old_at: before.map(|before| before.effective_at),
        new_at: after.effective_at,
        reason: reason.to_owned(),
        by_id: actor.account_id,
        by_name: actor.name.clone(),
        approver_id: approver.as_ref().map(|approver| approver.employee_id),
        approver_name: approver.as_ref().map(|approver| approver.name.clone()),
        business_date: outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()),
        at: tx.now(),
    };
    store::insert_correction(tx, actor, &correction)?;
    let action = if before.is_some() { "attendance.correct" } else { "attendance.add" };
    let mut entry = Entry::new(action, "attendance_record", Some(after.id))
        .after(&audited(after))
        .reason(reason)
        .approver(approver);
    if let Some(before) = before {
        entry = entry.before(&audited(before));
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}

fn audited(record: &Record) -> Value {
    json!({
        "employeeId": record.employee_id,
        "employeeName": record.employee_name,
        "eventType": record.event,
        "time": record.effective_at,
        "status": record.status,
    })
}
