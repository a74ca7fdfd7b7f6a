//! Swaps: asked for, accepted by the colleague, approved by a planner; only then do the shifts change hands.

use super::super::rules::plan::Warning;
use super::super::rules::swap::{Swap, SwapKind, SwapStatus};
use super::super::rules::{Result, Shift, ShiftError, ShiftStatus};
use super::super::store::{self, Absences};
use super::{misfit, name_of, obstacles_now, outlet_and_today, tell_of_swap, unfit, warnings_now};
use crate::access::{Actor, Permission};
use crate::db::{Source, Tx};
use crate::http::{Checks, FieldError};
use crate::resources::audit::{self, Entry};
use crate::resources::employees::store as staff;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use serde_json::json;
use tiffin_common::Uuid;

/// What somebody asks a colleague for.
#[derive(Debug, Clone)]
pub struct SwapRequest {
    /// One for another, or one for nothing.
    pub kind: SwapKind,
    /// The shift offered.
    pub from_shift_id: Uuid,
    /// The colleague.
    pub to_employee_id: Uuid,
    /// The colleague's shift, or their day off, in exchange.
    pub to_shift_id: Option<Uuid>,
    /// A word to the colleague.
    pub note: Option<String>,
}

/// Offers a shift to a colleague.
///
/// # Errors
/// 403 for somebody else's shift; all offending fields; a conflict with another open swap of the same shift.
pub fn request(tx: &Tx<'_>, actor: &Actor, wish: SwapRequest, absences: Absences) -> Result<Swap> {
    let (outlet, today) = outlet_and_today(tx, actor)?;
    let (from, to) = offered(tx, actor, &outlet, today, &wish)?;
    let obstacles = exchange_obstacles(tx, &outlet, &from, to.as_ref(), wish.to_employee_id, absences)?;
    if !obstacles.is_empty() {
        return Err(ShiftError::Invalid(obstacles));
    }
    for (field, shift) in [("fromShiftId", Some(&from)), ("toShiftId", to.as_ref())] {
        let Some(shift) = shift else { continue };
        if !store::swaps::list_open_of_shift(tx, outlet.id, shift.id)?.is_empty() {
            let taken = FieldError::new(field, "is part of another swap that is not settled");
            return Err(ShiftError::Conflict(vec![taken]));
        }
    }
    let swap = Swap {
        id: tx.new_id(),
        kind: wish.kind,
        status: SwapStatus::Requested,
        from_shift_id: from.id,
        from_employee_id: from.employee_id,
        to_employee_id: wish.to_employee_id,
        to_shift_id: to.as_ref().map(|shift| shift.id),
        note: wish.note,
        requested_at: tx.now(),
        accepted_at: None,
        decided_at: None,
        decided_by_name: None,
        decision_reason: None,
        version: 1,
    };
    store::swaps::insert(tx, actor, &swap)?;
    let asker = name_of(tx, actor, from.employee_id)?;
    let offer = match &to {
        Some(to) => format!("{asker} offers their {} for your {}", from.describe(), to.describe()),
        None => format!("{asker} offers you their {}", from.describe()),
    };
    tell_of_swap(tx, actor, &swap, wish.to_employee_id, "A colleague asks for a swap", &offer)?;
    Ok(swap)
}

/// The shifts a wish names, when they and the colleague are what a swap can be about.
fn offered(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    today: NaiveDate,
    wish: &SwapRequest,
) -> Result<(Shift, Option<Shift>)> {
    let from = published(tx, actor, wish.from_shift_id)?
        .ok_or_else(|| ShiftError::field("fromShiftId", "is not a published shift of this outlet"))?;
    if !actor.may(Permission::RosterWrite) && actor.employee_id != Some(from.employee_id) {
        return Err(ShiftError::Forbidden("Only one's own shift may be offered"));
    }
    let mut checks = Checks::new();
    checks.require(from.is_work(), "fromShiftId", "is a day off");
    checks.require(is_ahead(tx, outlet, &from, today), "fromShiftId", "has begun");
    checks.require(wish.to_employee_id != from.employee_id, "toEmployeeId", "must be a colleague");
    if let Some(reason) = no_stand_in(tx, outlet, &from, wish.to_employee_id)? {
        checks.add("toEmployeeId", reason);
    }
    let to = match (wish.kind, wish.to_shift_id) {
        (SwapKind::Swap, Some(id)) => {
            let to = published(tx, actor, id)?.filter(|to| to.employee_id == wish.to_employee_id);
            let ahead = to.as_ref().is_none_or(|to| is_ahead(tx, outlet, to, today));
            checks.require(to.is_some(), "toShiftId", "is not a published shift of the colleague");
            checks.require(ahead, "toShiftId", "has begun");
            to
        }
        (SwapKind::Swap, None) => {
            checks.add("toShiftId", "is required for a SWAP");
            None
        }
        (SwapKind::GiveAway, id) => {
            checks.require(id.is_none(), "toShiftId", "is not for a GIVE_AWAY");
            None
        }
    };
    checks.finish((from, to)).map_err(ShiftError::Invalid)
}

