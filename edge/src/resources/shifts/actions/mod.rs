//! What can happen to the roster. One function per state change; each runs in its caller's transaction.

mod plan;
mod swaps;
mod weeks;

pub use plan::{Off, Planned, change, create, employee_ended, remove, turn_off};
pub use swaps::{SwapRequest, accept, approve, cancel, find_swap, reject, request};
pub use weeks::{Copied, Published, Skipped, copy_week, publish};

use super::rules::plan::{Warning, around_week, clash, clash_field, neighbours, warnings};
use super::rules::swap::{Swap, SwapStatus};
use super::rules::{Absence, Result, Shift, ShiftError};
use super::store::{self, Absences};
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::http::{FieldError, Stale};
use crate::resources::auth;
use crate::resources::employees::rules::Employee;
use crate::resources::employees::store as staff;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::{self, rules::Outlet};
use chrono::NaiveDate;
use tiffin_common::Uuid;

/// The outlet of the actor and the day it is there.
fn outlet_and_today(tx: &Tx<'_>, actor: &Actor) -> db::Result<(Outlet, NaiveDate)> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let today = outlet.business_date(tx.now());
    Ok((outlet, today))
}

/// Why `employee` cannot be planned on `date`, if anything.
fn unfit(employee: Option<&Employee>, date: NaiveDate) -> Option<&'static str> {
    let Some(employee) = employee else { return Some("is not an employee of this outlet") };
    if employee.record.ended_on.is_some_and(|last| last < date) {
        return Some("has left by then");
    }
    employee.record.hired_on.is_some_and(|first| first > date).then_some("has not begun by then")
}

/// Why `colleague` cannot take over from whoever `giver` is, if anything: their job is another.
fn misfit(giver: Option<&Employee>, colleague: Option<&Employee>) -> Option<&'static str> {
    let (giver, colleague) = giver.zip(colleague)?;
    (!giver.record.is_like(&colleague.record)).then_some("has another job")
}

/// Why `shift` cannot stand beside `others` and `absences`, if anything: the leave at `date`, the clash at the field to change.
fn obstacles(shift: &Shift, others: &[Shift], absences: &[Absence], outlet: &Outlet) -> Vec<FieldError> {
    let mut found = Vec::new();
    let away = Absence::on(absences, shift.employee_id, shift.date).filter(|_| shift.is_work());
    if let Some(away) = away {
        let reason = format!("the employee is on {} from {} to {}", away.what, away.from, away.to);
        found.push(FieldError::new("date", reason));
    }
    if let Some(other) = clash(shift, others, outlet.timezone) {
        found.push(clash_field(shift, other));
    }
    found
}

/// [`obstacles`] of `shift` as the store has it now, the shift `leaving` (which goes at the same time) left out.
fn obstacles_now(
    tx: &Tx<'_>,
    outlet: &Outlet,
    shift: &Shift,
    leaving: Option<Uuid>,
    absences: Absences,
) -> db::Result<Vec<FieldError>> {
    let (first, last) = neighbours(shift.date);
    let mut others = store::list_of_employee(tx, outlet.id, shift.employee_id, first, last)?;
    others.retain(|other| Some(other.id) != leaving);
    let away = absences(tx, outlet.id, Some(shift.employee_id), shift.date, shift.date)?;
    Ok(obstacles(shift, &others, &away, outlet))
}

/// What is unwise about `shift` among the others of its employee.
fn warnings_now(tx: &Tx<'_>, outlet: &Outlet, shift: &Shift) -> db::Result<Vec<Warning>> {
    let (first, last) = around_week(shift.date);
    let week = store::list_of_employee(tx, outlet.id, shift.employee_id, first, last)?;
    Ok(warnings(shift, &week, outlet.timezone, outlet.overtime_in_force()))
}

/// The shift of that id, at the version the client expects.
fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Shift> {
    let found = store::find(tx, actor.outlet_id, id)?.ok_or(ShiftError::NotFound("shift"))?;
    Stale::check(expected, found.version)?;
    Ok(found)
}

/// Ends the swaps that would have moved a shift which is no longer what was agreed on.
fn end_swaps(tx: &Tx<'_>, actor: &Actor, shift: Uuid) -> db::Result<()> {
    let reason = "The shift was changed meanwhile";
    for swap in store::swaps::list_open_of_shift(tx, actor.outlet_id, shift)? {
        store::swaps::set_settled(tx, actor, swap.id, SwapStatus::Cancelled, Some(reason))?;
        for employee in [swap.from_employee_id, swap.to_employee_id] {
            tell_of_swap(tx, actor, &swap, employee, "A swap of shifts has ended", reason)?;
        }
    }
    Ok(())
}

/// Tells the holder of an employee's account, where there is one.
pub fn tell(
    tx: &Tx<'_>,
    outlet_id: Uuid,
    employee: Uuid,
    notice: impl FnOnce(Audience) -> Notice,
) -> db::Result<()> {
    match auth::store::find_by_employee(tx, outlet_id, employee)? {
        Some(account) => notifications::actions::notify(tx, outlet_id, notice(Audience::Account(account.id))),
        None => Ok(()),
    }
}

/// Tells whoever works `shift` what became of it.
fn tell_of_shift(tx: &Tx<'_>, actor: &Actor, shift: &Shift, title: &str, body: String) -> db::Result<()> {
    tell(tx, actor.outlet_id, shift.employee_id, |audience| Notice {
        kind: "SHIFT_CHANGED",
        severity: Severity::Warning,
        title: title.to_owned(),
        body,
        audience,
        entity: Some(("shift", shift.id)),
        dedupe_key: format!("shift:{}:{}", shift.id, shift.employee_id),
    })
}

/// Tells `employee` about a swap.
fn tell_of_swap(
    tx: &Tx<'_>,
    actor: &Actor,
    swap: &Swap,
    employee: Uuid,
    title: &str,
    body: &str,
) -> db::Result<()> {
    tell(tx, actor.outlet_id, employee, |audience| Notice {
        kind: "SHIFT_SWAP",
        severity: Severity::Info,
        title: title.to_owned(),
        body: body.to_owned(),
        audience,
        entity: Some(("shift_swap", swap.id)),
        dedupe_key: format!("shift-swap:{}:{employee}", swap.id),
    })
}

/// The name of an employee.
fn name_of(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<String> {
    let found = staff::find(tx, actor.outlet_id, id)?;
    Ok(found.map_or_else(|| "somebody who has left".to_owned(), |employee| employee.record.name))
}

#[cfg(test)]
mod tests;
