//! The kept days, and reading a family of figures from them and, for the other days, from the rows themselves: the only writer
//! of the analytics tables.

use super::families::{ALL, Family};
use crate::db::{self, Columns, Row, Source, Sql, Tx, list, one};
use crate::resources::analytics::rules::{Plus, Range};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;

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
}

impl Plan {
    /// Of the outlet's `range`.
    pub fn find(conn: &dyn Source, outlet: Uuid, range: Range) -> db::Result<Plan> {
        let kept = list_kept(conn, outlet, range)?;
        let mut spans: Vec<Span> = Vec::new();
        for date in range.dates() {
            let is_kept = kept.contains(&date);
            match spans.last_mut() {
                Some(last) if last.kept == is_kept => last.range.to = date,
                _ => spans.push(Span { range: Range { from: date, to: date }, kept: is_kept }),
            }
        }
        Ok(Plan { outlet, spans })
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
            for (key, sums) in list(conn, &sql, params![self.outlet, range.from, range.to], |row| {
                Ok((key_of(row)?, S::read_at(row, &mut keys.len())?))
            })? {
                let sum = found.entry(key).or_default();
                *sum = sum.plus(sums)?;
            }
        }
        Ok(found)
    }
}

/// The statement that sums a family for the outlet `?1` from `?2` to `?3`: of its kept days, or of its rows.
pub(super) fn select(family: &Family, kept: bool, keys: &[&str], sums: &[&str]) -> String {
    let sums: Vec<String> = sums.iter().map(|sum| format!("coalesce(sum({sum}), 0)")).collect();
    let columns: Vec<&str> = keys.iter().copied().chain(sums.iter().map(String::as_str)).collect();
    let from = if kept {
        format!("{} WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3", family.table)
    } else {
        format!("({}) AS counted", family.rows)
    };
    let group = if keys.is_empty() { String::new() } else { format!(" GROUP BY {}", keys.join(", ")) };
    format!("SELECT {} FROM {from}{group}", columns.join(", "))
}

fn list_kept(conn: &dyn Source, outlet: Uuid, range: Range) -> db::Result<BTreeSet<NaiveDate>> {
    let sql =
        "SELECT business_date FROM analytics_days WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3";
    Ok(list(conn, sql, params![outlet, range.from, range.to], |row| row.get(0))?.into_iter().collect())
}

/// Keeps the figures of finished days as their rows are now.
pub fn set_kept(sql: &dyn Sql, outlet: Uuid, range: Range) -> db::Result<()> {
    for family in ALL {
        let Family { table, keys, sums, rows } = family;
        sql.execute(
            &format!("DELETE FROM {table} WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3"),
            params![outlet, range.from, range.to],
        )?;
        let keys: Vec<&str> = std::iter::once("business_date").chain(keys.iter().copied()).collect();
        let keys = keys.join(", ");
        let totals: Vec<String> = sums.iter().map(|sum| format!("sum({sum})")).collect();
        let text = format!(
            "INSERT INTO {table} (outlet_id, {keys}, {}) SELECT ?1, {keys}, {} FROM ({rows}) AS counted GROUP BY {keys}",
            sums.join(", "),
            totals.join(", ")
        );
        sql.execute(&text, params![outlet, range.from, range.to])?;
    }
    let mark = "INSERT INTO analytics_days (outlet_id, business_date) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    range.dates().try_for_each(|date| sql.execute(mark, params![outlet, date]).map(drop))
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
