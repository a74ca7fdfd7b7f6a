//! A machine that was put back together with its memory: nothing here knows of it, and head office holds rows of this very process start
//! that this box has not. What was done here since gets a process start of its own, so that no number of a row means two things; from then
//! on it is a box that has lost rows, like any other. Never drops what was done here, never asks for anything where both agree.

use super::exchange::Exchange;
use super::store::{self, Peer};
use super::trouble::Trouble;
use super::{Hub, lost};
use crate::db::{DbError, Source, Tx};
use tiffin_common::frame::Position;
use tiffin_common::sync::Hello;
use tiffin_common::sync::batch::{Dictionary, Frame};

/// Begins a process start after the last row that both have, if head office goes on from there with rows of this one; whether it did.
pub(super) async fn part(
    exchange: &Exchange,
    hub: &Hub,
    peer: &Peer,
    hello: &Hello,
) -> Result<bool, Trouble> {
    let Some(cursor) = hello.cursor.map(Position::from) else { return Ok(false) };
    if exchange.0.settings.bugs.memory_goes_on() {
        return Ok(false);
    }
    let acked = peer.acked;
    let look = move |from: &dyn Source| -> Result<(bool, Option<Position>), DbError> {
        let is_own_start = store::find_head(from)?.is_some_and(|head| head.epoch == cursor.epoch);
        let is_kept = store::find_first_kept(from)?.is_some_and(|first| first <= cursor.seq);
        let is_alien = is_own_start && is_kept && store::find_hash(from, cursor.seq)? != Some(cursor.hash);
        let is_known =
            |acked: &Position| store::find_hash(from, acked.seq).ok().flatten() == Some(acked.hash);
        Ok((is_alien, acked.filter(is_known)))
    };
    let (is_alien, shared) = exchange.db().read(look).await?;
    if !is_alien {
        return Ok(false);
    }
    let held = lost::fetch(hub, shared, cursor, Dictionary::among(&hello.dictionaries)).await?;
    exchange.db().write(move |tx| leave(tx, shared, &held)).await?;
    Ok(true)
}

/// Leaves the history of `held`, which goes on from `shared`, where this box's own does.
fn leave(tx: &Tx<'_>, shared: Option<Position>, held: &[Frame]) -> Result<(), DbError> {
    let mut last = shared.map_or(0, |at| at.seq);
    for frame in held {
        if store::find_hash(tx, frame.header.seq)? != Some(frame.hash) {
            break;
        }
        last = frame.header.seq;
    }
    if !store::is_in_log(tx, last)? {
        return Err(DbError::Unavailable("what was done here since is no longer in the log itself".into()));
    }
    let rows = tx.start_anew_after(last)?;
    tracing::warn!(
        after = last,
        rows,
        "this machine was put back together with its memory: its log parts here"
    );
    let seq = store::find_peer(tx)?.map_or(0, |peer| peer.digest_seq);
    store::set_digest_seq(tx, seq.min(last))
}
