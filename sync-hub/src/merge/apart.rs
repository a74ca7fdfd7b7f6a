//! Known bugs: what is one unit of work, done in two with time for a crash between them. Only tests ask for it.

use super::edit::{self, Edit, Edited};
use super::error::HubError;
use super::push::{self, Push, Pushed};
use super::state::State;
use super::{Desk, apply, schedule};
use crate::store::OutletTx;
use std::collections::HashMap;

/// The first half of a push: the cursor, perhaps with the raw log. Answers where the log ended before, too.
///
/// # Errors
/// As [`push`](push::push).
pub fn push_cursor(tx: &mut dyn OutletTx, push: &Push) -> Result<(Pushed, i64), HubError> {
    let mut state = State::open(&*tx, &push.at)?;
    let before = state.seq;
    let Some(new) = push::advance(tx, push, &mut state)? else {
        return Ok((push::reply(tx, push, &mut state, false)?, before));
    };
    if push.at.bugs.rows_apart() {
        push::keep(tx, push, &mut state, new.rows, new.held)?;
    }
    // Nobody will look for the rows that are missing.
    state.applied_to = state.seq;
    Ok((push::reply(tx, push, &mut state, true)?, before))
}

/// The other half: the rows after `before`.
///
/// # Errors
/// As [`push`](push::push).
pub fn push_rows(tx: &mut dyn OutletTx, push: &Push, before: i64) -> Result<Pushed, HubError> {
    let mut state = State::open(&*tx, &push.at)?;
    let frames = &push.batch.frames;
    let held = frames.partition_point(|frame| frame.header.seq <= before);
    let rows = frames.get(held..).unwrap_or_default();
    if push.at.bugs.cursor_before_write() {
        push::keep(tx, push, &mut state, rows, held)?;
    }
    apply::frames(tx, &push.at, &mut state, rows, &HashMap::new())?;
    push::reply(tx, push, &mut state, true)
}

/// The first half of an edit: its version of the feed.
pub fn draw_feed(tx: &mut dyn OutletTx, at: &Desk) -> Result<i64, HubError> {
    let mut state = State::open(&*tx, at)?;
    let drawn = state.step();
    state.save(&*tx, &at.env)?;
    Ok(drawn)
}

/// The other half: the edit, at the version that was `drawn`.
///
/// # Errors
/// As [`set_master`](super::set_master::set_master).
pub fn edit_at(tx: &mut dyn OutletTx, at: &Desk, edit: &Edit, drawn: i64) -> Result<Edited, HubError> {
    let mut state = State::open(&*tx, at)?;
    schedule::make_due(tx, at, &mut state, at.now())?;
    let feed = std::mem::replace(&mut state.feed, drawn - 1);
    let edited = edit::make(tx, at, &mut state, edit)?;
    state.feed = state.feed.max(feed);
    state.save(&*tx, &at.env)?;
    Ok(edited)
}
