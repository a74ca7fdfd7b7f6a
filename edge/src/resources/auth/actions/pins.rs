//! Wrong PINs, and approving by PIN what the signed-in account may not do alone.

use super::super::rules::{ApproverPin, AuthError, PINS, PINS_OF_ACCOUNT, Result};
use super::super::store;
use super::pin_keys;
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::employees;
use tiffin_common::{Millis, Uuid};

/// The seconds for which PINs entered on the device `session` of `account` are refused unseen.
pub fn pin_lock(conn: &dyn Source, session: Uuid, account: Uuid, now: Millis) -> db::Result<Option<u64>> {
    let [device, all_devices] = pin_keys(&session.to_string(), Some(account));
    let of_device = store::find_throttle(conn, &device)?.locked_for(PINS, now);
    let of_account = store::find_throttle(conn, &all_devices)?.locked_for(PINS_OF_ACCOUNT, now);
    Ok(of_device.max(of_account))
}

/// Counts a wrong PIN entered on the actor's device. A right one does not forgive: its owner could guess on for ever.
pub fn wrong_pin(tx: &Tx<'_>, actor: &Actor) -> Result<()> {
    let [device, all_devices] = pin_keys(actor.device.as_deref().unwrap_or_default(), actor.account_id);
    let device_locks = store::count_failure(tx, actor.outlet_id, &device, PINS)?;
    let account_locks = store::count_failure(tx, actor.outlet_id, &all_devices, PINS_OF_ACCOUNT)?;
    let action = if device_locks || account_locks { "auth.pin_locked" } else { "auth.pin_failed" };
    let session = actor.device.as_deref().and_then(|text| Uuid::try_parse(text).ok());
    Ok(audit::actions::record(tx, actor, Entry::new(action, "session", session))?)
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
    let hash = pin.0.as_ref().ok_or(AuthError::NeedsApprover(right))?;
    let found = employees::store::find_by_pin(tx, actor.outlet_id, hash)?;
    let employee = found.ok_or(AuthError::WrongPin)?;
    let account = store::find_by_employee(tx, actor.outlet_id, employee.id)?
        .filter(|account| account.is_usable() && account.works_at(actor.outlet_id) && allows(account.role))
        .ok_or(AuthError::ApproverMayNot(right))?;
    Ok(Approver {
        employee_id: employee.id,
        account_id: account.id,
        name: employee.record.name,
        role: account.role,
    })
}
