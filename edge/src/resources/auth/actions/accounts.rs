//! Making and changing accounts: never above one's own role.

use super::super::rules::{Account, AuthError, NewAccount, Reach, Result};
use super::super::store;
use super::end_sessions;
use crate::access::{Actor, Role};
use crate::db::{self, Source, Tx};
use crate::http::{Checks, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::{channels, employees, outlets};
use serde_json::{Value, json};
use tiffin_common::Uuid;

/// Makes an account. Its outlets must be the actor's own; the employee must be one of the actor's outlet.
///
/// # Errors
/// A role above the actor's; an outlet that is not the actor's; an email or employee that has an account already.
pub fn create_account(tx: &Tx<'_>, actor: &Actor, new: NewAccount) -> Result<Account> {
    demand_rank(actor, new.role)?;
    demand_outlets(tx, actor, new.role, &new.outlets, &[])?;
    if let Some(employee) = new.employee_id
        && employees::store::find(tx, actor.outlet_id, employee)?.is_none()
    {
        return Err(AuthError::NotFound("employee"));
    }
    let id = tx.new_id();
    let new = NewAccount { email: new.email.trim().to_lowercase(), ..new };
    store::insert(tx, actor.outlet_id, id, &new)?;
    let made = find(tx, id)?;
    let entry = Entry::new("account.create", "account", Some(id)).after(&on_record(&made));
    audit::actions::record(tx, actor, entry)?;
    Ok(made)
}

/// Makes an account of another system one that is there for the orders of `channels`.
///
/// # Errors
/// Channels that the outlet does not have, or an account of another role.
pub fn bind_channels(tx: &Tx<'_>, actor: &Actor, account: Account, channels: &[Uuid]) -> Result<Account> {
    demand_channels(tx, actor, account.role, channels)?;
    store::update(tx, account.id, account.role, account.is_active, channels)?;
    find(tx, account.id)
}

/// A change of an account; what is none stays.
#[derive(Debug, Clone, Default)]
pub struct AccountChange {
    /// A new role.
    pub role: Option<Role>,
    /// New outlets, the default first.
    pub outlets: Option<Vec<Uuid>>,
    /// Whether it opens anything.
    pub active: Option<bool>,
    /// The channels whose orders another system's account is there for.
    pub channels: Option<Vec<Uuid>>,
}

/// Changes the account of an employee of the actor's outlet; names the devices that were signed out.
///
/// # Errors
/// No such account; another version than `expected`; the actor's own account; a role above the actor's, before or after; an
/// outlet that is not the actor's, given or taken away.
pub fn change_account(
    tx: &Tx<'_>,
    actor: &Actor,
    employee: Uuid,
    expected: Option<i64>,
    change: &AccountChange,
) -> Result<(Account, Vec<Uuid>)> {
    let found = store::find_by_employee(tx, actor.outlet_id, employee)?;
    let before = found.ok_or(AuthError::NotFound("account"))?;
    Stale::check(expected, before.version)?;
    if actor.account_id == Some(before.id) {
        return Err(AuthError::Forbidden("Somebody else must change your account"));
    }
    let role = change.role.unwrap_or(before.role);
    if !actor.outranks(before.role) {
        return Err(AuthError::Forbidden("Somebody above them must change their account"));
    }
    demand_rank(actor, role)?;
    if let Some(outlets) = &change.outlets {
        demand_outlets(tx, actor, role, outlets, &before.outlets)?;
        store::set_outlets(tx, before.id, outlets)?;
    }
    let active = change.active.unwrap_or(before.is_active);
    let channels = change.channels.as_ref().unwrap_or(&before.channel_ids);
    demand_channels(tx, actor, role, channels)?;
    store::update(tx, before.id, role, active, channels)?;
    let mut signed_out = Vec::new();
    if !active {
        signed_out = end_sessions(tx, before.id, None, "the account was closed")?;
    }
    let after = find(tx, before.id)?;
    let entry = Entry::new("account.update", "account", Some(before.id))
        .before(&on_record(&before))
        .after(&on_record(&after));
    audit::actions::record(tx, actor, entry)?;
    Ok((after, signed_out))
}

fn find(tx: &Tx<'_>, id: Uuid) -> Result<Account> {
    store::find(tx, id)?.ok_or(AuthError::NotFound("account"))
}

fn demand_rank(actor: &Actor, role: Role) -> Result<()> {
    if role.is_device() {
        return Err(AuthError::field("role", "is a device's, which is paired"));
    }
    match actor.role {
        Some(own) if !own.may_grant(role) => Err(AuthError::Forbidden("That role ranks above yours")),
        _ => Ok(()),
    }
}

/// Every outlet that is given (or taken away, of those there were `before`) exists and is the actor's own.
fn demand_outlets(tx: &Tx<'_>, actor: &Actor, role: Role, given: &[Uuid], before: &[Uuid]) -> Result<()> {
    let mine: Vec<Uuid> = match actor.account_id {
        Some(id) if actor.role != Some(Role::SuperAdmin) => {
            // Whom this box does not know was admitted to the outlet they act at: head office's people at the catalogue.
            store::find(tx, id)?.map_or_else(|| vec![actor.outlet_id], |own| own.outlets)
        }
        _ => outlets::store::list(tx)?.into_iter().map(|outlet| outlet.id).collect(),
    };
    let mut checks = Checks::new();
    // A super-admin works at all outlets, and names one with each request.
    checks.require(role == Role::SuperAdmin || !given.is_empty(), "outlets", "must not be empty");
    for (index, outlet) in given.iter().enumerate() {
        let allowed = mine.contains(outlet) || before.contains(outlet);
        checks.require(allowed, format!("outlets[{index}]"), "is not an outlet of your account");
        let again = given.iter().take(index).any(|other| other == outlet);
        checks.require(!again, format!("outlets[{index}]"), "is there twice");
    }
    let taken = before.iter().filter(|outlet| !given.contains(outlet));
    if !before.is_empty() && taken.clone().any(|outlet| !mine.contains(outlet)) {
        checks.add("outlets", "takes away an outlet that is not of your account");
    }
    checks.finish(()).map_err(AuthError::Invalid)
}

/// Channels are there, and for another system's account alone.
fn demand_channels(tx: &Tx<'_>, actor: &Actor, role: Role, channels: &[Uuid]) -> Result<()> {
    let mut checks = Checks::new();
    let is_system = role == Role::Integration || channels.is_empty();
    checks.require(is_system, "channelIds", "are for accounts of the role INTEGRATION");
    for (index, channel) in channels.iter().enumerate() {
        let found = channels::store::is_there(tx, actor.outlet_id, *channel)?;
        checks.require(found, format!("channelIds[{index}]"), "is no channel of this outlet");
    }
    checks.finish(()).map_err(AuthError::Invalid)
}

/// Which orders whoever has `role` and the account reaches; none: all of the outlet.
pub fn reach(conn: &dyn Source, role: Option<Role>, account: Option<Uuid>) -> db::Result<Option<Reach>> {
    match (role, account) {
        (Some(Role::Integration), Some(account)) => {
            let channels = store::find(conn, account)?.map(|own| own.channel_ids).unwrap_or_default();
            Ok(Some(Reach { account, channels }))
        }
        _ => Ok(None),
    }
}

/// Whether an order of the outlet is within another system's reach; without one everything is.
pub fn is_within(conn: &dyn Source, outlet: Uuid, reach: Option<&Reach>, order: Uuid) -> db::Result<bool> {
    let Some(reach) = reach else { return Ok(true) };
    let origin = store::find_origin(conn, outlet, order)?;
    Ok(origin.is_some_and(|(channel, taken_by)| reach.holds(channel, taken_by)))
}

/// What the audit log keeps of an account.
fn on_record(account: &Account) -> Value {
    json!({
        "email": account.email,
        "role": account.role,
        "outlets": account.outlets,
        "active": account.is_active,
        "employeeId": account.employee_id,
        "channelIds": account.channel_ids,
    })
}
