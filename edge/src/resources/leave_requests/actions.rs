//! What can happen to leave. One function per state change; each runs in its caller's transaction, so two approvals at once
//! cannot both take the last day.

use super::rules::{
    Balance, HalfDays, Holiday, Leave, LeaveDays, LeaveError, LeaveStatus, LeaveType, Result, Year,
};
use super::store::{self, Worked};
use crate::access::{Actor, Permission};
use crate::db::{self, Source, Tx};
use crate::http::{Checks, FieldError};
use crate::resources::audit::{self, Entry};
use crate::resources::employees::{rules::Employee, store as staff};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::{self, rules::LeaveTerms};
use crate::resources::shifts::actions::{Off, tell, turn_off};
use crate::resources::shifts::rules::{Outcome, near};
use crate::resources::shifts::{self, Shift};
use chrono::{Datelike, NaiveDate};
use serde_json::{Value, json};
use tiffin_common::{Quantity, Uuid};

/// What somebody asks for.
#[derive(Debug, Clone)]
pub struct LeaveRequest {
    /// For whom; oneself when absent.
    pub employee_id: Option<Uuid>,
    /// Of which type.
    pub leave_type: LeaveType,
    /// When.
    pub days: LeaveDays,
    /// Why.
    pub reason: String,
}

/// A decision, and the shifts it concerns with what became of each.
#[derive(Debug, Clone)]
pub struct Decided {
    /// The request as it now stands.
    pub leave: Leave,
    /// The employee's shifts on these days.
    pub shifts: Vec<(Shift, Outcome)>,
}

/// Asks for leave.
///
/// # Errors
/// 403 for somebody else's leave; all offending fields; days that another standing request has.
pub fn request(tx: &Tx<'_>, actor: &Actor, wish: LeaveRequest) -> Result<Leave> {
    let employee = wish.employee_id.or(actor.employee_id);
    let employee = employee
        .ok_or_else(|| LeaveError::field("employeeId", "is required: this account belongs to no employee"))?;
    if actor.employee_id != Some(employee) && !actor.may(Permission::LeaveApprove) {
        return Err(LeaveError::Forbidden("Leave can be asked for oneself only"));
    }
    let person = staff::find(tx, actor.outlet_id, employee)?
        .filter(Employee::works_here)
        .ok_or_else(|| LeaveError::field("employeeId", "is not an employee of this outlet"))?;
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let days = wish.days.checked(today).map_err(LeaveError::Invalid)?;
    if let Some(other) = store::list_standing(tx, actor.outlet_id, employee, days.from, days.to)?.first() {
        let (from, to) = (other.days.from, other.days.to);
        let reason = format!("{from} to {to} is asked for already ({})", other.status);
        return Err(LeaveError::field("fromDate", reason));
    }
    let leave = Leave {
        id: tx.new_id(),
        employee_id: employee,
        leave_type: wish.leave_type,
        days,
        reason: wish.reason,
        status: LeaveStatus::Pending,
        was_forced: false,
        requested_at: tx.now(),
        requested_by: actor.account_id,
        decided_at: None,
        decided_by_name: None,
        decision_reason: None,
        version: 1,
    };
    store::insert(tx, actor, &leave)?;
    let notice = Notice {
        kind: "LEAVE_REQUESTED",
        severity: Severity::Info,
        title: format!("{} asks for leave", person.record.name),
        body: describe(&leave),
        audience: Audience::Managers,
        entity: Some(("leave_request", leave.id)),
        dedupe_key: format!("leave:{}", leave.id),
    };
    notifications::actions::notify(tx, actor.outlet_id, notice)?;
    Ok(leave)
}

/// Grants leave: the employee's shifts on its whole days become days off. Without `force` no more than is left, and no whole day on which work
/// was done: the wages of both would be paid.
///
/// # Errors
/// No such request; another state than PENDING; a balance that does not suffice; days that were worked.
pub fn approve(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    reason: Option<&str>,
    (force, worked): (bool, Worked),
) -> Result<Decided> {
    let leave = find(tx, actor, id)?;
    leave.status.check_move(LeaveStatus::Approved)?;
    demand_above(tx, actor, leave.employee_id)?;
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let mut short = shortfalls(tx, actor.outlet_id, &leave, today)?;
    short.extend(worked_on(tx, actor.outlet_id, &leave, worked)?);
    if !short.is_empty() && !force {
        return Err(LeaveError::Invalid(short));
    }
    store::set_decided(tx, actor, id, LeaveStatus::Approved, reason, !short.is_empty())?;
    let dates = (leave.days.from, leave.days.to);
    let shifts = if leave.days.is_half {
        of_dates(tx, actor, leave.employee_id, dates, Outcome::Kept, Shift::is_work)?
    } else {
        let why = format!("{} leave, approved by {}", leave.leave_type, actor.name);
        let off = Off { leave_request_id: id, reason: why };
        turn_off(tx, actor, leave.employee_id, dates, &off)?
    };
    decided(tx, actor, &leave, reason, shifts)
}

