//! Idempotency keys: the first answer is written in the same transaction as the change, and repeated (contract section 1). The answer
//! stays in this box; that there was one travels, so that nothing is done again at the box that takes this one's place, nor here when this
//! one is put back. Never stores a refusal: a refused request changed nothing and may be tried again.

use super::error::{Code, Problem, Result};
use crate::db::{self, Source, Tx, list, opt};
use axum::http::HeaderMap;
use rusqlite::params;
use tiffin_common::{Millis, Uuid, id_of_hash};

/// How long an answer is kept, in milliseconds: 7 days.
pub const KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Bytes of what stands for a request and its key elsewhere: enough that no two meet, and little on the wire.
pub const LASTING: usize = 8;

/// The key of a request and what it was asked.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// The client's key.
    pub key: String,
    /// Method, path and body, by a keyed hash.
    pub request_hash: [u8; 32],
    /// All of it, the key too, by a hash that every box of the outlet makes alike.
    pub lasting: [u8; LASTING],
}

/// Whose a key is: `device` (a signed-in device, a guest's phone, another system) at `outlet`, whoever is signed in there. The same key at
/// another outlet is another key.
pub fn owner(outlet: Uuid, device: &[u8]) -> Uuid {
    let mut hasher = blake3::Hasher::new_derive_key("tiffin 2026-11 owners of idempotency keys");
    hasher.update(outlet.as_bytes()).update(device);
    id_of_hash(hasher.finalize().as_bytes())
}

/// A stored answer.
#[derive(Debug)]
pub struct Stored {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// That a request was answered at a box whose answers are not here.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    /// The HTTP status.
    pub status: u16,
    /// The first id of the answer.
    pub made: Option<Uuid>,
}

/// What is older than that is no longer kept at `now`: by the time that ids begin with.
fn kept_after(now: Millis) -> Uuid {
    Uuid::from_u128(u128::from(now.after(-KEPT_MS).get().unsigned_abs()) << 80)
}

/// What was answered anywhere and is no longer kept at `now`, the oldest first, at most `most`.
pub fn expired_requests(from: &dyn Source, now: Millis, most: u32) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM answered_requests WHERE id <= ?1 ORDER BY id LIMIT ?2";
    list(from, sql, params![kept_after(now), most], |row| row.get(0))
}

/// Forgets that these were answered.
pub fn forget_requests(tx: &Tx<'_>, ids: &[Uuid]) -> db::Result<()> {
    ids.iter().try_for_each(|id| tx.execute("DELETE FROM answered_requests WHERE id = ?1", [id]))
}

