//! One change of one row: encoding straight into a buffer (the capture's hot path, no allocation of its own) and
//! decoding without copying.
//!
//! `table varint · flags byte · [key value] · [version saw] · mask length byte · mask · values in column order`. An insert
//! has no key of its own (it is among the columns) and leaves null columns out; an update has only what changed, null
//! included; a delete has the key and no columns. The version is the one a change of a shared row was based on.

use super::DecodeError;
use super::wire::{Reader, put_signed, put_varint};

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
    /// BLOB.
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

const INSERT: u8 = 1;
const UPDATE: u8 = 2;
const DELETE: u8 = 3;
const KIND_BITS: u8 = 0x0F;
const SAW: u8 = 0x10;

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

fn put_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Null => out.push(NULL),
        Value::Integer(small @ 0..=63) => out.push(SMALL_INTEGER | (small as u8)),
        Value::Integer(integer) => {
            out.push(INTEGER);
            put_signed(out, integer);
        }
        Value::Real(real) => {
            out.push(REAL);
            out.extend_from_slice(&real.to_le_bytes());
        }
        Value::Text(text) => {
            if text.len() <= usize::from(SMALL) {
                out.push(SHORT_TEXT | (text.len() as u8));
            } else {
                out.push(TEXT);
                put_varint(out, text.len() as u64);
            }
            out.extend_from_slice(text.as_bytes());
        }
        Value::Blob(blob) => {
            if blob.len() == 16 {
                out.push(BLOB16);
            } else {
                out.push(BLOB);
                put_varint(out, blob.len() as u64);
            }
            out.extend_from_slice(blob);
        }
    }
}

impl<'a> Reader<'a> {
    fn text(&mut self, length: usize) -> Result<Value<'a>, DecodeError> {
        let bytes = self.bytes(length)?;
        std::str::from_utf8(bytes).map(Value::Text).map_err(|_| DecodeError("a text is not UTF-8"))
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
            BLOB16 => self.bytes(16).map(Value::Blob),
            tag if tag & !SMALL == SMALL_INTEGER => Ok(Value::Integer(i64::from(tag & SMALL))),
            tag if tag & !SMALL == SHORT_TEXT => self.text(usize::from(tag & SMALL)),
            _ => Err(DecodeError("unknown value tag")),
        }
    }
}

/// Writes one change to the end of a buffer. Columns are set in ascending order; [`OpEncoder::finish`] completes it, and
/// one that is dropped without it leaves the buffer to be truncated by the caller.
#[derive(Debug)]
pub struct OpEncoder<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    mask: usize,
    is_empty: bool,
}

impl<'a> OpEncoder<'a> {
    /// A new row of a table with `columns` columns (at most 256).
    pub fn insert(out: &'a mut Vec<u8>, table: u16, columns: usize) -> Self {
        let start = out.len();
        put_varint(out, u64::from(table));
        out.push(INSERT);
        let mask = put_mask(out, columns);
        OpEncoder { out, start, mask, is_empty: false }
    }

    /// A changed row; nothing is written unless a column is set.
    pub fn update(
        out: &'a mut Vec<u8>,
        table: u16,
        columns: usize,
        key: Value<'_>,
        saw: Option<i64>,
    ) -> Self {
        let start = out.len();
        put_target(out, table, UPDATE, key, saw);
        let mask = put_mask(out, columns);
        OpEncoder { out, start, mask, is_empty: true }
    }

    /// A deleted row: complete at once.
    pub fn delete(out: &mut Vec<u8>, table: u16, key: Value<'_>, saw: Option<i64>) {
        put_target(out, table, DELETE, key, saw);
    }

    /// Sets a column; `column` is below the number of columns and above the one set before.
    pub fn set(&mut self, column: usize, value: Value<'_>) {
        if let Some(byte) = self.out.get_mut(self.mask + column / 8) {
            *byte |= 1 << (column % 8);
            self.is_empty = false;
            put_value(self.out, value);
        }
    }

    /// Completes the change. False: an update that changed nothing, and left nothing behind.
    pub fn finish(self) -> bool {
        if self.is_empty {
            self.out.truncate(self.start);
        }
        !self.is_empty
    }
}

