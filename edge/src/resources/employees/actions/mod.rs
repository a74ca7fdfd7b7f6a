//! What can happen to an employee.

pub mod documents;
mod files;

pub use files::import;

use super::rules::{Employee, EmployeeError, EmployeeRecord, EmployeeStatus, Result};
use super::store;
use crate::access::{Actor, PinHash, Role};
use crate::db::{DbError, Tx};
use crate::http::Stale;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use chrono::NaiveDate;
use serde_json::json;
use tiffin_common::Uuid;

/// What follows when somebody works until that date alone, in the same transaction. The roster stands above the staff and hands it down.
pub type Ended = fn(&Tx<'_>, &Actor, Uuid, NaiveDate) -> Result<(), DbError>;

/// Hires somebody. A blank code is replaced by the next free one.
///
/// # Errors
/// Offending fields; a code that is taken; a till role above the actor's.
pub fn hire(tx: &Tx<'_>, actor: &Actor, mut record: EmployeeRecord) -> Result<Employee> {
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    if record.employee_code.trim().is_empty() {
        record.employee_code = next_code(tx, actor.outlet_id)?;
    }
    let record = record.checked(today).map_err(EmployeeError::Invalid)?;
    demand_rank(actor, record.till_role)?;
    let id = tx.new_id();
    store::insert(tx, actor.outlet_id, id, &record)?;
    store::insert_wage(tx, actor, id, record.pay())?;
    let hired = find(tx, actor, id)?;
    let entry = Entry::new("employee.hire", "employee", Some(id)).after(&hired);
    audit::actions::record(tx, actor, entry)?;
    Ok(hired)
}

fn next_code(tx: &Tx<'_>, outlet: Uuid) -> Result<String> {
    let mut number = store::count(tx, outlet)?;
    loop {
        number += 1;
        let code = format!("EMP{number:02}");
        if !store::has_code(tx, outlet, &code)? {
            return Ok(code);
        }
    }
}

/// Changes a record to what `change` makes of it; a new wage holds from now on.
///
/// # Errors
/// No such employee; another version than `expected`; offending fields; an account that is not below the
/// actor's; their own wage or standing; a till role above the actor's.
pub fn change(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(EmployeeRecord) -> EmployeeRecord,
    ended: Ended,
) -> Result<Employee> {
    let before = find_for_change(tx, actor, id, expected)?;
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let record = change(before.record.clone()).checked(today).map_err(EmployeeError::Invalid)?;
    let standing = |record: &EmployeeRecord| {
        let employed = (record.status, record.employment_type, record.hired_on, record.ended_on);
        (record.pay(), record.day_minutes, record.till_role, employed)
    };
    if is_self(actor, id) && standing(&record) != standing(&before.record) {
        return Err(EmployeeError::NotBelow);
    }
    if record.till_role != before.record.till_role {
        demand_rank(actor, record.till_role)?;
    }
    store::update(tx, id, &record)?;
    if record.pay() != before.record.pay() {
        store::insert_wage(tx, actor, id, record.pay())?;
    }
    let after = find(tx, actor, id)?;
    let entry = Entry::new("employee.update", "employee", Some(id)).before(&before).after(&after);
    audit::actions::record(tx, actor, entry)?;
    if let Some(last) = after.record.ended_on.filter(|last| before.record.ended_on != Some(*last)) {
        ended(tx, actor, id, last)?;
    }
    Ok(after)
}

/// Gives an employee a new PIN.
///
/// # Errors
/// No such employee; another version than `expected`; a PIN somebody else has; an account above the actor's.
pub fn set_pin(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    pin: &PinHash,
) -> Result<Employee> {
    let before = find_for_change(tx, actor, id, expected)?;
    store::set_pin(tx, id, Some(pin)).map_err(|error| match error {
        DbError::Taken { .. } => EmployeeError::PinTaken,
        other => other.into(),
    })?;
    let entry = Entry::new("employee.set_pin", "employee", Some(id))
        .before(&json!({"hasPin": before.has_pin}))
        .after(&json!({"hasPin": true}));
    audit::actions::record(tx, actor, entry)?;
    find(tx, actor, id)
}

/// Lets somebody go: the record stays for the history, the PIN is void, and their account no longer opens anything.
///
/// # Errors
/// No such employee; another version than `expected`; an account above the actor's.
pub fn archive(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    ended: Ended,
) -> Result<Employee> {
    let end = |record| EmployeeRecord { status: EmployeeStatus::Ended, ..record };
    let mut gone = change(tx, actor, id, expected, end, ended)?;
    store::set_archived(tx, id)?;
    gone.has_pin = false;
    let entry = Entry::new("employee.archive", "employee", Some(id));
    audit::actions::record(tx, actor, entry)?;
    Ok(gone)
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Employee> {
    store::find(tx, actor.outlet_id, id)?.ok_or(EmployeeError::NotFound("employee"))
}

fn find_for_change(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Employee> {
    let found = find(tx, actor, id)?;
    Stale::check(expected, found.version)?;
    if !is_self(actor, id) && !store::is_above(tx, actor.employee_id, actor.role, id)? {
        return Err(EmployeeError::NotBelow);
    }
    Ok(found)
}

/// Nobody gives a role at the till above their own.
fn demand_rank(actor: &Actor, till_role: Option<Role>) -> Result<()> {
    let may = |role| actor.role.is_none_or(|own| own.may_grant(role));
    if till_role.is_none_or(may) { Ok(()) } else { Err(EmployeeError::NotBelow) }
}

fn is_self(actor: &Actor, employee: Uuid) -> bool {
    actor.employee_id == Some(employee)
}

#[cfg(test)]
mod tests;
