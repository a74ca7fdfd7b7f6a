//! How the change log stays small: what head office confirmed long ago goes, what it has not confirmed is packed to a fraction of
//! its size. A little at a time, between the guests. Never lets go of a row that a head office put back from a backup may still ask
//! for, nor of the one that the next push follows from.

use super::exchange::Exchange;
use super::store::{self, LogRow, Pack, Peer};
use crate::db::{DbError, Source, Tx};
use tiffin_common::Millis;
use tiffin_common::frame::Hash;
use tokio::time::Instant;

/// Log rows that go in one step.
const ROWS: i64 = 500;

/// Bytes of log rows that are packed in one step: an answer from a pack reads all of it.
const PACKED: usize = 512 * 1024;

/// Since when nothing was left to do.
#[derive(Debug, Default)]
pub(super) struct Retention {
    rested: Option<Instant>,
}

impl Retention {
    /// Does a little; whether there is more.
    pub(super) async fn step(&mut self, exchange: &Exchange, peer: Option<&Peer>) -> Result<bool, DbError> {
        if self.rested.is_some_and(|at| at.elapsed() < exchange.0.settings.tidy_every) {
            return Ok(false);
        }
        let keep = i64::try_from(exchange.0.settings.keep_log.as_millis()).unwrap_or(i64::MAX);
        let before = exchange.now().after(keep.saturating_neg());
        let sure = peer.and_then(|peer| Some((peer, exchange.sure_now(peer.clock_offset_ms)?)));
        if let Some((peer, now)) = sure {
            let before = now.after(keep.saturating_neg());
            note_ack(exchange, peer, now, before).await?;
            if let_go(exchange, peer, before).await? {
                return Ok(true);
            }
        }
        let more = pack(exchange, before).await?;
        self.rested = (!more).then(Instant::now);
        Ok(more)
    }
}

/// Notes once a day how far head office has confirmed.
async fn note_ack(exchange: &Exchange, peer: &Peer, now: Millis, before: Millis) -> Result<(), DbError> {
    let Some(acked) = peer.acked else { return Ok(()) };
    let hub_epoch = peer.hub_epoch;
    if exchange.db().read(move |from| store::is_ack_due(from, hub_epoch, now)).await? {
        let note = move |tx: &Tx<'_>| store::insert_ack(tx, hub_epoch, acked.seq, (now, before));
        exchange.db().write(note).await.map_err(|error: DbError| error)?;
    }
    Ok(())
}

/// Lets go of some rows that head office had confirmed before `before`; whether there may be more.
async fn let_go(exchange: &Exchange, peer: &Peer, before: Millis) -> Result<bool, DbError> {
    // Not what is still to be summed up, and not the row that head office stands at.
    let held = peer.acked.map_or(0, |acked| acked.seq).min(peer.digest_seq);
    let hub_epoch = peer.hub_epoch;
    let look = move |from: &dyn Source| -> Result<Option<i64>, DbError> {
        let confirmed = store::find_acked(from, hub_epoch, before)?.min(held);
        Ok(store::find_first_kept(from)?.filter(|first| *first < confirmed).map(|_| confirmed))
    };
    let Some(confirmed) = exchange.db().read(look).await? else { return Ok(false) };
    let go = move |tx: &Tx<'_>| -> Result<bool, DbError> {
        let is_packed = store::delete_packs(tx, confirmed)?;
        Ok(!is_packed && store::delete_confirmed(tx, confirmed, ROWS)? > 0)
    };
    exchange.db().write(go).await
}

/// Packs some rows that are older than `before`; whether there may be more.
async fn pack(exchange: &Exchange, before: Millis) -> Result<bool, DbError> {
    let look = move |from: &dyn Source| -> Result<Option<(Hash, Vec<LogRow>, bool)>, DbError> {
        let rows = store::list_old(from, before, PACKED)?;
        let Some(first) = rows.first() else { return Ok(None) };
        // Few rows make a bad pack: they wait for others.
        let size: usize = rows.iter().map(|row| row.body.len() + 64).sum();
        let is_full = size > PACKED / 2;
        Ok(store::find_hash(from, first.header.seq - 1)?.map(|previous| (previous, rows, is_full)))
    };
    let Some((previous, rows, is_full)) = exchange.db().read(look).await? else { return Ok(false) };
    if !is_full {
        return Ok(false);
    }
    let make = move || Pack::of(previous, rows);
    let made = match exchange.db().env().inline {
        true => make(),
        false => tokio::task::spawn_blocking(make).await.unwrap_or_else(|error| Err(error.to_string())),
    };
    let pack = made.map_err(|error| DbError::Unavailable(format!("old log could not be packed: {error}")))?;
    exchange.db().write(move |tx| store::set_packed(tx, &pack)).await
}