/// Does not grant leave.
///
/// # Errors
/// No such request; another state than PENDING.
pub fn reject(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: Option<&str>) -> Result<Decided> {
    let leave = find(tx, actor, id)?;
    leave.status.check_move(LeaveStatus::Rejected)?;
    store::set_decided(tx, actor, id, LeaveStatus::Rejected, reason, false)?;
    decided(tx, actor, &leave, reason, Vec::new())
}

/// Takes leave back: a pending one always, an approved one before it begins; one that has begun is taken back only by somebody who could grant
/// it, saying why, such as a slip or somebody called back to work. Its days are there again. Days off that it made stay days off and are
/// listed: somebody else may have been planned for them.
///
/// # Errors
/// No such request for the caller; 403 for somebody else's; a settled one; one's own that has begun; no reason for one that has.
pub fn cancel(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: Option<&str>) -> Result<Decided> {
    let leave = find(tx, actor, id)?;
    leave.status.check_move(LeaveStatus::Cancelled)?;
    let mut shifts = Vec::new();
    if leave.status == LeaveStatus::Approved {
        let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
        if leave.days.from <= today {
            let is_own = actor.employee_id == Some(leave.employee_id);
            if is_own || !actor.may(Permission::LeaveApprove) {
                return Err(LeaveError::Transition("Leave that has begun cannot be cancelled".to_owned()));
            }
            demand_above(tx, actor, leave.employee_id)?;
            if reason.is_none_or(|reason| reason.trim().is_empty()) {
                return Err(LeaveError::field("reason", "must say why"));
            }
        }
        let dates = (leave.days.from, leave.days.to);
        let made_off = |shift: &Shift| shift.leave_request_id == Some(id);
        shifts = of_dates(tx, actor, leave.employee_id, dates, Outcome::Off, made_off)?;
    }
    store::set_decided(tx, actor, id, LeaveStatus::Cancelled, reason, leave.was_forced)?;
    decided(tx, actor, &leave, reason, shifts)
}

/// Gives an employee an entitlement of their own for a year.
///
/// # Errors
/// No such employee; a type without a limit.
pub fn set_entitlement(
    tx: &Tx<'_>,
    actor: &Actor,
    employee: Uuid,
    year: i32,
    leave_type: LeaveType,
    entitled: HalfDays,
) -> Result<Vec<Balance>> {
    staff::find(tx, actor.outlet_id, employee)?.ok_or(LeaveError::NotFound("employee"))?;
    demand_above(tx, actor, employee)?;
    let settings = outlets::store::find(tx, actor.outlet_id)?;
    if settings.leave.terms(leave_type).is_none() {
        return Err(LeaveError::field("leaveType", "has no limit"));
    }
    let today = settings.business_date(tx.now());
    let of_type = |balances: &[Balance]| -> Value {
        let found = balances.iter().find(|balance| balance.leave_type == leave_type);
        let days = found.and_then(|balance| balance.entitled).map(HalfDays::days);
        json!({"year": year, "leaveType": leave_type, "entitledDays": days})
    };
    let before = of_type(&balances(tx, actor.outlet_id, employee, year, today)?);
    store::set_entitlement(tx, actor, employee, year, leave_type, entitled)?;
    let after = balances(tx, actor.outlet_id, employee, year, today)?;
    let entry =
        Entry::new("leave.entitlement", "employee", Some(employee)).before(&before).after(&of_type(&after));
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}

/// Leave is granted by somebody above: not by oneself, nor among equals.
fn demand_above(tx: &Tx<'_>, actor: &Actor, employee: Uuid) -> Result<()> {
    match staff::is_above(tx, actor.employee_id, actor.role, employee)? {
        true => Ok(()),
        false => Err(LeaveError::Forbidden("Only somebody above them may grant leave")),
    }
}

