//! Takes days off the list of those whose figures are kept, in the transaction that changes one of the rows they are made of.
//! Never fills a day, and knows of the tables only what the one list of a figure's rows says.
//!
//! A kept day never outlives a change that was committed after it was summed up. Every unit of work that writes an outlet's rows
//! holds the lock of the outlet's room until it has committed, and so does the one that sums days up: it sees all that was committed
//! before it got the lock, and whatever comes later finds the day on the list and takes it off. Who reads has one snapshot of
//! list, sums and rows.

use super::columns::Columns;
use super::error::said;
use super::fold::{EndState, Expects, Fold};
use super::source::PgSource;
use super::value::Id;
use crate::store::bytes;
use edge::db::Result;
use edge::resources::analytics::store::reaches::{Day, reaches};
use futures_util::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_common::frame::Value;
use tiffin_common::registry::{Table, table, table_named};
use tokio_postgres::Statement;
use tokio_postgres::types::ToSql;

/// Takes off the list what the rest of the statement selects.
const OFF: &str = "DELETE FROM merged.analytics_days WHERE outlet_id = $1 AND business_date";

/// The days that changes concern.
///
/// A figure is a sum over combinations of rows. One that a change adds, takes away or alters has a changed row in it: if that row was
/// there before, the combination's day is among those the row reached before; if it is new, or is combined with others than before, among
/// those it reaches afterwards.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Days<'f> {
    /// Rows that may have been there before, by table: their days are looked up before they change.
    before: BTreeMap<&'static str, Vec<Uuid>>,
    /// Dates that rows come to.
    dates: BTreeSet<&'f str>,
    /// Values by which rows come to be combined with others: looked up when all is written.
    after: BTreeMap<Day, Vec<Vec<u8>>>,
}

impl<'f> Days<'f> {
    /// What the changes concern.
    pub(super) fn of(fold: &'f Fold<'_>) -> Days<'f> {
        let mut days = Days::default();
        for ((number, id), net) in &fold.rows {
            let Some(table) = table(*number) else { continue };
            let reaches = reaches(table.name);
            let Ok(columns) = Columns::of(table) else { continue };
            if reaches.is_empty() {
                continue;
            }
            if net.expects != Expects::Absent {
                days.before.entry(table.name).or_default().push(*id);
            }
            for day in reaches {
                let column = match day {
                    Day::Own => "business_date",
                    Day::Of { column, .. } => column,
                };
                let Some(place) = columns.find(column) else { continue };
                let value = match &net.end {
                    EndState::Put(row) => row.get(place),
                    EndState::Patch(patch) => {
                        patch.iter().find(|(at, _)| *at == place).map(|(_, value)| value)
                    }
                    EndState::Gone => None,
                };
                if let Some(value) = value {
                    days.come_to(fold, *day, value);
                }
            }
        }
        days
    }

    /// The days of rows that are taken away.
    pub(super) fn of_pruned(table: &Table, ids: Vec<Uuid>) -> Days<'static> {
        let known = (!reaches(table.name).is_empty() && !ids.is_empty()).then_some((table.name, ids));
        Days { before: known.into_iter().collect(), ..Days::default() }
    }

    fn come_to(&mut self, fold: &Fold<'_>, day: Day, value: &Value<'f>) {
        match (day, value) {
            (Day::Own, Value::Text(date)) => {
                self.dates.insert(date);
            }
            (Day::Of { table, key, .. }, _) => {
                let Some(value) = bytes(value).map(<[u8]>::to_vec) else { return };
                // A row that changes along with it tells its own days.
                let other = table_named(table).zip(Uuid::from_slice(&value).ok());
                let is_told =
                    key == "id" && other.is_some_and(|(table, id)| fold.rows.contains_key(&(table.no, id)));
                if !is_told {
                    self.after.entry(day).or_default().push(value);
                }
            }
            (Day::Own, _) => {}
        }
    }

    /// The statements for what was there before, to be sent ahead of the changes.
    pub(super) async fn before<'d>(&'d self, source: &PgSource<'_>) -> Result<Vec<Drop<'d>>> {
        let mut drops = Vec::with_capacity(self.before.len());
        for (table, ids) in &self.before {
            let days: Vec<String> = reaches(table).iter().map(|day| of_rows(table, *day)).collect();
            let sql = format!("{OFF} IN ({})", days.join(" UNION ALL "));
            let ids = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
            drops.push(Drop { statement: source.prepared(&sql, &[]).await?, values: Values::Bytes(ids) });
        }
        Ok(drops)
    }

    /// The same for what there is now.
    pub(super) async fn after<'d>(&'d self, source: &PgSource<'_>) -> Result<Vec<Drop<'d>>> {
        let mut drops = Vec::with_capacity(self.after.len() + 1);
        if !self.dates.is_empty() {
            let statement = source.prepared(&format!("{OFF} = ANY($2::text[])"), &[]).await?;
            drops.push(Drop { statement, values: Values::Texts(self.dates.iter().copied().collect()) });
        }
        for (day, values) in &self.after {
            let Day::Of { table, key, only, .. } = day else { continue };
            let sql = format!("{OFF} IN ({})", of_values(table, key, *only));
            let values = values.iter().map(Vec::as_slice).collect();
            drops.push(Drop { statement: source.prepared(&sql, &[]).await?, values: Values::Bytes(values) });
        }
        Ok(drops)
    }
}

/// The days of the rows of `table` whose ids are `$2`.
fn of_rows(table: &str, day: Day) -> String {
    match day {
        Day::Own => of_values(table, "id", None),
        Day::Of { table: other, key, column: "id", only } => of_values(other, key, only),
        Day::Of { table: other, key, column, only } => {
            let only = only.map(|only| format!(" AND d.{only}")).unwrap_or_default();
            format!(
                "SELECT d.business_date FROM merged.{table} r JOIN merged.{other} d ON d.outlet_id = r.outlet_id AND d.{key} = r.{column}
                 WHERE r.outlet_id = $1 AND r.id = ANY($2::bytea[]){only}"
            )
        }
    }
}

/// The days of the rows of `table` whose `key` is one of `$2`.
fn of_values(table: &str, key: &str, only: Option<&str>) -> String {
    let only = only.map(|only| format!(" AND d.{only}")).unwrap_or_default();
    format!(
        "SELECT d.business_date FROM merged.{table} d WHERE d.outlet_id = $1 AND d.{key} = ANY($2::bytea[]){only}"
    )
}

#[derive(Debug)]
enum Values<'d> {
    Bytes(Vec<&'d [u8]>),
    Texts(Vec<&'d str>),
}

/// One statement that takes days off the list.
pub(super) struct Drop<'d> {
    statement: Statement,
    values: Values<'d>,
}

impl Drop<'_> {
    async fn run(&self, source: &PgSource<'_>, outlet: Uuid) -> Result<()> {
        let outlet = Id(outlet);
        let values: &(dyn ToSql + Sync) = match &self.values {
            Values::Bytes(values) => values,
            Values::Texts(values) => values,
        };
        let ran = source.client.execute(&self.statement, &[&outlet, values]).await;
        ran.map(drop).map_err(|error| said(&error))
    }
}

/// Runs them, one behind the other without waiting in between.
pub(super) async fn run(drops: &[Drop<'_>], source: &PgSource<'_>, outlet: Uuid) -> Result<()> {
    join_all(drops.iter().map(|drop| drop.run(source, outlet))).await.into_iter().collect()
}
