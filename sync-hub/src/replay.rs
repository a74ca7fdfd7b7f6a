//! Applies decoded row changes to a database with the branch's schema and no triggers. Never decides between two changes:
//! it is for a log that is the only source of its rows.

use rusqlite::{Connection, params_from_iter};
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::registry::{self, KEY, Table};

/// Why a change could not be applied.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The table or a column has a number that this version does not know.
    #[error("table {table} has no column {column:?} in this version")]
    Unknown {
        /// The table's number.
        table: u16,
        /// The column's number; none when the table itself is unknown.
        column: Option<usize>,
    },
    /// The row to change or delete is not there.
    #[error("{kind:?} of a row of {table} that is not there")]
    Missing {
        /// The table's name.
        table: &'static str,
        /// What was to be done.
        kind: OpKind,
    },
    /// SQLite refused it.
    #[error("{kind:?} in {table}: {source}")]
    Refused {
        /// The table's name.
        table: &'static str,
        /// What was to be done.
        kind: OpKind,
        /// Why.
        source: rusqlite::Error,
    },
}

/// Applies one change.
///
/// # Errors
/// See [`ReplayError`]; the database is then as it was.
pub fn apply(conn: &Connection, op: &Op<'_>) -> Result<(), ReplayError> {
    let unknown = |column| ReplayError::Unknown { table: op.table, column };
    let table = registry::table(op.table).ok_or_else(|| unknown(None))?;
    let mut names = Vec::with_capacity(op.columns.len());
    for (column, _) in &op.columns {
        names.push(*table.columns.get(*column).ok_or_else(|| unknown(Some(*column)))?);
    }
    let values = op.columns.iter().map(|(_, value)| value);
    let key: &Value<'_> = &op.key;
    let sql = statement(table, op.kind, &names);
    let outcome = conn.prepare_cached(&sql).and_then(|mut statement| match op.kind {
        OpKind::Insert => statement.execute(params_from_iter(values)),
        OpKind::Update => statement.execute(params_from_iter(values.chain([key]))),
        OpKind::Delete => statement.execute([key]),
    });
    match outcome {
        Ok(1) => Ok(()),
        Ok(_) => Err(ReplayError::Missing { table: table.name, kind: op.kind }),
        Err(source) => Err(ReplayError::Refused { table: table.name, kind: op.kind, source }),
    }
}

fn statement(table: &Table, kind: OpKind, columns: &[&str]) -> String {
    let name = table.name;
    match kind {
        OpKind::Insert => {
            let marks = vec!["?"; columns.len()].join(", ");
            format!("INSERT INTO \"{name}\" (\"{}\") VALUES ({marks})", columns.join("\", \""))
        }
        OpKind::Update => {
            let sets: Vec<_> = columns.iter().map(|column| format!("\"{column}\" = ?")).collect();
            format!("UPDATE \"{name}\" SET {} WHERE \"{KEY}\" = ?", sets.join(", "))
        }
        OpKind::Delete => format!("DELETE FROM \"{name}\" WHERE \"{KEY}\" = ?"),
    }
}
