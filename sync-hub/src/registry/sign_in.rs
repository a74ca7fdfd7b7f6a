//! Signing in to head office, staying signed in, signing out: the rules are the branch's own. Never keeps a token, only its hash.

use super::totp::{self, Verdict};
use super::users::{self, User};
use super::{Actor, Change, RegistryError, audit, sessions, throttle};
use edge::access::seal::Sealer;
use edge::db::{Source, opt};
use edge::resources::auth::rules::{
    PASSWORDS, Spent, Standing, VOID_SESSION_KEPT_MS, signed_in_until, standing,
};
use edge::{insert, update};
use rusqlite::params;
use serde_json::json;
use std::net::IpAddr;
use tiffin_common::{Millis, Uuid};

/// Who asks to sign in, from where.
#[derive(Debug, Clone)]
pub struct Client {
    /// The client's address.
    pub ip: IpAddr,
    /// What the device calls itself.
    pub device_name: Option<String>,
}

/// How a sign-in ended. Failures are outcomes, not errors: their count must be kept.
#[derive(Debug)]
pub enum SignIn {
    /// A new signed-in device.
    Done {
        /// The user.
        user: User,
        /// The device.
        session_id: Uuid,
        /// What it stays signed in with.
        refresh_token: String,
        /// Until then.
        until: Millis,
    },
    /// Wrong email, password or code, or a user who may not sign in.
    Wrong,
    /// The password is right; a code of the authenticator is asked for.
    NeedsCode,
    /// Locked for so many seconds.
    Locked(u64),
}

/// Passwords of one user tried from one customer of a provider. A hash: people type passwords into the wrong field.
fn login_key(email: &str, ip: IpAddr) -> String {
    let hash = blake3::hash(users::normal(email).as_bytes()).to_hex();
    format!("login:{}:{}", hash.get(..32).unwrap_or_default(), throttle::network(ip))
}

/// The seconds for which passwords for `email` from `ip` are refused unseen.
pub fn login_lock(from: &dyn Source, email: &str, ip: IpAddr, now: Millis) -> edge::db::Result<Option<u64>> {
    Ok(throttle::find(from, &login_key(email, ip))?.locked_for(PASSWORDS, now))
}

/// What somebody shows beside their password.
pub struct Second<'a> {
    /// The code of the authenticator.
    pub code: Option<&'a str>,
    /// Whether nobody signs in without one.
    pub is_required: bool,
    /// Opens the secrets.
    pub sealer: &'a Sealer,
}

/// The user of `email` when `verified` (the stored hash that their password was found to fit) is still theirs; else how that ends.
pub fn known(
    change: &Change<'_>,
    email: &str,
    client: &Client,
    verified: Option<&str>,
) -> Result<Result<User, SignIn>, RegistryError> {
    // Asked again here: many guesses may have been hashed at once.
    if let Some(seconds) = login_lock(change.sql, email, client.ip, change.now)? {
        return Ok(Err(SignIn::Locked(seconds)));
    }
    let user = users::find_by_email(change.sql, email)?.filter(|user| user.is_active);
    let stored = user.as_ref().map(|user| users::password_hash(change.sql, user.id)).transpose()?.flatten();
    match user {
        Some(user) if verified.is_some() && stored.as_deref() == verified => Ok(Ok(user)),
        _ => refuse(change, email, client).map(Err),
    }
}

/// Signs `email` in when they are [`known`] and show what is asked for beside their password.
pub fn sign_in(
    change: &Change<'_>,
    email: &str,
    client: &Client,
    verified: Option<&str>,
    second: &Second<'_>,
) -> Result<SignIn, RegistryError> {
    let user = match known(change, email, client, verified)? {
        Ok(user) => user,
        Err(refused) => return Ok(refused),
    };
    let by = Actor { device: Some(client.ip.to_string()), ..Actor::of(&user.principal(Uuid::nil())) };
    match totp::check(change, second.sealer, &by, second.code, second.is_required)? {
        Verdict::Fits => {}
        Verdict::Missing => return Ok(SignIn::NeedsCode),
        Verdict::Wrong => return refuse(change, email, client),
    }
    throttle::clear(change, &login_key(email, client.ip))?;
    let forgotten = change.now.after(-VOID_SESSION_KEPT_MS);
    change.sql.execute(
        "DELETE FROM registry_sessions WHERE user_id = ?1 AND expires_at < ?2",
        params![user.id, forgotten],
    )?;
    let session_id = change.new_id();
    let expires_at = signed_in_until(user.role, change.now, change.now);
    insert!(
        change.sql,
        registry_sessions {
            id: session_id,
            user_id: user.id,
            device_name: client.device_name,
            created_at: change.now,
            last_used_at: change.now,
            expires_at: expires_at,
        }
    )?;
    let token: [u8; 32] = change.env.random_bytes();
    keep_token(change, session_id, &hash(&token), expires_at)?;
    let note = audit::Note::new("auth.login", "session", Some(session_id));
    audit::record(change, &by, note.detail(json!({"deviceName": client.device_name})))?;
    Ok(SignIn::Done { user, session_id, refresh_token: hex(&token), until: expires_at })
}

