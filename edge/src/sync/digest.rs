//! The proof that head office holds the same rows: sums over buckets of this box's own rows, written into the log at exactly the
//! position they describe; and the repair of a bucket that head office found different. Never trusts a sum it did not make from rows.

use super::exchange::{Exchange, Next, lock, outlet};
use super::{notices, steps, store};
use crate::db::{DbError, Source, Tx};
use crate::exchange::Verdict;
use crate::log::Whole;
use chrono::{Datelike, Days, NaiveDate};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tiffin_common::digest::{RowSum, bucket_of, ids_of_day, row_hash};
use tiffin_common::frame::{Bucket, Kind};
use tiffin_common::registry::{self, Owner, TABLES, Table};
use tiffin_common::sync::BucketCard;
use tiffin_common::{Millis, Uuid};
use tokio::time::Instant;

/// Buckets summed up in one action: the writer is not held up for longer than a large order takes.
const BUCKETS: usize = 4;

/// Older days that are summed up again with each close.
const OLDER: u64 = 3;

/// Days back that they come from.
const TURN: u64 = 400;

/// A bucket is sent whole at most this often: if that does not help, a person must look.
const REPAIR_EVERY: Duration = Duration::from_secs(3_600);

/// Log rows looked at in one read.
const ROWS: usize = 8_192;

/// When buckets were last sent whole.
#[derive(Debug, Default)]
pub(super) struct Repairs(BTreeMap<(u16, Option<NaiveDate>), Instant>);

/// What head office said of its comparisons when it was last taken up.
#[derive(Debug, Default)]
pub(super) struct Told {
    bad: Vec<BucketCard>,
    agreed_at: Option<i64>,
    at: Option<Instant>,
}

impl Told {
    /// Whether these say something else, or what differs has stayed so for an hour. Each push is answered with what differs: an
    /// answer that says the same again, such as that to a push of nothing but the alarm, is no reason to write anything.
    fn is_news(&self, bad: &[BucketCard], agreed_at: Option<i64>) -> bool {
        let is_old = !bad.is_empty() && self.at.is_none_or(|at| at.elapsed() >= REPAIR_EVERY);
        is_old || self.agreed_at != agreed_at || self.bad != bad
    }
}

/// Head office has compared: keeps the verdict, and what is to be repaired. What it has `told` before changes nothing.
pub(super) async fn verdict(
    exchange: &Exchange,
    told: &mut Told,
    bad: &[BucketCard],
    agreed_at: Option<i64>,
) -> Result<(), DbError> {
    let mut bad = bad.to_vec();
    bad.sort_unstable_by_key(|card| (card.table, card.day));
    let repeats = exchange.0.settings.bugs.alarm_with_every_push();
    if !repeats && !told.is_news(&bad, agreed_at) {
        return Ok(());
    }
    let count = bad.len();
    exchange
        .db()
        .write(move |tx| -> Result<(), DbError> {
            let was_bad = store::find_peer(tx)?.is_some_and(|peer| peer.digest == Some(Verdict::Bad));
            store::set_digest(tx, if count == 0 { Verdict::Ok } else { Verdict::Bad })?;
            if count == 0 { Ok(()) } else { notices::differs(tx, outlet(tx)?, count, was_bad && !repeats) }
        })
        .await?;
    *told = Told { bad: bad.clone(), agreed_at, at: Some(Instant::now()) };
    if count > 0 {
        tracing::error!(buckets = count, "head office's rows differ");
        *lock(&exchange.0.bad) = bad;
        exchange.0.wake_chores.notify_one();
    }
    Ok(())
}

/// Sends one of the buckets that differ whole, and its sum again; whether there was one.
pub(super) async fn repair_one(exchange: &Exchange, repairs: &mut Repairs) -> Result<Option<Next>, DbError> {
    let Some(card) = lock(&exchange.0.bad).pop() else { return Ok(None) };
    let key = (card.table, card.day);
    if repairs.0.get(&key).is_some_and(|at| at.elapsed() < REPAIR_EVERY) {
        return Ok(Some(Next::at_once()));
    }
    let bucket = Bucket { table: card.table, day: card.day };
    exchange.db().write(move |tx| send_whole(tx, bucket)).await?;
    repairs.0.insert(key, Instant::now());
    Ok(Some(Next::at_once()))
}

/// Sends a bucket whole, and its sum; answers how many rows it has.
pub(super) fn send_whole(tx: &Tx<'_>, bucket: Bucket) -> Result<usize, DbError> {
    let Some(table) = registry::table(bucket.table) else { return Ok(0) };
    let rows: Vec<_> = ids(tx, table, bucket)?.into_iter().map(|id| (table.no, id)).collect();
    tx.record_whole(Whole::Repair(bucket), &rows)?;
    let entry = sum(tx, table, bucket)?.entry(bucket);
    tx.record_digest(&[entry])?;
    Ok(rows.len())
}

