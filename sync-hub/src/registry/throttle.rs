//! Failures counted under a key, in the registry: neither a restart nor another process forgets them. Never what was guessed.

use super::{Change, RegistryError};
use edge::db::{Source, opt};
use edge::insert;
use edge::resources::auth::rules::{Limit, Throttle};
use rusqlite::params;
use std::net::{IpAddr, Ipv6Addr};

/// Wrong enrolment codes from one address.
pub const CODES: Limit = Limit::new(10, 15 * 60_000, 15 * 60_000);

/// Wrong enrolment codes from everywhere: 60 bits are not guessed, and whoever tries is slowed down.
pub const CODES_OF_ALL: Limit = Limit::new(200, 15 * 60_000, 60_000);

/// Throttles are forgotten this long after their window began: a day.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// The customer of a provider that `ip` belongs to, as part of a key.
pub fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
        v4 => v4,
    }
}

/// The count under `key`.
pub fn find(from: &dyn Source, key: &str) -> edge::db::Result<Throttle> {
    let sql = "SELECT failures, window_started_at, locked_until FROM registry_throttles WHERE key = ?1";
    let found = opt(from, sql, [key], |row| {
        Ok(Throttle {
            failures: row.get("failures")?,
            window_started_at: row.get("window_started_at")?,
            locked_until: row.get("locked_until")?,
        })
    });
    Ok(found?.unwrap_or_default())
}

/// Counts a failure; whether that one locked.
pub fn count(change: &Change<'_>, key: &str, limit: Limit) -> Result<bool, RegistryError> {
    let (next, locks) = find(change.sql, key)?.after_failure(limit, change.now);
    insert!(
        change.sql,
        registry_throttles {
            key: key,
            failures: next.failures,
            window_started_at: next.window_started_at,
            locked_until: next.locked_until,
        },
        "ON CONFLICT (key) DO UPDATE SET failures = excluded.failures,
           window_started_at = excluded.window_started_at, locked_until = excluded.locked_until"
    )?;
    let forgotten = change.now.after(-KEPT_MS);
    change.sql.execute("DELETE FROM registry_throttles WHERE window_started_at < ?1", params![forgotten])?;
    Ok(locks)
}

/// Forgets the failures under `key`.
pub fn clear(change: &Change<'_>, key: &str) -> Result<(), RegistryError> {
    change.sql.execute("DELETE FROM registry_throttles WHERE key = ?1", params![key])?;
    Ok(())
}