/// The colleague agrees; the planners are asked.
///
/// # Errors
/// No such swap for the caller; 403 for anybody but the colleague or a planner; another state than REQUESTED.
pub fn accept(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Swap> {
    let swap = find_swap(tx, actor, id)?;
    if actor.employee_id != Some(swap.to_employee_id) {
        demand_planner(actor, "Only the colleague who was asked may accept")?;
    }
    swap.status.check_move(SwapStatus::Accepted)?;
    store::swaps::set_accepted(tx, actor, id)?;
    let colleague = name_of(tx, actor, swap.to_employee_id)?;
    let body = format!("{colleague} agrees; a manager has to approve");
    tell_of_swap(tx, actor, &swap, swap.from_employee_id, "Your swap was accepted", &body)?;
    let asker = name_of(tx, actor, swap.from_employee_id)?;
    let date = store::swaps::find_shift(tx, swap.from_shift_id)?.date;
    let notice = Notice {
        kind: "SHIFT_SWAP_TO_APPROVE",
        severity: Severity::Info,
        title: "A swap of shifts waits for approval".to_owned(),
        body: format!("{asker} and {colleague} agree on {date}"),
        audience: Audience::Managers,
        entity: Some(("shift_swap", id)),
        dedupe_key: format!("shift-swap:{id}"),
    };
    notifications::actions::notify(tx, actor.outlet_id, notice)?;
    find_swap(tx, actor, id)
}

/// A planner approves: the shifts change hands now, if everything still fits.
///
/// # Errors
/// No such swap; another state than ACCEPTED; [`ShiftError::Conflict`] with what no longer fits.
pub fn approve(tx: &Tx<'_>, actor: &Actor, id: Uuid, absences: Absences) -> Result<(Swap, Vec<Warning>)> {
    let swap = find_swap(tx, actor, id)?;
    swap.status.check_move(SwapStatus::Approved)?;
    let (outlet, today) = outlet_and_today(tx, actor)?;
    let (from, to) = agreed(tx, &outlet, &swap)?;
    let mut found = exchange_obstacles(tx, &outlet, &from, to.as_ref(), swap.to_employee_id, absences)?;
    for (field, shift) in [("fromShiftId", Some(&from)), ("toShiftId", to.as_ref())] {
        if shift.is_some_and(|shift| !is_ahead(tx, &outlet, shift, today)) {
            found.push(FieldError::new(field, "has begun"));
        }
    }
    if let Some(reason) = no_stand_in(tx, &outlet, &from, swap.to_employee_id)? {
        found.push(FieldError::new("toEmployeeId", reason));
    }
    if !found.is_empty() {
        return Err(ShiftError::Conflict(found));
    }
    let mut warnings = Vec::new();
    let moved = [(Some(from), swap.to_employee_id), (to, swap.from_employee_id)];
    let moved: Vec<Shift> = moved.into_iter().filter_map(|(shift, to)| Some(shift?.handed_to(to))).collect();
    for shift in &moved {
        store::update(tx, actor, shift)?;
    }
    for shift in &moved {
        warnings.extend(warnings_now(tx, &outlet, shift)?);
    }
    store::swaps::set_settled(tx, actor, id, SwapStatus::Approved, None)?;
    let hands = |from: Uuid, to: Uuid| json!({"fromShift": from, "toShift": swap.to_shift_id.map(|_| to)});
    let entry = Entry::new("shift_swap.approve", "shift_swap", Some(id))
        .before(&hands(swap.from_employee_id, swap.to_employee_id))
        .after(&hands(swap.to_employee_id, swap.from_employee_id));
    audit::actions::record(tx, actor, entry)?;
    let body = format!("{} approved it: the shifts have changed hands", actor.name);
    for employee in [swap.from_employee_id, swap.to_employee_id] {
        tell_of_swap(tx, actor, &swap, employee, "Your swap was approved", &body)?;
    }
    Ok((find_swap(tx, actor, id)?, warnings))
}

/// Why `colleague` cannot work `shift` in the place of who has it, if anything.
fn no_stand_in(tx: &Tx<'_>, outlet: &Outlet, shift: &Shift, colleague: Uuid) -> Result<Option<&'static str>> {
    let giver = staff::find(tx, outlet.id, shift.employee_id)?;
    let colleague = staff::find(tx, outlet.id, colleague)?;
    Ok(unfit(colleague.as_ref(), shift.date).or(misfit(giver.as_ref(), colleague.as_ref())))
}

/// The shifts of a swap, when they are still with those who agreed on it.
fn agreed(tx: &Tx<'_>, outlet: &Outlet, swap: &Swap) -> Result<(Shift, Option<Shift>)> {
    let still = |field: &str, id: Uuid, employee: Uuid| {
        let found = store::find(tx, outlet.id, id)?.filter(|shift| shift.employee_id == employee);
        let gone = || ShiftError::Conflict(vec![FieldError::new(field, "is not what was agreed on")]);
        found.ok_or_else(gone)
    };
    let from = still("fromShiftId", swap.from_shift_id, swap.from_employee_id)?;
    let to = swap.to_shift_id.map(|id| still("toShiftId", id, swap.to_employee_id));
    Ok((from, to.transpose()?))
}

/// The colleague or a planner says no.
///
/// # Errors
/// No such swap for the caller; 403 for whoever asked; a settled swap.
pub fn reject(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: Option<&str>) -> Result<Swap> {
    let swap = find_swap(tx, actor, id)?;
    if actor.employee_id != Some(swap.to_employee_id) {
        demand_planner(actor, "Only the colleague who was asked or a manager may reject; cancel it instead")?;
    }
    settle(tx, actor, &swap, SwapStatus::Rejected, reason)
}

/// Whoever asked takes it back.
///
/// # Errors
/// No such swap for the caller; 403 for the colleague; a settled swap.
pub fn cancel(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: Option<&str>) -> Result<Swap> {
    let swap = find_swap(tx, actor, id)?;
    if actor.employee_id != Some(swap.from_employee_id) {
        demand_planner(actor, "Only whoever asked may cancel; reject it instead")?;
    }
    settle(tx, actor, &swap, SwapStatus::Cancelled, reason)
}

fn settle(tx: &Tx<'_>, actor: &Actor, swap: &Swap, status: SwapStatus, reason: Option<&str>) -> Result<Swap> {
    swap.status.check_move(status)?;
    store::swaps::set_settled(tx, actor, swap.id, status, reason)?;
    let title = if status == SwapStatus::Rejected { "A swap was rejected" } else { "A swap was cancelled" };
    let body = format!("By {}. {}", actor.name, reason.unwrap_or_default());
    for employee in [swap.from_employee_id, swap.to_employee_id] {
        tell_of_swap(tx, actor, swap, employee, title, body.trim())?;
    }
    find_swap(tx, actor, swap.id)
}

/// The swap of that id, where the actor has to do with it.
///
/// # Errors
/// No such swap for the actor.
pub fn find_swap(conn: &dyn Source, actor: &Actor, id: Uuid) -> Result<Swap> {
    store::swaps::find(conn, actor.outlet_id, id)?
        .filter(|swap| actor.may(Permission::RosterWrite) || swap.involves(actor.employee_id))
        .ok_or(ShiftError::NotFound("swap"))
}

fn demand_planner(actor: &Actor, why: &'static str) -> Result<()> {
    if actor.may(Permission::RosterWrite) { Ok(()) } else { Err(ShiftError::Forbidden(why)) }
}

fn published(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Option<Shift>> {
    let found = store::find(tx, actor.outlet_id, id)?;
    Ok(found.filter(|shift| shift.status == ShiftStatus::Published))
}

/// Whether the shift has not begun; a day off has not before its date.
fn is_ahead(tx: &Tx<'_>, outlet: &Outlet, shift: &Shift, today: NaiveDate) -> bool {
    shift.span(outlet.timezone).map_or(shift.date >= today, |span| span.start > tx.now())
}

/// What stands in the way of `from` going to `colleague`, and `to` to whoever works `from`.
fn exchange_obstacles(
    tx: &Tx<'_>,
    outlet: &Outlet,
    from: &Shift,
    to: Option<&Shift>,
    colleague: Uuid,
    absences: Absences,
) -> Result<Vec<FieldError>> {
    let given = from.handed_to(colleague);
    let reasons = obstacles_now(tx, outlet, &given, to.map(|shift| shift.id), absences)?;
    let mut found: Vec<FieldError> =
        reasons.into_iter().map(|field| FieldError::new("toEmployeeId", field.reason)).collect();
    if let Some(to) = to {
        let taken = to.handed_to(from.employee_id);
        let reasons = obstacles_now(tx, outlet, &taken, Some(from.id), absences)?;
        found.extend(reasons.into_iter().map(|field| FieldError::new("toShiftId", field.reason)));
    }
    Ok(found)
}
