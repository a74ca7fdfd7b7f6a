//! What can happen to attendance. One function per state change; each runs in its caller's transaction.

mod correct;
mod look;
mod punch;

pub use correct::{Added, add, correct};
pub use look::look;
pub use punch::punch;

use super::rules::punch::{Terms, judge, shift_at};
use super::rules::span::{Mark, Span};
use super::rules::{Attendance, EventType, PunchStatus, Record, Result, State};
use super::store;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::employees::rules::Employee;
use crate::resources::outlets::rules::Outlet;
use tiffin_common::Millis;

/// What the records of an attendance make together.
struct Reading {
    /// None where their times are out of order.
    span: Option<Span>,
    /// The status of each, in their order.
    statuses: Vec<PunchStatus>,
}

/// A new attendance that begins at `moment`.
fn begin(tx: &Tx<'_>, outlet: &Outlet, employee: &Employee, moment: Millis) -> Result<Attendance> {
    let planned = store::list_planned_around(tx, outlet, employee.id, moment)?;
    Ok(Attendance {
        id: tx.new_id(),
        employee_id: employee.id,
        employee_name: employee.record.name.clone(),
        business_date: outlet.business_date(moment),
        planned: shift_at(moment, &planned),
        state: State::In,
        started_at: moment,
        ended_at: None,
        is_disordered: false,
    })
}

/// A record of `attendance` that nobody has judged yet.
fn new_record(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    attendance: &Attendance,
    event: EventType,
    at: Millis,
) -> Record {
    Record {
        id: tx.new_id(),
        attendance_id: attendance.id,
        employee_id: attendance.employee_id,
        employee_name: attendance.employee_name.clone(),
        event,
        at,
        effective_at: at,
        status: PunchStatus::OnTime,
        business_date: outlet.business_date(at),
        attendance_date: attendance.business_date,
        shift_id: attendance.planned.map(|planned| planned.shift_id),
        is_manual: false,
        clock_suspect: false,
        needs_review: false,
        device: actor.device.clone(),
        version: 1,
    }
}

fn terms(outlet: &Outlet, attendance: &Attendance) -> Terms {
    Terms {
        grace_ms: outlet.attendance.grace_minutes.saturating_mul(60_000),
        max_break_ms: outlet.attendance.max_break_minutes.saturating_mul(60_000),
        planned: attendance.planned,
    }
}

fn read(outlet: &Outlet, attendance: &Attendance, records: &[Record]) -> Reading {
    let marks: Vec<Mark> = records.iter().map(Record::mark).collect();
    let span = Span::of(&marks);
    let statuses = judge(&marks, span.as_ref(), &terms(outlet, attendance));
    Reading { span, statuses }
}

/// Puts into `attendance` what its records make. Where their times are out of order its state is left to the caller, and its
/// times are those of its first CLOCK_IN and its CLOCK_OUT.
fn settle(attendance: &mut Attendance, records: &[Record], span: Option<&Span>) {
    attendance.is_disordered = span.is_none();
    match span {
        Some(span) => {
            attendance.started_at = span.start;
            attendance.ended_at = span.end;
            attendance.state = span.state();
        }
        None => {
            let of = |event| records.iter().find(|r| r.event == event).map(|r| r.effective_at);
            attendance.started_at = of(EventType::ClockIn).unwrap_or(attendance.started_at);
            attendance.ended_at = of(EventType::ClockOut);
        }
    }
}

#[cfg(test)]
mod tests;
