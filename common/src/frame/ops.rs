//! The changes of a body, packed or as the first version wrote them: each value in full, which is still read and no longer
//! written (`pack` is).
//!
//! `table varint · flags byte · [key value] · [version saw] · mask length byte · mask · values in column order`, without
//! anything before the first. The flags and tags are those of the packed form, as far as they go.

use super::DecodeError;
use super::memory;
use super::op::{Op, OpKind, Value};
use super::tags::{
    BLOB, ID, INTEGER, KIND_BITS, NULL, PACKED, REAL, SAW, SHORT_TEXT, SMALL, SMALL_INTEGER, TEXT,
};
use super::unpack::Unpacker;
use super::wire::Reader;

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
            ID => self.uuid().map(Value::Id),
            tag if tag & !SMALL == SMALL_INTEGER => Ok(Value::Integer(i64::from(tag & SMALL))),
            tag if tag & !SMALL == SHORT_TEXT => self.text(usize::from(tag & SMALL)),
            _ => Err(DecodeError("unknown value tag")),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

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
