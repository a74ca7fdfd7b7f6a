//! A row taken apart: its values by column number, from a table, a packed change or another row, and back. Never interprets one.

use super::error::HubError;
use chrono::Datelike;
use edge::db::{Source, opt};
use std::collections::BTreeMap;
use tiffin_common::Uuid;
use tiffin_common::frame::{Bucket, Changes, DecodeError, Op, OpKind, Ops, Value};
use tiffin_common::registry::{self, KEY, Table};

/// A value that owns what it holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Id(Uuid),
    Blob(Vec<u8>),
}

impl From<Value<'_>> for Cell {
    fn from(value: Value<'_>) -> Cell {
        match value {
            Value::Null => Cell::Null,
            Value::Integer(integer) => Cell::Integer(integer),
            Value::Real(real) => Cell::Real(real),
            Value::Text(text) => Cell::Text(text.to_owned()),
            Value::Id(id) => Cell::Id(id),
            Value::Blob(blob) => Uuid::from_slice(blob).map_or_else(|_| Cell::Blob(blob.to_vec()), Cell::Id),
        }
    }
}

impl Cell {
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Cell::Null => Value::Null,
            Cell::Integer(integer) => Value::Integer(*integer),
            Cell::Real(real) => Value::Real(*real),
            Cell::Text(text) => Value::Text(text),
            Cell::Id(id) => Value::Id(*id),
            Cell::Blob(blob) => Value::Blob(blob),
        }
    }

    /// As people's screens have it.
    pub(super) fn json(&self) -> serde_json::Value {
        match self {
            Cell::Null => serde_json::Value::Null,
            Cell::Integer(integer) => (*integer).into(),
            Cell::Real(real) => (*real).into(),
            Cell::Text(text) => text.as_str().into(),
            Cell::Id(id) => id.to_string().into(),
            Cell::Blob(_) => true.into(),
        }
    }
}

/// Values by column number.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Image(pub(super) BTreeMap<usize, Cell>);

impl Image {
    /// The value of `column`; null where it has none.
    pub(super) fn get(&self, column: usize) -> &Cell {
        self.0.get(&column).unwrap_or(&Cell::Null)
    }

    /// The integer in the column of this name; 0 where there is none.
    pub(super) fn integer(&self, table: &Table, name: &str) -> i64 {
        match column(table, name).map(|column| self.get(column)) {
            Some(Cell::Integer(integer)) => *integer,
            _ => 0,
        }
    }

    /// Sets the column of this name, where the table has it.
    pub(super) fn put(&mut self, table: &Table, name: &str, value: Cell) {
        if let Some(column) = column(table, name) {
            self.0.insert(column, value);
        }
    }

    /// The columns a change sets, those that the schema has no more left out.
    pub(super) fn of_op(table: &Table, op: &Op<'_>) -> Image {
        let live = |column: usize| table.live_columns().any(|(live, _)| live == column);
        let columns = op.columns.iter().filter(|(column, _)| live(*column));
        Image(columns.map(|(column, value)| (*column, (*value).into())).collect())
    }

    /// The whole row as one packed insert.
    pub(super) fn packed(&self, table: &Table) -> Vec<u8> {
        let columns = self.0.iter().filter(|(_, cell)| **cell != Cell::Null);
        pack(
            table,
            OpKind::Insert,
            Value::Null,
            columns.map(|(column, cell)| (*column, cell.value())).collect(),
        )
    }

    /// What an update of row `id` with these columns is, packed.
    pub(super) fn packed_update(&self, table: &Table, id: Uuid) -> Vec<u8> {
        let columns = self.0.iter().map(|(column, cell)| (*column, cell.value())).collect();
        pack(table, OpKind::Update, Value::Id(id), columns)
    }
}

/// The number of the column of this name.
pub(super) fn column(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| *column == name)
}

/// The delete of row `id`, packed.
pub(super) fn packed_delete(table: &Table, id: Uuid) -> Vec<u8> {
    pack(table, OpKind::Delete, Value::Id(id), Vec::new())
}

fn pack(table: &Table, kind: OpKind, key: Value<'_>, columns: Vec<(usize, Value<'_>)>) -> Vec<u8> {
    let mut changes = Changes::default();
    changes.push(&Op { table: table.no, kind, key, saw: None, columns });
    changes.bytes().to_vec()
}

/// The one change that `bytes` hold.
pub(super) fn one_op(bytes: &[u8]) -> Result<Op<'_>, DecodeError> {
    let mut ops = Ops::of(bytes);
    match (ops.next(), ops.next()) {
        (Some(op), None) => op,
        _ => Err(DecodeError("not one change")),
    }
}

/// The row that a change is about.
pub(super) fn id_of(op: &Op<'_>) -> Option<Uuid> {
    let key = if op.kind == OpKind::Insert {
        op.columns.iter().find(|(column, _)| *column == 0).map(|(_, key)| *key)?
    } else {
        op.key
    };
    id_in(key)
}

/// The id that a value is.
pub(super) fn id_in(value: Value<'_>) -> Option<Uuid> {
    match value {
        Value::Id(id) => Some(id),
        Value::Blob(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    }
}

/// The live columns of `table`, in the order of their numbers.
pub(super) fn select(table: &Table, rest: &str) -> String {
    select_of(table, &table.live_columns().collect::<Vec<_>>(), rest)
}

/// These columns of `table`.
pub(super) fn select_of(table: &Table, columns: &[(usize, &'static str)], rest: &str) -> String {
    let columns: Vec<String> = columns.iter().map(|(_, name)| format!("\"{name}\"")).collect();
    format!("SELECT {} FROM \"{}\" {rest}", columns.join(", "), table.name)
}

/// A row of [`select`].
pub(super) fn read(table: &Table, row: &edge::db::Row<'_>) -> edge::db::Result<Image> {
    let mut image = Image::default();
    for (place, (column, _)) in table.live_columns().enumerate() {
        let value = Value::try_from(row.get_ref(place)?).map_err(|_| {
            rusqlite::Error::InvalidColumnType(place, table.name.into(), rusqlite::types::Type::Text)
        })?;
        if value != Value::Null {
            image.0.insert(column, value.into());
        }
    }
    Ok(image)
}

/// The outlet's row, as its branch has it.
pub(super) fn replica(from: &dyn Source, table: &'static Table, id: Uuid) -> Result<Option<Image>, HubError> {
    let sql = select(table, &format!("WHERE \"{KEY}\" = ?1"));
    Ok(opt(from, &sql, [id], |row| read(table, row))?)
}

/// The number under which the day of a bucket is stored; 0 for the whole table.
pub(super) fn number_of(bucket: Bucket) -> i32 {
    bucket.day.map_or(0, |day| day.num_days_from_ce())
}

/// The registry's table of a change.
pub(super) fn table_of(op: &Op<'_>) -> Option<&'static Table> {
    registry::table(op.table)
}
