//! The kept days, and reading a family of figures from them and, for the other days, from the rows themselves: the only writer
//! of the analytics tables.

use super::families::{ALL, Family};
use crate::db::{self, Columns, Row, Source, Sql, Tx, list, one};
use crate::resources::analytics::rules::{Plus, Range};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::{ToSql, Value};
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;

/// Rows to one statement.
const ROWS: usize = 64;

/// Consecutive dates that are read from one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    range: Range,
    kept: bool,
}

/// Where the figures of a range of dates are read from, in one snapshot.
#[derive(Debug, Clone)]
pub struct Plan {
    outlet: Uuid,
    spans: Vec<Span>,
    /// The present date, where it is one of them: open orders count on it.
    open_on: Option<NaiveDate>,
}

impl Plan {
    /// Of the outlet's `range`, on its present business date `today`.
    pub fn find(conn: &dyn Source, outlet: Uuid, range: Range, today: NaiveDate) -> db::Result<Plan> {
        let kept = list_kept(conn, outlet, range)?;
        let mut spans: Vec<Span> = Vec::new();
        for date in range.dates() {
            let is_kept = kept.contains(&date);
            match spans.last_mut() {
                Some(last) if last.kept == is_kept => last.range.to = date,
                _ => spans.push(Span { range: Range { from: date, to: date }, kept: is_kept }),
            }
        }
        let open_on = (range.from <= today && today <= range.to).then_some(today);
        Ok(Plan { outlet, spans, open_on })
    }

    /// The sums of a family by `keys`, which may be `business_date` and keys of the family.
    ///
    /// # Errors
    /// A sum that leaves its range.
    pub fn sum_by<K: Ord, S: Columns + Plus>(
        &self,
        conn: &dyn Source,
        family: &Family,
        keys: &[&str],
        key_of: impl Fn(&Row<'_>) -> db::Result<K>,
    ) -> db::Result<BTreeMap<K, S>> {
        let mut names = Vec::new();
        S::names(&mut names);
        let mut found: BTreeMap<K, S> = BTreeMap::new();
        for Span { range, kept } in &self.spans {
            let sql = select(family, *kept, keys, &names);
            let read = |row: &Row<'_>| Ok((key_of(row)?, S::read_at(row, &mut keys.len())?));
            add(&mut found, list(conn, &sql, params![self.outlet, range.from, range.to], read)?)?;
        }
        if let (Some(today), Some(open)) = (self.open_on, family.open) {
            let sql = sum(&format!("({open}) AS counted"), keys, &names);
            let read = |row: &Row<'_>| Ok((key_of(row)?, S::read_at(row, &mut keys.len())?));
            add(&mut found, list(conn, &sql, params![self.outlet, today], read)?)?;
        }
        Ok(found)
    }

    /// The present date, where it is one of those asked about.
    pub fn open_on(&self) -> Option<NaiveDate> {
        self.open_on
    }
}

/// Adds sums to those that were found before.
fn add<K: Ord, S: Plus>(found: &mut BTreeMap<K, S>, more: Vec<(K, S)>) -> db::Result<()> {
    for (key, sums) in more {
        let sum = found.entry(key).or_default();
        *sum = sum.plus(sums)?;
    }
    Ok(())
}

/// The statement that sums a family for the outlet `?1` from `?2` to `?3`: of its kept days, or of its rows.
pub(super) fn select(family: &Family, kept: bool, keys: &[&str], sums: &[&str]) -> String {
    let from = if kept {
        format!("{} WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3", family.table)
    } else {
        format!("({}) AS counted", family.rows)
    };
    sum(&from, keys, sums)
}

fn sum(from: &str, keys: &[&str], sums: &[&str]) -> String {
    let sums: Vec<String> = sums.iter().map(|sum| format!("coalesce(sum({sum}), 0)")).collect();
    let columns: Vec<&str> = keys.iter().copied().chain(sums.iter().map(String::as_str)).collect();
    let group = if keys.is_empty() { String::new() } else { format!(" GROUP BY {}", keys.join(", ")) };
    format!("SELECT {} FROM {from}{group}", columns.join(", "))
}

fn list_kept(conn: &dyn Source, outlet: Uuid, range: Range) -> db::Result<BTreeSet<NaiveDate>> {
    let sql = "SELECT business_date FROM analytics_days WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND kept = 1";
    Ok(list(conn, sql, params![outlet, range.from, range.to], |row| row.get(0))?.into_iter().collect())
}

/// The rows of each family, in the order of the families: the business date, the family's keys, its sums.
#[derive(Debug)]
pub struct Figures(Vec<Vec<Vec<Value>>>);

/// Sums up each family's rows of some days as they are now.
pub fn list_figures(conn: &dyn Source, outlet: Uuid, range: Range) -> db::Result<Figures> {
    let of = |family: &&Family| {
        let keys: Vec<&str> = dated(family).collect();
        let sql = select(family, false, &keys, family.sums);
        let columns = keys.len() + family.sums.len();
        list(conn, &sql, params![outlet, range.from, range.to], |row| {
            (0..columns).map(|place| row.get(place)).collect::<db::Result<Vec<Value>>>()
        })
    };
    ALL.iter().map(of).collect::<db::Result<_>>().map(Figures)
}

/// Keeps figures of finished days, which are what the days' rows sum up to.
pub fn set_kept(sql: &dyn Sql, outlet: Uuid, range: Range, figures: &Figures) -> db::Result<()> {
    for (family, rows) in ALL.iter().zip(&figures.0) {
        let table = family.table;
        sql.execute(
            &format!("DELETE FROM {table} WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3"),
            params![outlet, range.from, range.to],
        )?;
        let columns: Vec<&str> = dated(family).chain(family.sums.iter().copied()).collect();
        for rows in rows.chunks(ROWS) {
            insert_rows(sql, outlet, (table, &columns), rows)?;
        }
    }
    let mark = "INSERT INTO analytics_days (outlet_id, business_date, kept) VALUES (?1, ?2, 1)
                ON CONFLICT (outlet_id, business_date) DO UPDATE SET kept = 1";
    range.dates().try_for_each(|date| sql.execute(mark, params![outlet, date]).map(drop))
}

fn insert_rows(
    sql: &dyn Sql,
    outlet: Uuid,
    (table, columns): (&str, &[&str]),
    rows: &[Vec<Value>],
) -> db::Result<()> {
    // `?1` is the outlet; each row has its own places behind it.
    let places =
        |row: usize| (0..columns.len()).map(move |column| format!("?{}", row * columns.len() + column + 2));
    let tuple = |row: usize| format!("(?1, {})", places(row).collect::<Vec<_>>().join(", "));
    let tuples: Vec<String> = (0..rows.len()).map(tuple).collect();
    let text =
        format!("INSERT INTO {table} (outlet_id, {}) VALUES {}", columns.join(", "), tuples.join(", "));
    let outlet: &dyn ToSql = &outlet;
    let values = rows.iter().flatten().map(|value| value as &dyn ToSql);
    let values: Vec<&dyn ToSql> = std::iter::once(outlet).chain(values).collect();
    sql.execute(&text, &values).map(drop)
}

/// What a family is told apart by.
fn dated(family: &Family) -> impl Iterator<Item = &'static str> {
    std::iter::once("business_date").chain(family.keys.iter().copied())
}