fn put_target(out: &mut Vec<u8>, table: u16, kind: u8, key: Value<'_>, saw: Option<i64>) {
    put_varint(out, u64::from(table));
    out.push(kind | if saw.is_some() { SAW } else { 0 });
    put_value(out, key);
    if let Some(version) = saw {
        put_signed(out, version);
    }
}

fn put_mask(out: &mut Vec<u8>, columns: usize) -> usize {
    let bytes = columns.div_ceil(8).min(32);
    out.push(bytes as u8);
    let mask = out.len();
    out.resize(mask + bytes, 0);
    mask
}

/// The changes of a body, one after the other. Stops after the first error.
#[derive(Debug, Clone)]
pub struct Ops<'a>(Reader<'a>);

impl<'a> Ops<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Self {
        Ops(reader)
    }

    /// The changes in `body`, which holds nothing else.
    pub fn of(body: &'a [u8]) -> Self {
        Ops(Reader(body))
    }

    fn op(&mut self) -> Result<Op<'a>, DecodeError> {
        let reader = &mut self.0;
        let table =
            u16::try_from(reader.varint()?).map_err(|_| DecodeError("a table number is too large"))?;
        let flags = reader.byte()?;
        let kind = match flags & KIND_BITS {
            INSERT => OpKind::Insert,
            UPDATE => OpKind::Update,
            DELETE => OpKind::Delete,
            _ => return Err(DecodeError("unknown change")),
        };
        let is_plain = flags & !(KIND_BITS | SAW) == 0 && !(kind == OpKind::Insert && flags & SAW != 0);
        if !is_plain {
            return Err(DecodeError("unknown flags"));
        }
        let key = if kind == OpKind::Insert { Value::Null } else { reader.value()? };
        let saw = if flags & SAW == 0 { None } else { Some(reader.signed()?) };
        let columns = if kind == OpKind::Delete { Vec::new() } else { columns(reader)? };
        Ok(Op { table, kind, key, saw, columns })
    }
}

fn columns<'a>(reader: &mut Reader<'a>) -> Result<Vec<(usize, Value<'a>)>, DecodeError> {
    let length = usize::from(reader.byte()?);
    if length > 32 {
        return Err(DecodeError("a column mask is too long"));
    }
    let mask = reader.bytes(length)?;
    let mut columns = Vec::with_capacity(mask.iter().map(|byte| byte.count_ones() as usize).sum());
    for (i, byte) in mask.iter().enumerate() {
        for bit in (0..8).filter(|bit| byte & (1 << bit) != 0) {
            columns.push((i * 8 + bit, reader.value()?));
        }
    }
    Ok(columns)
}

impl<'a> Iterator for Ops<'a> {
    type Item = Result<Op<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let op = self.op();
        if op.is_err() {
            self.0 = Reader(&[]);
        }
        Some(op)
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::Value;
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
                ValueRef::Blob(blob) => Value::Blob(blob),
            })
        }
    }

    impl ToSql for Value<'_> {
        fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
            Ok(ToSqlOutput::Borrowed(match *self {
                Value::Null => ValueRef::Null,
                Value::Integer(integer) => ValueRef::Integer(integer),
                Value::Real(real) => ValueRef::Real(real),
                Value::Text(text) => ValueRef::Text(text.as_bytes()),
                Value::Blob(blob) => ValueRef::Blob(blob),
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_that_sets_nothing_leaves_nothing() {
        let mut out = vec![7];
        assert!(!OpEncoder::update(&mut out, 71, 38, Value::Blob(&[1; 16]), Some(3)).finish());
        assert_eq!(out, [7]);
    }

    #[test]
    fn a_small_change_is_small() {
        let mut out = Vec::new();
        let mut op = OpEncoder::update(&mut out, 71, 38, Value::Blob(&[1; 16]), None);
        op.set(7, Value::Text("READY"));
        assert!(op.finish());
        assert_eq!(out.len(), 2 + 17 + 6 + 6);
        let read: Vec<_> = Ops::of(&out).collect();
        let expected = Op {
            table: 71,
            kind: OpKind::Update,
            key: Value::Blob(&[1; 16]),
            saw: None,
            columns: vec![(7, Value::Text("READY"))],
        };
        assert_eq!(read, [Ok(expected)]);
    }
}
