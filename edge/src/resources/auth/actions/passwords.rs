//! Forgetting, resetting and changing passwords.

use super::super::rules::{Account, AuthError, PASSWORDS, Result, normal_code, reset_code};
use super::super::store;
use super::{actor_of, end_sessions, hash_of, password_key};
use crate::access::{Actor, Role};
use crate::db::{Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::notifications::{self, Audience, Mail, Notice, Severity};
use crate::resources::outlets;
use serde_json::json;
use tiffin_common::{Millis, Uuid};

/// Makes a one-time code for the account of `email`. It goes by mail where mail can be sent; otherwise, and when the mail does
/// not go, the outlet's managers are told, who hand it over in person: this works with no internet. An unknown email leaves the same
/// audit entry and costs the same work.
pub fn ask_reset(tx: &Tx<'_>, email: &str, from: &str, by_mail: bool) -> Result<()> {
    let known = store::find_by_email(tx, email)?.filter(Account::is_usable);
    let code = reset_code(tx.random());
    // Where there is no outlet yet, nobody has an account.
    let Some(here) = outlets::store::find_box_outlet(tx)? else { return Ok(()) };
    let outlet = known.as_ref().map_or(here, |account| actor_of(account, None).outlet_id);
    let asker = Actor { name: "unknown".into(), device: Some(from.to_owned()), ..Actor::guest(outlet) };
    let entry = Entry::new("auth.reset_asked", "account", known.as_ref().map(|account| account.id))
        .after(&json!({"email": email}));
    audit::actions::record(tx, &asker, entry)?;
    match (known, store::find_first(tx)?) {
        (Some(account), _) => tx.attempt(|| give_code(tx, &account, &code, by_mail)),
        // As if another account's holder had asked, and taken back.
        (None, Some(other)) => tx.rehearse(|| give_code(tx, &other, &code, by_mail)),
        (None, None) => Ok(()),
    }
}

/// Keeps `code` as the account's, and sends it or tells those who hand it over.
fn give_code(tx: &Tx<'_>, account: &Account, code: &str, by_mail: bool) -> Result<()> {
    store::insert_reset(tx, account, &hash_of(&normal_code(code)))?;
    let outlet = actor_of(account, None).outlet_id;
    let notice = code_notice(account, code);
    if !by_mail {
        return Ok(notifications::actions::notify(tx, outlet, notice)?);
    }
    let mail = Mail {
        recipient: account.email.clone(),
        subject: "Your code for a new password".to_owned(),
        body: format!(
            "Hello {},\n\nsomebody, probably you, asked for a new password. This code sets it:\n\n    {code}\n\n\
             It works once, for 30 minutes. If you did not ask, you need not do anything.\n",
            account.name
        ),
        instead: notice,
    };
    Ok(notifications::actions::send_mail(tx, outlet, mail)?)
}

/// What those are told who hand the code over.
fn code_notice(account: &Account, code: &str) -> Notice {
    let name = &account.name;
    let mut body =
        format!("Give {name} this code, in person, if they asked for it: {code}. It holds for 30 minutes.");
    let mut audience = Audience::Managers;
    // A code is a way to become the account: managers must not hold one for somebody above them.
    if !Role::Manager.may_grant(account.role) {
        body.push_str(" `edge reset-password` on the server does without.");
        audience = Audience::Owners;
    }
    Notice {
        kind: "PASSWORD_RESET",
        severity: Severity::Warning,
        title: format!("{name} has forgotten their password"),
        body,
        audience,
        entity: Some(("account", account.id)),
        dedupe_key: format!("password-reset:{}", account.id),
    }
}

/// Sets a new password by a one-time code and signs all devices out, which are named.
///
/// # Errors
/// [`AuthError::WrongCredentials`] for a code that is unknown, spent or too old.
pub fn reset_password(tx: &Tx<'_>, code: &str, password_hash: &str) -> Result<Vec<Uuid>> {
    let hash = hash_of(&normal_code(code));
    let id = store::find_reset(tx, &hash, tx.now())?.ok_or(AuthError::WrongCredentials)?;
    let account = store::find(tx, id)?.filter(Account::is_usable).ok_or(AuthError::WrongCredentials)?;
    store::set_reset_used(tx, &hash)?;
    set_password(tx, &actor_of(&account, None), id, password_hash, None)
}

/// Sets an account's password and signs its devices out, but `keep`; they are named. Failed guesses are forgiven.
///
/// # Errors
/// No such account.
pub fn set_password(
    tx: &Tx<'_>,
    actor: &Actor,
    account_id: Uuid,
    password_hash: &str,
    keep: Option<Uuid>,
) -> Result<Vec<Uuid>> {
    let account = store::find(tx, account_id)?.ok_or(AuthError::NotFound("account"))?;
    store::set_password(tx, account_id, password_hash)?;
    store::delete_failures(tx, &password_key(&account.email))?;
    let out = end_sessions(tx, account_id, keep, "the password was changed")?;
    let entry = Entry::new("account.set_password", "account", Some(account_id));
    audit::actions::record(tx, actor, entry)?;
    Ok(out)
}

/// Sets the actor's own password when `verified` is still the stored hash; other devices are signed out and named.
///
/// # Errors
/// [`AuthError::WrongCredentials`] when the password was changed meanwhile.
pub fn change_password(
    tx: &Tx<'_>,
    actor: &Actor,
    verified: &str,
    password_hash: &str,
    keep: Uuid,
) -> Result<Vec<Uuid>> {
    let id = actor.account_id.ok_or(AuthError::WrongCredentials)?;
    if store::find_password(tx, id)?.as_deref() != Some(verified) {
        return Err(AuthError::WrongCredentials);
    }
    set_password(tx, actor, id, password_hash, Some(keep))
}

fn current_key(account: Uuid) -> String {
    format!("password:{account}")
}

/// The stored hash to check the current password of `account` against.
///
/// # Errors
/// [`AuthError::Locked`] after too many wrong ones.
pub fn check_current(conn: &dyn Source, account: Uuid, now: Millis) -> Result<Option<String>> {
    match store::find_throttle(conn, &current_key(account))?.locked_for(PASSWORDS, now) {
        Some(seconds) => Err(AuthError::Locked(seconds)),
        None => Ok(store::find_password(conn, account)?),
    }
}

/// Counts a wrong current password.
pub fn wrong_current(tx: &Tx<'_>, actor: &Actor, account: Uuid) -> Result<()> {
    let locks = store::count_failure(tx, actor.outlet_id, &current_key(account), PASSWORDS)?;
    let action = if locks { "auth.password_locked" } else { "auth.password_failed" };
    Ok(audit::actions::record(tx, actor, Entry::new(action, "account", Some(account)))?)
}
