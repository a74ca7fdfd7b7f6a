//! Password and PIN hashes: argon2id with the OWASP parameters, off the async threads and a few at a time. Never on the
//! writer thread, and never keeps what it was given.

use crate::http::{Code, Problem, Result};
use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use tiffin_common::Uuid;
use tokio::sync::Semaphore;

/// OWASP's parameters for argon2id: 19 MiB, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The most memory and passes a stored hash may ask for: hashes may come from elsewhere.
const MOST_MEMORY_KIB: u32 = 65_536;
const MOST_PASSES: u32 = 8;

/// Blocks (of 1 KiB) that are reserved, though only the first of them are touched. The allocator gives 33 MiB a mapping of
/// its own and hands it back to the system when freed; 19 MiB it would keep, and the process would stay that much larger.
const RESERVED_BLOCKS: usize = 33 * 1024;

/// Hashes at work at once: each holds 19 MiB and a processor.
static AT_WORK: Semaphore = Semaphore::const_new(2);

/// Hashes waiting or at work; more are told to come back.
static ADMITTED: Semaphore = Semaphore::const_new(64);

/// The hash of a PIN, by which its employee is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PinHash([u8; 32]);

impl PinHash {
    /// The bytes the database holds.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for PinHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PinHash(…)")
    }
}

/// Runs `work` (hashing) off the async threads, after those that wait already.
///
/// # Errors
/// 503 when too many wait.
pub async fn apart<T, F>(work: F) -> Result<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let busy = || Problem::new(Code::Unavailable).retry_after(1);
    let place = ADMITTED.try_acquire().map_err(|_| busy())?;
    let turn = AT_WORK.acquire().await.map_err(|_| busy())?;
    // The permits go with the work: a client that hangs up does not make room for another hash.
    let done = tokio::task::spawn_blocking(move || {
        let _held = (place, turn);
        work()
    });
    done.await.map_err(|_| busy())
}

/// The hash of a password that somebody chose, made off the async threads. `about` is what is known of its holder.
///
/// # Errors
/// 422 naming `field` for one that is guessed first, see [`password::check`](super::password::check); 503 when too many wait.
pub async fn chosen(
    field: &'static str,
    password: String,
    about: Vec<String>,
    salt: [u8; 16],
) -> Result<String> {
    apart(move || {
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        super::password::check(&password, &about).map_err(|reason| Problem::field(field, reason))?;
        self::password(&password, salt)
    })
    .await?
}

/// Hashes `password` with `salt` into a PHC string. Takes about 15 ms: call it through [`apart`].
///
/// # Errors
/// 500 when memory is short.
pub fn password(password: &str, salt: [u8; 16]) -> Result<String> {
    let hash = || -> Result<String, argon2::password_hash::Error> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None)?;
        let mut out = [0; 32];
        fill(password.as_bytes(), &salt, None, params.clone(), &mut out)?;
        let hash = PasswordHash {
            algorithm: ARGON2ID_IDENT,
            version: Some(Version::V0x13.into()),
            params: ParamsString::try_from(&params)?,
            salt: Some(Salt::new(&salt)?),
            hash: Some(Output::new(&out)?),
        };
        Ok(hash.to_string())
    };
    hash().map_err(|error| failed(&error))
}

/// Whether `password` is the one behind `stored`. Without a stored hash the same work is done and the answer is no, so that
/// the time tells nothing. Takes about 15 ms: call it through [`apart`].
pub fn verify(password: &str, stored: Option<&str>) -> bool {
    let parsed = stored.and_then(|text| {
        let parsed = PasswordHash::new(text).ok().filter(is_acceptable);
        if parsed.is_none() {
            tracing::error!("a stored password hash cannot be read");
        }
        parsed
    });
    let Some(hash) = parsed else {
        let mut out = [0; 32];
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).unwrap_or_default();
        let _same_work = fill(password.as_bytes(), &[0; 16], None, params, &mut out);
        return false;
    };
    let (Some(salt), Some(expected), Ok(params)) = (&hash.salt, &hash.hash, Params::try_from(&hash)) else {
        return false;
    };
    let mut out = vec![0; expected.len()];
    let filled = fill(password.as_bytes(), salt.as_ref(), None, params, &mut out);
    // Output compares in constant time.
    filled.is_ok() && Output::new(&out).is_ok_and(|found| found == *expected)
}

