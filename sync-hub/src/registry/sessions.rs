//! Signed-in devices of head office's people: their ends, and what every process must know of them. Never signs anybody in.

use super::{Change, RegistryError};
use edge::access::tokens::LIFETIME_MS;
use edge::db::{Source, list as rows};
use edge::update;
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

/// Signs a user out everywhere.
pub fn end_all(change: &Change<'_>, user: Uuid, reason: &str) -> Result<(), RegistryError> {
    update!(
        change.sql,
        registry_sessions { revoked_at: change.now, revoked_reason: reason }
            where { user_id: user; "revoked_at IS NULL" }
    )?;
    Ok(())
}

/// Sessions and users whose access tokens became void within the life of one, and when: every process has to know.
pub fn voided(from: &dyn Source, now: Millis) -> edge::db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, revoked_at FROM registry_sessions WHERE revoked_at >= ?1
        UNION ALL SELECT id, updated_at FROM registry_users WHERE updated_at >= ?1 AND version > 1";
    rows(from, sql, [now.after(-LIFETIME_MS)], |row| Ok((row.get("id")?, row.get("revoked_at")?)))
}
