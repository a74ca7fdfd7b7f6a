//! The kept days, and reading a family of figures from them and, for the other days, from the rows themselves: the only writer
//! of the analytics tables.

use super::families::{ALL, Family};
use crate::db::{self, DbError, Row, Source, Sql, Transaction, list};
use crate::resources::analytics::rules::Range;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::{Overflow, Uuid};

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
    pub fn of(conn: &dyn Source, outlet: Uuid, range: Range) -> db::Result<Plan> {
        let kept = kept_days(conn, outlet, range)?;
        let mut spans: Vec<Span> = Vec::new();
        for date in range.dates() {
            let is_kept = kept.contains(&date.to_string());
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
    pub fn read<K: Ord, const N: usize>(
        &self,
        conn: &dyn Source,
        family: &Family,
        keys: &[&str],
        sums: [&str; N],
        key_of: impl Fn(&Row<'_>) -> db::Result<K>,
    ) -> Result<BTreeMap<K, [i64; N]>, DbError> {
        let mut found: BTreeMap<K, [i64; N]> = BTreeMap::new();
        for span in &self.spans {
            let sql = select(family, span.kept, keys, &sums);
            let dates = (span.range.from.to_string(), span.range.to.to_string());
            let rows = list(conn, &sql, params![self.outlet, dates.0, dates.1], |row| {
                let mut values = [0i64; N];
                for (index, value) in values.iter_mut().enumerate() {
                    *value = row.get(keys.len() + index)?;
                }
                Ok((key_of(row)?, values))
            })?;
            for (key, values) in rows {
                let sum = found.entry(key).or_insert([0; N]);
                for (sum, value) in sum.iter_mut().zip(values) {
                    *sum = sum.checked_add(value).ok_or(Overflow)?;
                }
            }
        }
        Ok(found)
    }

    /// The sums of a family over the whole range.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn total<const N: usize>(
        &self,
        conn: &dyn Source,
        family: &Family,
        sums: [&str; N],
    ) -> Result<[i64; N], DbError> {
        let found = self.read(conn, family, &[], sums, |_| Ok(()))?;
        Ok(found.into_values().next().unwrap_or([0; N]))
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

fn kept_days(conn: &dyn Source, outlet: Uuid, range: Range) -> db::Result<BTreeSet<String>> {
    let sql =
        "SELECT business_date FROM analytics_days WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3";
    let days =
        list(conn, sql, params![outlet, range.from.to_string(), range.to.to_string()], |row| row.get(0))?;
    Ok(days.into_iter().collect())
}

/// Keeps the figures of finished days as their rows are now.
pub fn keep(sql: &dyn Sql, outlet: Uuid, range: Range) -> db::Result<()> {
    let (from, to) = (range.from.to_string(), range.to.to_string());
    for family in ALL {
        let Family { table, keys, sums, rows } = family;
        sql.execute(
            &format!("DELETE FROM {table} WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3"),
            params![outlet, from, to],
        )?;
        let keys: Vec<&str> = std::iter::once("business_date").chain(keys.iter().copied()).collect();
        let keys = keys.join(", ");
        let totals: Vec<String> = sums.iter().map(|sum| format!("sum({sum})")).collect();
        let text = format!(
            "INSERT INTO {table} (outlet_id, {keys}, {}) SELECT ?1, {keys}, {} FROM ({rows}) AS counted GROUP BY {keys}",
            sums.join(", "),
            totals.join(", ")
        );
        sql.execute(&text, params![outlet, from, to])?;
    }
    let mark = "INSERT INTO analytics_days (outlet_id, business_date) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    range.dates().try_for_each(|date| sql.execute(mark, params![outlet, date.to_string()]).map(drop))
}

/// Drops all kept days of an outlet: its rows came from elsewhere.
pub fn forget_days(tx: &Transaction<'_>, outlet: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM analytics_days WHERE outlet_id = ?1", [outlet]).map(drop)
}

/// The newest day before `today` that is not kept, back to the outlet's first, and at most `most` such days in a row that ends
/// with it.
pub fn newest_missing(
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
    let first: Option<String> = crate::db::one(conn, sql, [outlet], |row| row.get(0))?;
    let Some(first) = first.and_then(|text| text.parse::<NaiveDate>().ok()) else { return Ok(None) };
    let Some(last) = today.pred_opt().filter(|last| *last >= first) else { return Ok(None) };
    let kept = kept_days(conn, outlet, Range { from: first, to: last })?;
    let is_kept = |date: &NaiveDate| kept.contains(&date.to_string());
    let earlier = |date: &NaiveDate| date.pred_opt().filter(|earlier| *earlier >= first);
    let to = std::iter::successors(Some(last), earlier).find(|date| !is_kept(date));
    Ok(to.and_then(|to| {
        let missing = std::iter::successors(Some(to), earlier).take_while(|date| !is_kept(date));
        missing.take(most).last().map(|from| Range { from, to })
    }))
}