/// The first id in an answer: what was made, or where.
fn first_id(body: &[u8]) -> Option<Uuid> {
    const BEFORE: &[u8] = b"\"id\":\"";
    let at = body.windows(BEFORE.len()).position(|part| part == BEFORE)?;
    let text = body.get(at.checked_add(BEFORE.len())?..)?.get(..36)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Rows of answers to keys that are no longer kept at `now`, the oldest first, at most `most`.
pub fn expired(from: &dyn Source, now: Millis, most: u32) -> db::Result<Vec<i64>> {
    let sql = "SELECT rowid FROM idempotency WHERE created_at <= ?1 ORDER BY rowid LIMIT ?2";
    list(from, sql, params![now.after(-KEPT_MS), most], |row| row.get(0))
}

/// Forgets the answers in `rows`, unless their keys were used again meanwhile.
pub fn forget(tx: &Tx<'_>, rows: &[i64]) -> db::Result<()> {
    for row in rows {
        let sql = "DELETE FROM idempotency WHERE rowid = ?1 AND created_at <= ?2";
        tx.execute(sql, params![row, tx.now().after(-KEPT_MS)])?;
    }
    Ok(())
}

/// Hands the kept answers to requests at `outlet` to `look`, each with its row; bodies that are no text are none of ours.
pub fn each_answer(from: &dyn Source, outlet: Uuid, mut look: impl FnMut(i64, &str)) -> db::Result<()> {
    from.rows("SELECT rowid AS place, body FROM idempotency WHERE outlet_id = ?1", &[&outlet], &mut |row| {
        let body: Vec<u8> = row.get("body")?;
        if let Ok(body) = std::str::from_utf8(&body) {
            look(row.get("place")?, body);
        }
        Ok(true)
    })
}

/// Makes the kept answer of `outlet` in `row` what `change` makes of its body, where that changes it: repeated, it no longer tells what
/// was erased.
pub fn set_answer(
    tx: &Tx<'_>,
    outlet: Uuid,
    row: i64,
    change: impl FnOnce(&str) -> Option<String>,
) -> db::Result<()> {
    let sql = "SELECT body FROM idempotency WHERE rowid = ?1 AND outlet_id = ?2";
    let body = opt(tx, sql, params![row, outlet], |row| row.get::<_, Vec<u8>>("body"))?;
    let changed = body.and_then(|body| change(std::str::from_utf8(&body).ok()?));
    let Some(changed) = changed else { return Ok(()) };
    let sql = "UPDATE idempotency SET body = ?3 WHERE rowid = ?1 AND outlet_id = ?2";
    tx.execute(sql, params![row, outlet, changed.as_bytes()])
}

impl Idempotency {
    /// The key in `headers`, if any.
    ///
    /// # Errors
    /// 400 when it is empty, longer than 255 characters, or not visible ASCII.
    pub fn key_of(headers: &HeaderMap) -> Result<Option<String>> {
        let Some(value) = headers.get("idempotency-key") else { return Ok(None) };
        match value.to_str() {
            Ok(key) if (1..=255).contains(&key.len()) => Ok(Some(key.to_owned())),
            _ => Err(Problem::new(Code::BadRequest)
                .detail("Idempotency-Key must have 1 to 255 visible characters")
                .with_field("Idempotency-Key", "must have 1 to 255 visible characters")),
        }
    }

    /// The first answer to this key, if there was one that is still kept at `now`.
    ///
    /// # Errors
    /// 422 when the key was used for another request.
    pub fn find(&self, conn: &dyn Source, owner: Uuid, now: Millis) -> Result<Option<Stored>> {
        let found = opt(
            conn,
            "SELECT request_hash, status, body FROM idempotency WHERE owner = ?1 AND key = ?2 AND created_at > ?3",
            params![owner, self.key, now.after(-KEPT_MS)],
            |row| Ok((row.get::<_, Vec<u8>>(0)?, Stored { status: row.get(1)?, body: row.get(2)? })),
        )?;
        match found {
            Some((hash, _)) if hash != self.request_hash => Err(Problem::new(Code::IdempotencyKeyReused)),
            Some((_, stored)) => Ok(Some(stored)),
            None => Ok(None),
        }
    }

    /// That this very request was answered at the box before this one, or at this one before it was put back; none where it was answered
    /// here, to another device: each has keys of its own.
    pub fn find_before(&self, conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<Option<Before>> {
        let sql = "SELECT status, made FROM answered_requests WHERE request = ?1 AND outlet_id = ?2 AND id > ?3
              AND NOT EXISTS (SELECT 1 FROM idempotency WHERE outlet_id = ?2 AND key = ?4 AND request_hash = ?5)
            ORDER BY id LIMIT 1";
        let (request, here) = (self.lasting.as_slice(), self.request_hash.as_slice());
        let asked = params![request, outlet, kept_after(now), self.key, here];
        opt(conn, sql, asked, |row| Ok(Before { status: row.get("status")?, made: row.get("made")? }))
    }

    /// Keeps the answer; that there was one travels with what it changed.
    pub fn keep(&self, tx: &Tx<'_>, owner: Uuid, outlet: Uuid, status: u16, body: &[u8]) -> Result<()> {
        if tx.has_changes() {
            insert!(
                tx,
                answered_requests {
                    id: tx.new_id(),
                    outlet_id: outlet,
                    request: self.lasting.as_slice(),
                    status: status,
                    made: first_id(body),
                }
            )?;
        }
        tx.execute(
            "INSERT INTO idempotency (owner, key, outlet_id, request_hash, status, body, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (owner, key) DO UPDATE SET
               request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
               created_at = excluded.created_at",
            params![owner, self.key, outlet, self.request_hash.as_slice(), status, body, tx.now()],
        )?;
        Ok(())
    }
}
