//! The review lane: what boxes send that may not speak for the outlet any more, kept as it came, and what of such a box's log is missing
//! here. Head office may have been put back to an older copy since the box sent it. Never applies a row.

use super::error::HubError;
use super::state::State;
use super::{Desk, history, place};
use crate::store::OutletTx;
use edge::db::{Row, Source, list};
use edge::insert;
use tiffin_common::Uuid;
use tiffin_common::frame::{Hash, Position};
use tiffin_common::sync::batch::{self, Batch, Frame};

/// A row of a box's log, by number and hash.
type Link = (i64, Hash);

/// What a box sends for review.
pub(super) struct Handed<'a> {
    pub(super) device: Uuid,
    pub(super) batch: &'a Batch,
    /// The same as it came.
    pub(super) body: &'a [u8],
}

/// Keeps the rows. Answers the last of them; or, where rows before them are missing here, the last one of those, and the box sends again what it
/// still has of them.
pub(super) fn put_by(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    handed: &Handed<'_>,
) -> Result<Option<Position>, HubError> {
    let frames = &handed.batch.frames;
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else { return Ok(None) };
    let end = place::end(frames, None);
    if at.bugs.salvage_is_dropped() {
        return Ok(end);
    }
    let lane = Lane { from: &*tx, state, device: handed.device };
    let before = (first.header.seq - 1, handed.batch.previous);
    // A row that is held already is the first of what the box has to say: everything before it is looked at.
    let missing = match lane.body_of(link(first))? {
        Some(body) => lane.missing(body)?,
        None if lane.body_of(before)?.is_some() => None,
        None => lane.not_the_outlets(before)?,
    };
    if lane.body_from(first.header.seq, link(last))?.is_none() {
        insert!(
            &*tx,
            hub_salvage {
                outlet_id: at.outlet,
                epoch: first.header.epoch,
                first_seq: first.header.seq,
                last_seq: last.header.seq,
                last_hash: last.hash,
                device_id: handed.device,
                received_at: at.now(),
                body: handed.body,
            },
            "ON CONFLICT (outlet_id, epoch, first_seq, last_seq, last_hash) DO NOTHING"
        )?;
    }
    Ok(missing.map(|(seq, hash)| Position { epoch: first.header.epoch, seq, hash }).or(end))
}

fn link(frame: &Frame) -> Link {
    (frame.header.seq, frame.hash)
}

/// What is kept of one box.
struct Lane<'a> {
    from: &'a dyn Source,
    state: &'a State,
    device: Uuid,
}

/// Rows that came together.
struct Kept {
    /// The row before the first.
    before: Link,
    /// They were taken over so long ago that they were let go of.
    is_gone: bool,
}

impl Lane<'_> {
    /// A body that holds this row.
    fn body_of(&self, row: Link) -> Result<Option<Kept>, HubError> {
        self.body_from(row.0, row)
    }

    /// A body that holds this row and all from row `first` on: they vouch for each other.
    fn body_from(&self, first: i64, (seq, hash): Link) -> Result<Option<Kept>, HubError> {
        const WITH: &str = "SELECT first_seq, body FROM hub_salvage
            WHERE outlet_id = ?1 AND device_id = ?2 AND first_seq <= ?3 AND last_seq >= ?4 ORDER BY first_seq";
        let with = (self.state.outlet, self.device, first, seq);
        let bodies = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
        for (first, body) in list(self.from, WITH, with, bodies)? {
            let (batch, _) = batch::decode(&body, history::MOST)?;
            let is_gone = batch.frames.is_empty();
            if is_gone || batch.frames.iter().any(|frame| link(frame) == (seq, hash)) {
                return Ok(Some(Kept { before: (first - 1, batch.previous), is_gone }));
            }
        }
        Ok(None)
    }

    /// The row itself where it is none of the outlet's log either.
    fn not_the_outlets(&self, row: Link) -> Result<Option<Link>, HubError> {
        let (seq, hash) = row;
        Ok((seq > 0 && !history::holds(self.from, self.state, seq, hash)?).then_some(row))
    }

    /// The last row before this body that is missing. Before what is gone nothing is: it was taken over.
    fn missing(&self, mut body: Kept) -> Result<Option<Link>, HubError> {
        while !body.is_gone {
            match self.body_of(body.before)? {
                Some(next) => body = next,
                None => return self.not_the_outlets(body.before),
            }
        }
        Ok(None)
    }
}
