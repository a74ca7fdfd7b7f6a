//! A row taken apart: its values by column number, from a table, a packed change or another row, and back. Never interprets one.

use super::error::HubError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::Datelike;
use edge::db::{Source, opt};
use rusqlite::types::Value as Stored;
use std::collections::BTreeMap;
use std::sync::LazyLock;
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

/// What columns that are never null hold where nobody says anything, by table and name.
static DEFAULTS: LazyLock<BTreeMap<String, BTreeMap<String, Cell>>> = LazyLock::new(|| {
    let read = tiffin_migrations::edge_defaults();
    let read = read.inspect_err(|error| tracing::error!(%error, "what columns hold by default"));
    let cell = |value: Stored| match value {
        Stored::Null => Cell::Null,
        Stored::Integer(integer) => Cell::Integer(integer),
        Stored::Real(real) => Cell::Real(real),
        Stored::Text(text) => Cell::Text(text),
        Stored::Blob(blob) => Cell::Blob(blob),
    };
    let cells = |columns: BTreeMap<String, Stored>| {
        columns.into_iter().map(|(name, value)| (name, cell(value))).collect()
    };
    read.unwrap_or_default().into_iter().map(|(table, columns)| (table, cells(columns))).collect()
});

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
        match table.column(name).map(|column| self.get(column)) {
            Some(Cell::Integer(integer)) => *integer,
            _ => 0,
        }
    }

    /// Sets the column of this name, where the table has it.
    pub(super) fn put(&mut self, table: &Table, name: &str, value: Cell) {
        if let Some(column) = table.column(name) {
            self.0.insert(column, value);
        }
    }

    /// The columns a change sets, those that the schema has no more left out.
    pub(super) fn of_op(table: &Table, op: &Op<'_>) -> Image {
        let live = |column: usize| table.live_columns().any(|(live, _)| live == column);
        let columns = op.columns.iter().filter(|(column, _)| live(*column));
        Image(columns.map(|(column, value)| (*column, (*value).into())).collect())
    }

    /// A row as it was packed. Columns that came later hold in it what they hold in all rows of before them.
    pub(super) fn of_packed(table: &Table, op: &Op<'_>) -> Image {
        let mut image = Image::of_op(table, op);
        for (column, name) in table.live_columns() {
            let default = DEFAULTS.get(table.name).and_then(|columns| columns.get(name));
            if let Some(cell) = default {
                image.0.entry(column).or_insert_with(|| cell.clone());
            }
        }
        image
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

/// Changes as a page hands them over: compressed by zstd, in base64.
pub(super) fn compressed(changes: &Changes) -> Result<String, DecodeError> {
    let bytes = zstd::bulk::compress(changes.bytes(), 3).map_err(|_| DecodeError("compression failed"))?;
    Ok(STANDARD.encode(bytes))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_was_packed_before_a_column_came_holds_there_what_all_rows_of_before_hold() {
        let table = registry::table_named("menu_items").unwrap();
        let (no, name) = (|name| table.column(name).unwrap(), Cell::Text("Dal".to_owned()));
        let before = Image([(no("id"), Cell::Id(Uuid::nil())), (no("name"), name.clone())].into());
        let packed = before.packed(table);
        let held = Image::of_packed(table, &one_op(&packed).unwrap());
        let shown = |name| held.get(no(name)).clone();
        assert_eq!(shown("name"), name);
        assert_eq!(shown("sold_by"), Cell::Text("PIECE".to_owned()));
        assert_eq!(shown("texts"), Cell::Text("{}".to_owned()));
        assert_eq!(shown("weight_unit"), Cell::Null, "what may be null is");
    }
}
