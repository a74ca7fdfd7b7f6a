//! Passwords and devices of head office's people: changed and ended by their holder or by somebody above, who hands over a one-time code.
//! The rules are the branch's own. Never keeps a code, only its hash.

use super::users::{self, User};
use super::{Actor, Change, RegistryError, audit, sessions, throttle};
use edge::access::Permission;
use edge::db::{Source, opt};
use edge::resources::auth::actions::hash_of;
use edge::resources::auth::rules::{PASSWORDS, RESET_LIFETIME_MS, normal_code, reset_code};
use edge::{insert, update};
use rusqlite::params;
use std::net::IpAddr;
use tiffin_common::{Millis, Uuid};

fn current_key(user: Uuid) -> String {
    format!("password:{user}")
}

/// The stored hash to check the current password of `user` against.
///
/// # Errors
/// Locked after too many wrong ones.
pub fn check_current(from: &dyn Source, user: Uuid, now: Millis) -> Result<Option<String>, RegistryError> {
    match throttle::find(from, &current_key(user))?.locked_for(PASSWORDS, now) {
        Some(seconds) => Err(RegistryError::Locked(seconds)),
        None => Ok(users::password_hash(from, user)?),
    }
}

/// Counts a wrong current password.
pub fn wrong_current(change: &Change<'_>, actor: &Actor, user: Uuid) -> Result<(), RegistryError> {
    let locks = throttle::count(change, &current_key(user), PASSWORDS)?;
    let action = if locks { "auth.password_locked" } else { "auth.password_failed" };
    audit::record(change, actor, audit::Note::new(action, "user", Some(user)))
}

/// Sets a password and signs its devices out, but `keep`.
fn set(
    change: &Change<'_>,
    actor: &Actor,
    user: Uuid,
    hash: &str,
    keep: Option<Uuid>,
) -> Result<(), RegistryError> {
    update!(change.sql, registry_users { password_hash: hash } where { id: user })?;
    sessions::end_all(change, user, keep, "the password was changed")?;
    throttle::clear(change, &current_key(user))?;
    audit::record(change, actor, audit::Note::new("user.set_password", "user", Some(user)))
}

/// Sets the actor's own password when `verified` is still the stored hash; other devices are signed out.
///
/// # Errors
/// When the password was changed meanwhile.
pub fn change_own(
    change: &Change<'_>,
    actor: &Actor,
    verified: &str,
    hash: &str,
    keep: Uuid,
) -> Result<(), RegistryError> {
    let id = actor.user_id.ok_or(RegistryError::WrongCredentials)?;
    if users::password_hash(change.sql, id)?.as_deref() != Some(verified) {
        return Err(RegistryError::WrongCredentials);
    }
    set(change, actor, id, hash, Some(keep))
}

/// A one-time code for a user below the actor, and until when it holds. Earlier ones are void.
///
/// # Errors
/// No such user, or one who is not below the actor.
pub fn make_code(change: &Change<'_>, actor: &Actor, id: Uuid) -> Result<(String, Millis), RegistryError> {
    let user = users::visible(change.sql, actor, id)?;
    if !actor.outranks(user.role) {
        return Err(RegistryError::Forbidden("Only somebody above them may make a code for them"));
    }
    let code = reset_code(change.env.random_bytes());
    let expires_at = change.now.after(RESET_LIFETIME_MS);
    change.sql.execute("DELETE FROM registry_resets WHERE user_id = ?1", params![id])?;
    insert!(
        change.sql,
        registry_resets {
            hash: hash_of(&normal_code(&code)),
            user_id: id,
            created_at: change.now,
            expires_at: expires_at,
        }
    )?;
    audit::record(change, actor, audit::Note::new("user.reset_code", "user", Some(id)))?;
    Ok((code, expires_at))
}

/// Whom a code that still holds is for.
pub fn find_code(from: &dyn Source, code: &str, now: Millis) -> Result<Option<User>, RegistryError> {
    let sql = "SELECT user_id FROM registry_resets WHERE hash = ?1 AND expires_at > ?2";
    let hash = hash_of(&normal_code(code));
    let Some(id) = opt(from, sql, params![hash.as_slice(), now], |row| row.get::<_, Uuid>(0))? else {
        return Ok(None);
    };
    Ok(users::find(from, id)?.filter(|user| user.is_active))
}

/// Sets a new password by a one-time code from `address` and signs all devices out.
///
/// # Errors
/// For a code that is unknown, spent or too old.
pub fn reset(change: &Change<'_>, code: &str, hash: &str, address: IpAddr) -> Result<(), RegistryError> {
    let user = find_code(change.sql, code, change.now)?.ok_or(RegistryError::WrongCredentials)?;
    change.sql.execute("DELETE FROM registry_resets WHERE user_id = ?1", params![user.id])?;
    let by = Actor { device: Some(address.to_string()), ..Actor::of(&user.principal(Uuid::nil())) };
    audit::record(change, &by, audit::Note::new("auth.reset", "user", Some(user.id)))?;
    set(change, &by, user.id, hash, None)
}

/// Notes a code from `address` that opened nothing. Never the code.
pub fn refused(change: &Change<'_>, address: IpAddr) -> Result<(), RegistryError> {
    let by = Actor::named("unknown", Some(address.to_string()));
    audit::record(change, &by, audit::Note::new("auth.reset_refused", "user", None))
}

/// Signs a device out: one's own, or that of somebody below.
///
/// # Errors
/// No such device among those of the actor and of whom the actor may see; one of somebody who is not below the actor.
pub fn end_session(change: &Change<'_>, actor: &Actor, id: Uuid) -> Result<(), RegistryError> {
    let sql =
        "SELECT user_id FROM registry_sessions WHERE id = ?1 AND revoked_at IS NULL AND expires_at > ?2";
    let of: Option<Uuid> = opt(change.sql, sql, params![id, change.now], |row| row.get(0))?;
    let unknown = || RegistryError::NotFound("session");
    let of = of.ok_or_else(unknown)?;
    if actor.user_id != Some(of) {
        let may = actor.role.is_none_or(|role| role.holds(Permission::AccountsManage));
        let user = users::visible(change.sql, actor, of).ok().filter(|_| may).ok_or_else(unknown)?;
        if !actor.outranks(user.role) {
            return Err(RegistryError::Forbidden("Somebody above them must sign their devices out"));
        }
    }
    sessions::end(change, id, "signed out by a user")?;
    audit::record(change, actor, audit::Note::new("session.revoke", "session", Some(id)))
}

/// Lets somebody in again for whom nobody is above: a new password, no second factor, no device. For the command line.
///
/// # Errors
/// No such user.
pub fn let_in_again(change: &Change<'_>, email: &str, hash: &str) -> Result<User, RegistryError> {
    let user = users::find_by_email(change.sql, email)?.ok_or(RegistryError::NotFound("user"))?;
    super::totp::forget(change, user.id)?;
    set(change, &Actor::command_line(), user.id, hash, None)?;
    Ok(user)
}
