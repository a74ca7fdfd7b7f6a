//! Signed-in devices of head office's people: their ends, and what every process must know of them. Never signs anybody in.

use super::{Change, RegistryError};
use edge::access::tokens::LIFETIME_MS;
use edge::db::{Source, list as rows};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Signs a device out.
pub fn end(change: &Change<'_>, session: Uuid, reason: &str) -> Result<(), RegistryError> {
    let sql = "UPDATE registry_sessions SET revoked_at = ?2, revoked_reason = ?3
        WHERE id = ?1 AND revoked_at IS NULL";
    change.sql.execute(sql, params![session, change.now, reason])?;
    Ok(())
}

/// Signs a user out everywhere.
pub fn end_all(change: &Change<'_>, user: Uuid, reason: &str) -> Result<(), RegistryError> {
    let sql = "UPDATE registry_sessions SET revoked_at = ?2, revoked_reason = ?3
        WHERE user_id = ?1 AND revoked_at IS NULL";
    change.sql.execute(sql, params![user, change.now, reason])?;
    Ok(())
}

/// Sessions and users whose access tokens became void within the life of one, and when: every process has to know.
pub fn voided(from: &dyn Source, now: Millis) -> edge::db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, revoked_at FROM registry_sessions WHERE revoked_at >= ?1
        UNION ALL SELECT id, updated_at FROM registry_users WHERE updated_at >= ?1 AND version > 1";
    rows(from, sql, [now.after(-LIFETIME_MS)], |row| Ok((row.get(0)?, row.get(1)?)))
}
