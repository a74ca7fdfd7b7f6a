//! Devices and codes that have expired and that nobody asks about any more. Never touches one that still holds.

use crate::db::{self, Source, Transaction, opt};
use rusqlite::params;
use tiffin_common::Millis;

/// Whether there are signed-in devices that expired before `before`, or reset codes that have expired at `now`.
pub(in super::super) fn has_expired(conn: &dyn Source, now: Millis, before: Millis) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sessions WHERE expires_at < ?1)
        OR EXISTS (SELECT 1 FROM password_resets WHERE expires_at < ?2)";
    opt(conn, sql, params![before, now], |row| row.get(0)).map(Option::unwrap_or_default)
}

/// Forgets some of them, with the devices' refresh tokens.
pub(in super::super) fn forget_expired(tx: &Transaction<'_>, before: Millis, most: u32) -> db::Result<()> {
    let sql = "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at < ?1 LIMIT ?2)";
    tx.execute(sql, params![before, most])?;
    let sql = "DELETE FROM password_resets WHERE hash IN
        (SELECT hash FROM password_resets WHERE expires_at < ?1 LIMIT ?2)";
    tx.execute(sql, params![tx.now(), most]).map(drop)
}
