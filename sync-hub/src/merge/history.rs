//! The raw log: what a branch sent, as it came, in chunks of one push each; and the process starts it names. A chunk belongs to a
//! lineage, which begins where the branch last came back from an older state: of two rows with one number the later lineage's
//! counts. Never changes a chunk.

use super::error::HubError;
use super::state::State;
use edge::db::{Columns, Result, Source, Sql, opt};
use edge::{insert, select, table};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use tiffin_common::frame::{Body, DecodeError, Hash, Position};
use tiffin_common::sync::FramesQuery;
use tiffin_common::sync::batch::{self, Batch, Dictionary, Frame};
use tiffin_common::{Millis, Uuid};

/// What a stored body may take in memory: it was held to the same when it came.
pub(super) const MOST: usize = 1 << 30;

/// Rows of one answer to [`frames`].
const MOST_FRAMES: u32 = 5_000;

/// Most bytes of it.
const FRAMES_BYTES: usize = 1 << 20;

table! {
    /// A chunk without its rows.
    struct Chunk: hub_log {
        no: i64 => chunk,
        lineage: i64,
        first: i64 => first_seq,
        last: i64 => last_seq,
        hash: Hash,
        pulled: i64,
    }
}

/// What is written of a chunk.
pub(super) struct NewChunk<'a> {
    pub(super) first: i64,
    pub(super) changes: i64,
    pub(super) body: &'a [u8],
    pub(super) at: Millis,
}

/// The first chunk of a lineage that ends at row `seq` or after it.
fn ending(from: &dyn Source, outlet: Uuid, lineage: i64, seq: i64) -> Result<Option<Chunk>> {
    let sql =
        select!(Chunk, "WHERE outlet_id = ?1 AND lineage = ?2 AND last_seq >= ?3 ORDER BY last_seq LIMIT 1");
    opt(from, sql, (outlet, lineage, seq), Chunk::read)
}

/// Appends a chunk that ends at the state's cursor.
pub(super) fn append(sql: &dyn Sql, state: &mut State, chunk: &NewChunk<'_>) -> Result<()> {
    state.chunks += 1;
    let whole = Chunk {
        no: state.chunks,
        lineage: state.lineage,
        first: chunk.first,
        last: state.seq,
        hash: state.hash,
        pulled: state.pulled,
    };
    insert!(
        sql,
        hub_log {
            outlet_id: state.outlet,
            changes: chunk.changes,
            received_at: chunk.at,
            body: chunk.body,
            ..&whole
        }
    )?;
    Ok(())
}

/// The chunk that holds row `seq` of the history that ends in `lineage`.
fn find(from: &dyn Source, outlet: Uuid, lineage: i64, seq: i64) -> Result<Option<Chunk>> {
    for lineage in (0..=lineage).rev() {
        let found = ending(from, outlet, lineage, seq)?;
        if let Some(chunk) = found.filter(|chunk| chunk.first <= seq) {
            return Ok(Some(chunk));
        }
    }
    Ok(None)
}

/// The rows of a chunk that are its own: a body may begin with rows that were held already.
fn rows(from: &dyn Source, outlet: Uuid, chunk: &Chunk) -> std::result::Result<(Hash, Vec<Frame>), HubError> {
    const BODY: &str = "SELECT body FROM hub_log WHERE outlet_id = ?1 AND chunk = ?2";
    let body: Option<Vec<u8>> = opt(from, BODY, (outlet, chunk.no), |row| row.get(0))?;
    let (Batch { previous, mut frames }, _) =
        batch::decode(&body.ok_or(DecodeError("a chunk of the log is gone"))?, MOST)?;
    frames.retain(|frame| frame.header.seq <= chunk.last);
    let known = frames.iter().take_while(|frame| frame.header.seq < chunk.first).count();
    let previous =
        known.checked_sub(1).and_then(|last| frames.get(last)).map_or(previous, |frame| frame.hash);
    frames.drain(..known);
    Ok((previous, frames))
}

