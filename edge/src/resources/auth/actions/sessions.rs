//! Signing in, staying signed in, signing out.

use super::super::rules::{
    Account, AuthError, PASSWORDS, Result, Standing, VOID_SESSION_KEPT_MS, signed_in_until, standing,
};
use super::super::store;
use super::factors::{Second, Verdict, check_factor};
use super::{actor_of, password_key};
use crate::access::{Actor, Permission, Revocations, pin_turn, tokens};
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use serde_json::json;
use std::net::{IpAddr, Ipv6Addr};
use tiffin_common::{Millis, Uuid};

/// Who asks to sign in, from where.
#[derive(Debug, Clone)]
pub struct Client {
    /// The client's address.
    pub ip: IpAddr,
    /// What the device calls itself.
    pub device_name: Option<String>,
}

/// A device that is signed in.
#[derive(Debug)]
pub struct Device {
    /// The account as it is now.
    pub account: Account,
    /// The device.
    pub session_id: Uuid,
    /// What it stays signed in with.
    pub refresh_token: String,
    /// Until when, unless it is used before and may stay longer.
    pub until: Millis,
}

/// How a sign-in ended. Failures are outcomes, not errors: their count must be kept.
#[derive(Debug)]
pub enum SignIn {
    /// A new signed-in device.
    Done(Device),
    /// Wrong email or password, or an account that opens nothing.
    Wrong,
    /// The password is right; a code of the authenticator is asked for.
    NeedsCode,
    /// Locked for so many seconds.
    Locked(u64),
}

/// The throttle key of an account's passwords tried from one address (one network of a provider's customer).
fn login_key(email: &str, ip: IpAddr) -> String {
    let network = match ip.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
        v4 => v4,
    };
    format!("{}:{network}", password_key(email))
}

/// The seconds for which passwords for `email` from `ip` are refused unseen.
pub fn login_lock(conn: &dyn Source, email: &str, ip: IpAddr, now: Millis) -> db::Result<Option<u64>> {
    Ok(store::find_throttle(conn, &login_key(email, ip))?.locked_for(PASSWORDS, now))
}

/// Signs `email` in when `verified` (the stored hash that its password was found to fit) is still the account's, and what is shown beside
/// it fits.
pub fn sign_in(
    tx: &Tx<'_>,
    email: &str,
    client: &Client,
    verified: Option<&str>,
    second: Second<'_>,
) -> Result<SignIn> {
    // Asked again here: many guesses may have been hashed at once.
    if let Some(seconds) = login_lock(tx, email, client.ip, tx.now())? {
        return Ok(SignIn::Locked(seconds));
    }
    let account = store::find_by_email(tx, email)?;
    let usable = account.clone().filter(Account::is_usable);
    let (Some(account), Some(verified)) = (usable, verified) else {
        return login_failed(tx, email, client, account.as_ref());
    };
    if store::find_password(tx, account.id)?.as_deref() != Some(verified) {
        return login_failed(tx, email, client, Some(&account));
    }
    match check_factor(tx, &account, second)? {
        Verdict::Fits => {}
        Verdict::Missing => return Ok(SignIn::NeedsCode),
        Verdict::Wrong => return login_failed(tx, email, client, Some(&account)),
    }
    store::delete_failures(tx, &login_key(email, client.ip))?;
    store::delete_sessions(tx, account.id, tx.now().after(-VOID_SESSION_KEPT_MS))?;
    Ok(SignIn::Done(open_session(tx, account, client, &tx.random())?))
}

/// Begins the sign-in of `account` on a device, with that refresh token.
pub(super) fn open_session(
    tx: &Tx<'_>,
    account: Account,
    client: &Client,
    token: &[u8; 32],
) -> Result<Device> {
    let session_id = tx.new_id();
    let until = signed_in_until(account.role, tx.now(), tx.now());
    store::insert_session(tx, &account, session_id, client.device_name.as_deref(), until)?;
    store::insert_refresh(tx, account.outlet_id, session_id, &hash(token), until)?;
    let entry = Entry::new("auth.signed_in", "account", Some(account.id))
        .after(&json!({"address": client.ip.to_string(), "deviceName": client.device_name}));
    audit::actions::record(tx, &actor_of(&account, Some(session_id.to_string())), entry)?;
    Ok(Device { account, session_id, refresh_token: hex(token), until })
}

fn login_failed(tx: &Tx<'_>, email: &str, client: &Client, account: Option<&Account>) -> Result<SignIn> {
    let device = Some(client.ip.to_string());
    let actor = match (account, outlets::store::find_box_outlet(tx)?) {
        (Some(account), _) => actor_of(account, device),
        (None, Some(outlet)) => Actor { name: "unknown".into(), device, ..Actor::guest(outlet) },
        // Where there is no outlet yet, nobody has an account: there is nothing to guess and nobody to tell.
        (None, None) => return Ok(SignIn::Wrong),
    };
    let locks = store::count_failure(tx, actor.outlet_id, &login_key(email, client.ip), PASSWORDS)?;
    let action = if locks { "auth.login_locked" } else { "auth.login_failed" };
    let entry = Entry::new(action, "account", account.map(|a| a.id))
        .after(&json!({"email": email, "deviceName": client.device_name}));
    audit::actions::record(tx, &actor, entry)?;
    Ok(SignIn::Wrong)
}

