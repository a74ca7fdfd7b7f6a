//! Fills a head office again that lacks what this box no longer keeps: the log begins anew after what head office has, with every row as it
//! is. Shared rows come at once and as head office's own, the rest bucket by bucket, between the guests. Never changes a row.

use super::digest;
use super::enrolment::Enrolment;
use super::exchange::{Exchange, outlet};
use super::{notices, store};
use crate::db::{DbError, Source, Tx};
use crate::log::{RowKey, Whole};
use tiffin_common::Uuid;
use tiffin_common::frame::{Bucket, Hash, Position};
use tiffin_common::registry::{Owner, TABLES};
use tiffin_common::sync::At;

/// Rows of one log row.
const ROWS: usize = 500;

/// Rows after which a step is enough: most buckets are small, and there are thousands; tills wait for it as for a large order.
const STEP: usize = 400;

/// Whether a head office whose copy of the log ends at `cursor` lacks rows that are no longer kept here; none when it has rows that
/// this box has not. What it took back from there once (see [`recovery`](super::recovery)) it has, however long ago that was.
pub(super) fn is_lacking(from: &dyn Source, cursor: Option<At>) -> Result<Option<bool>, DbError> {
    let first = store::find_first_kept(from)?.unwrap_or(1);
    let Some(at) = cursor else { return Ok(Some(first > 1)) };
    let recovered = store::find_peer(from)?.filter(|peer| peer.recovered == Some((at.seq, at.hash.0)));
    if let Some(peer) = recovered {
        // Where it goes on from is before that: whether this is still kept, the push has found out.
        return Ok(Some(peer.lacking_since.is_some()));
    }
    let is_gone = at.seq + 1 < first;
    let is_own = match store::find_hash(from, at.seq)? {
        Some(hash) => hash == at.hash.0,
        None => is_gone && store::is_own_epoch(from, at.epoch)?,
    };
    Ok(is_own.then_some(is_gone))
}

/// Head office lacks what is no longer kept here: said once.
pub(super) fn note_lacking(tx: &Tx<'_>) -> Result<(), DbError> {
    if store::find_peer(tx)?.is_some_and(|peer| peer.lacking_since.is_none()) {
        store::set_lacking(tx, Some(tx.now()))?;
        notices::gone(tx, outlet(tx)?)?;
    }
    Ok(())
}

/// Begins the log anew, and notes what is to be sent; `feed` is beyond all that head office published and this box has seen.
pub(super) fn begin(tx: &Tx<'_>, found: &Enrolment, reseed: Uuid, feed: i64) -> Result<(), DbError> {
    let at = found.replaces.map(Position::from);
    store::delete_log(tx)?;
    tx.begin_log_anew(at)?;
    // Until all of it is there, rows change that head office does not have yet.
    tx.record_whole(Whole::Repair(Bucket::ALL), &[])?;
    let (first, then): (Vec<_>, Vec<_>) = TABLES.iter().partition(|table| table.owner == Owner::Shared);
    let mut shared: Vec<RowKey> = Vec::new();
    for table in &first {
        let ids = store::list_ids(tx, table, found.outlet.id)?;
        shared.extend(ids.into_iter().map(|id| (table.no, id)));
    }
    for rows in shared.chunks(ROWS) {
        tx.record_whole(Whole::Pulled(feed), rows)?;
    }
    // What head office has besides goes with the sum of each table.
    for table in first.into_iter().chain(then) {
        for bucket in store::list_buckets(tx, table)? {
            store::insert_reseed(tx, bucket)?;
        }
    }
    let head = store::find_head(tx)?.map_or(0, |head| head.seq);
    store::set_reseeded(tx, reseed, at, feed, head)?;
    tracing::warn!(rows = shared.len(), "head office is filled again with all rows of this box");
    Ok(())
}

/// Sends the next buckets whole, as many as are soon done; whether there were any.
pub(super) async fn step(exchange: &Exchange) -> Result<bool, DbError> {
    if exchange.db().read(|from| store::find_reseed(from)).await?.is_none() {
        return Ok(false);
    }
    let send = |tx: &Tx<'_>| -> Result<(), DbError> {
        let mut rows = 0usize;
        while let Some((id, bucket)) = store::find_reseed(tx)? {
            if rows >= STEP {
                return Ok(());
            }
            rows = rows.saturating_add(digest::send_whole(tx, bucket)?);
            store::delete_reseed(tx, id)?;
        }
        let all = Position { epoch: outlet(tx)?, seq: 0, hash: Hash::START };
        tx.record_whole(Whole::Recovered(all), &[])?;
        Ok(())
    };
    exchange.db().write(send).await?;
    Ok(true)
}
