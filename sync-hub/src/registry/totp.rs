//! The second factor of head office's people: six digits of an authenticator, a new one each half minute (RFC 6238). The secret stands
//! sealed in the database; each code opens once. Never shows a secret after it was confirmed.

use super::{Actor, Change, RegistryError, audit};
use edge::access::seal::Sealer;
use edge::access::totp;
use edge::db::{Source, opt};
use edge::http::{Code, Problem};
use edge::update;
use tiffin_common::Uuid;

/// What is kept of a user's second factor.
struct Kept {
    sealed: Vec<u8>,
    is_confirmed: bool,
    last_step: i64,
}

fn find(from: &dyn Source, user: Uuid) -> edge::db::Result<Option<Kept>> {
    let sql = "SELECT totp_secret, totp_confirmed, totp_step FROM registry_users WHERE id = ?1 AND totp_secret IS NOT NULL";
    opt(from, sql, [user], |row| {
        let is_confirmed = row.get::<_, i64>("totp_confirmed")? != 0;
        Ok(Kept { sealed: row.get("totp_secret")?, is_confirmed, last_step: row.get("totp_step")? })
    })
}

fn purpose(user: Uuid) -> Vec<u8> {
    [b"second factor ".as_slice(), user.as_bytes()].concat()
}

fn broken(error: impl std::fmt::Display) -> RegistryError {
    tracing::error!(%error, "a second factor");
    RegistryError::Refused(Box::new(Problem::new(Code::Internal)))
}

/// Makes a secret for `user` of that `email` that is confirmed by the first sign-in with a code of it.
///
/// # Errors
/// When there is a confirmed one: somebody above must take it away first.
pub fn begin(
    change: &Change<'_>,
    sealer: &Sealer,
    user: Uuid,
    email: &str,
) -> Result<(String, String), RegistryError> {
    if find(change.sql, user)?.is_some_and(|kept| kept.is_confirmed) {
        return Err(RegistryError::Conflict(
            "There is a second factor already: somebody above can take it away",
        ));
    }
    let secret: [u8; 20] = change.env.random_bytes();
    let sealed = sealer.seal(change.env.random_bytes(), &purpose(user), &secret).map_err(broken)?;
    update!(change.sql, registry_users { totp_secret: sealed, totp_confirmed: 0, totp_step: 0 } where { id: user })?;
    Ok(totp::shown(&secret, email))
}

/// How somebody whose password was right stands with their second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// None is asked for, or the code is right.
    Fits,
    /// A code is asked for.
    Missing,
    /// The code is wrong, or opened already.
    Wrong,
}

/// Judges `code` of the user `by`; the first right one confirms the secret.
pub fn check(
    change: &Change<'_>,
    sealer: &Sealer,
    by: &Actor,
    code: Option<&str>,
    is_required: bool,
) -> Result<Verdict, RegistryError> {
    let Some(user) = by.user_id else { return Ok(Verdict::Missing) };
    let kept = find(change.sql, user)?;
    let is_asked = is_required || kept.as_ref().is_some_and(|kept| kept.is_confirmed);
    let (Some(kept), Some(code)) = (kept, code) else {
        return Ok(if is_asked { Verdict::Missing } else { Verdict::Fits });
    };
    let secret = sealer.open(&purpose(user), &kept.sealed).map_err(broken)?;
    let Some(step) = totp::step_of(&secret, code, kept.last_step, change.now) else {
        return Ok(Verdict::Wrong);
    };
    update!(change.sql, registry_users { totp_confirmed: 1, totp_step: step } where { id: user })?;
    if !kept.is_confirmed {
        let note = audit::Note::new("user.second_factor", "user", Some(user));
        audit::record(change, by, note)?;
    }
    Ok(Verdict::Fits)
}

/// Takes a user's second factor away.
pub fn forget(change: &Change<'_>, user: Uuid) -> Result<(), RegistryError> {
    update!(change.sql, registry_users { totp_secret: None::<Vec<u8>>, totp_confirmed: 0, totp_step: 0 } where { id: user })?;
    Ok(())
}
