//! Rows whole: what a log row holds that says how rows are instead of what changed, and reading a captured change back as the
//! rows it touched. Only reads tables.

use rusqlite::{Connection, Error};
use std::collections::BTreeMap;
use tiffin_common::Uuid;
use tiffin_common::frame::{Body, Bucket, Changes, DecodeError, Kind, Op, OpKind, Ops, Position, Value};
use tiffin_common::registry::{self, KEY, Table};

/// One row of a captured table.
pub type RowKey = (u16, Uuid);

/// A log row of whole rows.
#[derive(Debug, Clone, Copy)]
pub enum Whole {
    /// Head office's rows, up to this version of its feed.
    Pulled(i64),
    /// What became of the rows that a lost part of the log had touched; that part ended here.
    Recovered(Position),
    /// All rows of a bucket.
    Repair(Bucket),
}

impl Whole {
    pub(super) fn kind(self) -> Kind {
        match self {
            Whole::Pulled(_) => Kind::Pulled,
            Whole::Recovered(_) => Kind::Recovered,
            Whole::Repair(_) => Kind::Repair,
        }
    }

    pub(super) fn body(self, ops: &[u8]) -> Vec<u8> {
        match self {
            Whole::Pulled(feed) => Body::pulled(feed, ops),
            Whole::Recovered(origin) => Body::recovered(&origin, ops),
            Whole::Repair(bucket) => Body::repair(bucket, ops),
        }
    }
}

/// What an action did to one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Which row.
    pub row: RowKey,
    /// The columns it set, by number; none when it deleted the row, and possibly others before.
    pub columns: Vec<usize>,
}

/// The rows that the changes in `body` touched, each once.
pub(super) fn touched(body: &[u8]) -> rusqlite::Result<Vec<Touched>> {
    let mut rows: BTreeMap<RowKey, Vec<usize>> = BTreeMap::new();
    for op in Ops::of(body) {
        let op = op.map_err(unreadable)?;
        if let Some(id) = op.row_id() {
            rows.entry((op.table, id)).or_default().extend(op.columns.iter().map(|(column, _)| *column));
        }
    }
    Ok(rows.into_iter().map(|(row, columns)| Touched { row, columns }).collect())
}

/// `rows` as they are now: an insert with all that is not null, or a delete where there is none.
pub(super) fn images(conn: &Connection, rows: &[RowKey]) -> rusqlite::Result<Changes> {
    let mut changes = Changes::default();
    for (no, id) in rows {
        let Some(table) = registry::table(*no) else { continue };
        let found = with_row(conn, table, *id, |columns| {
            changes.push(&Op { table: *no, kind: OpKind::Insert, key: Value::Null, saw: None, columns });
        })?;
        if !found {
            let (kind, key) = (OpKind::Delete, Value::Id(*id));
            changes.push(&Op { table: *no, kind, key, saw: None, columns: Vec::new() });
        }
    }
    Ok(changes)
}

/// Shows the values of a row that are not null, with their column numbers, in order; whether there is one.
pub fn with_row(
    conn: &Connection,
    table: &'static Table,
    id: Uuid,
    show: impl FnOnce(Vec<(usize, Value<'_>)>),
) -> rusqlite::Result<bool> {
    let sql = format!("{} WHERE \"{KEY}\" = ?1", select(table));
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Ok(false) };
    show(values(table, row)?);
    Ok(true)
}

/// `SELECT` of a table's live columns, in the order of their numbers.
pub fn select(table: &Table) -> String {
    let columns: Vec<_> = table.live_columns().map(|(_, name)| format!("\"{name}\"")).collect();
    format!("SELECT {} FROM \"{}\"", columns.join(", "), table.name)
}

/// The values of a row of [`select()`] that are not null.
///
/// # Errors
/// A text that is not UTF-8.
pub fn values<'r>(table: &Table, row: &'r rusqlite::Row<'_>) -> rusqlite::Result<Vec<(usize, Value<'r>)>> {
    let mut values = Vec::with_capacity(table.columns.len());
    for (place, (column, _)) in table.live_columns().enumerate() {
        let value = Value::try_from(row.get_ref(place)?).map_err(unreadable)?;
        if value != Value::Null {
            values.push((column, value));
        }
    }
    Ok(values)
}

pub(super) fn unreadable(error: DecodeError) -> Error {
    Error::UserFunctionError(error.into())
}
