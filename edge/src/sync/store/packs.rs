//! Old log rows that head office has not confirmed, packed as a push packs them; and how far it had confirmed on which day.
//! Never in the way of a reader of the log: `log` reads both as one.

use crate::db::{DbError, Result, Source, Tx, opt};
use rusqlite::params;
use tiffin_common::frame::{Hash, Kind};
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_common::{Millis, Uuid};

/// What a pack may take in memory: it was made from far less.
const MOST: usize = 1 << 28;

/// How often it is noted how far head office has confirmed, in milliseconds.
const NOTED_EVERY: i64 = 86_400_000;

/// Rows ready to be put away.
pub(in super::super) struct Pack {
    pub(super) first: i64,
    pub(super) last: i64,
    wall: Millis,
    proposal: i64,
    pub(super) hash: Hash,
    body: Vec<u8>,
}

impl Pack {
    /// Packs `frames`, which follow the row whose hash is `previous`.
    ///
    /// # Errors
    /// When there are none, or they cannot be packed.
    pub(in super::super) fn of(previous: Hash, frames: Vec<Frame>) -> Result<Pack, String> {
        let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Err("no rows".into()) };
        let (first, wall, hash, last) = (first.header.seq, last.header.wall, last.hash, last.header.seq);
        let tells = |frame: &&Frame| matches!(frame.header.kind, Kind::Proposal | Kind::Pulled);
        let proposal = frames.iter().rfind(tells).map_or(0, |frame| frame.header.seq);
        let rows = frames.len();
        let body = batch::encode(&Batch { previous, frames }).map_err(|error| error.to_string())?;
        // What cannot be read back is not let go of.
        let back = batch::decode(&body, MOST).map_err(|error| error.to_string())?;
        let is_whole =
            !back.1 && back.0.frames.len() == rows && back.0.frames.last().map(|f| f.hash) == Some(hash);
        if !is_whole {
            return Err("the pack does not give the rows back".into());
        }
        Ok(Pack { first, last, wall, proposal, hash, body })
    }
}

/// Writes `pack` down.
pub(super) fn insert(tx: &Tx<'_>, pack: &Pack) -> Result<()> {
    insert!(
        tx,
        sync_archive {
            first_seq: pack.first,
            last_seq: pack.last,
            wall_ms: pack.wall,
            proposal: pack.proposal,
            body: pack.body
        }
    )
    .map(drop)
}

/// The rows after `seq` of the pack that holds the next one; none when that is not archived.
pub(super) fn list_after(from: &dyn Source, seq: i64) -> Result<Vec<Frame>> {
    let sql = "SELECT body FROM sync_archive WHERE last_seq > ?1
          AND first_seq >= coalesce((SELECT max(first_seq) FROM sync_archive WHERE first_seq <= ?1 + 1), 0)
        ORDER BY first_seq LIMIT 1";
    let Some(body) = opt(from, sql, [seq], |row| row.get::<_, Vec<u8>>(0))? else { return Ok(Vec::new()) };
    let mut frames = unpack(&body)?.frames;
    frames.retain(|frame| frame.header.seq > seq);
    Ok(frames)
}

/// Shows every archived row, in order.
///
/// # Errors
/// A pack that cannot be read.
pub fn each_archived(from: &dyn Source, mut show: impl FnMut(Frame)) -> Result<()> {
    let mut last = -1;
    let next = "SELECT first_seq, body FROM sync_archive WHERE first_seq > ?1 ORDER BY first_seq LIMIT 1";
    while let Some((first, body)) =
        opt(from, next, [last], |row| Ok((row.get("first_seq")?, row.get::<_, Vec<u8>>("body")?)))?
    {
        last = first;
        unpack(&body)?.frames.into_iter().for_each(&mut show);
    }
    Ok(())
}

