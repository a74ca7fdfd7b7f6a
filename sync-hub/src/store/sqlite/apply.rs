//! One outlet's transaction on SQLite: row changes through statements prepared once for each table, kind of change and set of
//! columns; what follows from them for kept days and sums is written once, behind them. No triggers do that: of a statement that can fail
//! in its middle SQLite copies every page beforehand, which took a quarter of a push. Never leaves half of a log row's changes.

use super::days::Days;
use super::sums::Sums;
use crate::store::{OutletTx, Replay, StoreError, Strictness, Unapplied};
use edge::db::{DbError, Row, Source, Sql};
use rusqlite::types::ToSql;
use rusqlite::{CachedStatement, Connection, ErrorCode, Result};
use std::collections::HashMap;
use tiffin_common::Uuid;
use tiffin_common::digest;
use tiffin_common::frame::{Bucket, Op, OpKind, Value};
use tiffin_common::registry::{self, KEY, RETIRED, Table};

pub(super) struct Tx<'c> {
    conn: &'c Connection,
    outlet: Uuid,
    statements: HashMap<Shape, CachedStatement<'c>>,
    /// What follows from the changes so far; no days where none are kept.
    days: Option<Days>,
    sums: Sums,
}

/// What a statement depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    table: u16,
    verb: Verb,
    columns: u128,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Verb {
    Insert,
    Update,
    Delete,
}

/// Why one change was not made.
enum Failed {
    Change(String),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Failed::Store(error.into())
    }
}

impl<'c> Tx<'c> {
    pub(super) fn new(conn: &'c Connection, outlet: Uuid) -> Self {
        Tx { conn, outlet, statements: HashMap::new(), days: None, sums: Sums::default() }
    }

    /// Makes the changes of one log row; the first that cannot be made ends it.
    fn row(&mut self, row: &Replay<'_>) -> Result<(), Failed> {
        for op in row.ops {
            match row.strictness {
                Strictness::Exact => self.change(op, false)?,
                Strictness::Lenient if op.kind == OpKind::Insert => self.image(op)?,
                Strictness::Lenient => self.change(op, true)?,
                Strictness::Images if op.kind == OpKind::Insert => self.image(op)?,
                Strictness::Images if op.kind == OpKind::Delete => self.change(op, true)?,
                Strictness::Images => return Err(Failed::Change("an update among whole rows".into())),
            }
        }
        Ok(())
    }

    /// Makes changes all or none, and what follows from them.
    fn attempt(
        &mut self,
        changes: impl FnOnce(&mut Self) -> Result<(), Failed>,
    ) -> Result<Result<(), Unapplied>, StoreError> {
        self.conn.prepare_cached("SAVEPOINT log_rows")?.execute([])?;
        (self.days, self.sums) = (Days::open(self.conn, self.outlet)?, Sums::default());
        let outcome = match changes(self).and_then(|()| self.settle()) {
            Ok(()) => Ok(()),
            Err(Failed::Store(error)) => return Err(error),
            Err(Failed::Change(reason)) => {
                self.conn.prepare_cached("ROLLBACK TO log_rows")?.execute([])?;
                Err(Unapplied(reason))
            }
        };
        self.conn.prepare_cached("RELEASE log_rows")?.execute([])?;
        Ok(outcome)
    }

    /// Writes what follows from the changes.
    fn settle(&mut self) -> Result<(), Failed> {
        let beyond = |why: &str| Failed::Change(format!("stock of more than can be counted{why}"));
        match std::mem::take(&mut self.sums).settle(self.conn, self.outlet) {
            Ok(true) => {}
            Ok(false) => return Err(beyond("")),
            Err(error) if is_refusal(&error) => return Err(beyond(&format!(": {error}"))),
            Err(error) => return Err(error.into()),
        }
        Ok(self.days.take().map_or(Ok(()), |days| days.settle(self.conn, self.outlet))?)
    }

    /// Makes the row exactly what the insert says.
    fn image(&mut self, op: &Op<'_>) -> Result<(), Failed> {
        let key = op.columns.iter().find(|(column, _)| *column == 0).map_or(Value::Null, |(_, key)| *key);
        self.change(&gone(op.table, key), true)?;
        self.change(op, false)
    }

