//! Whole stretches of the roster: published, copied from week to week.

use super::super::rules::plan::{Warning, around, monday, warnings};
use super::super::rules::{Result, Shift, ShiftDraft, ShiftError, ShiftStatus, near};
use super::super::store::{self, Absences};
use super::{obstacles, outlet_and_today, unfit};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::audit::{self, Entry};
use crate::resources::employees::rules::Employee;
use crate::resources::employees::store as staff;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use chrono::{Days, NaiveDate};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use tiffin_common::Uuid;

/// The most days that are published at once.
const LONGEST: i64 = 62;

/// What was shown to the staff.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Published {
    /// The first date.
    pub from: NaiveDate,
    /// The last date.
    pub to: NaiveDate,
    /// Drafts that everybody sees now.
    pub published: usize,
    /// Shifts that everybody saw before.
    pub already_published: usize,
    /// Employees with shifts among those published now.
    pub employees: usize,
}

/// Shows the drafts on the dates `from` to `to` to the staff.
///
/// # Errors
/// Offending dates.
pub fn publish(tx: &Tx<'_>, actor: &Actor, from: NaiveDate, to: NaiveDate) -> Result<Published> {
    let mut checks = Checks::new();
    checks.require(to >= from, "to", "must not be before from");
    checks.require((to - from).num_days() < LONGEST, "to", "must be within 62 days");
    checks.finish(()).map_err(ShiftError::Invalid)?;
    let shifts = store::list_between(tx, actor.outlet_id, from, to)?;
    let drafts: Vec<&Shift> = shifts.iter().filter(|shift| shift.status == ShiftStatus::Draft).collect();
    for shift in &drafts {
        store::set_published(tx, actor, shift.id)?;
    }
    let employees: BTreeSet<Uuid> = drafts.iter().map(|shift| shift.employee_id).collect();
    let done = Published {
        from,
        to,
        published: drafts.len(),
        already_published: shifts.len().saturating_sub(drafts.len()),
        employees: employees.len(),
    };
    if done.published > 0 {
        let entry = Entry::new("roster.publish", "roster", None).after(&done);
        audit::actions::record(tx, actor, entry)?;
        let notice = Notice {
            kind: "ROSTER_PUBLISHED",
            severity: Severity::Info,
            title: format!("The roster from {from} to {to} is out"),
            body: format!("{} shifts of {} employees", done.published, done.employees),
            audience: Audience::Staff,
            entity: None,
            dedupe_key: format!("roster:{from}:{to}"),
        };
        notifications::actions::notify(tx, actor.outlet_id, notice)?;
    }
    Ok(done)
}

/// A shift that was not copied.
#[derive(Debug, Clone)]
pub struct Skipped {
    /// The shift of the old week.
    pub shift_id: Uuid,
    /// The employee who was to work it.
    pub employee_id: Uuid,
    /// Name of the employee who was to work it.
    pub employee_name: String,
    /// Where it would have gone.
    pub date: NaiveDate,
    /// Why it did not.
    pub reason: String,
}

/// What a copied week came to.
#[derive(Debug, Clone, Default)]
pub struct Copied {
    /// How many new drafts were made.
    pub copied: usize,
    /// Drafts of the new week that had to go, under `overwrite`.
    pub removed: usize,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
    /// What is unwise about the new drafts: overtime, short rest, seven days in a row.
    pub warnings: Vec<Warning>,
}

/// Copies the week from Monday `from` to the week from Monday `to`, as drafts; what cannot stand there is left out and named.
/// `overwrite` first takes the drafts of the new week off the roster; what is published there stays.
///
/// # Errors
/// Offending dates.
pub fn copy_week(
    tx: &Tx<'_>,
    actor: &Actor,
    (from, to): (NaiveDate, NaiveDate),
    overwrite: bool,
    absences: Absences,
) -> Result<Copied> {
    let (outlet, today) = outlet_and_today(tx, actor)?;
    let mut checks = Checks::new();
    for (field, date) in [("fromWeekStart", from), ("toWeekStart", to)] {
        checks.require(monday(date) == date, field, "must be a Monday");
        checks.require(near(date, today), field, "must be within two years of today");
    }
    checks.require(from != to, "toWeekStart", "must be another week than fromWeekStart");
    checks.finish(()).map_err(ShiftError::Invalid)?;
    let (last, new_last) = (from + Days::new(6), to + Days::new(6));
    let (first_near, last_near) = around(to, new_last);
    let mut week = store::list_between(tx, outlet.id, first_near, last_near)?;
    let mut done = Copied::default();
    if overwrite {
        let goes =
            |shift: &Shift| shift.status == ShiftStatus::Draft && (to..=new_last).contains(&shift.date);
        for shift in week.iter().filter(|shift| goes(shift)) {
            store::set_archived(tx, actor, shift.id)?;
            done.removed += 1;
        }
        week.retain(|shift| !goes(shift));
    }
    let away = absences(tx, outlet.id, None, to, new_last)?;
    let everybody = staff::list_all(tx, outlet.id)?;
    let staff: HashMap<Uuid, &Employee> = everybody.iter().map(|person| (person.id, person)).collect();
    let mut copies = Vec::new();
    for shift in store::list_between(tx, outlet.id, from, last)? {
        let date = to + (shift.date - from);
        let employee = staff.get(&shift.employee_id).copied();
        let draft = ShiftDraft { date, ..shift.draft.clone() };
        let reason = if shift.leave_request_id.is_some() {
            Some("was a day off because of leave".to_owned())
        } else if let Some(reason) = unfit(employee, date) {
            Some(format!("the employee {reason}"))
        } else {
            match draft.checked(&outlet, today) {
                Err(fields) => fields.first().map(|field| field.reason.clone()),
                Ok(draft) => {
                    let copy = Shift::planned(tx.new_id(), draft, tx.now());
                    let reason = obstacles(&copy, &week, &away, &outlet).first().map(|f| f.reason.clone());
                    if reason.is_none() {
                        store::insert(tx, actor, &copy)?;
                        week.push(copy.clone());
                        copies.push(copy);
                    }
                    reason
                }
            }
        };
        if let Some(reason) = reason {
            let employee_name = employee.map(|person| person.record.name.clone()).unwrap_or_default();
            let employee_id = shift.employee_id;
            done.skipped.push(Skipped { shift_id: shift.id, employee_id, employee_name, date, reason });
        }
    }
    done.copied = copies.len();
    for copy in &copies {
        let theirs: Vec<Shift> =
            week.iter().filter(|shift| shift.employee_id == copy.employee_id).cloned().collect();
        done.warnings.extend(warnings(copy, &theirs, outlet.timezone, outlet.overtime_in_force()));
    }
    Ok(done)
}
