//! One outlet's rows within one transaction: many changes at once. Those of a push are folded to one for each row and written with one
//! statement for each table and kind; what the log rows expected is seen from the counts. Where something is not as expected the halves
//! are tried, down to the log row that does not fit: that one is left out, the others are made.

use super::days::{self, Days};
use super::error::said;
use super::fold::{Fold, Stop};
use super::plan::{Failed, Plan};
use super::source::PgSource;
use super::sums::Sums;
use super::value::Id;
use crate::store::{OutletTx, Replay, StoreError, Unapplied};
use edge::db::{Row, Source, Sql};
use futures_util::future::join;
use rusqlite::types::ToSql as SqliteToSql;
use tiffin_common::Uuid;
use tiffin_common::digest;
use tiffin_common::frame::Bucket;
use tiffin_common::registry::Table;
use tokio_postgres::types::ToSql;

/// An outlet's transaction.
pub(super) struct PgOutlet<'c> {
    source: PgSource<'c>,
    outlet: Uuid,
    /// Whether a savepoint is open: it is given up with the next one, or with the transaction.
    saved: bool,
}

impl<'c> PgOutlet<'c> {
    pub(super) fn new(source: PgSource<'c>, outlet: Uuid) -> Self {
        PgOutlet { source, outlet, saved: false }
    }

    /// Makes the changes of `rows`; those that do not fit leave their reason in `outcomes`.
    fn make(
        &mut self,
        rows: &[Replay<'_>],
        outcomes: &mut [Result<(), Unapplied>],
    ) -> Result<(), StoreError> {
        let mut from = 0;
        while from < rows.len() {
            let mut fold = Fold::new(self.outlet);
            let mut to = from;
            while let Some(row) = rows.get(to) {
                match fold.add(row) {
                    Ok(()) => {}
                    Err(Stop::Never(reason)) => set(outcomes, to, Err(reason)),
                    Err(Stop::First) => break,
                }
                to += 1;
            }
            let (these, theirs) = (rows.get(from..to), outcomes.get_mut(from..to));
            let (Some(these), Some(theirs)) = (these, theirs) else { return Err(StoreError::GivenUp) };
            match self.write(&fold) {
                Ok(()) => {}
                Err(Failed::Store(error)) => return Err(error),
                Err(Failed::Misfit(reason)) => self.halves(these, theirs, reason)?,
            }
            from = to;
        }
        Ok(())
    }

    fn halves(
        &mut self,
        rows: &[Replay<'_>],
        outcomes: &mut [Result<(), Unapplied>],
        reason: String,
    ) -> Result<(), StoreError> {
        if rows.len() <= 1 {
            set(outcomes, 0, Err(Unapplied(reason)));
            return Ok(());
        }
        // What was found about a log row was found on the way; it is found again.
        outcomes.fill(Ok(()));
        let middle = rows.len() / 2;
        let (left, right) = rows.split_at(middle);
        let (lefts, rights) = outcomes.split_at_mut(middle);
        self.make(left, lefts)?;
        self.make(right, rights)
    }

    /// Writes what the changes come to: all of it or nothing.
    fn write(&mut self, fold: &Fold<'_>) -> Result<(), Failed> {
        if fold.rows.is_empty() {
            return Ok(());
        }
        let plan = Plan::of(fold).map_err(Failed::Misfit)?;
        let save = if self.saved { "RELEASE applying; SAVEPOINT applying" } else { "SAVEPOINT applying" };
        let (sums, days) = (Sums::of(fold), Days::of(fold));
        let ran = self.source.waiter.wait(async {
            plan.run(&self.source, self.outlet, save, &days).await?;
            let drops = days.after(&self.source).await?;
            let dropped = days::run(&drops, &self.source, self.outlet);
            let (dropped, kept) = join(dropped, sums.keep(&self.source, self.outlet)).await;
            dropped?;
            Ok(kept?)
        });
        self.saved = true;
        if let Err(Failed::Misfit(_)) = &ran {
            self.source.waiter.wait(self.source.batch("ROLLBACK TO applying")).map_err(Failed::from)?;
        }
        ran
    }
}

fn set(outcomes: &mut [Result<(), Unapplied>], at: usize, outcome: Result<(), Unapplied>) {
    if let Some(place) = outcomes.get_mut(at) {
        *place = outcome;
    }
}

impl Source for PgOutlet<'_> {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn SqliteToSql],
        each: &mut dyn FnMut(&Row<'_>) -> edge::db::Result<bool>,
    ) -> edge::db::Result<()> {
        self.source.rows(sql, params, each)
    }
}

impl Sql for PgOutlet<'_> {
    fn execute(&self, sql: &str, params: &[&dyn SqliteToSql]) -> edge::db::Result<usize> {
        self.source.execute(sql, params)
    }
}

impl OutletTx for PgOutlet<'_> {
    fn apply(&mut self, rows: &[Replay<'_>]) -> Result<Vec<Result<(), Unapplied>>, StoreError> {
        let mut outcomes = vec![Ok(()); rows.len()];
        self.make(rows, &mut outcomes)?;
        Ok(outcomes)
    }

    fn prune(&mut self, table: &'static Table, bucket: Bucket, keep: &[Uuid]) -> Result<u64, StoreError> {
        let keep: Vec<&[u8]> = keep.iter().map(|id| id.as_bytes().as_slice()).collect();
        let outlet = Id(self.outlet);
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&outlet, &keep];
        let range = bucket.day.map(digest::ids_of_day);
        let bounds = range.as_ref().map(|range| (Id(range.start), Id(range.end)));
        let mut which = "WHERE outlet_id = $1 AND id <> ALL($2::bytea[])".to_owned();
        if let Some((start, end)) = &bounds {
            which.push_str(" AND id >= $3 AND id < $4");
            params.extend([start as &(dyn ToSql + Sync), end]);
        }
        let which = which.as_str();
        let gone = self.source.waiter.wait(async {
            let find = format!("SELECT id FROM merged.{} {which}", table.name);
            let find = self.source.prepared(&find, &[]).await?;
            let found = self.source.client.query(&find, &params).await.map_err(|error| said(&error))?;
            if found.is_empty() {
                return Ok(0);
            }
            let ids = found.iter().filter_map(|row| Uuid::from_slice(row.get(0)).ok()).collect();
            let days = Days::of_pruned(table, ids);
            days::run(&days.before(&self.source).await?, &self.source, self.outlet).await?;
            let delete = format!("DELETE FROM merged.{} {which}", table.name);
            let delete = self.source.prepared(&delete, &[]).await?;
            let gone = self.source.client.execute(&delete, &params).await.map_err(|error| said(&error))?;
            Sums::after_pruning(table).keep(&self.source, self.outlet).await?;
            Ok::<_, edge::db::DbError>(gone)
        });
        Ok(gone?)
    }
}
