//! Idempotency keys at head office: the first answer is written in the same transaction as the change, sealed, and repeated. Never
//! stores a refusal.

use super::{Change, RegistryError};
use edge::access::seal::Sealer;
use edge::db::opt;
use edge::http::idempotency::{Idempotency, KEPT_MS};
use edge::http::{Code, Problem};
use edge::insert;
use rusqlite::params;
use tiffin_common::Uuid;

/// The first answer to this key, if there was one that is still kept.
///
/// # Errors
/// When the key stood for another request.
pub fn find(
    change: &Change<'_>,
    sealer: &Sealer,
    user: Uuid,
    key: &Idempotency,
) -> Result<Option<(u16, Vec<u8>)>, RegistryError> {
    let sql = "SELECT request_hash, status, body FROM registry_idempotency
        WHERE user_id = ?1 AND key = ?2 AND created_at > ?3";
    let kept = change.now.after(-KEPT_MS);
    let found = opt(change.sql, sql, params![user, key.key, kept], |row| {
        Ok((row.get::<_, Vec<u8>>("request_hash")?, row.get("status")?, row.get::<_, Vec<u8>>("body")?))
    })?;
    let Some((hash, status, body)) = found else { return Ok(None) };
    if hash != key.request_hash {
        return Err(RegistryError::Refused(Box::new(Problem::new(Code::IdempotencyKeyReused))));
    }
    let body = sealer.open(&purpose(user, key), &body).map_err(|error| {
        tracing::error!(%error, "a stored answer");
        RegistryError::Refused(Box::new(Problem::new(Code::Internal)))
    })?;
    Ok(Some((status, body)))
}

/// Keeps the answer.
pub fn keep(
    change: &Change<'_>,
    sealer: &Sealer,
    user: Uuid,
    key: &Idempotency,
    status: u16,
    body: &[u8],
) -> Result<(), RegistryError> {
    let sealed = sealer.seal(change.env.random_bytes(), &purpose(user, key), body).map_err(|error| {
        tracing::error!(%error, "an answer");
        RegistryError::Refused(Box::new(Problem::new(Code::Internal)))
    })?;
    let forgotten = change.now.after(-KEPT_MS);
    change.sql.execute("DELETE FROM registry_idempotency WHERE created_at <= ?1", params![forgotten])?;
    insert!(
        change.sql,
        registry_idempotency {
            user_id: user,
            key: key.key,
            request_hash: key.request_hash.as_slice(),
            status: status,
            body: sealed,
            created_at: change.now,
        }
    )?;
    Ok(())
}

fn purpose(user: Uuid, key: &Idempotency) -> Vec<u8> {
    [b"answer ".as_slice(), user.as_bytes(), key.key.as_bytes()].concat()
}