/// What an employee has of each type in a year, as it is on the day `as_of`. What is carried over is followed from their first year on.
pub fn balances(
    conn: &dyn Source,
    outlet: Uuid,
    employee: Uuid,
    year: i32,
    as_of: NaiveDate,
) -> db::Result<Vec<Balance>> {
    let settings = outlets::store::find(conn, outlet)?;
    let Some(person) = staff::find(conn, outlet, employee)? else { return Ok(Vec::new()) };
    let since = person.record.hired_on.unwrap_or_else(|| settings.business_date(person.created_at));
    let carries = |terms: &LeaveTerms| terms.carry_over_days > Quantity::ZERO;
    let carries = LeaveType::ALL.iter().filter_map(|of| settings.leave.terms(*of)).any(carries);
    let first = if carries { since.year().min(year) } else { year };
    let bounds = NaiveDate::from_ymd_opt(first, 1, 1).zip(NaiveDate::from_ymd_opt(year, 12, 31));
    let Some((begin, end)) = bounds else { return Ok(Vec::new()) };
    let requests = store::list_standing(conn, outlet, employee, begin, end)?;
    let own = store::list_entitlements(conn, outlet, employee, year)?;
    let calendar = store::find_calendar(conn, &settings, Some(employee), begin, end)?;
    let of = |year| Year { year, as_of, since, requests: &requests, calendar: &calendar };
    let balance = |leave_type: LeaveType, year: i32, carried: HalfDays| {
        let own = own.iter().find(|(in_year, of, _)| (*in_year, *of) == (year, leave_type));
        of(year).balance(leave_type, settings.leave.terms(leave_type), own.map(|(.., days)| *days), carried)
    };
    let last = |leave_type: &LeaveType| {
        let carry = |carried: HalfDays, year: i32| {
            let terms = settings.leave.terms(*leave_type);
            let balance = balance(*leave_type, year, carried);
            terms.map_or(HalfDays(0), |terms| of(year).carries_over(&balance, terms))
        };
        balance(*leave_type, year, (first..year).fold(HalfDays(0), carry))
    };
    Ok(LeaveType::ALL.iter().map(last).collect())
}

/// The years in which the request wants more than is left, as offending fields.
fn shortfalls(
    conn: &dyn Source,
    outlet: Uuid,
    leave: &Leave,
    today: NaiveDate,
) -> db::Result<Vec<FieldError>> {
    let (employee, days) = (leave.employee_id, leave.days);
    let settings = outlets::store::find(conn, outlet)?;
    let calendar = store::find_calendar(conn, &settings, Some(employee), days.from, days.to)?;
    let mut found = Vec::new();
    for year in days.years() {
        let wanted = calendar.sum(employee, days, |date| date.year() == year);
        let balances = balances(conn, outlet, employee, year, today.max(days.from))?;
        let balance = balances.into_iter().find(|balance| balance.leave_type == leave.leave_type);
        let Some(left) = balance.and_then(Balance::left) else { continue };
        if wanted > left {
            let (kind, wanted, left) = (leave.leave_type, wanted.days(), left.days());
            let reason =
                format!("{wanted} days of {kind} leave in {year}, {left} left; true approves all the same");
            found.push(FieldError::new("force", reason));
        }
    }
    Ok(found)
}

/// The days of whole days' leave on which work was done, as an offending field.
fn worked_on(
    conn: &dyn Source,
    outlet: Uuid,
    leave: &Leave,
    worked: Worked,
) -> db::Result<Option<FieldError>> {
    let (employee, days) = (leave.employee_id, leave.days);
    let mut dates = worked(conn, outlet, employee, days.from, days.to)?;
    if days.is_half || dates.is_empty() {
        return Ok(None);
    }
    let settings = outlets::store::find(conn, outlet)?;
    let calendar = store::find_calendar(conn, &settings, Some(employee), days.from, days.to)?;
    dates.retain(|date| calendar.taken(employee, days).any(|(taken, _)| taken == *date));
    let dates: Vec<String> = dates.iter().map(ToString::to_string).collect();
    let reason = || format!("work was done on {}; true approves all the same", dates.join(", "));
    Ok((!dates.is_empty()).then(|| FieldError::new("force", reason())))
}

