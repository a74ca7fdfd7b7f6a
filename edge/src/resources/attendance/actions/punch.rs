//! A punch at a tablet. The time is the server's; whatever its clock did, the punch is kept.

use super::{begin, new_record, read, settle};
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::resources::attendance::rules::clock::is_suspect;
use crate::resources::attendance::rules::{
    Attendance, AttendanceError, EventType, PunchStatus, REPEAT_MS, Record, Result, State,
};
use crate::resources::attendance::store;
use crate::resources::employees::rules::Employee;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;

/// Records `event` of `employee` now. A second tap within a minute is the first one again.
///
/// # Errors
/// [`AttendanceError::Order`] when it does not fit what the employee did before.
pub fn punch(tx: &Tx<'_>, actor: &Actor, employee: &Employee, event: EventType) -> Result<Record> {
    let now = tx.now();
    let last = store::find_last_punch(tx, employee.id, now)?;
    if let Some(last) = last
        && last.event == event
        && now.since(last.at).saturating_abs() <= REPEAT_MS
    {
        return Ok(last);
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let open = store::find_open(tx, employee.id, now)?;
    let state = open.as_ref().map_or(State::Out, |open| open.state);
    let forgotten = match open {
        Some(_) => None,
        None => store::find_begun_before(tx, employee.id, now)?.filter(|a| a.state != State::Out),
    };
    let next = state.after(event).ok_or_else(|| AttendanceError::Order {
        state,
        event,
        forgotten: forgotten.as_ref().map(|forgotten| forgotten.started_at),
    })?;
    let clock_suspect =
        tx.is_clock_doubtful() || is_suspect(now, store::find_remembered(tx, actor.outlet_id)?);
    let date = outlet.business_date(now);
    if clock_suspect && !store::has_suspect(tx, actor.outlet_id, date)? {
        tell_of_clock(tx, actor, employee, date)?;
    }
    let (attendance, is_new) = match open {
        Some(open) => (open, false),
        None => (begin(tx, &outlet, employee, now)?, true),
    };
    if let Some(forgotten) = &forgotten {
        tell_of_forgotten(tx, actor, forgotten)?;
    }
    let record = Record { clock_suspect, ..new_record(tx, actor, &outlet, &attendance, event, now) };
    keep(tx, actor, &outlet, (attendance, is_new), record, next)
}

fn keep(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    (mut attendance, is_new): (Attendance, bool),
    mut record: Record,
    next: State,
) -> Result<Record> {
    let mut records = store::list_records_of(tx, attendance.id, tx.now())?;
    records.push(record.clone());
    let reading = read(outlet, &attendance, &records);
    record.status = reading.statuses.last().copied().unwrap_or(PunchStatus::OnTime);
    // What the employee may do next follows from the punches, even where the clock ran backwards between them.
    attendance.state = next;
    settle(&mut attendance, &records, reading.span.as_ref());
    record.needs_review = attendance.is_disordered;
    if is_new {
        store::insert_attendance(tx, actor, &attendance)?;
    } else {
        store::set_attendance(tx, actor, &attendance)?;
    }
    store::insert_record(tx, actor, &record)?;
    Ok(record)
}

fn tell_of_clock(tx: &Tx<'_>, actor: &Actor, employee: &Employee, date: NaiveDate) -> db::Result<()> {
    let notice = Notice {
        kind: "CLOCK_SUSPECT",
        severity: Severity::Warning,
        title: "The clock of this box has jumped".into(),
        body: format!(
            "{} punched at {}, which does not follow what was recorded before. Check the clock, then the punches that are \
             marked so.",
            employee.record.name,
            tx.now()
        ),
        audience: Audience::Managers,
        entity: Some(("employee", employee.id)),
        dedupe_key: format!("clock-suspect:{date}"),
    };
    notifications::actions::notify(tx, actor.outlet_id, notice)
}

fn tell_of_forgotten(tx: &Tx<'_>, actor: &Actor, forgotten: &Attendance) -> db::Result<()> {
    let notice = Notice {
        kind: "ATTENDANCE_REVIEW",
        severity: Severity::Info,
        title: format!("{} did not clock out", forgotten.employee_name),
        body: format!(
            "The work begun at {} counts as nothing until somebody adds the CLOCK_OUT.",
            forgotten.started_at
        ),
        audience: Audience::Managers,
        entity: Some(("employee", forgotten.employee_id)),
        dedupe_key: format!("attendance-review:{}", forgotten.id),
    };
    notifications::actions::notify(tx, actor.outlet_id, notice)
}