/// Rows `after + 1` to `to` of the history that ends in `lineage`, at most about `most` bytes of bodies; and the hash of the
/// row before the first. Ends early where the log has a gap.
pub(super) fn between(
    from: &dyn Source,
    outlet: Uuid,
    lineage: i64,
    after: i64,
    to: i64,
    most: usize,
) -> std::result::Result<Batch, HubError> {
    // A later lineage's rows count from where it begins.
    const LATER: &str = "SELECT min(first_seq) FROM hub_log
        WHERE outlet_id = ?1 AND lineage > ?2 AND lineage <= ?3 AND first_seq > ?4";
    let (mut batch, mut size) = (Batch { previous: Hash::START, frames: Vec::new() }, 0);
    let mut next = after + 1;
    while next <= to && size < most {
        let Some(chunk) = find(from, outlet, lineage, next)? else { break };
        let later: Option<i64> =
            opt(from, LATER, (outlet, chunk.lineage, lineage, next), |row| row.get(0))?.flatten();
        let end = to.min(later.map_or(i64::MAX, |later| later - 1));
        let begun = next;
        let (mut previous, frames) = rows(from, outlet, &chunk)?;
        for frame in frames {
            if frame.header.seq == next && next <= end && (size < most || batch.frames.is_empty()) {
                if batch.frames.is_empty() {
                    batch.previous = previous;
                }
                size += frame.body.len() + size_of::<Frame>();
                next += 1;
                previous = frame.hash;
                batch.frames.push(frame);
            } else {
                previous = frame.hash;
            }
        }
        if next == begun {
            break;
        }
    }
    Ok(batch)
}

/// Epoch and hash of row `seq` of the outlet's present history.
pub(super) fn at(
    from: &dyn Source,
    state: &State,
    seq: i64,
) -> std::result::Result<Option<Position>, HubError> {
    if seq == state.seq {
        return Ok(state.cursor());
    }
    if seq > state.seq || seq < 1 {
        return Ok(None);
    }
    let batch = between(from, state.outlet, state.lineage, seq - 1, seq, 1)?;
    let found = batch.frames.first();
    Ok(found.map(|frame| Position { epoch: frame.header.epoch, seq, hash: frame.hash }))
}

/// The hash of row `seq` of the present history; that of the beginning for 0. Cheap where a chunk ends.
pub(super) fn hash_at(
    from: &dyn Source,
    state: &State,
    seq: i64,
) -> std::result::Result<Option<Hash>, HubError> {
    if seq == 0 {
        return Ok(Some(Hash::START));
    }
    if seq == state.seq {
        return Ok(state.epoch.map(|_| state.hash));
    }
    match find(from, state.outlet, state.lineage, seq)? {
        Some(chunk) if chunk.last == seq => Ok(Some(chunk.hash)),
        Some(_) => Ok(at(from, state, seq)?.map(|position| position.hash)),
        None => Ok(None),
    }
}

