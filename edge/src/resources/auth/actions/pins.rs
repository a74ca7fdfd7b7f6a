//! Wrong PINs, and approving by PIN what the signed-in account may not do alone.

use super::super::rules::{
    Account, ApproverPin, AuthError, LOCKS, Limit, PINS, PINS_OF_ACCOUNT, PINS_OF_OUTLET, Result, TAKEN_PINS,
};
use super::super::store;
use super::pin_keys;
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::employees::rules::Employee;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::{employees, outlets};
use tiffin_common::{Millis, Uuid};

/// What is refused unseen after wrong PINs: the lock of a key grows with each lock of a day.
fn limit_of(conn: &dyn Source, key: &str, limit: Limit, now: Millis) -> db::Result<Limit> {
    let locks = store::find_throttle(conn, &locks_key(key))?.failures_at(LOCKS, now);
    Ok(limit.after_locks(locks))
}

fn locks_key(key: &str) -> String {
    format!("{key}:locks")
}

fn outlet_key(outlet: Uuid) -> String {
    format!("pin:outlet:{outlet}")
}

fn taken_key(outlet: Uuid) -> String {
    format!("pin:taken:{outlet}")
}

/// The seconds for which PINs entered on the device `session` of `account` are refused unseen.
pub fn pin_lock(conn: &dyn Source, session: Uuid, account: Uuid, now: Millis) -> db::Result<Option<u64>> {
    let [device, all_devices] = pin_keys(&session.to_string(), Some(account));
    let locked = |key: &str, limit| -> db::Result<Option<u64>> {
        Ok(store::find_throttle(conn, key)?.locked_for(limit_of(conn, key, limit, now)?, now))
    };
    Ok(locked(&device, PINS)?.max(locked(&all_devices, PINS_OF_ACCOUNT)?))
}

