//! Rows and changes that are kept: what [`Op`] borrows from bytes, held. Never decides anything.

use edge::db::{Source, list};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use std::collections::BTreeMap;
use tiffin_common::Uuid;
use tiffin_common::frame::{Changes, DecodeError, Op, OpKind, Ops, Value};
use tiffin_common::registry::{self, Table};

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Held {
    /// NULL.
    Null,
    /// INTEGER.
    Integer(i64),
    /// REAL.
    Real(f64),
    /// TEXT.
    Text(String),
    /// BLOB of 16 bytes.
    Id(Uuid),
    /// Any other BLOB.
    Blob(Vec<u8>),
}

impl From<Value<'_>> for Held {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Held::Null,
            Value::Integer(integer) => Held::Integer(integer),
            Value::Real(real) => Held::Real(real),
            Value::Text(text) => Held::Text(text.to_owned()),
            Value::Id(id) => Held::Id(id),
            Value::Blob(blob) => Held::Blob(blob.to_vec()),
        }
    }
}

impl Held {
    /// The value as an [`Op`] has it.
    pub fn value(&self) -> Value<'_> {
        match self {
            Held::Null => Value::Null,
            Held::Integer(integer) => Value::Integer(*integer),
            Held::Real(real) => Value::Real(*real),
            Held::Text(text) => Value::Text(text),
            Held::Id(id) => Value::Id(*id),
            Held::Blob(blob) => Value::Blob(blob),
        }
    }

    /// The value as a database has it.
    pub fn as_sql(&self) -> ValueRef<'_> {
        match self {
            Held::Null => ValueRef::Null,
            Held::Integer(integer) => ValueRef::Integer(*integer),
            Held::Real(real) => ValueRef::Real(*real),
            Held::Text(text) => ValueRef::Text(text.as_bytes()),
            Held::Id(id) => ValueRef::Blob(id.as_bytes()),
            Held::Blob(blob) => ValueRef::Blob(blob),
        }
    }

    /// The id, when it is one.
    pub fn id(&self) -> Option<Uuid> {
        match self {
            Held::Id(id) => Some(*id),
            _ => None,
        }
    }

    /// As people read it.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Held::Null => serde_json::Value::Null,
            Held::Integer(integer) => (*integer).into(),
            Held::Real(real) => (*real).into(),
            Held::Text(text) => text.as_str().into(),
            Held::Id(id) => id.to_string().into(),
            Held::Blob(_) => "…".into(),
        }
    }
}

impl ToSql for Held {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(self.as_sql()))
    }
}

/// The values of a row by column number, without its id. A whole row leaves nulls out.
pub type Columns = BTreeMap<usize, Held>;

/// One change of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowChange {
    /// The table.
    pub table: &'static Table,
    /// What happens to the row.
    pub kind: OpKind,
    /// The row.
    pub id: Uuid,
    /// Of an insert all values that are not null, of an update the ones that change, of a delete none.
    pub columns: Columns,
}

impl RowChange {
    /// The change that `op` is.
    ///
    /// # Errors
    /// A table that is not known, a key that is no id.
    pub fn of(op: &Op<'_>) -> Result<RowChange, DecodeError> {
        let table = registry::table(op.table).ok_or(DecodeError("unknown table"))?;
        let mut columns: Columns =
            op.columns.iter().map(|(column, value)| (*column, Held::from(*value))).collect();
        let key = match op.kind {
            OpKind::Insert => columns.remove(&0),
            OpKind::Update | OpKind::Delete => Some(Held::from(op.key)),
        };
        let id = key.and_then(|key| key.id()).ok_or(DecodeError("a key is no id"))?;
        Ok(RowChange { table, kind: op.kind, id, columns })
    }

    /// The change as the log has it.
    pub fn op(&self) -> Op<'_> {
        let key = Value::Id(self.id);
        let values = self.columns.iter().map(|(column, value)| (*column, value.value()));
        let (key, columns) = match self.kind {
            OpKind::Insert => (Value::Null, std::iter::once((0, key)).chain(values).collect()),
            OpKind::Update => (key, values.collect()),
            OpKind::Delete => (key, Vec::new()),
        };
        Op { table: self.table.no, kind: self.kind, key, saw: None, columns }
    }

    /// What the column of that name becomes, where the change says.
    pub fn get(&self, name: &str) -> Option<&Held> {
        self.table.column(name).and_then(|column| self.columns.get(&column))
    }
}

/// Changes as bytes.
pub fn pack<'a>(changes: impl IntoIterator<Item = &'a RowChange>) -> Vec<u8> {
    let mut packed = Changes::default();
    changes.into_iter().for_each(|change| packed.push(&change.op()));
    packed.bytes().to_vec()
}

/// Changes from bytes.
///
/// # Errors
/// Bytes that [`pack`] and the change log did not write.
pub fn unpack(bytes: &[u8]) -> Result<Vec<RowChange>, DecodeError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    Ops::of(bytes).map(|op| RowChange::of(&op?)).collect()
}

/// Rows of `table`: all of them, or those whose `filter` column has a value.
pub fn read(
    from: &dyn Source,
    table: &'static Table,
    filter: Option<(&str, Uuid)>,
) -> edge::db::Result<Vec<(Uuid, Columns)>> {
    let live: Vec<(usize, &str)> = table.live_columns().collect();
    let names: Vec<String> = live.iter().map(|(_, name)| format!("\"{name}\"")).collect();
    let mut sql = format!("SELECT {} FROM \"{}\"", names.join(", "), table.name);
    if let Some((name, _)) = filter {
        sql.push_str(&format!(" WHERE \"{name}\" = ?1"));
    }
    sql.push_str(" ORDER BY \"id\"");
    let read = |row: &edge::db::Row<'_>| {
        let mut columns = Columns::new();
        for (place, (number, _)) in live.iter().enumerate() {
            let value = Value::try_from(row.get_ref(place)?)
                .map_err(|error| rusqlite::Error::UserFunctionError(error.into()))?;
            if value != Value::Null {
                columns.insert(*number, Held::from(value));
            }
        }
        let id = columns.remove(&0).and_then(|id| id.id());
        Ok((id.ok_or(rusqlite::Error::InvalidQuery)?, columns))
    };
    match filter {
        Some((_, id)) => list(from, &sql, [id], read),
        None => list(from, &sql, [], read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_back_from_bytes() {
        let table = registry::table_named("menu_items").unwrap();
        let [name, price] = ["name", "price_cents"].map(|name| table.column(name).unwrap());
        let columns =
            Columns::from([(name, Held::Text("Paneer tikka".into())), (price, Held::Integer(28_000))]);
        let insert =
            RowChange { table, kind: OpKind::Insert, id: Uuid::from_u128(7), columns: columns.clone() };
        let update = RowChange { kind: OpKind::Update, columns, ..insert.clone() };
        let delete = RowChange { kind: OpKind::Delete, columns: Columns::new(), ..insert.clone() };
        let all = vec![insert, update, delete];
        assert_eq!(unpack(&pack(&all)).unwrap(), all);
        assert_eq!(unpack(&[]).unwrap(), []);
    }
}
