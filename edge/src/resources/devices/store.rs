//! Rows of `devices` and `device_pairings`. Never keeps a code but as a hash.

use super::rules::{CODE_LIFETIME_MS, Device, INTERVAL_MS, KEPT_MS, Pairing, Wanted};
use crate::db::{self, Columns, Row, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// A query of devices at the moment `?1`, with how each is signed in.
macro_rules! devices {
    ($rest:literal) => {
        select!(
            Device as d,
            "s.last_used_at AS last_seen_at, s.revoked_at IS NULL AND s.expires_at > ?1 AS is_signed_in,
             d.followed_at, d.silent_since",
            concat!("LEFT JOIN sessions s ON s.id = d.session_id ", $rest)
        )
    };
}

fn read(row: &Row<'_>) -> db::Result<Device> {
    let last_seen_at: Option<Millis> = row.get("last_seen_at")?;
    let is_signed_in: Option<bool> = row.get("is_signed_in")?;
    let signed_in = last_seen_at.is_some() && is_signed_in.unwrap_or_default();
    let (followed_at, silent_since) = (row.get("followed_at")?, row.get("silent_since")?);
    Ok(Device { last_seen_at, is_signed_in: signed_in, followed_at, silent_since, ..Device::read(row)? })
}

const COUNT: &str = "SELECT count(*) FROM devices WHERE outlet_id = ?1";

/// A page of the devices of `outlet`, by name.
pub(super) fn list(conn: &dyn Source, outlet: Uuid, now: Millis, paging: Paging) -> db::Result<Page<Device>> {
    let total = one(conn, COUNT, [outlet], |row| row.get(0))?;
    let sql = devices!("WHERE d.outlet_id = ?2 ORDER BY d.name, d.id LIMIT ?3 OFFSET ?4");
    Ok(Page { items: rows(conn, sql, params![now, outlet, paging.limit, paging.offset], read)?, total })
}

/// All devices of this box, by name.
pub fn list_all(conn: &dyn Source, now: Millis) -> db::Result<Vec<Device>> {
    rows(conn, devices!("ORDER BY d.name, d.id"), [now], read)
}

/// The devices that wait for a decision, the first to ask first.
pub fn list_waiting(conn: &dyn Source, now: Millis) -> db::Result<Vec<Pairing>> {
    let sql = select!(Pairing, "WHERE expires_at > ?1 AND decided_at IS NULL ORDER BY expires_at, id");
    rows(conn, sql, [now], Pairing::read)
}

/// The device of that id at `outlet`.
pub(super) fn find(conn: &dyn Source, outlet: Uuid, id: Uuid, now: Millis) -> db::Result<Option<Device>> {
    opt(conn, devices!("WHERE d.outlet_id = ?2 AND d.id = ?3"), params![now, outlet, id], read)
}

/// The device whose account that is.
pub(super) fn find_by_account(
    conn: &dyn Source,
    outlet: Uuid,
    account: Uuid,
    now: Millis,
) -> db::Result<Option<Device>> {
    opt(conn, devices!("WHERE d.account_id = ?3 AND d.outlet_id = ?2"), params![now, outlet, account], read)
}

pub(super) fn insert(tx: &Tx<'_>, device: &Device) -> db::Result<()> {
    insert!(tx, devices { ..device })
}

pub(super) fn update(tx: &Tx<'_>, id: Uuid, name: &str, station: Option<Uuid>) -> db::Result<()> {
    update!(tx, devices { name: name, station_id: station, updated_at: tx.now(); "version = version + 1" }
        where { id: id })
}

pub(super) fn set_session(tx: &Tx<'_>, id: Uuid, session: Uuid) -> db::Result<()> {
    update!(tx, devices { session_id: session } where { id: id })
}

/// It follows the kitchen.
pub(super) fn set_following(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    update!(tx, devices { followed_at: tx.now(), silent_since: None::<Millis> } where { id: id })
}

/// It has not followed the kitchen since then.
pub(super) fn set_silent(tx: &Tx<'_>, id: Uuid, since: Millis) -> db::Result<()> {
    update!(tx, devices { silent_since: since } where { id: id })
}

pub(super) fn delete(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM devices WHERE id = ?1", [id])
}

// ---------------------------------------------------------------------------------------------------------- pairings

/// The pairing whose code for a person has that hash, until it expires.
pub(super) fn find_by_user_code(
    conn: &dyn Source,
    hash: &[u8; 32],
    now: Millis,
) -> db::Result<Option<Pairing>> {
    opt(
        conn,
        select!(Pairing, "WHERE user_code_hash = ?1 AND expires_at > ?2"),
        params![hash, now],
        Pairing::read,
    )
}

/// The pairing whose code for the device has that hash.
pub(super) fn find_by_device_code(conn: &dyn Source, hash: &[u8; 32]) -> db::Result<Option<Pairing>> {
    opt(conn, select!(Pairing, "WHERE device_code_hash = ?1"), [hash], Pairing::read)
}

/// How many devices wait for a decision.
pub(super) fn count_waiting(conn: &dyn Source, now: Millis) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM device_pairings WHERE expires_at > ?1 AND decided_at IS NULL";
    one(conn, sql, [now], |row| row.get(0))
}

/// Keeps a new pairing by the hashes of its codes, the person's and the device's, and forgets those that ended long ago.
pub(super) fn insert_pairing(
    tx: &Tx<'_>,
    outlet: Uuid,
    wanted: &Wanted,
    (user_code, device_code): (&[u8; 32], &[u8; 32]),
) -> db::Result<Uuid> {
    tx.execute("DELETE FROM device_pairings WHERE expires_at < ?1", [tx.now().after(-KEPT_MS)])?;
    let id = tx.new_id();
    insert!(
        tx,
        device_pairings {
            id: id,
            outlet_id: outlet,
            user_code_hash: user_code,
            device_code_hash: device_code,
            created_at: tx.now(),
            expires_at: tx.now().after(CODE_LIFETIME_MS),
            interval_ms: INTERVAL_MS,
            ..wanted
        }
    )?;
    Ok(id)
}

/// Notes what somebody at `outlet` decided: the device it made, or none.
pub(super) fn set_decided(tx: &Tx<'_>, id: Uuid, outlet: Uuid, device: Option<Uuid>) -> db::Result<()> {
    update!(tx, device_pairings { outlet_id: outlet, decided_at: tx.now(), device_id: device } where { id: id })
}

pub(super) fn set_polled(tx: &Tx<'_>, id: Uuid, interval_ms: i64) -> db::Result<()> {
    update!(tx, device_pairings { polled_at: tx.now(), interval_ms: interval_ms } where { id: id })
}

pub(super) fn set_redeemed(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    update!(tx, device_pairings { redeemed_at: tx.now() } where { id: id; "redeemed_at IS NULL" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn what_devices_ask_is_found_by_an_index() {
        let by_device = select!(Pairing, "WHERE device_code_hash = ?1");
        let by_user = select!(Pairing, "WHERE user_code_hash = ?1 AND expires_at > ?2");
        let own = devices!("WHERE d.account_id = ?3 AND d.outlet_id = ?2");
        let waiting = "SELECT count(*) FROM device_pairings WHERE expires_at > ?1 AND decided_at IS NULL";
        for sql in [by_device, by_user, own, waiting, COUNT] {
            let steps = Fixture::new().plan(sql);
            assert!(steps.iter().all(|step| !step.starts_with("SCAN")), "{sql}: {steps:?}");
        }
    }
}
