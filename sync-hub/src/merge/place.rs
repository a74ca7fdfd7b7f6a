//! Where the rows of a push belong: after the end of what is held, among it, or after the position to which the branch was told to
//! go back. Decided by numbers and hashes alone; never by a clock, never by who asks.

use super::Desk;
use super::error::HubError;
use super::history;
use super::state::State;
use edge::db::Source;
use tiffin_common::frame::{Body, Hash, Kind, Position};
use tiffin_common::sync::batch::{Batch, Frame};
use tiffin_common::sync::{Refused, RefusedReason};

/// Where the rows belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placed {
    /// The first so many are held already; the others follow.
    Follows(usize),
    /// The first so many are held; the others follow them in a new lineage.
    Switches(usize),
}

/// Decides it.
pub(super) fn place(from: &dyn Source, at: &Desk, state: &State, batch: &Batch) -> Result<Placed, HubError> {
    let refuse = |reason| Err(refused(state, reason));
    let Some(first) = batch.frames.first() else { return Ok(Placed::Follows(0)) };
    let before = first.header.seq - 1;
    if before > state.seq {
        return refuse(RefusedReason::Gap);
    }
    let length = batch.frames.len();
    let overlap = usize::try_from(state.seq - before).unwrap_or(usize::MAX).min(length);
    if at.bugs.no_duplicate_check() && overlap > 0 {
        return Ok(Placed::Follows(overlap));
    }
    if before < 0 || history::hash_at(from, state, before)? != Some(batch.previous) {
        return refuse(mismatch(from, state, batch)?);
    }
    let Some(last) = overlap.checked_sub(1).and_then(|last| batch.frames.get(last)) else {
        return Ok(Placed::Follows(0));
    };
    // The chain vouches for the rows before it.
    if history::hash_at(from, state, last.header.seq)? == Some(last.hash) {
        return Ok(Placed::Follows(overlap));
    }
    let to = last.header.seq;
    let held = history::between(from, state.outlet, state.lineage, before, to, usize::MAX)?;
    let pairs = batch.frames.iter().zip(&held.frames);
    let same = pairs.take_while(|(ours, theirs)| ours.hash == theirs.hash).count();
    let end = same.checked_sub(1).and_then(|last| batch.frames.get(last));
    let ancestor = (before + same as i64, end.map_or(batch.previous, |frame| frame.hash));
    if state.grant == Some(ancestor) {
        Ok(Placed::Switches(same))
    } else {
        refuse(mismatch(from, state, batch)?)
    }
}

/// What is wrong with rows that do not fit: somebody else goes on where the branch was left behind, or they are merely stale.
fn mismatch(from: &dyn Source, state: &State, batch: &Batch) -> Result<RefusedReason, HubError> {
    for frame in &batch.frames {
        let epoch = history::epoch(from, state.outlet, frame.header.epoch)?;
        if epoch.is_some_and(|epoch| epoch.kept_to.is_some() && frame.header.seq > epoch.last) {
            return Ok(RefusedReason::Fork);
        }
    }
    Ok(RefusedReason::Mismatch)
}

pub(super) fn refused(state: &State, reason: RefusedReason) -> HubError {
    HubError::Refused(Refused { reason, cursor: state.cursor().map(Into::into) })
}

/// How many of `frames` follow from each other and from the row before them: numbers without a gap, and epochs that begin with
/// their start, which names the row before.
pub(super) fn valid(frames: &[Frame], before: Option<Position>) -> usize {
    let mut last = before;
    for (length, frame) in frames.iter().enumerate() {
        let header = &frame.header;
        let starts = header.kind == Kind::EpochStart;
        let is_new = last.is_none_or(|last| last.epoch != header.epoch);
        let parent = || match Body::decode(header, &frame.body) {
            Ok(Body::EpochStart(parent)) => Some(parent),
            _ => None,
        };
        let follows = header.seq == last.map_or(1, |last| last.seq + 1);
        if !follows || is_new != starts || (starts && parent() != Some(last)) {
            return length;
        }
        last = Some(Position { epoch: header.epoch, seq: header.seq, hash: frame.hash });
    }
    frames.len()
}

/// The position of the last of `frames`, or the one before them.
pub(super) fn end(frames: &[Frame], before: Option<Position>) -> Option<Position> {
    let last = frames.last();
    last.map(|frame| Position { epoch: frame.header.epoch, seq: frame.header.seq, hash: frame.hash })
        .or(before)
}

/// The hash that a position stands for; that of the beginning for none.
pub(super) fn hash_of(position: Option<Position>) -> Hash {
    position.map_or(Hash::START, |position| position.hash)
}