/// The buckets that log rows after `seq` changed, and the number of the last row looked at. A day that was closed brings all
/// buckets of its days, of some older ones and the shared tables, changed or not.
pub(super) fn changed_since(
    from: &dyn Source,
    seq: i64,
    now: Millis,
) -> Result<(BTreeSet<Bucket>, i64), DbError> {
    let (mut buckets, mut after) = (BTreeSet::new(), seq);
    loop {
        let frames = store::list_after(from, after, 16 * 1024 * 1024, ROWS)?;
        let Some(last) = frames.last() else { break };
        after = last.header.seq;
        for frame in frames.iter().filter(|frame| has_changes(frame.header.kind)) {
            let body = steps::decoded(frame)?;
            for op in body.ops() {
                if let (Some(table), Some(id)) = (registry::table(op.table), op.row_id()) {
                    buckets.insert(bucket_of(table, id));
                }
            }
        }
    }
    let is_closed = buckets
        .iter()
        .any(|bucket| registry::table(bucket.table).is_some_and(|table| table.name == "day_closes"));
    if is_closed {
        let today = now.to_utc().date_naive();
        let days: Vec<NaiveDate> =
            [Some(today), today.pred_opt()].into_iter().flatten().chain(older(today)).collect();
        for table in TABLES {
            match table.owner {
                Owner::Shared => drop(buckets.insert(Bucket { table: table.no, day: None })),
                Owner::Outlet => {
                    buckets.extend(days.iter().map(|day| Bucket { table: table.no, day: Some(*day) }));
                }
            }
        }
    }
    Ok((buckets, after))
}

/// The older days that a close on `today` has compared once more: what goes wrong on a disk long after is found, too. Their turn goes
/// through the days before three times as fast as those go by, so each comes up once or twice in half of [`TURN`] closes.
fn older(today: NaiveDate) -> impl Iterator<Item = NaiveDate> {
    let place = u64::try_from(today.num_days_from_ce()).unwrap_or_default() * OLDER;
    (place..place + OLDER).filter_map(move |place| today.checked_sub_days(Days::new(2 + place % TURN)))
}

/// Whether rows of this kind change what was summed up: a bucket that is sent whole brings its sum along.
fn has_changes(kind: Kind) -> bool {
    !matches!(kind, Kind::EpochStart | Kind::Digest | Kind::Schema | Kind::Repair)
}

/// Sums up `buckets` into the log, a few in each action; then everything up to `seq` is summed up.
pub(super) async fn sum_up(exchange: &Exchange, buckets: BTreeSet<Bucket>, seq: i64) -> Result<(), DbError> {
    let buckets: Vec<Bucket> = buckets.into_iter().collect();
    for some in buckets.chunks(BUCKETS) {
        let some = some.to_vec();
        exchange
            .db()
            .write(move |tx| -> Result<(), DbError> {
                let mut entries = Vec::with_capacity(some.len());
                for bucket in some {
                    if let Some(table) = registry::table(bucket.table) {
                        entries.push(sum(tx, table, bucket)?.entry(bucket));
                    }
                }
                tx.record_digest(&entries)?;
                Ok(())
            })
            .await?;
    }
    exchange.db().write(move |tx| store::set_digest_seq(tx, seq)).await
}

/// The sum of a bucket's rows as they are now.
pub(super) fn sum(tx: &Tx<'_>, table: &'static Table, bucket: Bucket) -> Result<RowSum, DbError> {
    let mut sum = RowSum::default();
    store::each_row(tx, table, bucket.day.map(ids_of_day), |values| {
        sum.add(row_hash(table, values.iter().copied()));
    })?;
    Ok(sum)
}

fn ids(tx: &Tx<'_>, table: &'static Table, bucket: Bucket) -> Result<Vec<Uuid>, DbError> {
    let mut ids = Vec::new();
    store::each_row(tx, table, bucket.day.map(ids_of_day), |values| {
        if let Some((0, tiffin_common::frame::Value::Id(id))) = values.first() {
            ids.push(*id);
        }
    })?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_a_year_is_compared_again_within_two_hundred_closes() {
        let first: NaiveDate = "2026-02-27".parse().unwrap();
        for day in first.iter_days().take(400) {
            let closes = day.iter_days().skip(1).take(201);
            let again: Vec<usize> = closes
                .enumerate()
                .filter(|(_, close)| older(*close).any(|old| old == day))
                .map(|(at, _)| at)
                .collect();
            assert!(matches!(again[..], [_] | [_, _]), "{day}: {again:?}");
        }
    }
}
