//! The second factor of head office's people: six digits of an authenticator, a new one each half minute (RFC 6238). The secret stands
//! sealed in the database; each code opens once. Never shows a secret after it was confirmed.

use super::seal::Sealer;
use super::{Actor, Change, RegistryError, audit};
use aws_lc_rs::hmac;
use edge::db::{Source, opt};
use edge::http::{Code, Problem};
use edge::update;
use tiffin_common::{Millis, Uuid};

/// A code is of this many milliseconds.
const STEP_MS: i64 = 30_000;

/// Steps before and after the present whose codes hold as well: clocks differ, people type slowly.
const SLACK: i64 = 1;

/// The code of a step.
fn code_of(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let bytes = tag.as_ref();
    let offset = usize::from(bytes.last().copied().unwrap_or_default() & 15);
    let part = bytes.iter().skip(offset).take(4).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    format!("{:06}", (part & 0x7fff_ffff) % 1_000_000)
}

/// The step after `last` whose code `code` is, at `now`.
fn step_of(secret: &[u8], code: &str, last: i64, now: Millis) -> Option<i64> {
    let present = now.get().div_euclid(STEP_MS);
    (present - SLACK..=present + SLACK).find(|step| *step > last && code_of(secret, *step) == code.trim())
}

/// `bytes` as authenticators take them: base 32 of RFC 4648.
fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let letter = |five: &[u8]| {
        let bits = five.iter().fold(0, |all, bit| all << 1 | bit) << (5 - five.len());
        LETTERS.get(usize::from(bits)).copied().map_or('A', char::from)
    };
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |place| byte >> place & 1)).collect();
    bits.chunks(5).map(letter).collect()
}

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
    let sealed = sealer.seal(change.env, &purpose(user), &secret).map_err(broken)?;
    update!(change.sql, registry_users { totp_secret: sealed, totp_confirmed: 0, totp_step: 0 } where { id: user })?;
    let text = base32(&secret);
    let name: String = email
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect();
    let uri = format!("otpauth://totp/Tiffin:{name}?secret={text}&issuer=Tiffin");
    Ok((text, uri))
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
    let Some(step) = step_of(&secret, code, kept.last_step, change.now) else { return Ok(Verdict::Wrong) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standard() {
        let secret = b"12345678901234567890";
        for (seconds, code) in
            [(59, "287082"), (1_111_111_109, "081804"), (1_234_567_890, "005924"), (20_000_000_000, "353130")]
        {
            assert_eq!(code_of(secret, seconds / 30), code);
        }
        assert_eq!(base32(secret), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    }

    #[test]
    fn a_code_holds_for_its_neighbours_and_opens_once() {
        let (secret, now) = (b"12345678901234567890", Millis::new(59_000));
        assert_eq!(step_of(secret, " 287082 ", 0, now), Some(1));
        assert_eq!(step_of(secret, "287082", 1, now), None);
        assert_eq!(step_of(secret, "287082", 0, Millis::new(89_000)), Some(1));
        assert_eq!(step_of(secret, "287082", 0, Millis::new(90_000)), None);
    }
}
