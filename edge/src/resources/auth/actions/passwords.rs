//! Forgetting, resetting and changing passwords.

use super::super::rules::{
    Account, AuthError, PASSWORDS, RESET_LIFETIME_MS, Result, SealedCode, normal_code, reset_code,
};
use super::super::store;
use super::{actor_of, end_sessions, hash_of, password_key};
use crate::access::{Actor, Role};
use crate::db::{Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::notifications::{self, Audience, Mail, Notice, Severity};
use crate::resources::outlets;
use serde_json::json;
use tiffin_common::{Millis, Uuid};

/// Somebody forgot the password of the account of `email`. With a `mail_key`, a one-time code goes by mail. Otherwise, and when the mail
/// does not go, those above are told, one of whom makes a code and hands it over in person: this works with no internet. An unknown
/// email leaves the same audit entry and costs the same work.
pub fn ask_reset(tx: &Tx<'_>, email: &str, from: &str, mail_key: Option<&[u8; 32]>) -> Result<()> {
    let has_password = |account: &Account| account.is_usable() && !account.role.is_device();
    let known = store::find_by_email(tx, email)?.filter(has_password);
    let random = tx.random();
    // Where there is no outlet yet, nobody has an account.
    let Some(here) = outlets::store::find_box_outlet(tx)? else { return Ok(()) };
    let outlet = known.as_ref().map_or(here, |account| actor_of(account, None).outlet_id);
    let asker = Actor { name: "unknown".into(), device: Some(from.to_owned()), ..Actor::guest(outlet) };
    let entry = Entry::new("auth.reset_asked", "account", known.as_ref().map(|account| account.id))
        .after(&json!({"email": email}));
    audit::actions::record(tx, &asker, entry)?;
    let sealed = mail_key.map(|key| SealedCode { random, key });
    match (known, store::find_first(tx)?) {
        (Some(account), _) => tx.attempt(|| give_code(tx, &account, sealed.as_ref())),
        // As if another account's holder had asked, and taken back.
        (None, Some(other)) => tx.rehearse(|| give_code(tx, &other, sealed.as_ref())),
        (None, None) => Ok(()),
    }
}

/// Sends a code, or tells those who may make one.
fn give_code(tx: &Tx<'_>, account: &Account, sealed: Option<&SealedCode<'_>>) -> Result<()> {
    let outlet = actor_of(account, None).outlet_id;
    let notice = code_notice(account);
    let Some(sealed) = sealed else {
        return Ok(notifications::actions::notify(tx, outlet, notice)?);
    };
    store::insert_reset(tx, account, &hash_of(&normal_code(&sealed.code())))?;
    let mail = Mail {
        recipient: account.email.clone(),
        subject: "Your code for a new password".to_owned(),
        body: format!(
            "Hello {},\n\nsomebody, probably you, asked for a new password. This code sets it:\n\n    {}\n\n\
             It works once, for 30 minutes. If you did not ask, you need not do anything.\n",
            account.name,
            sealed.mark()
        ),
        instead: notice,
    };
    Ok(notifications::actions::send_mail(tx, outlet, mail)?)
}

/// What those are told who may make a code.
fn code_notice(account: &Account) -> Notice {
    let name = &account.name;
    let mut body = format!(
        "If it was they who asked: make a code under their account and hand it over in person. It is shown once and holds for 30 \
         minutes. {name}'s email: {}.",
        account.email
    );
    let mut audience = Audience::Managers;
    // A code is a way to become the account: only somebody above makes one.
    if !Role::Manager.outranks(account.role) {
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

/// A one-time code for the account of an employee below the actor, and until when it holds. Only its hash is kept.
///
/// # Errors
/// No such account; one that is not below the actor's.
pub fn make_code(tx: &Tx<'_>, actor: &Actor, employee: Uuid) -> Result<(String, Millis)> {
    let found = store::find_by_employee(tx, actor.outlet_id, employee)?.filter(Account::is_usable);
    let account = found.ok_or(AuthError::NotFound("account"))?;
    if actor.account_id == Some(account.id) || !actor.outranks(account.role) {
        return Err(AuthError::Forbidden("Only somebody above them may make a code for their account"));
    }
    let code = reset_code(tx.random());
    store::insert_reset(tx, &account, &hash_of(&normal_code(&code)))?;
    audit::actions::record(tx, actor, Entry::new("account.reset_code", "account", Some(account.id)))?;
    Ok((code, tx.now().after(RESET_LIFETIME_MS)))
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
    let account = store::find(tx, account_id)?.filter(|account| !account.role.is_device());
    let account = account.ok_or(AuthError::NotFound("account"))?;
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