/// The hash of row `seq`, where it is archived or the first archived one follows it.
pub(super) fn find_hash(from: &dyn Source, seq: i64) -> Result<Option<Hash>> {
    let sql = "SELECT body FROM sync_archive WHERE first_seq <= ?1 + 1 AND last_seq >= ?1 ORDER BY first_seq DESC LIMIT 1";
    let Some(body) = opt(from, sql, [seq], |row| row.get::<_, Vec<u8>>(0))? else { return Ok(None) };
    let batch = unpack(&body)?;
    if batch.frames.first().is_some_and(|first| first.header.seq == seq + 1) {
        return Ok(Some(batch.previous));
    }
    Ok(batch.frames.iter().find(|frame| frame.header.seq == seq).map(|frame| frame.hash))
}

fn unpack(body: &[u8]) -> Result<Batch> {
    match batch::decode(body, MOST) {
        Ok((batch, false)) => Ok(batch),
        Ok((_, true)) => Err(DbError::Damaged("a pack of the archived log is damaged".into())),
        Err(error) => Err(DbError::Damaged(format!("a pack of the archived log: {error}"))),
    }
}

/// The newest archived row that tells of shared rows; 0 when none does.
pub(super) fn find_last_told(from: &dyn Source) -> Result<i64> {
    opt(from, "SELECT coalesce(max(proposal), 0) FROM sync_archive", [], |row| row.get(0))
        .map(Option::unwrap_or_default)
}

/// Lets go of the packs that end before `confirmed`; whether any is left.
pub(in super::super) fn delete_packs(tx: &Tx<'_>, confirmed: i64) -> Result<bool> {
    tx.execute("DELETE FROM sync_archive WHERE last_seq < ?1", [confirmed])?;
    opt(tx, "SELECT EXISTS (SELECT 1 FROM sync_archive)", [], |row| row.get(0)).map(Option::unwrap_or_default)
}

/// Whether nobody has noted for a day how far head office, in its life `hub_epoch`, has confirmed.
pub(in super::super) fn is_ack_due(from: &dyn Source, hub_epoch: Option<Uuid>, now: Millis) -> Result<bool> {
    let sql = "SELECT max(at) FROM sync_acks WHERE hub_epoch IS ?1";
    let newest = opt(from, sql, [hub_epoch], |row| row.get::<_, Option<Millis>>(0))?.flatten();
    // A note of the future comes from a clock that stood wrong.
    Ok(newest.is_none_or(|at| at.after(NOTED_EVERY) <= now || at > now))
}

/// Notes that head office, in its life `hub_epoch`, has confirmed the log up to `seq` by `now`; notes older than `before` that are no
/// longer needed go.
pub(in super::super) fn insert_ack(
    tx: &Tx<'_>,
    hub_epoch: Option<Uuid>,
    seq: i64,
    (now, before): (Millis, Millis),
) -> Result<()> {
    tx.execute("DELETE FROM sync_acks WHERE at > ?1", [now])?;
    insert!(
        tx,
        sync_acks { at: now, hub_epoch: hub_epoch, seq: seq },
        "ON CONFLICT (at) DO UPDATE SET hub_epoch = excluded.hub_epoch, seq = excluded.seq"
    )?;
    let old = "DELETE FROM sync_acks WHERE at < (SELECT max(at) FROM sync_acks WHERE at <= ?1)";
    tx.execute(old, [before]).map(drop)
}

/// How far head office, in its life `hub_epoch`, had confirmed the log by `before`. What another life had confirmed may be lost
/// there: it was put back from a backup.
pub(in super::super) fn find_acked(
    from: &dyn Source,
    hub_epoch: Option<Uuid>,
    before: Millis,
) -> Result<i64> {
    let sql = "SELECT coalesce(max(seq), 0) FROM sync_acks WHERE at <= ?2 AND hub_epoch IS ?1";
    opt(from, sql, params![hub_epoch, before], |row| row.get(0)).map(Option::unwrap_or_default)
}

/// Another head office, or a new key of it: what the former had confirmed does not count.
pub(super) fn delete_acks(tx: &Tx<'_>) -> Result<()> {
    tx.execute("DELETE FROM sync_acks", []).map(drop)
}