/// Whether row `seq` with this hash ever came, whatever came in its place since.
pub(super) fn holds(
    from: &dyn Source,
    state: &State,
    seq: i64,
    hash: Hash,
) -> std::result::Result<bool, HubError> {
    for lineage in (0..=state.lineage).rev() {
        let found = ending(from, state.outlet, lineage, seq)?;
        let Some(chunk) = found.filter(|chunk| chunk.first <= seq) else { continue };
        let is_it = |frame: &Frame| frame.header.seq == seq && frame.hash == hash;
        let ends_with_it = chunk.last == seq && chunk.hash == hash;
        if ends_with_it || rows(from, state.outlet, &chunk)?.1.iter().any(is_it) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The newest version of the feed that the log shows as applied up to row `seq` of the present history.
pub(super) fn pulled_at(from: &dyn Source, state: &State, seq: i64) -> std::result::Result<i64, HubError> {
    let Some(chunk) = find(from, state.outlet, state.lineage, seq)? else { return Ok(0) };
    if chunk.last == seq {
        return Ok(chunk.pulled);
    }
    let before = find(from, state.outlet, chunk.lineage, chunk.first - 1)?;
    let mut pulled = match before {
        Some(before) if before.last == chunk.first - 1 => before.pulled,
        Some(_) => pulled_at(from, state, chunk.first - 1)?,
        None => 0,
    };
    for frame in rows(from, state.outlet, &chunk)?.1.iter().filter(|frame| frame.header.seq <= seq) {
        if let Ok(Body::Pulled { feed, .. }) = Body::decode(&frame.header, &frame.body) {
            pulled = pulled.max(feed);
        }
    }
    Ok(pulled)
}

/// Rows of the log as the body of a push.
///
/// # Errors
/// See [`crate::hub::Hub::frames`].
pub fn frames(
    from: &dyn Source,
    outlet: Uuid,
    query: &FramesQuery,
) -> std::result::Result<Vec<u8>, HubError> {
    let state = State::load(from, outlet)?;
    let mut lineage = None;
    // The lineage whose row `to` is of that epoch: the present one, as a rule.
    for candidate in (0..=state.lineage).rev() {
        let found = ending(from, outlet, candidate, query.to)?;
        let Some(chunk) = found.filter(|chunk| chunk.first <= query.to) else { continue };
        let is_it = |frame: &Frame| frame.header.seq == query.to && frame.header.epoch == query.epoch;
        if rows(from, outlet, &chunk)?.1.iter().any(is_it) {
            lineage = Some(candidate);
            break;
        }
    }
    let lineage = lineage.ok_or(HubError::NotFound("row of the log"))?;
    let mut batch = between(from, outlet, lineage, query.after.max(0), query.to, FRAMES_BYTES)?;
    batch.frames.truncate(query.limit.unwrap_or(MOST_FRAMES).clamp(1, MOST_FRAMES) as usize);
    Ok(batch::encode_with(&batch, Dictionary::among(query.dictionary.as_slice()))?)
}

table! {
    /// What is known of a process start.
    #[derive(Copy)]
    pub(super) struct Epoch: hub_epochs {
        /// The number of the row before its first.
        pub(super) before: i64 => parent_seq,
        /// The last of its rows that ever came.
        pub(super) last: i64 => last_seq,
        /// The last that counts, where the branch left some behind.
        pub(super) kept_to: Option<i64>,
    }
}

/// The process start, if any of its rows came.
pub(super) fn epoch(from: &dyn Source, outlet: Uuid, epoch: Uuid) -> Result<Option<Epoch>> {
    opt(from, select!(Epoch, "WHERE outlet_id = ?1 AND epoch = ?2"), (outlet, epoch), Epoch::read)
}

/// For each process start of `frames` the last of its rows that came before them.
pub(super) fn known(from: &dyn Source, outlet: Uuid, frames: &[Frame]) -> Result<HashMap<Uuid, i64>> {
    let mut known = HashMap::new();
    for frame in frames {
        if let Entry::Vacant(place) = known.entry(frame.header.epoch) {
            let of = *place.key();
            place.insert(epoch(from, outlet, of)?.map_or(0, |epoch| epoch.last));
        }
    }
    Ok(known)
}

/// Keeps the process starts of rows that now count.
pub(super) fn note(sql: &dyn Sql, outlet: Uuid, frames: &[Frame]) -> Result<()> {
    let mut rest = frames;
    while let Some(first) = rest.first() {
        let of = first.header.epoch;
        let (own, after) = rest.split_at(rest.iter().take_while(|frame| frame.header.epoch == of).count());
        let parent = match Body::decode(&first.header, &first.body) {
            Ok(Body::EpochStart(Some(parent))) => Some(parent.epoch),
            _ => None,
        };
        if let Some(last) = own.last() {
            insert!(
                sql,
                hub_epochs {
                    outlet_id: outlet,
                    epoch: of,
                    parent_epoch: parent,
                    parent_seq: first.header.seq - 1,
                    last_seq: last.header.seq,
                    last_hash: last.hash,
                },
                "ON CONFLICT (outlet_id, epoch) DO UPDATE SET
                   last_seq = CASE WHEN excluded.last_seq > hub_epochs.last_seq THEN excluded.last_seq ELSE hub_epochs.last_seq END,
                   last_hash = CASE WHEN excluded.last_seq > hub_epochs.last_seq THEN excluded.last_hash ELSE hub_epochs.last_hash END,
                   kept_to = CASE WHEN hub_epochs.last_seq > excluded.last_seq THEN excluded.last_seq ELSE NULL END"
            )?;
        }
        rest = after;
    }
    Ok(())
}

/// Notes that what follows row `to` of the present history was left behind.
pub(super) fn leave_behind(sql: &dyn Sql, outlet: Uuid, to: i64) -> Result<()> {
    const LEAVE: &str = "UPDATE hub_epochs SET kept_to = ?2 WHERE outlet_id = ?1 AND last_seq > ?2 AND (kept_to IS NULL OR kept_to > ?2)";
    sql.execute(LEAVE, &[&outlet, &to]).map(drop)
}
