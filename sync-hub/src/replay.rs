//! Applies decoded row changes to a database with the branch's schema and no triggers. Never decides between two changes:
//! it is for a log that is the only source of its rows.

use rusqlite::{Connection, params_from_iter};
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::registry::{self, KEY, RETIRED, Table};

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
    let (mut names, mut values) =
        (Vec::with_capacity(op.columns.len()), Vec::with_capacity(op.columns.len()));
    for (column, value) in &op.columns {
        let name = *table.columns.get(*column).ok_or_else(|| unknown(Some(*column)))?;
        // An older version wrote it; the schema has it no more.
        if !name.starts_with(RETIRED) {
            names.push(name);
            values.push(value);
        }
    }
    let key: &Value<'_> = &op.key;
    if names.is_empty() && op.kind == OpKind::Update {
        return Ok(());
    }
    let sql = statement(table, op.kind, &names);
    let outcome = conn.prepare_cached(&sql).and_then(|mut statement| match op.kind {
        OpKind::Insert => statement.execute(params_from_iter(values)),
        OpKind::Update => statement.execute(params_from_iter(values.into_iter().chain([key]))),
        OpKind::Delete => statement.execute([key]),
    });
    match outcome {
        Ok(1) => Ok(()),
        Ok(_) => Err(ReplayError::Missing { table: table.name, kind: op.kind }),
        Err(source) => Err(ReplayError::Refused { table: table.name, kind: op.kind, source }),
    }
}

/// Makes a row exactly what `op` says, whether it was there or not: an insert is the whole row, a delete says there is none.
///
/// # Errors
/// See [`ReplayError`].
pub fn apply_whole(conn: &Connection, op: &Op<'_>) -> Result<(), ReplayError> {
    let table = registry::table(op.table).ok_or(ReplayError::Unknown { table: op.table, column: None })?;
    let key = match op.kind {
        OpKind::Insert => op.columns.first().map_or(&op.key, |(_, value)| value),
        OpKind::Update | OpKind::Delete => &op.key,
    };
    let sql = statement(table, OpKind::Delete, &[]);
    let gone = conn.prepare_cached(&sql).and_then(|mut statement| statement.execute([key]));
    gone.map_err(|source| ReplayError::Refused { table: table.name, kind: op.kind, source })?;
    if op.kind == OpKind::Insert { apply(conn, op) } else { Ok(()) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_version_wrote_in_a_column_that_is_gone_is_left_out() {
        let mut conn = Connection::open_in_memory().unwrap();
        tiffin_migrations::migrate_edge(&mut conn).unwrap();
        let items = registry::table_named("stock_items").unwrap();
        let at = |name: &str| items.column(name).unwrap();
        let id = [7; 16];
        let all = [
            "id",
            "outlet_id",
            "name",
            "category",
            "unit",
            "retired_last_unit_cost",
            "created_at",
            "updated_at",
        ];
        let value = |name: &str| match name {
            "id" | "outlet_id" => Value::Blob(&id),
            "name" | "category" | "unit" => Value::Text("kg"),
            _ => Value::Integer(5),
        };
        let op = |kind, names: &[&str]| Op {
            table: items.no,
            kind,
            key: Value::Blob(&id),
            saw: None,
            columns: names.iter().map(|name| (at(name), value(name))).collect(),
        };
        apply(&conn, &op(OpKind::Insert, &all)).unwrap();
        apply(&conn, &op(OpKind::Update, &["retired_last_unit_cost"])).unwrap();
        apply(&conn, &op(OpKind::Update, &["retired_last_unit_cost", "updated_at"])).unwrap();
        let rows: i64 = conn.query_row("SELECT count(*) FROM stock_items", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 1);
    }
}
