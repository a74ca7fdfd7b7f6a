//! Signed-in devices of head office's people: their ends, and what every process must know of them. Never signs anybody in.

use super::{Change, RegistryError};
use edge::access::tokens::LIFETIME_MS;
use edge::db::{Source, list as rows};
use edge::update;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Signs a device out.
pub fn end(change: &Change<'_>, session: Uuid, reason: &str) -> Result<(), RegistryError> {
    update!(
        change.sql,
        registry_sessions { revoked_at: change.now, revoked_reason: reason }
            where { id: session; "revoked_at IS NULL" }
    )?;
    Ok(())
}

/// Signs a user out everywhere, but on the device `keep`.
pub fn end_all(
    change: &Change<'_>,
    user: Uuid,
    keep: Option<Uuid>,
    reason: &str,
) -> Result<(), RegistryError> {
    let sql = "UPDATE registry_sessions SET revoked_at = ?2, revoked_reason = ?3
        WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2 AND id <> ?4";
    change.sql.execute(sql, params![user, change.now, reason, keep.unwrap_or_default()])?;
    Ok(())
}

/// A signed-in device.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of registry_sessions")]
pub struct Session {
    pub id: Uuid,
    pub device_name: Option<String>,
    pub created_at: Millis,
    pub last_used_at: Millis,
    pub expires_at: Millis,
}

/// The devices on which a user is signed in at `now`, the last used first.
pub fn list(from: &dyn Source, user: Uuid, now: Millis) -> edge::db::Result<Vec<Session>> {
    let sql = "SELECT id, device_name, created_at, last_used_at, expires_at FROM registry_sessions
        WHERE user_id = ?1 AND revoked_at IS NULL AND expires_at > ?2 ORDER BY last_used_at DESC, id";
    rows(from, sql, params![user, now], |row| {
        Ok(Session {
            id: row.get("id")?,
            device_name: row.get("device_name")?,
            created_at: row.get("created_at")?,
            last_used_at: row.get("last_used_at")?,
            expires_at: row.get("expires_at")?,
        })
    })
}

/// Sessions and users whose access tokens became void within the life of one, and when: every process has to know.
pub fn voided(from: &dyn Source, now: Millis) -> edge::db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, revoked_at FROM registry_sessions WHERE revoked_at >= ?1
        UNION ALL SELECT id, updated_at FROM registry_users WHERE updated_at >= ?1 AND version > 1";
    rows(from, sql, [now.after(-LIFETIME_MS)], |row| Ok((row.get("id")?, row.get("revoked_at")?)))
}