    fn change(&mut self, op: &Op<'_>, may_be_missing: bool) -> Result<(), Failed> {
        let unknown = || Failed::Change(format!("table {} has a column unknown to this version", op.table));
        let table = registry::table(op.table).ok_or_else(unknown)?;
        let verb = match op.kind {
            OpKind::Insert => Verb::Insert,
            OpKind::Update => Verb::Update,
            OpKind::Delete => Verb::Delete,
        };
        let mut columns = 0u128;
        for (column, _) in &op.columns {
            let name = *table.columns.get(*column).ok_or_else(unknown)?;
            // An older version wrote it; the schema has it no more.
            if !name.starts_with(RETIRED) {
                columns |= 1u128.checked_shl(*column as u32).ok_or_else(unknown)?;
            }
        }
        if columns == 0 && verb != Verb::Delete {
            return Ok(());
        }
        if verb != Verb::Insert {
            self.leave(op)?;
        }
        let statement = self.statement(Shape { table: op.table, verb, columns }, table)?;
        let mut place = 0;
        for (column, value) in &op.columns {
            if columns >> *column & 1 == 1 {
                place += 1;
                statement.raw_bind_parameter(place, value)?;
            }
        }
        if verb != Verb::Insert {
            statement.raw_bind_parameter(place + 1, op.key)?;
        }
        match statement.raw_execute() {
            Ok(1) if verb != Verb::Delete => self.come(op),
            Ok(1) => Ok(()),
            Ok(_) if may_be_missing => Ok(()),
            Ok(_) => {
                Err(Failed::Change(format!("{:?} of a row of {} that is not there", op.kind, table.name)))
            }
            Err(error) if is_refusal(&error) => {
                Err(Failed::Change(format!("{:?} in {}: {error}", op.kind, table.name)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Notes what a row that is about to change takes away.
    fn leave(&mut self, op: &Op<'_>) -> Result<(), Failed> {
        if let Some(days) = &mut self.days {
            days.leave(self.conn, op)?;
        }
        Ok(self.sums.leave(self.conn, op)?)
    }

    /// Notes what a row that has changed, or is new, brings.
    fn come(&mut self, op: &Op<'_>) -> Result<(), Failed> {
        if let Some(days) = &mut self.days {
            days.come(op);
        }
        Ok(self.sums.come(self.conn, op)?)
    }

    fn statement(&mut self, shape: Shape, table: &Table) -> Result<&mut CachedStatement<'c>> {
        use std::collections::hash_map::Entry;
        match self.statements.entry(shape) {
            Entry::Occupied(found) => Ok(found.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(self.conn.prepare_cached(&text(shape, table))?)),
        }
    }
}

/// The change that takes the row of table `table` with this key away.
fn gone(table: u16, key: Value<'_>) -> Op<'_> {
    Op { table, kind: OpKind::Delete, key, saw: None, columns: Vec::new() }
}

/// Whether the values were refused, and not the store failed.
fn is_refusal(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig))
}

fn text(shape: Shape, table: &Table) -> String {
    let name = table.name;
    let columns: Vec<&str> = (0..128)
        .filter(|column| shape.columns >> column & 1 == 1)
        .filter_map(|column| table.columns.get(column).copied())
        .collect();
    match shape.verb {
        Verb::Insert => {
            let marks = vec!["?"; columns.len()].join(", ");
            format!("INSERT INTO \"{name}\" (\"{}\") VALUES ({marks})", columns.join("\", \""))
        }
        Verb::Update => {
            let sets: Vec<_> = columns.iter().map(|column| format!("\"{column}\" = ?")).collect();
            format!("UPDATE \"{name}\" SET {} WHERE \"{KEY}\" = ?", sets.join(", "))
        }
        Verb::Delete => format!("DELETE FROM \"{name}\" WHERE \"{KEY}\" = ?"),
    }
}

impl Source for Tx<'_> {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> edge::db::Result<bool>,
    ) -> edge::db::Result<()> {
        self.conn.rows(sql, params, each)
    }
}

impl Sql for Tx<'_> {
    fn execute(&self, sql: &str, params: &[&dyn ToSql]) -> edge::db::Result<usize> {
        Sql::execute(self.conn, sql, params)
    }
}

impl OutletTx for Tx<'_> {
    fn apply(&mut self, rows: &[Replay<'_>]) -> Result<Vec<Result<(), Unapplied>>, StoreError> {
        // A savepoint copies every page before its first change: nearly always all fit, and one is enough.
        if rows.len() > 1 && self.attempt(|tx| rows.iter().try_for_each(|row| tx.row(row)))?.is_ok() {
            return Ok(vec![Ok(()); rows.len()]);
        }
        rows.iter().map(|row| self.attempt(|tx| tx.row(row))).collect()
    }

    fn prune(&mut self, table: &'static Table, bucket: Bucket, keep: &[Uuid]) -> Result<u64, StoreError> {
        let ids = bucket.day.map_or(Uuid::nil()..Uuid::max(), digest::ids_of_day);
        let keep: std::collections::HashSet<&Uuid> = keep.iter().collect();
        let name = table.name;
        let mut extra = Vec::new();
        let sql = format!("SELECT id FROM \"{name}\" WHERE id >= ?1 AND id < ?2");
        self.conn.rows(&sql, &[&ids.start, &ids.end], &mut |row| {
            let id: Uuid = row.get(0)?;
            if !keep.contains(&id) {
                extra.push(id);
            }
            Ok(true)
        })?;
        let mut all = extra.iter().map(|id| gone(table.no, Value::Id(*id)));
        match self.attempt(|tx| all.try_for_each(|op| tx.change(&op, true)))? {
            Ok(()) => Ok(extra.len() as u64),
            Err(Unapplied(reason)) => Err(DbError::Other(reason).into()),
        }
    }
}