fn is_acceptable(hash: &PasswordHash) -> bool {
    let params = Params::try_from(hash);
    hash.algorithm == ARGON2ID_IDENT
        && params.is_ok_and(|p| p.m_cost() <= MOST_MEMORY_KIB && p.t_cost() <= MOST_PASSES)
}

/// The hash of `pin` at `outlet`: deterministic, so that it can be looked up; worthless without `pepper`, which is kept
/// outside the database. Takes about 15 ms: call it through [`apart`].
///
/// # Errors
/// 500 when memory is short.
pub fn pin(pin: &str, outlet: Uuid, pepper: &[u8; 32]) -> Result<PinHash> {
    let salt = blake3::derive_key("tiffin 2026-11 the salt of an outlet's PINs", outlet.as_bytes());
    let mut out = [0; 32];
    Params::new(MEMORY_KIB, PASSES, LANES, None)
        .and_then(|params| fill(pin.as_bytes(), &salt, Some(pepper), params, &mut out))
        .map_err(|error| failed(&error))?;
    Ok(PinHash(out))
}

/// A key to seal with, of a `password` and a random `salt` of at least 8 bytes that is kept with what is sealed. Takes about 15 ms: call
/// it through [`apart`].
///
/// # Errors
/// 500 when memory is short or the salt too short.
pub fn key(password: &str, salt: &[u8]) -> Result<[u8; 32]> {
    let mut out = [0; 32];
    Params::new(MEMORY_KIB, PASSES, LANES, None)
        .and_then(|params| fill(password.as_bytes(), salt, None, params, &mut out))
        .map_err(|error| failed(&error))?;
    Ok(out)
}

fn fill(
    text: &[u8],
    salt: &[u8],
    pepper: Option<&[u8]>,
    params: Params,
    out: &mut [u8],
) -> Result<(), argon2::Error> {
    #[cfg(test)]
    tests::FILLED.with_borrow_mut(|filled| filled.push((params.m_cost(), params.t_cost(), out.len())));
    let count = params.block_count();
    let mut blocks: Vec<Block> = Vec::with_capacity(count.max(RESERVED_BLOCKS));
    blocks.resize(count, Block::new());
    let argon2 = match pepper {
        Some(pepper) => Argon2::new_with_secret(pepper, Algorithm::Argon2id, Version::V0x13, params)?,
        None => Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
    };
    argon2.hash_password_into_with_memory(text, salt, out, &mut blocks)
}

fn failed(error: &dyn std::fmt::Display) -> Problem {
    tracing::error!(%error, "hashing failed");
    Problem::new(Code::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        /// The work this thread has done: memory, passes, and length of each hash.
        pub(super) static FILLED: RefCell<Vec<(u32, u32, usize)>> = const { RefCell::new(Vec::new()) };
    }

    #[test]
    fn where_there_is_no_hash_the_same_work_is_done() {
        let stored = password("correct horse battery", [7; 16]).unwrap();
        FILLED.take();
        assert!(!verify("wrong", Some(&stored)));
        let known = FILLED.take();
        assert!(!verify("wrong", None));
        assert_eq!(FILLED.take(), known);
        assert_eq!(known, [(MEMORY_KIB, PASSES, 32)]);
    }

    #[test]
    fn a_password_is_recognised_and_no_other() {
        let stored = password("correct horse battery", [7; 16]).unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(verify("correct horse battery", Some(&stored)));
        assert!(!verify("correct horse batterz", Some(&stored)));
        assert!(!verify("correct horse battery", None));
        assert!(!verify("correct horse battery", Some("$argon2id$nonsense")));
    }

    #[test]
    fn a_hash_that_asks_for_too_much_is_refused() {
        let stored = password("correct horse battery", [7; 16]).unwrap();
        assert!(!verify("correct horse battery", Some(&stored.replace("m=19456", "m=4000000"))));
    }

    #[test]
    fn a_pin_hash_depends_on_the_outlet_and_the_pepper() {
        let [here, there] = [Uuid::from_u128(1), Uuid::from_u128(2)];
        let hash = pin("1001", here, &[1; 32]).unwrap();
        assert_eq!(hash, pin("1001", here, &[1; 32]).unwrap());
        assert_ne!(hash, pin("1001", there, &[1; 32]).unwrap());
        assert_ne!(hash, pin("1001", here, &[2; 32]).unwrap());
        assert_ne!(hash, pin("1002", here, &[1; 32]).unwrap());
        assert_eq!(format!("{hash:?}"), "PinHash(…)");
    }
}
