//! Reading the change log for the exchange, and letting go of what head office has confirmed long ago.

use crate::db::{Row, Source, Transaction, list, opt};
use rusqlite::{Error, Result};
use tiffin_common::frame::{Hash, Header, Kind, Position};
use tiffin_common::sync::batch::Frame;
use tiffin_common::sync::{At, EpochCard, HashText};
use tiffin_common::{Millis, Uuid};

/// One row of the log.
pub(in super::super) type LogRow = Frame;

const AFTER: &str = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log WHERE seq > ?1 ORDER BY seq";

/// The end of the log.
pub(in super::super) fn head(from: &dyn Source) -> Result<Option<Position>> {
    opt(from, "SELECT epoch, seq, hash FROM sync_log ORDER BY seq DESC LIMIT 1", [], position)
}

fn position(row: &Row<'_>) -> Result<Position> {
    Ok(Position { epoch: row.get(0)?, seq: row.get(1)?, hash: Hash(row.get(2)?) })
}

/// The number of the first row that is still kept.
pub(in super::super) fn kept_from(from: &dyn Source) -> Result<Option<i64>> {
    opt(from, "SELECT seq FROM sync_log ORDER BY seq LIMIT 1", [], |row| row.get(0))
}

/// The hash of row `seq`: from the log, or, for the row before the first, from the epoch that names it as its parent.
pub(in super::super) fn hash_at(from: &dyn Source, seq: i64) -> Result<Option<Hash>> {
    if seq == 0 {
        return Ok(Some(Hash::START));
    }
    let kept = opt(from, "SELECT hash FROM sync_log WHERE seq = ?1", [seq], |row| row.get(0).map(Hash))?;
    let parent = "SELECT parent_hash FROM sync_meta WHERE parent_seq = ?1 AND parent_hash IS NOT NULL";
    match kept {
        Some(hash) => Ok(Some(hash)),
        None => opt(from, parent, [seq], |row| row.get(0).map(Hash)),
    }
}

/// Rows after `seq`, as many as hold `bytes` (at least one), at most `rows`.
///
/// # Errors
/// A row of a kind that this version does not know.
pub(in super::super) fn log_after(
    from: &dyn Source,
    seq: i64,
    bytes: usize,
    rows: usize,
) -> Result<Vec<LogRow>> {
    let (mut frames, mut size) = (Vec::new(), 0usize);
    from.rows(AFTER, &[&seq], &mut |row| {
        let frame = frame(row)?;
        size = size.saturating_add(frame.body.len() + 64);
        if !frames.is_empty() && (size > bytes || frames.len() >= rows) {
            return Ok(false);
        }
        frames.push(frame);
        Ok(true)
    })?;
    Ok(frames)
}

fn frame(row: &Row<'_>) -> Result<LogRow> {
    let kind = Kind::from_number(row.get(2)?).map_err(|error| Error::UserFunctionError(error.into()))?;
    let header = Header {
        seq: row.get(0)?,
        epoch: row.get(1)?,
        kind,
        hlc: row.get(3)?,
        wall: row.get(4)?,
        schema: row.get(5)?,
        count: row.get(6)?,
    };
    Ok(LogRow { header, body: row.get(7)?, hash: Hash(row.get(8)?) })
}

/// The newest process starts, newest first, each with the position it continued from.
pub(in super::super) fn newest_epochs(from: &dyn Source, most: i64) -> Result<Vec<EpochCard>> {
    // A start stands in the log with its first row: ordered by that, whatever the clock said.
    let sql = "SELECT epoch, parent_epoch, parent_seq, parent_hash FROM sync_meta ORDER BY parent_seq DESC, started_at DESC LIMIT ?1";
    list(from, sql, [most], |row| {
        let parent: (Option<Uuid>, Option<[u8; 16]>) = (row.get(1)?, row.get(3)?);
        let seq = row.get(2)?;
        let parent = parent.0.zip(parent.1);
        let parent = parent.map(|(epoch, hash)| At { epoch, seq, hash: HashText(Hash(hash)) });
        Ok(EpochCard { epoch: row.get(0)?, parent })
    })
}

/// The newest row of the log that proposes something; 0 when none does.
pub(in super::super) fn last_proposal(from: &dyn Source) -> Result<i64> {
    let sql =
        "SELECT seq FROM sync_log INDEXED BY sync_log_proposals WHERE kind = 5 ORDER BY seq DESC LIMIT 1";
    opt(from, sql, [], |row| row.get(0)).map(Option::unwrap_or_default)
}

/// Lets go of at most `most` of the oldest rows that were confirmed (those before `acked`) and are older than `before`; answers
/// how many went. The row at `acked` stays: the next push follows from it.
pub(in super::super) fn prune_log(
    tx: &Transaction<'_>,
    acked: i64,
    before: Millis,
    most: i64,
) -> Result<usize> {
    let oldest = "SELECT seq, wall_ms FROM sync_log WHERE seq < ?1 ORDER BY seq LIMIT ?2";
    let rows: Vec<(i64, Millis)> = list(tx, oldest, (acked, most), |row| Ok((row.get(0)?, row.get(1)?)))?;
    // Only a beginning goes: the clock may have stood wrong for some rows in between.
    let last = rows.iter().take_while(|(_, wall)| *wall < before).last();
    let Some((last, _)) = last else { return Ok(0) };
    tx.execute("DELETE FROM sync_log WHERE seq <= ?1", [last])
}