/// Counts and notes a sign-in that failed.
fn refuse(change: &Change<'_>, email: &str, client: &Client) -> Result<SignIn, RegistryError> {
    let locks = throttle::count(change, &login_key(email, client.ip), PASSWORDS)?;
    let actor = Actor::named("unknown", Some(client.ip.to_string()));
    let action = if locks { "auth.login_locked" } else { "auth.login_failed" };
    let note = audit::Note::new(action, "user", None).detail(json!({"email": users::normal(email)}));
    audit::record(change, &actor, note)?;
    Ok(SignIn::Wrong)
}

/// How a refresh ended. A stolen token is an outcome, not an error: the family must stay signed out.
#[derive(Debug)]
pub enum Renewal {
    /// The next refresh token of the family.
    Done {
        /// The user as they are now.
        user: User,
        /// The device.
        session_id: Uuid,
        /// What it stays signed in with.
        refresh_token: String,
        /// Until then.
        until: Millis,
    },
    /// The token opens nothing.
    Refused,
    /// A spent token came back: this family is signed out now.
    Reused,
}

/// A refresh token's row with its family.
struct Refresh {
    session_id: Uuid,
    user_id: Uuid,
    signed_in_at: Millis,
    expires_at: Millis,
    signed_out: bool,
    spent: Option<Spent>,
}

fn find_refresh(from: &dyn Source, hash: &[u8; 32]) -> edge::db::Result<Option<Refresh>> {
    let sql = "SELECT t.session_id, s.user_id, s.created_at AS signed_in_at, t.expires_at, s.revoked_at, t.spent_at, n.spent_at AS successor_spent_at
        FROM registry_refresh_tokens t JOIN registry_sessions s ON s.id = t.session_id
        LEFT JOIN registry_refresh_tokens n ON n.hash = t.successor_hash WHERE t.hash = ?1";
    opt(from, sql, [hash.as_slice()], |row| {
        let at = |column| row.get::<_, Option<Millis>>(column);
        let successor_spent = at("successor_spent_at")?.is_some();
        Ok(Refresh {
            session_id: row.get("session_id")?,
            user_id: row.get("user_id")?,
            signed_in_at: row.get("signed_in_at")?,
            expires_at: row.get("expires_at")?,
            signed_out: at("revoked_at")?.is_some(),
            spent: at("spent_at")?.map(|at| Spent { at, successor_spent }),
        })
    })
}

/// Replaces `token` by its successor, which only `sealing_key` can derive from it.
pub fn refresh(change: &Change<'_>, token: &str, sealing_key: &[u8; 32]) -> Result<Renewal, RegistryError> {
    let Some(bytes) = parse(token) else { return Ok(Renewal::Refused) };
    let old = hash(&bytes);
    let Some(row) = find_refresh(change.sql, &old)? else { return Ok(Renewal::Refused) };
    let Some(user) = users::find(change.sql, row.user_id)? else { return Ok(Renewal::Refused) };
    let standing = standing(row.spent, row.expires_at, row.signed_out, change.now);
    match standing {
        Standing::Over => return Ok(Renewal::Refused),
        Standing::Reused => {
            sessions::end(change, row.session_id, "a spent refresh token came back")?;
            let actor = Actor::of(&user.principal(row.session_id));
            let note = audit::Note::new("auth.refresh_reused", "session", Some(row.session_id));
            audit::record(change, &actor, note)?;
            return Ok(Renewal::Reused);
        }
        Standing::Current | Standing::Retry if !user.is_active => return Ok(Renewal::Refused),
        Standing::Current | Standing::Retry => {}
    }
    let successor = blake3::keyed_hash(sealing_key, &bytes);
    let expires_at = signed_in_until(user.role, row.signed_in_at, change.now);
    if standing == Standing::Current {
        let new = hash(successor.as_bytes());
        update!(
            change.sql,
            registry_refresh_tokens { spent_at: change.now, successor_hash: new } where { hash: old }
        )?;
        change.sql.execute(
            "DELETE FROM registry_refresh_tokens WHERE session_id = ?1 AND expires_at <= ?2",
            params![row.session_id, change.now],
        )?;
        keep_token(change, row.session_id, &new, expires_at)?;
        update!(
            change.sql,
            registry_sessions { last_used_at: change.now, expires_at: expires_at } where { id: row.session_id }
        )?;
    }
    let refresh_token = hex(successor.as_bytes());
    Ok(Renewal::Done { user, session_id: row.session_id, refresh_token, until: expires_at })
}

fn keep_token(
    change: &Change<'_>,
    session: Uuid,
    hash: &[u8; 32],
    expires_at: Millis,
) -> Result<(), RegistryError> {
    insert!(change.sql, registry_refresh_tokens { hash: hash, session_id: session, expires_at: expires_at })?;
    Ok(())
}

/// Signs out the family of `token`, also when it was spent. Unknown tokens have nothing to sign out.
pub fn sign_out(change: &Change<'_>, token: &str) -> Result<(), RegistryError> {
    let Some(bytes) = parse(token) else { return Ok(()) };
    match find_refresh(change.sql, &hash(&bytes))? {
        Some(row) => sessions::end(change, row.session_id, "signed out"),
        None => Ok(()),
    }
}

fn parse(token: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(token).ok().map(|bytes| *bytes.as_bytes())
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

fn hash(token: &[u8; 32]) -> [u8; 32] {
    *blake3::hash(token).as_bytes()
}
