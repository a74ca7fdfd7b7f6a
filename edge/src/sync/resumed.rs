//! A machine that was put back together with its memory: nothing here knows of it, and head office holds rows of this very process start
//! that this box has not. What was done here since gets a process start of its own, so that no number of a row means two things; from then
//! on it is a box that has lost rows, like any other. Never drops what was done here, never asks for anything where both agree.

use super::exchange::Exchange;
use super::store::{self, Peer};
use super::trouble::Trouble;
use super::{Hub, lost};
use crate::db::{DbError, Source, Tx};
use tiffin_common::Uuid;
use tiffin_common::frame::Position;
use tiffin_common::sync::batch::{Dictionary, Frame};
use tiffin_common::sync::{Hello, Standing};

/// Begins a process start after the last row that both have, if head office goes on from there with rows of this one; whether it did.
pub(super) async fn part(
    exchange: &Exchange,
    hub: &Hub,
    peer: &Peer,
    hello: &Hello,
) -> Result<bool, Trouble> {
    let Some(cursor) = hello.cursor.map(Position::from) else { return Ok(false) };
    let bugs = exchange.0.settings.bugs;
    if bugs.memory_goes_on() {
        return Ok(false);
    }
    let (acked, is_fork) = (peer.acked, hello.standing == Standing::Fork);
    let look = move |from: &dyn Source| -> Result<(bool, Option<Position>), DbError> {
        let is_known =
            |acked: &Position| store::find_hash(from, acked.seq).ok().flatten() == Some(acked.hash);
        let is_asked = !bugs.parts_while_it_runs() || is_present(from, cursor.epoch)?;
        Ok((is_asked && is_alien(from, cursor, is_fork)?, acked.filter(is_known)))
    };
    let (is_alien, shared) = exchange.db().read(look).await?;
    if !is_alien {
        return Ok(false);
    }
    let held = lost::fetch(hub, shared, cursor, Dictionary::among(&hello.dictionaries)).await?;
    Ok(exchange.db().write(move |tx| leave(tx, shared, &held, cursor.epoch)).await?)
}

/// Whether head office goes on with a process start of this box, the present one or, where the box was started again since, one of before, by
/// rows that this box did not make. Where a start of before ended here before `cursor` head office has compared all that both could have.
fn is_alien(from: &dyn Source, cursor: Position, is_fork: bool) -> Result<bool, DbError> {
    let Some(last) = store::find_last_of(from, cursor.epoch)? else { return Ok(false) };
    let is_kept = store::find_first_kept(from)?.is_some_and(|first| first <= cursor.seq);
    if !is_kept || (last < cursor.seq && !is_present(from, cursor.epoch)?) {
        return Ok(is_kept && is_fork);
    }
    Ok(store::find_hash(from, cursor.seq)? != Some(cursor.hash))
}

fn is_present(from: &dyn Source, epoch: Uuid) -> Result<bool, DbError> {
    Ok(store::find_head(from)?.is_some_and(|head| head.epoch == epoch))
}

/// Leaves the history of `held`, which goes on from `shared`, where this box's own does; whether it does before `epoch` ends here.
fn leave(tx: &Tx<'_>, shared: Option<Position>, held: &[Frame], epoch: Uuid) -> Result<bool, DbError> {
    let mut last = shared.map_or(0, |at| at.seq);
    for frame in held {
        if store::find_hash(tx, frame.header.seq)? != Some(frame.hash) {
            break;
        }
        last = frame.header.seq;
    }
    if !is_present(tx, epoch)? && store::find_last_of(tx, epoch)?.is_none_or(|end| end <= last) {
        return Ok(false);
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
    store::set_digest_seq(tx, seq.min(last))?;
    Ok(true)
}
