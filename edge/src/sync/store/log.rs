//! Reading the change log for the exchange, and letting go of what head office has confirmed long ago.

use super::packs::{self, Pack};
use super::peer::find_peer;
use crate::db::{DbError, Result, Row, Source, Tx, list, opt};
use crate::log::Job;
use tiffin_common::frame::{Hash, Header, Kind, Position};
use tiffin_common::sync::batch::Frame;
use tiffin_common::sync::{At, EpochCard, HashText};
use tiffin_common::{Millis, Uuid};

/// One row of the log.
pub(in super::super) type LogRow = Frame;

const AFTER: &str = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log WHERE seq > ?1 ORDER BY seq";

/// The end of the log.
pub(in super::super) fn find_head(from: &dyn Source) -> Result<Option<Position>> {
    opt(from, "SELECT epoch, seq, hash FROM sync_log ORDER BY seq DESC LIMIT 1", [], position)
}

fn position(row: &Row<'_>) -> Result<Position> {
    Ok(Position { epoch: row.get("epoch")?, seq: row.get("seq")?, hash: Hash(row.get("hash")?) })
}

/// The number of the first row that is still kept.
pub(in super::super) fn find_first_kept(from: &dyn Source) -> Result<Option<i64>> {
    let first = "SELECT min(seq) FROM (SELECT min(first_seq) AS seq FROM sync_archive UNION ALL SELECT min(seq) FROM sync_log)";
    opt(from, first, [], |row| row.get(0)).map(Option::flatten)
}

/// The hash of row `seq`: from the log or its archive, or, for the row before the first, from the epoch that names it as its parent.
pub(in super::super) fn find_hash(from: &dyn Source, seq: i64) -> Result<Option<Hash>> {
    if seq == 0 {
        return Ok(Some(Hash::START));
    }
    let kept = opt(from, "SELECT hash FROM sync_log WHERE seq = ?1", [seq], |row| row.get(0).map(Hash))?;
    let parent = "SELECT parent_hash FROM sync_meta WHERE parent_seq = ?1 AND parent_hash IS NOT NULL";
    match kept.map_or_else(|| packs::find_hash(from, seq), |hash| Ok(Some(hash)))? {
        Some(hash) => Ok(Some(hash)),
        None => opt(from, parent, [seq], |row| row.get(0).map(Hash)),
    }
}

/// Rows after `seq`, as many as hold `bytes` (at least one), at most `rows`; fewer where the archive ends.
///
/// # Errors
/// A row of a kind that this version does not know.
pub(in super::super) fn list_after(
    from: &dyn Source,
    seq: i64,
    bytes: usize,
    rows: usize,
) -> Result<Vec<LogRow>> {
    let archived = packs::list_after(from, seq)?;
    let (mut frames, mut size) = (Vec::new(), 0usize);
    if !archived.is_empty() {
        let mut fits = |frame: &LogRow| {
            size = size.saturating_add(frame.body.len() + 64);
            size <= bytes
        };
        let count = archived.iter().take_while(|frame| fits(frame)).count().clamp(1, rows.max(1));
        frames.extend(archived.into_iter().take(count));
        return Ok(frames);
    }
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
    let kind = Kind::from_number(row.get("kind")?).map_err(|error| DbError::Damaged(error.to_string()))?;
    let header = Header {
        seq: row.get("seq")?,
        epoch: row.get("epoch")?,
        kind,
        hlc: row.get("hlc")?,
        wall: row.get("wall_ms")?,
        schema: row.get("schema_v")?,
        count: row.get("n")?,
    };
    Ok(LogRow { header, body: row.get("body")?, hash: Hash(row.get("hash")?) })
}

/// The newest process starts, newest first, each with the position it continued from.
pub(in super::super) fn list_epochs(from: &dyn Source, most: i64) -> Result<Vec<EpochCard>> {
    // A start stands in the log with its first row: ordered by that, whatever the clock said.
    let sql = "SELECT epoch, parent_epoch, parent_seq, parent_hash FROM sync_meta ORDER BY parent_seq DESC, started_at DESC LIMIT ?1";
    list(from, sql, [most], |row| {
        let seq = row.get("parent_seq")?;
        let parent = row.get::<_, Option<Uuid>>("parent_epoch")?.zip(row.get("parent_hash")?);
        let parent = parent.map(|(epoch, hash)| At { epoch, seq, hash: HashText(Hash(hash)) });
        Ok(EpochCard { epoch: row.get("epoch")?, parent })
    })
}

/// The newest row of the log that tells of shared rows: edits made here, or what head office's feed brought; the last that has gone where
/// none that is kept does.
pub(in super::super) fn find_last_told(from: &dyn Source) -> Result<i64> {
    let sql = "SELECT max((SELECT coalesce(max(seq), 0) FROM sync_log INDEXED BY sync_log_proposals WHERE kind = 5),
                          (SELECT coalesce(max(seq), 0) FROM sync_log INDEXED BY sync_log_pulled WHERE kind = 7))";
    let told: i64 = opt(from, sql, [], |row| row.get(0))?.unwrap_or(0);
    let gone = find_first_kept(from)?.map_or(0, |first| first - 1);
    Ok(told.max(packs::find_last_told(from)?).max(gone))
}

/// Whether a process start of this box's log has this id.
pub(in super::super) fn is_own_epoch(from: &dyn Source, epoch: Uuid) -> Result<bool> {
    Ok(opt(from, "SELECT 1 FROM sync_meta WHERE epoch = ?1", [epoch], |_| Ok(()))?.is_some())
}

