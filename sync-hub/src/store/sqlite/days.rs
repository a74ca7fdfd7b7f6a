//! Takes days off the list of those whose figures are kept, in the transaction that changes one of the rows they are made of, however
//! the row came: as on PostgreSQL, whose file says why none is missed (`postgres/days.rs`), but row by row. The first change of what a
//! figure is made of finds its day as it was; the day that the last one leaves it on is looked up when all is written. Never fills a day.

use crate::store::bytes;
use edge::resources::analytics::store::reaches::{Day, REACHES, Reach};
use rusqlite::types::ToSql;
use rusqlite::{Connection, Result, params};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;
use tiffin_common::Uuid;
use tiffin_common::frame::{Op, Value};
use tiffin_common::registry::table_named;
use tiffin_common::text::clean;

const ANY: &str = "SELECT EXISTS (SELECT 1 FROM analytics_days WHERE outlet_id = ?1)";
const OFF: &str = "DELETE FROM analytics_days WHERE outlet_id = ?1 AND business_date = ?2";

/// How the rows of a table reach days.
#[derive(Debug)]
struct Reached {
    /// What finds the days of a row that is there, by its id.
    held: Vec<String>,
    /// The columns by which a row comes to days, with what finds them by the value; none where the value is the day.
    comes: Vec<(usize, Option<String>)>,
}

/// How the rows of table `number` reach days; none where they reach none.
fn reached(number: u16) -> Option<&'static Reached> {
    static ALL: LazyLock<HashMap<u16, Reached>> =
        LazyLock::new(|| REACHES.iter().filter_map(reach).collect());
    ALL.get(&number)
}

fn reach(Reach { table: name, days }: &Reach) -> Option<(u16, Reached)> {
    let table = table_named(name)?;
    let comes = |day: &Day| match day {
        Day::Own => Some((table.column("business_date")?, None)),
        Day::Of { table: other, key, column, only } => {
            Some((table.column(column)?, Some(of_value(other, key, *only))))
        }
    };
    let held = days.iter().map(|day| of_row(name, *day)).collect();
    Some((table.no, Reached { held, comes: days.iter().filter_map(comes).collect() }))
}

/// The days of the row of `table` whose id is `?1`.
fn of_row(table: &str, day: Day) -> String {
    match day {
        Day::Own => of_value(table, "id", None),
        Day::Of { table: other, key, column: "id", only } => of_value(other, key, only),
        Day::Of { table: other, key, column, only } => {
            let only = only.map(|only| format!(" AND d.{only}")).unwrap_or_default();
            format!(
                "SELECT d.business_date FROM {table} r JOIN {other} d ON d.{key} = r.{column} WHERE r.id = ?1{only}"
            )
        }
    }
}

/// The days of the rows of `table` whose `key` is `?1`.
fn of_value(table: &str, key: &str, only: Option<&str>) -> String {
    let only = only.map(|only| format!(" AND d.{only}")).unwrap_or_default();
    format!("SELECT d.business_date FROM {table} d WHERE d.{key} = ?1{only}")
}

/// The days that changes concern.
#[derive(Debug, Default)]
pub(super) struct Days {
    dates: BTreeSet<String>,
    /// Values by which rows come to be combined with others, with what finds these: looked up when all is written.
    after: BTreeSet<(&'static str, Vec<u8>)>,
}

impl Days {
    /// None where no day's figures are kept: there is nothing to look up.
    pub(super) fn open(conn: &Connection, outlet: Uuid) -> Result<Option<Days>> {
        let any: bool = conn.prepare_cached(ANY)?.query_row([outlet], |row| row.get(0))?;
        Ok(any.then(Days::default))
    }

    /// Notes the days of the row that a change is about to be made to.
    pub(super) fn leave(&mut self, conn: &Connection, op: &Op<'_>) -> Result<()> {
        let Some(from) = reached(op.table) else { return Ok(()) };
        from.held.iter().try_for_each(|sql| self.look(conn, sql, &op.key))
    }

    /// Notes the days that a change brings its row to.
    pub(super) fn come(&mut self, op: &Op<'_>) {
        for (column, found) in reached(op.table).iter().flat_map(|to| &to.comes) {
            let value = op.columns.iter().find(|(given, _)| given == column).map(|(_, value)| value);
            match (found, value) {
                (None, Some(Value::Text(date))) if !self.dates.contains(*date) => {
                    self.dates.insert(clean(date).into_owned());
                }
                (Some(sql), Some(value)) => {
                    self.after.extend(bytes(value).map(|by| (sql.as_str(), by.to_vec())))
                }
                _ => {}
            }
        }
    }

    /// Takes them off the list.
    pub(super) fn settle(mut self, conn: &Connection, outlet: Uuid) -> Result<()> {
        for (sql, value) in std::mem::take(&mut self.after) {
            self.look(conn, sql, &value)?;
        }
        let mut off = conn.prepare_cached(OFF)?;
        self.dates.iter().try_for_each(|date| off.execute(params![outlet, date]).map(drop))
    }

    fn look(&mut self, conn: &Connection, sql: &str, by: &dyn ToSql) -> Result<()> {
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query([by])?;
        while let Some(row) = rows.next()? {
            let date = row.get_ref(0)?.as_str()?;
            if !self.dates.contains(date) {
                self.dates.insert(date.to_owned());
            }
        }
        Ok(())
    }
}
