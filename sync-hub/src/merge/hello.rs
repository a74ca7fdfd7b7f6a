//! What a box and head office say first: how the box's log and head office's copy of it stand to each other. Decided by process
//! starts, numbers and hashes; never by a clock.

use super::error::HubError;
use super::history::{self, Epoch};
use super::state::State;
use super::{Desk, forks, lives, schedule};
use crate::store::OutletTx;
use edge::db::Source;
use edge::resources::orders::store::find_life;
use tiffin_common::frame::Position;
use tiffin_common::sync::batch::Dictionary;
use tiffin_common::sync::{At, Hello, HelloRequest, Pacing, Standing};

/// As many process starts as a box names at most: with fewer it has named all it ever had.
const MOST_EPOCHS: usize = 64;

/// How the logs stand to each other.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// The box holds what head office holds.
    Normal,
    /// They part after this position.
    Parts(Position),
    /// The box goes on where the outlet was left behind; whether it shows rows that nobody has seen.
    Fork(bool),
}

/// Decides how a box's log and head office's copy of it stand to each other.
pub fn hello(
    tx: &mut dyn OutletTx,
    at: &Desk,
    request: &HelloRequest,
    pacing: Pacing,
) -> Result<Hello, HubError> {
    let mut state = State::open(&*tx, at)?;
    lives::notice(&*tx, at, &mut state, request.feed, request.mark.as_deref())?;
    let had_doubt = state.doubts_schedule;
    schedule::hear(tx, at, &mut state, request)?;
    let found = find(&*tx, &state, request)?;
    let (standing, grant) = match found {
        Found::Normal => (Standing::Normal, None),
        Found::Parts(ancestor) => {
            let lost_to = state.cursor().unwrap_or(ancestor).into();
            let standing = Standing::LostSuffix { ancestor: Some(ancestor.into()), lost_to };
            (standing, Some((ancestor.seq, ancestor.hash)))
        }
        Found::Fork(shows_rows) => {
            if let Some(head) = request.head.filter(|_| shows_rows) {
                forks::note(&*tx, at, request.device_id, head.epoch, head.seq)?;
            }
            (Standing::Fork, None)
        }
    };
    // Only a box that was told to go back may.
    let is_granted = grant.is_some() && state.grant != grant;
    if is_granted {
        state.grant = grant;
    }
    let gone = request.kept_from.map(|first| first - 1).filter(|gone| *gone > state.seq);
    let lacks_to = gone.filter(|_| standing == Standing::Normal);
    let is_other = std::mem::replace(&mut state.lacks_to, lacks_to) != lacks_to;
    if is_granted || is_other || state.is_fed() || had_doubt {
        state.save(&*tx, &at.env)?;
    }
    Ok(Hello {
        hub_epoch: at.hub_epoch,
        cursor: state.cursor().map(Into::into),
        standing,
        feed: state.feed,
        pacing,
        dictionaries: Dictionary::shared(&request.dictionaries),
        lives: find_life(&*tx, at.outlet)?,
        wall: at.now(),
    })
}

fn find(from: &dyn Source, state: &State, request: &HelloRequest) -> Result<Found, HubError> {
    let (Some(cursor), Some(head)) = (state.cursor(), request.head) else { return Ok(Found::Normal) };
    if head.epoch == cursor.epoch {
        // The same process: it holds what it sent, unless another of the same start spoke too.
        let same = head.seq > cursor.seq || history::hash_at(from, state, head.seq)? == Some(head.hash.0);
        return Ok(if same { Found::Normal } else { Found::Fork(true) });
    }
    let accepted = forks::is_accepted(from, state.outlet, request.epochs.iter().map(|card| card.epoch))?;
    let mut end = head;
    for (place, card) in request.epochs.iter().enumerate() {
        let known = history::epoch(from, state.outlet, card.epoch)?;
        if let Some(known) = known {
            let went_on = known.kept_to.is_some() && end.seq > known.last;
            if !accepted && (went_on || (place == 0 && known.kept_to.is_some())) {
                return Ok(Found::Fork(went_on));
            }
            if let Some(found) = shared(from, state, &cursor, &known, end)? {
                return Ok(found);
            }
        }
        match card.parent {
            Some(parent) => end = parent,
            None => return Ok(Found::Fork(true)),
        }
    }
    // The oldest start that the box names came after one that it does not name.
    if end.seq <= cursor.seq && history::hash_at(from, state, end.seq)? == Some(end.hash.0) {
        return Ok(if end.seq == cursor.seq { Found::Normal } else { Found::Parts(end.into()) });
    }
    // With more starts than it may name the box looks for the cursor in its log by itself.
    Ok(if request.epochs.len() >= MOST_EPOCHS && end.seq > cursor.seq {
        Found::Normal
    } else {
        Found::Fork(true)
    })
}

/// Where the logs part, if rows of this process start are in both; `end` is its last in the box's.
fn shared(
    from: &dyn Source,
    state: &State,
    cursor: &Position,
    known: &Epoch,
    end: At,
) -> Result<Option<Found>, HubError> {
    let ours = known.kept_to.unwrap_or(known.last).min(cursor.seq);
    if ours <= known.before {
        return Ok(None);
    }
    let common = ours.min(end.seq);
    let Some(position) = history::at(from, state, common)? else { return Ok(None) };
    // Another lineage's row has the number.
    if position.epoch != end.epoch {
        return Ok(None);
    }
    if common == end.seq && position.hash != end.hash.0 {
        return Ok(Some(Found::Fork(true)));
    }
    Ok(Some(if common == cursor.seq { Found::Normal } else { Found::Parts(position) }))
}
