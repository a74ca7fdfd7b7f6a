//! One change of one row, and how the first version wrote it: each value in full. Still read, no longer written (`pack` is).
//!
//! `table varint · flags byte · [key value] · [version saw] · mask length byte · mask · values in column order`, without
//! anything before the first.

use super::DecodeError;
use super::memory::{self, Mask};
use super::pack::PACKED;
use super::unpack::Unpacker;
use super::wire::Reader;
use crate::Uuid;

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

pub(super) const INSERT: u8 = 1;
pub(super) const UPDATE: u8 = 2;
pub(super) const DELETE: u8 = 3;
pub(super) const KIND_BITS: u8 = 0x0F;
/// Flag: the version that the change was based on follows.
pub(super) const SAW: u8 = 0x10;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;
const BLOB16: u8 = 5;
/// 0x40…0x7F: the integers 0…63. 0x80…0xBF: text of 0…63 bytes.
const SMALL_INTEGER: u8 = 0x40;
const SHORT_TEXT: u8 = 0x80;
const SMALL: u8 = 0x3F;

impl<'a> Reader<'a> {
    fn text(&mut self, length: usize) -> Result<Value<'a>, DecodeError> {
        let bytes = self.bytes(length)?;
        std::str::from_utf8(bytes).map(Value::Text).map_err(|_| DecodeError("a text is not UTF-8"))
    }

    /// A column mask, filled up with zeros.
    pub(super) fn mask(&mut self) -> Result<Mask, DecodeError> {
        let length = usize::from(self.byte()?);
        let mut mask = [0; 32];
        let place = mask.get_mut(..length).ok_or(DecodeError("a column mask is too long"))?;
        place.copy_from_slice(self.bytes(length)?);
        Ok(mask)
    }

    fn value(&mut self) -> Result<Value<'a>, DecodeError> {
        match self.byte()? {
            NULL => Ok(Value::Null),
            INTEGER => self.signed().map(Value::Integer),
            REAL => self.array().map(|bytes| Value::Real(f64::from_le_bytes(bytes))),
            TEXT => {
                let length = self.length()?;
                self.text(length)
            }
            BLOB => {
                let length = self.length()?;
                self.bytes(length).map(Value::Blob)
            }
            BLOB16 => self.uuid().map(Value::Id),
            tag if tag & !SMALL == SMALL_INTEGER => Ok(Value::Integer(i64::from(tag & SMALL))),
            tag if tag & !SMALL == SHORT_TEXT => self.text(usize::from(tag & SMALL)),
            _ => Err(DecodeError("unknown value tag")),
        }
    }
}

impl OpKind {
    pub(super) fn of_flags(flags: u8) -> Result<OpKind, DecodeError> {
        match flags & KIND_BITS {
            INSERT => Ok(OpKind::Insert),
            UPDATE => Ok(OpKind::Update),
            DELETE => Ok(OpKind::Delete),
            _ => Err(DecodeError("unknown change")),
        }
    }
}

/// The changes of a body, one after the other. Stops after the first error.
#[derive(Debug, Clone)]
pub struct Ops<'a>(Form<'a>);

#[derive(Debug, Clone)]
enum Form<'a> {
    Plain(Reader<'a>),
    Packed(Box<Unpacker<'a>>),
}

impl<'a> Ops<'a> {
    /// The changes in `body`, which holds nothing else.
    pub fn of(body: &'a [u8]) -> Self {
        match body.split_first() {
            Some((&PACKED, rest)) => Ops(Form::Packed(Box::new(Unpacker::new(rest)))),
            _ => Ops(Form::Plain(Reader(body))),
        }
    }
}

impl<'a> Iterator for Ops<'a> {
    type Item = Result<Op<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = match &mut self.0 {
            Form::Packed(unpacker) => return unpacker.next(),
            Form::Plain(reader) => reader,
        };
        if reader.is_empty() {
            return None;
        }
        let op = plain(reader);
        if op.is_err() {
            *reader = Reader(&[]);
        }
        Some(op)
    }
}

fn plain<'a>(reader: &mut Reader<'a>) -> Result<Op<'a>, DecodeError> {
    let table = u16::try_from(reader.varint()?).map_err(|_| DecodeError("a table number is too large"))?;
    let flags = reader.byte()?;
    let kind = OpKind::of_flags(flags)?;
    if flags & !(KIND_BITS | SAW) != 0 || (kind == OpKind::Insert && flags & SAW != 0) {
        return Err(DecodeError("unknown flags"));
    }
    let key = if kind == OpKind::Insert { Value::Null } else { reader.value()? };
    let saw = if flags & SAW == 0 { None } else { Some(reader.signed()?) };
    let mut columns = Vec::new();
    if kind != OpKind::Delete {
        let mask = reader.mask()?;
        for column in memory::columns(&mask) {
            columns.push((column, reader.value()?));
        }
    }
    Ok(Op { table, kind, key, saw, columns })
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::Value;
    use crate::Uuid;
    use crate::frame::DecodeError;
    use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

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
                Value::Text(text) => ValueRef::Text(text.as_bytes()),
                Value::Id(id) => ValueRef::Blob(id.as_bytes()),
                Value::Blob(blob) => ValueRef::Blob(blob),
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the first version wrote it: an insert, an update that saw version 3, a delete. Decodes for ever.
    const GOLDEN: &[u8] =
        b"\x46\x01\x01\x0f\x05aaaaaaaaaaaaaaaa\x05bbbbbbbbbbbbbbbb\x90INVOICE:26270000\x01\x80\x10\
        \x16\x12\x05cccccccccccccccc\x06\x01\x18\x86Paneer\x00\
        \x46\x03\x05aaaaaaaaaaaaaaaa";

    #[test]
    fn what_the_first_version_wrote_is_read() {
        let [a, b, c] = [b'a', b'b', b'c'].map(|byte| Value::Id(Uuid::from_bytes([byte; 16])));
        let [insert, update, delete] = [OpKind::Insert, OpKind::Update, OpKind::Delete];
        let series = vec![(0, a), (1, b), (2, Value::Text("INVOICE:26270000")), (3, Value::Integer(1024))];
        let name = vec![(3, Value::Text("Paneer")), (4, Value::Null)];
        let expected = [
            Op { table: 70, kind: insert, key: Value::Null, saw: None, columns: series },
            Op { table: 22, kind: update, key: c, saw: Some(3), columns: name },
            Op { table: 70, kind: delete, key: a, saw: None, columns: Vec::new() },
        ];
        assert_eq!(Ops::of(GOLDEN).collect::<Result<Vec<_>, _>>().unwrap(), expected);
    }
}
