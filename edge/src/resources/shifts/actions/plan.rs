//! Single shifts: planned, changed, taken off, turned into days off.

use super::super::rules::plan::Warning;
use super::super::rules::{Outcome, Result, Shift, ShiftDraft, ShiftError, ShiftStatus, ShiftType};
use super::super::store::{self, Absences};
use super::{end_swaps, find, name_of, obstacles_now, outlet_and_today, tell_of_shift, unfit, warnings_now};
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::employees::store as staff;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use serde_json::json;
use tiffin_common::Uuid;

/// A shift as it now stands, and what is unwise about it.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The shift.
    pub shift: Shift,
    /// Overtime and short rest.
    pub warnings: Vec<Warning>,
}

/// Plans a shift, as a draft.
///
/// # Errors
/// All offending fields: nobody to plan, leave on that date, a clash with another shift.
pub fn create(tx: &Tx<'_>, actor: &Actor, draft: ShiftDraft, absences: Absences) -> Result<Planned> {
    let (outlet, today) = outlet_and_today(tx, actor)?;
    let draft = draft.checked(&outlet, today).map_err(ShiftError::Invalid)?;
    let shift = Shift::planned(tx.new_id(), draft, tx.now());
    check(tx, &outlet, &shift, absences)?;
    store::insert(tx, actor, &shift)?;
    let warnings = warnings_now(tx, &outlet, &shift)?;
    Ok(Planned { shift, warnings })
}

/// Changes a shift to what `change` makes of it. A published one stays published: whoever worked it and whoever works it now
/// are told. Swaps it was part of end, unless only the words have changed.
///
/// # Errors
/// No such shift; another version than `expected`; all offending fields.
pub fn change(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(&Shift) -> ShiftDraft,
    absences: Absences,
) -> Result<Planned> {
    let before = find(tx, actor, id, expected)?;
    let (outlet, today) = outlet_and_today(tx, actor)?;
    let draft = change(&before).checked(&outlet, today).map_err(ShiftError::Invalid)?;
    let is_off = draft.shift_type == ShiftType::Off;
    let after = Shift {
        draft,
        off_reason: before.off_reason.clone().filter(|_| is_off),
        leave_request_id: before.leave_request_id.filter(|_| is_off),
        ..before.clone()
    };
    check(tx, &outlet, &after, absences)?;
    store::update(tx, actor, &after)?;
    let timing =
        |shift: &Shift| (shift.employee_id, shift.date, shift.shift_type, shift.start_time, shift.end_time);
    if timing(&before) != timing(&after) {
        end_swaps(tx, actor, id)?;
    }
    if before.status == ShiftStatus::Published {
        let (old, new) = (before.describe(), after.describe());
        if before.employee_id == after.employee_id {
            tell_of_shift(tx, actor, &after, "Your shift has changed", format!("Was: {old}. Now: {new}."))?;
        } else {
            tell_of_shift(tx, actor, &before, "A shift is no longer yours", format!("It was: {old}."))?;
            tell_of_shift(tx, actor, &after, "You have a new shift", format!("It is: {new}."))?;
        }
    }
    let shift = find(tx, actor, id, None)?;
    let warnings = warnings_now(tx, &outlet, &shift)?;
    Ok(Planned { shift, warnings })
}

/// Takes a shift off the roster; whoever was to work a published one is told.
///
/// # Errors
/// No such shift; another version than `expected`.
pub fn remove(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Shift> {
    let shift = find(tx, actor, id, expected)?;
    end_swaps(tx, actor, id)?;
    store::set_archived(tx, actor, id)?;
    if shift.status == ShiftStatus::Published {
        let body = format!("It was: {}.", shift.describe());
        tell_of_shift(tx, actor, &shift, "A shift was taken off the roster", body)?;
    }
    Ok(shift)
}

/// Why shifts become days off.
#[derive(Debug, Clone)]
pub struct Off {
    /// The leave.
    pub leave_request_id: Uuid,
    /// Why and by whom, for a person.
    pub reason: String,
}

/// Turns every shift of `employee` on the dates `from` to `to` into a day off, drafts and published ones alike. Answers each
/// as it was.
pub fn turn_off(
    tx: &Tx<'_>,
    actor: &Actor,
    employee: Uuid,
    (from, to): (NaiveDate, NaiveDate),
    why: &Off,
) -> Result<Vec<(Shift, Outcome)>> {
    let mut turned: Vec<(Shift, Outcome)> = Vec::new();
    for shift in store::list_of_employee(tx, actor.outlet_id, employee, from, to)? {
        if !shift.is_work() {
            continue;
        }
        end_swaps(tx, actor, shift.id)?;
        let is_off = turned.iter().any(|(other, _)| other.date == shift.date);
        if is_off {
            store::set_archived(tx, actor, shift.id)?;
        } else {
            let off = Shift {
                draft: ShiftDraft {
                    shift_type: ShiftType::Off,
                    start_time: None,
                    end_time: None,
                    ..shift.draft.clone()
                },
                off_reason: Some(why.reason.clone()),
                leave_request_id: Some(why.leave_request_id),
                ..shift.clone()
            };
            store::update(tx, actor, &off)?;
        }
        turned.push((shift, if is_off { Outcome::Removed } else { Outcome::Off }));
    }
    Ok(turned)
}

/// Takes every shift after `last` off the roster, since its employee works until then; planners are told that somebody else is wanted.
///
/// # Errors
/// Of the store alone.
pub fn employee_ended(tx: &Tx<'_>, actor: &Actor, employee: Uuid, last: NaiveDate) -> db::Result<()> {
    let shifts = store::list_after(tx, actor.outlet_id, employee, last)?;
    for shift in &shifts {
        end_swaps(tx, actor, shift.id)?;
        store::set_archived(tx, actor, shift.id)?;
    }
    let free: Vec<&Shift> = shifts.iter().filter(|shift| shift.is_work()).collect();
    let Some(first) = free.first() else { return Ok(()) };
    let told = json!({"shiftsRemoved": shifts.len(), "after": last});
    let entry = Entry::new("roster.employee_ended", "employee", Some(employee)).after(&told);
    audit::actions::record(tx, actor, entry)?;
    let name = name_of(tx, actor, employee)?;
    let notice = Notice {
        kind: "SHIFT_CHANGED",
        severity: Severity::Warning,
        title: format!("{} shifts of {name} are free", free.len()),
        body: format!("{name} works until {last}. The first: {}.", first.describe()),
        audience: Audience::Managers,
        entity: Some(("employee", employee)),
        dedupe_key: format!("shifts-free:{employee}"),
    };
    notifications::actions::notify(tx, actor.outlet_id, notice)
}

/// Refuses a shift that cannot stand, naming everything at once.
fn check(tx: &Tx<'_>, outlet: &Outlet, shift: &Shift, absences: Absences) -> Result<()> {
    let employee = staff::find(tx, outlet.id, shift.employee_id)?;
    let mut found = obstacles_now(tx, outlet, shift, None, absences)?;
    if let Some(reason) = unfit(employee.as_ref(), shift.date) {
        found.push(FieldError::new("employeeId", reason));
    }
    if found.is_empty() { Ok(()) } else { Err(ShiftError::Invalid(found)) }
}
