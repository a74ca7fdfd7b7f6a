//! Reading packed bodies, as `pack` writes them. Never copies a text, never panics on any bytes.

use super::DecodeError;
use super::memory::{self, Last, Mask, Memory};
use super::op::{Op, OpKind, Value};
use super::tags::{
    BLOB, ID, ID_KNOWN, ID_STEP, INTEGER, INTEGER_KNOWN, KEY_COLUMN, KIND_BITS, NULL, REAL, SAME, SAME_MASK,
    SAW, SHORT_TEXT, SMALL, SMALL_INTEGER, SMALL_STEP, STEP, TEXT, TEXT_KNOWN,
};
use super::wire::Reader;
use crate::Uuid;
use crate::ids::{Ids, Parts};

impl Reader<'_> {
    /// A column mask, filled up with zeros.
    pub(super) fn mask(&mut self) -> Result<Mask, DecodeError> {
        let length = usize::from(self.byte()?);
        let mut mask = [0; 32];
        let place = mask.get_mut(..length).ok_or(DecodeError("a column mask is too long"))?;
        place.copy_from_slice(self.bytes(length)?);
        Ok(mask)
    }
}

/// The changes of a packed body, one after the other. Stops after the first error.
#[derive(Debug, Clone)]
pub(super) struct Unpacker<'a> {
    reader: Reader<'a>,
    memory: Memory<&'a str>,
}

impl<'a> Unpacker<'a> {
    /// The changes in `bytes`, what follows the byte that says they are packed.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Unpacker { reader: Reader(bytes), memory: Memory::default() }
    }

    fn op(&mut self) -> Result<Op<'a>, DecodeError> {
        let table =
            u16::try_from(self.reader.varint()?).map_err(|_| DecodeError("a table number is too large"))?;
        let flags = self.reader.byte()?;
        let kind = OpKind::of_flags(flags)?;
        if flags & !(KIND_BITS | SAW | SAME_MASK) != 0 || (kind == OpKind::Insert && flags & SAW != 0) {
            return Err(DecodeError("unknown flags"));
        }
        let is_insert = kind == OpKind::Insert;
        let key = if is_insert { Value::Null } else { self.value(table, KEY_COLUMN)? };
        let saw = if flags & SAW == 0 { None } else { Some(self.reader.signed()?) };
        let columns = match kind {
            OpKind::Delete => Vec::new(),
            _ => self.columns(table, !is_insert, flags & SAME_MASK != 0)?,
        };
        Ok(Op { table, kind, key, saw, columns })
    }

    fn columns(
        &mut self,
        table: u16,
        is_update: bool,
        is_same: bool,
    ) -> Result<Vec<(usize, Value<'a>)>, DecodeError> {
        let mask = if is_same {
            let last = self.memory.mask(table, is_update).and_then(|mask| *mask);
            last.ok_or(DecodeError("there is no mask to repeat"))?
        } else {
            let mask = self.reader.mask()?;
            if let Some(last) = self.memory.mask(table, is_update) {
                *last = Some(mask);
            }
            mask
        };
        let mut columns = Vec::with_capacity(mask.iter().map(|byte| byte.count_ones() as usize).sum());
        for column in memory::columns(&mask) {
            columns.push((column, self.value(table, column)?));
        }
        Ok(columns)
    }

    fn value(&mut self, table: u16, column: usize) -> Result<Value<'a>, DecodeError> {
        let last = self.memory.last(table, column);
        let (value, now) = match self.reader.byte()? {
            NULL => (Value::Null, Last::Nothing),
            REAL => (Value::Real(f64::from_le_bytes(self.reader.array()?)), Last::Nothing),
            BLOB => {
                let length = self.reader.length()?;
                (Value::Blob(self.reader.bytes(length)?), Last::Nothing)
            }
            SAME => held(last)?,
            tag if tag == INTEGER || tag == STEP || tag & !7 == INTEGER_KNOWN || is_small(tag) => {
                held(Last::Integer(self.integer(tag, last)?))?
            }
            tag => match self.id(tag)? {
                Some(id) => held(Last::Id(id))?,
                None => held(Last::Text(self.text(tag)?))?,
            },
        };
        self.memory.hold(table, column, now);
        Ok(value)
    }

    fn integer(&mut self, tag: u8, last: Last<&'a str>) -> Result<i64, DecodeError> {
        let step = match tag {
            INTEGER => {
                let integer = self.reader.signed()?;
                self.memory.met_integer(integer);
                return Ok(integer);
            }
            STEP => self.reader.signed()?,
            tag if tag & !SMALL == SMALL_INTEGER => return Ok(i64::from(tag & SMALL)),
            tag if tag & !SMALL == SMALL_STEP => i64::from(tag & SMALL) - 32,
            tag => {
                let known = self.memory.integers.get(usize::from(tag & 7));
                return known.ok_or(DecodeError("there is no such integer to repeat"));
            }
        };
        match last {
            Last::Integer(before) => Ok(before.wrapping_add(step)),
            _ => Err(DecodeError("there is no integer to step from")),
        }
    }

    /// None: the tag is none of an id's.
    fn id(&mut self, tag: u8) -> Result<Option<Uuid>, DecodeError> {
        let id = match tag {
            ID => self.reader.uuid()?,
            ID_STEP => {
                let place = usize::from(self.reader.byte()?);
                let maker =
                    self.memory.makers.get(place).ok_or(DecodeError("there is no id to step from"))?;
                let ms = maker.ms.wrapping_add_signed(self.reader.signed()?);
                let counter = i64::from(maker.counter).wrapping_add(self.reader.signed()?);
                let counter = u32::try_from(counter).map_err(|_| DecodeError("no such id"))?;
                Ids::join(Parts { ms, counter, nonce: maker.nonce })
            }
            ID_KNOWN => {
                let place = usize::from(self.reader.byte()?);
                let known = self.memory.ids.get(place).ok_or(DecodeError("there is no such id to repeat"))?;
                return Ok(Some(known));
            }
            _ => return Ok(None),
        };
        self.memory.met_id(id);
        Ok(Some(id))
    }

    fn text(&mut self, tag: u8) -> Result<&'a str, DecodeError> {
        let length = match tag {
            TEXT => self.reader.length()?,
            tag if tag & !SMALL == SHORT_TEXT => usize::from(tag & SMALL),
            tag if tag & !15 == TEXT_KNOWN => {
                let known = self.memory.texts.get(usize::from(tag & 15));
                return known.ok_or(DecodeError("there is no such text to repeat"));
            }
            _ => return Err(DecodeError("unknown value tag")),
        };
        let text = std::str::from_utf8(self.reader.bytes(length)?);
        let text = text.map_err(|_| DecodeError("a text is not UTF-8"))?;
        self.memory.met_text(text, text.len());
        Ok(text)
    }
}

/// Whether the tag says an integer by itself, or a small step.
fn is_small(tag: u8) -> bool {
    matches!(tag & !SMALL, SMALL_INTEGER | SMALL_STEP)
}

/// What a column holds, as a value.
fn held<'a>(last: Last<&'a str>) -> Result<(Value<'a>, Last<&'a str>), DecodeError> {
    match last {
        Last::Integer(integer) => Ok((Value::Integer(integer), last)),
        Last::Text(text) => Ok((Value::Text(text), last)),
        Last::Id(id) => Ok((Value::Id(id), last)),
        Last::Nothing => Err(DecodeError("there is nothing to repeat")),
    }
}

impl<'a> Iterator for Unpacker<'a> {
    type Item = Result<Op<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let op = self.op();
        if op.is_err() {
            self.reader = Reader(&[]);
        }
        Some(op)
    }
}
