//! The unit of work of a push: the raw log, the cursor, the rows, the shared rows and the feed move together or not at all.

use super::error::HubError;
use super::lane::Handed;
use super::place::{self, Placed};
use super::state::State;
use super::{Desk, apply, digests, history, lane, salvage, schedule};
use crate::store::OutletTx;
use bytes::Bytes;
use edge::db::Source;
use std::collections::HashMap;
use tiffin_common::Uuid;
use tiffin_common::frame::{DecodeError, Position};
use tiffin_common::sync::batch::{self, Batch, Frame};
use tiffin_common::sync::{Class, Pacing, PushReply};

/// Reads a push's body: its rows, and whether something after them was not readable.
///
/// # Errors
/// When not even the first row is readable.
pub fn read(body: &[u8], most: usize) -> Result<(Batch, bool), DecodeError> {
    let (batch, cut) = batch::decode(body, most)?;
    if batch.frames.is_empty() && cut {
        Err(DecodeError("no row of it is readable"))
    } else {
        Ok((batch, cut))
    }
}

/// A push, read.
#[derive(Clone)]
pub struct Push {
    /// Whose it is.
    pub(crate) at: Desk,
    device: Uuid,
    /// What kind of rows they are.
    pub(crate) class: Class,
    body: Bytes,
    pub(super) batch: Batch,
    cut: bool,
    pacing: Pacing,
}

impl Push {
    /// What `device` pushes; `batch` is what [`read`] made of `body`.
    pub fn new(
        at: Desk,
        device: Uuid,
        class: Class,
        body: Bytes,
        (batch, cut): (Batch, bool),
        pacing: Pacing,
    ) -> Push {
        Push { at, device, class, body, batch, cut, pacing }
    }
}

/// What came of a push.
pub struct Pushed {
    /// The answer.
    pub reply: PushReply,
    /// Whether rows were taken.
    pub moved: bool,
    /// Whether the outlet's feed has something new.
    pub fed: bool,
    /// Whether something came of a transfer, which concerns another outlet.
    pub parcels: bool,
}

/// Takes the rows.
///
/// # Errors
/// See [`crate::hub::Hub::push`].
pub fn push(tx: &mut dyn OutletTx, push: &Push) -> Result<Pushed, HubError> {
    let mut state = State::open(&*tx, &push.at)?;
    if push.class == Class::Salvage {
        let Push { at, device, batch, body, .. } = push;
        let held = lane::put_by(tx, at, &state, &Handed { device: *device, batch, body })?;
        return answer(&*tx, push, &state, held);
    }
    let Some(new) = advance(tx, push, &mut state)? else { return reply(tx, push, &mut state, false) };
    apply::frames(tx, &push.at, &mut state, new.rows, &new.known)?;
    keep(tx, push, &mut state, new.rows, new.held)?;
    salvage::forget_pushed(&*tx, push.at.outlet, push.device, new.rows)?;
    reply(tx, push, &mut state, true)
}

/// The rows of a push that are not held yet.
pub(super) struct New<'p> {
    pub(super) rows: &'p [Frame],
    /// How many of the push came before them.
    pub(super) held: usize,
    /// What is known of their epochs.
    known: HashMap<Uuid, i64>,
}

/// Moves the cursor over what of the rows is new; none when nothing is.
pub(super) fn advance<'p>(
    tx: &mut dyn OutletTx,
    push: &'p Push,
    state: &mut State,
) -> Result<Option<New<'p>>, HubError> {
    let Push { at, batch, .. } = push;
    schedule::make_due(tx, at, state, at.now())?;
    apply::behind(tx, at, state)?;
    let held = match place::place(&*tx, at, state, batch)? {
        Placed::Follows(held) => held,
        Placed::Switches(held) => {
            switch(tx, state, batch, held)?;
            held
        }
    };
    let rows = batch.frames.get(held..).unwrap_or_default();
    let rows = rows.get(..place::valid(rows, state.cursor())).unwrap_or_default();
    if rows.is_empty() {
        if held < batch.frames.len() {
            return Err(DecodeError("rows that do not follow from each other").into());
        }
        return Ok(None);
    }
    let known = history::known(&*tx, at.outlet, rows)?;
    history::note(&*tx, at.outlet, rows)?;
    // A box that was told to go back has not heard of these: it asks again before it may.
    if !at.bugs.stale_grant() {
        state.grant = None;
    }
    if let Some(end) = place::end(rows, state.cursor()) {
        (state.epoch, state.seq, state.hash) = (Some(end.epoch), end.seq, end.hash);
    }
    (state.pushed_at, state.lacks_to) = (Some(at.now()), None);
    Ok(Some(New { rows, held, known }))
}

/// Puts the rows into the raw log: as they came where they came whole.
pub(super) fn keep(
    tx: &mut dyn OutletTx,
    push: &Push,
    state: &mut State,
    frames: &[Frame],
    skip: usize,
) -> Result<(), HubError> {
    let Some(first) = frames.first() else { return Ok(()) };
    let whole = !push.cut && skip == 0 && frames.len() == push.batch.frames.len();
    let again;
    let body = if whole {
        &push.body[..]
    } else {
        let before = skip.checked_sub(1).and_then(|last| push.batch.frames.get(last));
        let previous = before.map_or(push.batch.previous, |frame| frame.hash);
        again = batch::encode(&Batch { previous, frames: frames.to_vec() })?;
        &again[..]
    };
    let changes = frames.iter().map(|frame| i64::from(frame.header.count)).sum();
    let chunk = history::NewChunk { first: first.header.seq, changes, body, at: push.at.now() };
    Ok(history::append(&*tx, state, &chunk)?)
}

/// Goes on in a new lineage after the first `skip` of the rows: what was held beyond is left behind, and until the branch's log
/// tells that it took it back, rows of it may stand in the way.
fn switch(tx: &mut dyn OutletTx, state: &mut State, batch: &Batch, skip: usize) -> Result<(), HubError> {
    let ancestor = match skip.checked_sub(1).and_then(|last| batch.frames.get(last)) {
        Some(frame) => frame.header.seq,
        None => batch.frames.first().map_or(0, |first| first.header.seq - 1),
    };
    let position = history::at(&*tx, state, ancestor)?;
    state.pulled = history::pulled_at(&*tx, state, ancestor)?;
    history::leave_behind(&*tx, state.outlet, ancestor)?;
    state.lost = state.epoch.map(|epoch| (epoch, state.seq));
    state.lineage += 1;
    state.grant = None;
    state.epoch = position.map(|position| position.epoch);
    state.hash = place::hash_of(position);
    state.seq = ancestor;
    state.applied_to = state.applied_to.min(ancestor);
    Ok(())
}

pub(super) fn reply(
    tx: &mut dyn OutletTx,
    push: &Push,
    state: &mut State,
    moved: bool,
) -> Result<Pushed, HubError> {
    let fed = state.is_fed();
    state.save(&*tx, &push.at.env)?;
    Ok(Pushed { moved, fed, ..answer(&*tx, push, state, state.cursor())? })
}

/// What came of a push that took no rows.
fn answer(
    from: &dyn Source,
    push: &Push,
    state: &State,
    cursor: Option<Position>,
) -> Result<Pushed, HubError> {
    let reply = PushReply {
        cursor: cursor.map(Into::into),
        feed: state.feed,
        pacing: push.pacing,
        bad: digests::bad(from, push.at.outlet)?,
        agreed_at: state.agreed.map(|(_, seq)| seq),
        wall: push.at.now(),
    };
    Ok(Pushed { reply, moved: false, fed: state.is_fed(), parcels: state.parcels })
}