/// The last row of a process start of this log, if it is one: the row before the next start, or the end of the log.
pub(in super::super) fn find_last_of(from: &dyn Source, epoch: Uuid) -> Result<Option<i64>> {
    const LAST: &str =
        "SELECT coalesce((SELECT min(n.parent_seq) FROM sync_meta n WHERE n.parent_seq > m.parent_seq),
        (SELECT max(seq) FROM sync_log)) FROM sync_meta m WHERE m.epoch = ?1";
    opt(from, LAST, [epoch], |row| row.get(0)).map(Option::flatten)
}

/// Whether row `seq` is in the log itself; the beginning always is.
pub(in super::super) fn is_in_log(from: &dyn Source, seq: i64) -> Result<bool> {
    Ok(seq == 0 || opt(from, "SELECT 1 FROM sync_log WHERE seq = ?1", [seq], |_| Ok(()))?.is_some())
}

/// Lets go of the whole log, of what it was still to tell, and of its process starts: another begins.
pub(in super::super) fn delete_log(tx: &Tx<'_>) -> Result<()> {
    for table in ["sync_log", "sync_archive", "sync_meta", "sync_proposals", "sync_reseed"] {
        tx.job(Job::Recover, || tx.execute(&format!("DELETE FROM {table}"), []))?;
    }
    Ok(())
}

/// Rows of the log itself that are older than `before` and not its last, as many as hold `bytes` (at least one).
pub(in super::super) fn list_old(from: &dyn Source, before: Millis, bytes: usize) -> Result<Vec<LogRow>> {
    let last = find_head(from)?.map_or(0, |head| head.seq);
    let (mut frames, mut size) = (Vec::new(), 0usize);
    from.rows(AFTER, &[&0], &mut |row| {
        let frame = frame(row)?;
        size = size.saturating_add(frame.body.len() + 64);
        // Only a beginning: the clock may have stood wrong for some rows in between.
        let ends = frame.header.wall >= before || frame.header.seq >= last;
        if ends || (!frames.is_empty() && size > bytes) {
            return Ok(false);
        }
        frames.push(frame);
        Ok(true)
    })?;
    Ok(frames)
}

/// Puts `pack` in the place of its rows, unless they have gone meanwhile; whether it did.
pub(in super::super) fn set_packed(tx: &Tx<'_>, pack: &Pack) -> Result<bool> {
    let first = opt(tx, "SELECT min(seq) FROM sync_log", [], |row| row.get::<_, Option<i64>>(0))?.flatten();
    if first != Some(pack.first) || find_hash(tx, pack.last)? != Some(pack.hash) {
        return Ok(false);
    }
    packs::insert(tx, pack)?;
    tx.job(Job::Prune, || tx.execute("DELETE FROM sync_log WHERE seq <= ?1", [pack.last]))?;
    Ok(true)
}

/// Lets go of at most `most` of the oldest rows, those before `confirmed`; answers how many went. The row at `confirmed` stays:
/// what comes after follows from it.
pub(in super::super) fn delete_confirmed(tx: &Tx<'_>, confirmed: i64, most: i64) -> Result<usize> {
    let sql = "DELETE FROM sync_log WHERE seq < min(?1, (SELECT min(seq) FROM sync_log) + ?2)";
    tx.job(Job::Prune, || tx.execute(sql, (confirmed, most))).map(|()| tx.changed())
}

/// What a look at the end of the log found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCheck {
    /// How many rows were looked at.
    pub rows: usize,
    /// The first thing that is wrong, in words.
    pub fault: Option<String>,
}

/// Whether the newest `most` rows of the log have no gap and each follows from the one before. A log may begin late: what head office
/// confirmed is let go of, and a box that took another's place goes on where that one ended.
pub fn check_log(from: &dyn Source, most: i64) -> Result<LogCheck> {
    const BEGINS: &str = "SELECT min(seq) FROM sync_log";
    let mut check = LogCheck { rows: 0, fault: None };
    let confirmed = find_peer(from)?.and_then(|peer| peer.acked).map_or(0, |acked| acked.seq);
    let first = find_first_kept(from)?.unwrap_or(1);
    if first > confirmed.saturating_add(1) {
        check.fault = Some(format!("rows {} to {} of the log are gone", confirmed + 1, first - 1));
        return Ok(check);
    }
    let begins: i64 = opt(from, BEGINS, [], |row| row.get::<_, Option<i64>>(0))?.flatten().unwrap_or(1);
    let after = find_head(from)?.map_or(0, |head| head.seq).saturating_sub(most).max(begins - 1);
    let mut before: Option<(i64, Hash)> = find_hash(from, after)?.map(|hash| (after, hash));
    from.rows(AFTER, &[&after], &mut |row| {
        let Frame { header, body, hash } = frame(row)?;
        let seq = header.seq;
        check.fault = match before {
            Some((last, _)) if seq != last + 1 => {
                Some(format!("rows {} to {} of the log are gone", last + 1, seq - 1))
            }
            Some((_, last)) if last.next(&header, &body) != hash => {
                Some(format!("row {seq} of the log does not follow from the one before: it was changed"))
            }
            _ => None,
        };
        check.rows += 1;
        before = Some((seq, hash));
        Ok(check.fault.is_none())
    })?;
    Ok(check)
}