/// Whether so many wrong PINs were entered at the outlet that all are answered slowly.
pub fn is_slow(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<bool> {
    Ok(store::find_throttle(conn, &outlet_key(outlet))?.locked_for(PINS_OF_OUTLET, now).is_some())
}

/// Counts a wrong PIN entered on the actor's device. A right one does not forgive: its owner could guess on for ever.
pub fn wrong_pin(tx: &Tx<'_>, actor: &Actor) -> Result<()> {
    let [device, all_devices] = pin_keys(actor.device.as_deref().unwrap_or_default(), actor.account_id);
    let mut locks = false;
    for (key, limit) in [(&device, PINS), (&all_devices, PINS_OF_ACCOUNT)] {
        if store::count_failure(tx, actor.outlet_id, key, limit_of(tx, key, limit, tx.now())?)? {
            locks = true;
            store::count_failure(tx, actor.outlet_id, &locks_key(key), LOCKS)?;
        }
    }
    if store::count_failure(tx, actor.outlet_id, &outlet_key(actor.outlet_id), PINS_OF_OUTLET)? {
        tell_of_guessing(tx, actor)?;
    }
    let action = if locks { "auth.pin_locked" } else { "auth.pin_failed" };
    let session = actor.device.as_deref().and_then(|text| Uuid::try_parse(text).ok());
    Ok(audit::actions::record(tx, actor, Entry::new(action, "session", session))?)
}

fn tell_of_guessing(tx: &Tx<'_>, actor: &Actor) -> Result<()> {
    let notice = Notice {
        kind: "PIN_GUESSING",
        severity: Severity::Critical,
        title: "Somebody may be guessing PINs".to_owned(),
        body: format!(
            "Many wrong PINs were entered within an hour, the last on a device of {}. PINs are answered slowly for an hour; \
             the audit log names the devices.",
            actor.name
        ),
        audience: Audience::Managers,
        entity: None,
        dedupe_key: format!("pin-guessing:{}", tx.now().get()),
    };
    Ok(notifications::actions::notify(tx, actor.outlet_id, notice)?)
}

/// What a PIN opens at the till of `outlet` for its owner: their account, or what stands for one.
fn at_till(conn: &dyn Source, outlet: Uuid, employee: &Employee) -> db::Result<Option<Account>> {
    Ok(Account::at_till(employee, store::find_by_employee(conn, outlet, employee.id)?, outlet))
}

/// The roles in which whoever is on record under `id`, an account's or an employee's, may have acted at `outlet`: that of their account,
/// and the one that their PIN opens.
pub fn list_roles(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Vec<Role>> {
    let account = match store::find(conn, id)? {
        Some(account) => Some(account),
        None => store::find_by_employee(conn, outlet, id)?,
    };
    let employee = account.as_ref().map_or(Some(id), |account| account.employee_id);
    let employee = match employee {
        Some(employee) => employees::store::find(conn, outlet, employee)?,
        None => None,
    };
    let at_till = employee.and_then(|employee| employee.record.till_role);
    Ok(account.map(|account| account.role).into_iter().chain(at_till).collect())
}

/// What a PIN opens at a device of `outlet`, by its session, for its owner: what it opens at the till, of which a kitchen display lets through a
/// cook's rights.
pub fn at_device(
    conn: &dyn Source,
    outlet: Uuid,
    session: Uuid,
    employee: &Employee,
) -> db::Result<Option<Account>> {
    let own = at_till(conn, outlet, employee)?;
    // Whoever entered a PIN before lets the next one in, and is no device.
    Ok(match store::find_role_of_session(conn, session)? {
        Some(Role::DeviceKitchen) => own.and_then(|account| account.into_cook(outlet)),
        _ => own,
    })
}

/// Puts on record that the actor's device went into the hands of `account`'s owner.
pub fn switched(tx: &Tx<'_>, actor: &Actor, account: Uuid, name: &str) -> db::Result<()> {
    let entry =
        Entry::new("auth.pin_switched", "account", Some(account)).after(&serde_json::json!({"name": name}));
    audit::actions::record(tx, actor, entry)
}

/// Whether so many PINs could not be had today, because somebody has them, that the box hands out its own.
pub fn pins_refused(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<bool> {
    Ok(store::find_throttle(conn, &taken_key(outlet))?.locked_for(TAKEN_PINS, now).is_some())
}

/// Counts a PIN that could not be had because somebody has it.
pub fn taken_pin(tx: &Tx<'_>, actor: &Actor) -> Result<()> {
    store::count_failure(tx, actor.outlet_id, &taken_key(actor.outlet_id), TAKEN_PINS)?;
    Ok(audit::actions::record(tx, actor, Entry::new("auth.pin_refused", "outlet", Some(actor.outlet_id)))?)
}

/// Whether `permission` is given: none when the actor's own role holds it, else the approver whose PIN was entered.
///
/// # Errors
/// [`AuthError::NeedsApprover`] without a PIN; [`AuthError::ApproverMayNot`] when its owner does not hold the permission.
pub fn approve(
    tx: &Tx<'_>,
    actor: &Actor,
    permission: Permission,
    pin: &ApproverPin,
) -> Result<Option<Approver>> {
    if actor.may(permission) {
        return Ok(None);
    }
    approve_if(tx, actor, permission.name(), pin, |role| role.holds(permission)).map(Some)
}

/// [`approve`] for what is an employee's own good, such as their hours: whoever acts or approves must stand above them, so nobody
/// decides for themselves or for an equal.
///
/// # Errors
/// As [`approve`].
pub fn approve_above(
    tx: &Tx<'_>,
    actor: &Actor,
    permission: Permission,
    pin: &ApproverPin,
    employee: Uuid,
) -> Result<Option<Approver>> {
    let is_above = |who, role| employees::store::is_above(tx, who, role, employee);
    if actor.may(permission) && is_above(actor.employee_id, actor.role)? {
        return Ok(None);
    }
    let approver = approve_if(tx, actor, permission.name(), pin, |role| role.holds(permission))?;
    if !is_above(Some(approver.employee_id), Some(approver.role))? {
        return Err(AuthError::Forbidden("Only somebody above them may decide this"));
    }
    Ok(Some(approver))
}

/// The approver whose PIN was entered, when `allows` holds for their role: for rights that are limits, such as how far a role
/// may discount. `right` names it in the refusal.
///
/// # Errors
/// As [`approve`].
pub fn approve_if(
    tx: &Tx<'_>,
    actor: &Actor,
    right: &'static str,
    pin: &ApproverPin,
    allows: impl FnOnce(Role) -> bool,
) -> Result<Approver> {
    let entered = pin.0.ok_or(AuthError::NeedsApprover(right))?;
    let found = employees::store::find_by_pin(tx, actor.outlet_id, &entered.hash)?;
    let employee = found.ok_or(AuthError::WrongPin)?;
    let account = at_till(tx, actor.outlet_id, &employee)?
        .filter(|account| allows(account.role))
        .ok_or(AuthError::ApproverMayNot(right))?;
    let wanted = outlets::store::find(tx, actor.outlet_id)?.approver_pin_min_digits;
    if i64::try_from(entered.digits).unwrap_or_default() < wanted {
        return Err(AuthError::PinTooShort);
    }
    Ok(Approver {
        employee_id: employee.id,
        account_id: account.id,
        name: employee.record.name,
        role: account.role,
    })
}
