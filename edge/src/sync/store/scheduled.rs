//! Changes of head office that take effect later, as the branch holds them, and which of them it was told to drop. Never applies one.

use crate::db::{Result, Source, Tx, list, opt};
use tiffin_common::{Millis, Uuid};

/// How long it is remembered which of them took effect and which were dropped.
const KEPT_MS: i64 = 35 * 86_400_000;

/// A change that takes effect later: its id, when, and the packed change.
pub(in super::super) type Later = (Uuid, Millis, Vec<u8>);

/// The changes that take effect later are exactly these; those that were applied are remembered, and those that are listed no more.
pub(in super::super) fn set_scheduled(tx: &Tx<'_>, later: &[Later]) -> Result<()> {
    let (now, listed) = (tx.now(), later.iter().map(|(id, ..)| *id).collect::<Vec<_>>());
    for id in list_waiting(tx)?.into_iter().filter(|id| !listed.contains(id)) {
        insert!(tx, sync_withdrawn { id: id, at: now }, "ON CONFLICT (id) DO NOTHING")?;
        tx.execute("DELETE FROM sync_scheduled WHERE id = ?1", [id])?;
    }
    let withdrawn = list_withdrawn(tx)?;
    for (id, at, op) in later.iter().filter(|(id, ..)| !withdrawn.contains(id)) {
        insert!(tx, sync_scheduled { id: id, effective_at: at, op: op }, "ON CONFLICT (id) DO NOTHING")?;
    }
    let old = now.after(-KEPT_MS);
    tx.execute("DELETE FROM sync_scheduled WHERE applied_at < ?1", [old])?;
    tx.execute("DELETE FROM sync_withdrawn WHERE at < ?1", [old]).map(drop)
}

/// The changes that take effect later, and those that did lately.
pub(in super::super) fn list_scheduled(from: &dyn Source) -> Result<Vec<Later>> {
    let sql = "SELECT id, effective_at, op FROM sync_scheduled ORDER BY effective_at, id";
    list(from, sql, [], |row| Ok((row.get("id")?, row.get("effective_at")?, row.get("op")?)))
}

/// Which changes head office listed no more before they took effect here.
pub(in super::super) fn list_withdrawn(from: &dyn Source) -> Result<Vec<Uuid>> {
    list(from, "SELECT id FROM sync_withdrawn ORDER BY id", [], |row| row.get("id"))
}

fn list_waiting(from: &dyn Source) -> Result<Vec<Uuid>> {
    list(from, "SELECT id FROM sync_scheduled WHERE applied_at IS NULL", [], |row| row.get("id"))
}

/// The changes whose time has come, in the order of their times.
pub(in super::super) fn list_due(from: &dyn Source, now: Millis) -> Result<Vec<Later>> {
    let sql =
        "SELECT id, effective_at, op FROM sync_scheduled WHERE applied_at IS NULL AND effective_at <= ?1
        ORDER BY effective_at, id";
    list(from, sql, [now], |row| Ok((row.get("id")?, row.get("effective_at")?, row.get("op")?)))
}

/// When the next of them takes effect.
pub(in super::super) fn find_next_due(from: &dyn Source) -> Result<Option<Millis>> {
    let sql = "SELECT min(effective_at) FROM sync_scheduled WHERE applied_at IS NULL";
    opt(from, sql, [], |row| row.get::<_, Option<Millis>>(0)).map(Option::flatten)
}

/// It has taken effect.
pub(in super::super) fn set_applied(tx: &Tx<'_>, id: Uuid) -> Result<()> {
    update!(tx, sync_scheduled { applied_at: tx.now() } where { id: id }).map(drop)
}

/// Whether the changes that wait for their time are others than these.
pub(in super::super) fn is_other_schedule(from: &dyn Source, ids: &[Uuid]) -> Result<bool> {
    let sql = "SELECT id FROM sync_scheduled UNION ALL SELECT id FROM sync_withdrawn";
    let known: Vec<Uuid> = list(from, sql, [], |row| row.get("id"))?;
    Ok(!ids.iter().all(|id| known.contains(id)) || !list_waiting(from)?.iter().all(|id| ids.contains(id)))
}