/// Claims a day: from now on a change of one of its rows drops the claim. One that is there stays.
pub(in super::super) fn insert_claim(tx: &Tx<'_>, outlet: Uuid, date: NaiveDate) -> db::Result<()> {
    let sql = "INSERT INTO analytics_days (outlet_id, business_date, kept) VALUES (?1, ?2, 0) ON CONFLICT DO NOTHING";
    tx.execute(sql, params![outlet, date])
}

/// Whether none of the day's rows has changed since it was claimed.
pub(in super::super) fn is_claimed(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<bool> {
    let sql = "SELECT count(*) FROM analytics_days WHERE outlet_id = ?1 AND business_date = ?2 AND kept = 0";
    Ok(one(conn, sql, params![outlet, date], |row| row.get::<_, i64>(0))? > 0)
}

/// Drops all kept days of an outlet: its rows came from elsewhere.
pub fn delete_days(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM analytics_days WHERE outlet_id = ?1", [outlet]).map(drop)
}

/// The newest day before `today` that is not kept, back to the outlet's first, and at most `most` such days in a row that ends
/// with it.
pub fn find_missing(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
    most: usize,
) -> db::Result<Option<Range>> {
    let sql = "SELECT min(first) FROM (
                 SELECT min(business_date) AS first FROM orders WHERE outlet_id = ?1
                 UNION ALL SELECT min(business_date) FROM payments WHERE outlet_id = ?1
                 UNION ALL SELECT min(business_date) FROM table_sessions WHERE outlet_id = ?1
                 UNION ALL SELECT min(business_date) FROM stock_movements WHERE outlet_id = ?1) AS days";
    let first = one(conn, sql, [outlet], |row| row.get::<_, Option<NaiveDate>>(0))?;
    let Some(first) = first else { return Ok(None) };
    let Some(last) = today.pred_opt().filter(|last| *last >= first) else { return Ok(None) };
    let kept = list_kept(conn, outlet, Range { from: first, to: last })?;
    let earlier = |date: &NaiveDate| date.pred_opt().filter(|earlier| *earlier >= first);
    let to = std::iter::successors(Some(last), earlier).find(|date| !kept.contains(date));
    Ok(to.and_then(|to| {
        let missing = std::iter::successors(Some(to), earlier).take_while(|date| !kept.contains(date));
        missing.take(most).last().map(|from| Range { from, to })
    }))
}
