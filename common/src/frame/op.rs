//! One change of one row, as it is handed about. Never knows how it is written.

use crate::Uuid;
use crate::registry::Table;

/// A value as SQLite holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// NULL.
    Null,
    /// INTEGER.
    Integer(i64),
    /// REAL.
    Real(f64),
    /// TEXT.
    Text(&'a str),
    /// BLOB of 16 bytes: an id, as far as can be told.
    Id(Uuid),
    /// Any other BLOB.
    Blob(&'a [u8]),
}

/// What happened to the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpKind {
    /// It is new.
    Insert,
    /// Some of its columns changed.
    Update,
    /// It is gone.
    Delete,
}

/// One change of one row, borrowing from the body it was read from.
#[derive(Debug, Clone, PartialEq)]
pub struct Op<'a> {
    /// The table's number in the registry.
    pub table: u16,
    /// What happened.
    pub kind: OpKind,
    /// The row's key before the change; null for an insert.
    pub key: Value<'a>,
    /// The version of the row that the change was based on, where the table is shared and versioned.
    pub saw: Option<i64>,
    /// Column numbers, ascending, with their new values.
    pub columns: Vec<(usize, Value<'a>)>,
}

impl Value<'_> {
    /// The id that it is.
    pub fn id(&self) -> Option<Uuid> {
        match self {
            Value::Id(id) => Some(*id),
            Value::Blob(bytes) => Uuid::from_slice(bytes).ok(),
            _ => None,
        }
    }
}

impl<'a> Op<'a> {
    /// The row that it is about.
    pub fn row_id(&self) -> Option<Uuid> {
        match self.kind {
            OpKind::Insert => self.columns.iter().find(|(column, _)| *column == 0)?.1.id(),
            OpKind::Update | OpKind::Delete => self.key.id(),
        }
    }

    /// What it says of the column with this name of `table`, its own.
    pub fn value(&self, table: &Table, name: &str) -> Option<Value<'a>> {
        let named = table.column(name)?;
        self.columns.iter().find(|(column, _)| *column == named).map(|(_, value)| *value)
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::Value;
    use crate::Uuid;
    use crate::frame::DecodeError;
    use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
    use std::borrow::Cow;

    impl<'a> TryFrom<ValueRef<'a>> for Value<'a> {
        type Error = DecodeError;
        /// Errors for a TEXT that is not UTF-8, which no statement of ours writes.
        fn try_from(value: ValueRef<'a>) -> Result<Self, DecodeError> {
            Ok(match value {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(integer) => Value::Integer(integer),
                ValueRef::Real(real) => Value::Real(real),
                ValueRef::Text(text) => {
                    Value::Text(std::str::from_utf8(text).map_err(|_| DecodeError("a text is not UTF-8"))?)
                }
                ValueRef::Blob(blob) => Uuid::from_slice(blob).map_or(Value::Blob(blob), Value::Id),
            })
        }
    }

    impl ToSql for Value<'_> {
        fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
            Ok(ToSqlOutput::Borrowed(match self {
                Value::Null => ValueRef::Null,
                Value::Integer(integer) => ValueRef::Integer(*integer),
                Value::Real(real) => ValueRef::Real(*real),
                // A row of an older version is written as it would be taken today, at both ends alike.
                Value::Text(text) => match crate::text::clean(text) {
                    Cow::Borrowed(text) => ValueRef::Text(text.as_bytes()),
                    Cow::Owned(text) => return Ok(ToSqlOutput::Owned(text.into())),
                },
                Value::Id(id) => ValueRef::Blob(id.as_bytes()),
                Value::Blob(blob) => ValueRef::Blob(blob),
            }))
        }
    }
}
