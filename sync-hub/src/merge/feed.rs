//! What head office has for a branch: the shared rows, by the version of the feed. One snapshot, so that no row can be left out by
//! a change that is made meanwhile; never a clock.

use super::error::HubError;
use super::state::State;
use super::{Desk, lives, salvage, schedule};
use crate::store::OutletTx;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use edge::db::{Row, Source, list, opt};
use tiffin_common::Millis;
use tiffin_common::sync::{FeedRow, PullQuery, PullReply, ScheduledRow};

/// Rows of one answer.
const PAGE: usize = 500;

/// What a look at the feed gave.
#[derive(Debug)]
pub enum Pulled {
    /// The answer.
    Reply(PullReply),
    /// Something has to be written first ([`before_pull`]).
    First,
}

/// What is new in the feed.
pub fn pull(from: &dyn Source, at: &Desk, query: &PullQuery) -> Result<Pulled, HubError> {
    let state = State::load(from, at.outlet)?;
    let is_due = state.next_due.is_some_and(|due| due <= at.now());
    let mark = query.mark.as_deref();
    let is_older = state.is_of_another_life(at) || lives::forgotten_by(from, &state, query.feed, mark)?;
    let is_sure = lives::ends_doubt(from, &state, query.feed, mark)?;
    if is_due || is_older || is_sure {
        Ok(Pulled::First)
    } else {
        pull_now(from, at, query).map(Pulled::Reply)
    }
}

/// What is new in the feed, whatever is due.
pub fn pull_now(from: &dyn Source, at: &Desk, query: &PullQuery) -> Result<PullReply, HubError> {
    const ALL: &str =
        "SELECT feed, row FROM hub_master WHERE outlet_id = ?1 AND deleted = 0 ORDER BY table_no, row_id";
    const SINCE: &str =
        "SELECT feed, row FROM hub_master WHERE outlet_id = ?1 AND feed > ?2 ORDER BY feed LIMIT ?3";
    let state = State::load(from, at.outlet)?;
    let is_other = query.hub_epoch.is_some_and(|epoch| epoch != at.hub_epoch);
    let reset = query.feed != 0
        && (is_other
            || query.feed > state.feed
            || !lives::is_marked(from, at.outlet, query.feed, query.mark.as_deref())?);
    let read = |row: &Row<'_>| {
        Ok(FeedRow { feed: row.get("feed")?, op: STANDARD.encode(row.get::<_, Vec<u8>>("row")?) })
    };
    let mut rows = if reset {
        list(from, ALL, [at.outlet], read)?
    } else {
        list(from, SINCE, (at.outlet, query.feed, PAGE as i64 + 1), read)?
    };
    let more = !reset && rows.len() > PAGE;
    if more {
        rows.truncate(PAGE);
    }
    let feed = if more { rows.last().map_or(state.feed, |row| row.feed) } else { state.feed };
    Ok(PullReply {
        hub_epoch: at.hub_epoch,
        reset,
        decided_to: state.applied_to,
        rows,
        scheduled: scheduled(from, at)?,
        feed,
        mark: mark(from, &state, feed)?,
        more,
        salvage: salvage::is_ordered(from, at.outlet)?,
        // The registry's, which this is not.
        chain: None,
    })
}

fn scheduled(from: &dyn Source, at: &Desk) -> Result<Vec<ScheduledRow>, HubError> {
    const SCHEDULED: &str = "SELECT id, effective_at, op FROM hub_scheduled
        WHERE outlet_id = ?1 AND applied_at IS NULL AND cancelled_at IS NULL ORDER BY effective_at, id";
    Ok(list(from, SCHEDULED, [at.outlet], |row| {
        let op = STANDARD.encode(row.get::<_, Vec<u8>>("op")?);
        Ok(ScheduledRow { id: row.get("id")?, effective_at: row.get("effective_at")?, op })
    })?)
}

/// The mark of a version: that of the step which made it.
fn mark(from: &dyn Source, state: &State, feed: i64) -> edge::db::Result<String> {
    const MARK: &str =
        "SELECT mark FROM hub_feed_marks WHERE outlet_id = ?1 AND feed >= ?2 ORDER BY feed LIMIT 1";
    let found =
        if feed > 0 { opt(from, MARK, (state.outlet, feed), |row| row.get::<_, [u8; 8]>(0))? } else { None };
    Ok(format!("{:016x}", u64::from_be_bytes(found.unwrap_or_default())))
}

/// The branch is about to send all its rows again: what head office published and the branch's log showed as arrived is as the branch
/// has it; what had not arrived is newer.
pub fn expect_all(tx: &mut dyn OutletTx, at: &Desk) -> Result<(), HubError> {
    let mut state = State::open(&*tx, at)?;
    let (known, seen) = (state.pulled, state.feed);
    Ok(state.leap(&*tx, at, known, seen)?)
}

/// Makes the changes that are due, and notices by what the branch has seen that this database is an older copy.
pub fn before_pull(tx: &mut dyn OutletTx, at: &Desk, now: Millis, query: &PullQuery) -> Result<(), HubError> {
    let mut state = State::open(&*tx, at)?;
    let mark = query.mark.as_deref();
    lives::notice(&*tx, at, &mut state, query.feed, mark)?;
    let is_sure = lives::ends_doubt(&*tx, &state, query.feed, mark)?;
    state.doubts_schedule &= !is_sure;
    schedule::make_due(tx, at, &mut state, now)?;
    if state.is_fed() || is_sure {
        state.save(&*tx, &at.env)?;
    }
    Ok(())
}