/// How a refresh ended. A stolen token is an outcome, not an error: the family must stay signed out.
#[derive(Debug)]
pub enum Renewal {
    /// The device, with the next refresh token of its family.
    Done(Device),
    /// The token opens nothing.
    Refused,
    /// A spent token came back: the family of this device is signed out now.
    Reused(Uuid),
}

/// Replaces `token` by its successor, which only `sealing_key` can derive from it.
pub fn refresh(tx: &Tx<'_>, token: &str, sealing_key: &[u8; 32]) -> Result<Renewal> {
    let Some(bytes) = parse(token) else { return Ok(Renewal::Refused) };
    let old = hash(&bytes);
    let Some(row) = store::find_refresh(tx, &old)? else { return Ok(Renewal::Refused) };
    let standing = standing(row.spent, row.expires_at, row.signed_out, tx.now());
    let Some(account) = store::find(tx, row.account_id)? else { return Ok(Renewal::Refused) };
    match standing {
        Standing::Over => return Ok(Renewal::Refused),
        Standing::Reused => {
            store::set_session_revoked(tx, row.session_id, "a spent refresh token came back")?;
            let entry = Entry::new("auth.refresh_reused", "session", Some(row.session_id));
            audit::actions::record(tx, &actor_of(&account, Some(row.session_id.to_string())), entry)?;
            return Ok(Renewal::Reused(row.session_id));
        }
        Standing::Current | Standing::Retry if !account.is_usable() => return Ok(Renewal::Refused),
        Standing::Current | Standing::Retry => {}
    }
    let successor = blake3::keyed_hash(sealing_key, &bytes);
    let until = signed_in_until(account.role, row.signed_in_at, tx.now());
    if standing == Standing::Current {
        let new = hash(successor.as_bytes());
        store::set_refresh_spent(tx, row.session_id, &old, &new)?;
        store::insert_refresh(tx, account.outlet_id, row.session_id, &new, until)?;
        store::set_session_used(tx, row.session_id, until)?;
    }
    let refresh_token = hex(successor.as_bytes());
    Ok(Renewal::Done(Device { account, session_id: row.session_id, refresh_token, until }))
}

/// Signs out the family of `token`, also when it was spent, and names it. Unknown tokens have nothing to sign out.
pub fn sign_out(tx: &Tx<'_>, token: &str) -> Result<Option<Uuid>> {
    let Some(bytes) = parse(token) else { return Ok(None) };
    let Some(row) = store::find_refresh(tx, &hash(&bytes))? else { return Ok(None) };
    store::set_session_revoked(tx, row.session_id, "signed out")?;
    Ok(Some(row.session_id))
}

/// Signs out a device: one's own, or for those who manage accounts any at the outlet whose account is below theirs.
///
/// # Errors
/// No such device; an account above the actor's.
pub fn revoke_session(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<()> {
    let found = store::find_session(tx, actor.outlet_id, actor.account_id, id, tx.now())?;
    let session = found.ok_or(AuthError::NotFound("session"))?;
    if actor.account_id != Some(session.account_id) {
        if !actor.may(Permission::AccountsManage) {
            return Err(AuthError::NotFound("session"));
        }
        if !actor.outranks(session.role) {
            return Err(AuthError::Forbidden("Somebody above them must sign their devices out"));
        }
    }
    store::set_session_revoked(tx, id, "signed out by an account")?;
    let entry = Entry::new("session.revoke", "session", Some(id))
        .before(&json!({"account": session.account_name, "deviceName": session.device_name}));
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// Ends every session of an account, but `keep`; names them.
pub fn end_sessions(tx: &Tx<'_>, account: Uuid, keep: Option<Uuid>, reason: &str) -> Result<Vec<Uuid>> {
    let open = store::list_open_sessions(tx, account, keep)?;
    for session in &open {
        store::set_session_revoked(tx, *session, reason)?;
    }
    Ok(open)
}

/// Tells `revocations`, which a restart has emptied, which access tokens are void though they have not expired.
pub fn recall(conn: &dyn Source, revocations: &Revocations, now: Millis) -> db::Result<()> {
    let since = now.after(-tokens::PIN_LIFETIME_MS);
    revocations.listen(now);
    for (id, at) in store::list_voided(conn, since)? {
        revocations.revoke(id, at, tokens::PIN_LIFETIME_MS);
    }
    for (device, at) in store::list_pins_ended(conn, since)? {
        revocations.revoke(pin_turn(device), at, tokens::PIN_LIFETIME_MS);
    }
    Ok(())
}

fn parse(token: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(token).ok().map(|bytes| *bytes.as_bytes())
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

/// The hash a refresh token is kept as.
pub(super) fn hash(token: &[u8; 32]) -> [u8; 32] {
    *blake3::hash(token).as_bytes()
}

/// The hash a code is kept as.
pub fn hash_of(code: &str) -> [u8; 32] {
    *blake3::hash(code.as_bytes()).as_bytes()
}

/// Whether there are devices that expired so long ago that nobody asks about them, or reset codes that have expired.
pub fn has_expired(from: &dyn Source, now: Millis) -> db::Result<bool> {
    store::has_expired(from, now, now.after(-VOID_SESSION_KEPT_MS))
}

/// Forgets some of them: at most `most` of each.
pub fn forget_expired(tx: &Tx<'_>, most: u32) -> db::Result<()> {
    store::delete_expired(tx, tx.now().after(-VOID_SESSION_KEPT_MS), most)
}