/// Makes a date a holiday.
///
/// # Errors
/// A date that is one already, or far away.
pub fn add_holiday(tx: &Tx<'_>, actor: &Actor, date: NaiveDate, name: String) -> Result<Holiday> {
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let mut checks = Checks::new();
    checks.require(near(date, today), "date", "must be within two years of today");
    checks.require(!store::is_holiday(tx, actor.outlet_id, date)?, "date", "is a holiday already");
    checks.finish(()).map_err(LeaveError::Invalid)?;
    let holiday = Holiday { id: tx.new_id(), date, name, created_at: tx.now() };
    store::insert_holiday(tx, actor, &holiday)?;
    let entry = Entry::new("holiday.create", "holiday", Some(holiday.id))
        .after(&json!({"date": date, "name": holiday.name}));
    audit::actions::record(tx, actor, entry)?;
    Ok(holiday)
}

/// Makes a holiday an ordinary day.
///
/// # Errors
/// No such holiday.
pub fn remove_holiday(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Holiday> {
    let holiday = store::find_holiday(tx, actor.outlet_id, id)?.ok_or(LeaveError::NotFound("holiday"))?;
    store::delete_holiday(tx, actor, id)?;
    let entry = Entry::new("holiday.delete", "holiday", Some(id))
        .before(&json!({"date": holiday.date, "name": holiday.name}));
    audit::actions::record(tx, actor, entry)?;
    Ok(holiday)
}

/// The request of that id, where the actor has to do with it: their own, or anybody's for who decides.
///
/// # Errors
/// No such request for the actor.
pub fn find(conn: &dyn Source, actor: &Actor, id: Uuid) -> Result<Leave> {
    let mine = |leave: &Leave| actor.employee_id == Some(leave.employee_id);
    store::find(conn, actor.outlet_id, id)?
        .filter(|leave| actor.may(Permission::LeaveApprove) || mine(leave))
        .ok_or(LeaveError::NotFound("leave request"))
}

/// The employee's shifts on `dates` that `counts` finds, each with the same outcome.
fn of_dates(
    tx: &Tx<'_>,
    actor: &Actor,
    employee: Uuid,
    (from, to): (NaiveDate, NaiveDate),
    outcome: Outcome,
    counts: impl Fn(&Shift) -> bool,
) -> db::Result<Vec<(Shift, Outcome)>> {
    let found = shifts::store::list_of_employee(tx, actor.outlet_id, employee, from, to)?;
    Ok(found.into_iter().filter(counts).map(|shift| (shift, outcome)).collect())
}

/// Puts a decision on record and tells those it concerns: the employee, or the managers where the employee decided.
fn decided(
    tx: &Tx<'_>,
    actor: &Actor,
    before: &Leave,
    reason: Option<&str>,
    shifts: Vec<(Shift, Outcome)>,
) -> Result<Decided> {
    let leave = find(tx, actor, before.id)?;
    let (action, done) = match leave.status {
        LeaveStatus::Approved => ("leave.approve", "approved"),
        LeaveStatus::Rejected => ("leave.reject", "rejected"),
        LeaveStatus::Pending | LeaveStatus::Cancelled => ("leave.cancel", "cancelled"),
    };
    let what = |leave: &Leave| {
        json!({"status": leave.status, "leaveType": leave.leave_type, "fromDate": leave.days.from,
            "toDate": leave.days.to, "forced": leave.was_forced})
    };
    let mut entry =
        Entry::new(action, "leave_request", Some(leave.id)).before(&what(before)).after(&what(&leave));
    if let Some(reason) = reason {
        entry = entry.reason(reason);
    }
    audit::actions::record(tx, actor, entry)?;
    let notice = |audience| Notice {
        kind: "LEAVE_DECIDED",
        severity: Severity::Info,
        title: format!("Leave was {done}"),
        body: format!("{}, by {}. {}", describe(&leave), actor.name, reason.unwrap_or_default()),
        audience,
        entity: Some(("leave_request", leave.id)),
        dedupe_key: format!("leave:{}:{done}", leave.id),
    };
    if actor.employee_id == Some(leave.employee_id) {
        notifications::actions::notify(tx, actor.outlet_id, notice(Audience::Managers))?;
    } else {
        tell(tx, actor.outlet_id, leave.employee_id, notice)?;
    }
    Ok(Decided { leave, shifts })
}

/// `ANNUAL leave from 2026-12-24 to 2026-12-26`.
fn describe(leave: &Leave) -> String {
    let (kind, from, to) = (leave.leave_type, leave.days.from, leave.days.to);
    if leave.days.is_half {
        return format!("half a day of {kind} leave on {from}");
    }
    format!("{kind} leave from {from} to {to}")
}
