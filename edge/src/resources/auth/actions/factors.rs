//! The second factor of an account: codes of an authenticator beside the password. Its secret stands sealed in this box's database and
//! leaves it never; each code opens once.

use super::super::rules::{Account, AuthError, Result};
use super::super::store::{self, factors};
use super::actor_of;
use crate::access::seal::{SealError, Sealer};
use crate::access::{Actor, totp};
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use tiffin_common::Uuid;

/// What somebody shows beside their password.
#[derive(Debug, Clone, Copy)]
pub struct Second<'a> {
    /// The code of the authenticator.
    pub code: Option<&'a str>,
    /// This box's key, which opens the secrets.
    pub sealing_key: &'a [u8; 32],
}

/// How somebody whose password was right stands with their second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// None is asked for, or the code is right.
    Fits,
    /// A code is asked for.
    Missing,
    /// The code is wrong, or opened already.
    Wrong,
}

fn sealer(key: &[u8; 32]) -> std::result::Result<Sealer, SealError> {
    Sealer::new(&blake3::derive_key("tiffin 2026-11 second factors of a branch", key))
}

fn purpose(account: Uuid) -> Vec<u8> {
    [b"second factor ".as_slice(), account.as_bytes()].concat()
}

/// Whether a code is asked for beside the password of `account`.
pub fn has_factor(conn: &dyn Source, account: Uuid) -> db::Result<bool> {
    Ok(factors::find(conn, account)?.is_some_and(|factor| factor.is_confirmed))
}

/// Makes a secret for the actor's own account, which the first sign-in with a code of it confirms; answers it as text and as a link.
///
/// # Errors
/// No such account; a second factor that is confirmed: somebody above takes it away first.
pub fn begin_factor(tx: &Tx<'_>, actor: &Actor, sealing_key: &[u8; 32]) -> Result<(String, String)> {
    let found = actor.account_id.map(|id| store::find(tx, id)).transpose()?.flatten();
    let account = found.ok_or(AuthError::NotFound("account"))?;
    if has_factor(tx, account.id)? {
        return Err(AuthError::FactorThere);
    }
    let secret: [u8; 20] = tx.random();
    let sealed =
        sealer(sealing_key).and_then(|sealer| sealer.seal(tx.random(), &purpose(account.id), &secret));
    factors::insert(tx, &account, sealed.map_err(|error| db::DbError::Other(error.to_string()))?)?;
    let entry = Entry::new("account.second_factor_begun", "account", Some(account.id));
    audit::actions::record(tx, actor, entry)?;
    Ok(totp::shown(&secret, &account.email))
}

/// Judges what `account` shows beside its password; the first right code confirms the secret. A secret that this box cannot open (it was
/// given new ones) opens for no code: `edge reset-password` takes it away.
pub(super) fn check_factor(tx: &Tx<'_>, account: &Account, second: Second<'_>) -> Result<Verdict> {
    let Some(factor) = factors::find(tx, account.id)? else { return Ok(Verdict::Fits) };
    let Some(code) = second.code else {
        return Ok(if factor.is_confirmed { Verdict::Missing } else { Verdict::Fits });
    };
    let opened =
        sealer(second.sealing_key).and_then(|sealer| sealer.open(&purpose(account.id), &factor.secret));
    let secret = match opened {
        Ok(secret) => secret,
        Err(error) => {
            tracing::error!(%error, "a second factor");
            return Ok(Verdict::Wrong);
        }
    };
    let Some(step) = totp::step_of(&secret, code, factor.last_step, tx.now()) else {
        return Ok(Verdict::Wrong);
    };
    factors::set_used(tx, account.id, step)?;
    if !factor.is_confirmed {
        let entry = Entry::new("account.second_factor", "account", Some(account.id));
        audit::actions::record(tx, &actor_of(account, None), entry)?;
    }
    Ok(Verdict::Fits)
}

/// Takes the second factor of `account` away, where there is one.
pub fn forget_factor(tx: &Tx<'_>, actor: &Actor, account: Uuid) -> Result<()> {
    if factors::find(tx, account)?.is_none() {
        return Ok(());
    }
    factors::delete(tx, account)?;
    let entry = Entry::new("account.second_factor_removed", "account", Some(account));
    Ok(audit::actions::record(tx, actor, entry)?)
}
