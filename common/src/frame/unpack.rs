//! Reading packed bodies, as `pack` writes them. Never copies a text, never panics on any bytes.

use super::DecodeError;
use super::memory::{self, Last, Mask, Memory, derived};
use super::op::{Op, OpKind, Value};
use super::tags::{
    BLOB, DERIVED, EIGHT, ID, ID_KNOWN, ID_NEXT, ID_STEP, INTEGER, INTEGER_KNOWN, KEY_COLUMN, KIND_BITS,
    NULL, PACKED, REAL, SAME, SAME_MASK, SAW, SHORT_TEXT, SMALL, SMALL_INTEGER, SMALL_STEP, STEP, TEXT,
    TEXT_KNOWN,
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
pub struct Ops<'a> {
    reader: Reader<'a>,
    memory: Memory<&'a str>,
    is_begun: bool,
}

impl<'a> Ops<'a> {
    /// The changes in `body`, which holds nothing else.
    pub fn of(body: &'a [u8]) -> Self {
        Ops { reader: Reader(body), memory: Memory::default(), is_begun: false }
    }

    fn op(&mut self) -> Result<Op<'a>, DecodeError> {
        if !self.is_begun {
            self.is_begun = true;
            if self.reader.byte()? != PACKED {
                return Err(DecodeError("changes of an unknown form"));
            }
        }
        let mut op = self.head()?;
        if op.kind != OpKind::Insert {
            op.key = self.value(op.table, KEY_COLUMN, &[])?;
        }
        for place in 0..op.columns.len() {
            let (before, rest) = op.columns.split_at_mut(place);
            if let Some((column, value)) = rest.first_mut() {
                *value = self.value(op.table, *column, before)?;
            }
        }
        Ok(op)
    }

    /// A change whose values are yet to be read: all are null.
    fn head(&mut self) -> Result<Op<'a>, DecodeError> {
        let table =
            u16::try_from(self.reader.varint()?).map_err(|_| DecodeError("a table number is too large"))?;
        let flags = self.reader.byte()?;
        let kind = OpKind::of_flags(flags)?;
        if flags & !(KIND_BITS | SAW | SAME_MASK) != 0 || (kind == OpKind::Insert && flags & SAW != 0) {
            return Err(DecodeError("unknown flags"));
        }
        let saw = if flags & SAW == 0 { None } else { Some(self.reader.signed()?) };
        let columns = match kind {
            OpKind::Delete => Vec::new(),
            _ => self.columns(table, kind == OpKind::Update, flags & SAME_MASK != 0)?,
        };
        Ok(Op { table, kind, key: Value::Null, saw, columns })
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
        Ok(memory::columns(&mask).map(|column| (column, Value::Null)).collect())
    }

    /// One value; `before` is what stands before it in its row, by ascending column.
    fn value(
        &mut self,
        table: u16,
        column: usize,
        before: &[(usize, Value<'a>)],
    ) -> Result<Value<'a>, DecodeError> {
        let last = self.memory.last(table, column);
        let (value, now) = match self.reader.byte()? {
            NULL => (Value::Null, Last::Nothing),
            REAL => (Value::Real(f64::from_le_bytes(self.reader.array()?)), Last::Nothing),
            BLOB => {
                let length = self.reader.length()?;
                (Value::Blob(self.reader.bytes(length)?), Last::Nothing)
            }
            SAME => held(last)?,
            tag if (DERIVED..DERIVED + memory::WAYS).contains(&tag) => {
                let follows = derived(before, tag - DERIVED);
                held(Last::Integer(follows.ok_or(DecodeError("there is nothing that it follows from"))?))?
            }
            tag if is_integer(tag) => held(Last::Integer(self.integer(tag, last)?))?,
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
            tag if tag & !EIGHT == INTEGER => {
                let integer = self.decimal(tag)?;
                self.memory.met_integer(integer);
                return Ok(integer);
            }
            tag if tag & !EIGHT == STEP => self.decimal(tag)?,
            tag if tag & !SMALL == SMALL_INTEGER => return Ok(i64::from(tag & SMALL)),
            tag if tag & !SMALL == SMALL_STEP => i64::from(tag & SMALL) - 32,
            tag => {
                let known = self.memory.integers.get(usize::from(tag & EIGHT));
                return known.ok_or(DecodeError("there is no such integer to repeat"));
            }
        };
        match last {
            Last::Integer(before) => Ok(before.wrapping_add(step)),
            _ => Err(DecodeError("there is no integer to step from")),
        }
    }

    fn decimal(&mut self, tag: u8) -> Result<i64, DecodeError> {
        let number = self.reader.signed()?.checked_mul(10i64.pow(u32::from(tag & EIGHT)));
        number.ok_or(DecodeError("a number is too large"))
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
            tag if tag & !EIGHT == ID_NEXT => {
                let maker = self.memory.makers.get(usize::from(tag & EIGHT));
                let maker = maker.ok_or(DecodeError("there is no id to follow"))?;
                let counter = maker.counter.checked_add(1).ok_or(DecodeError("no such id"))?;
                Ids::join(Parts { counter, ..maker })
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

/// Whether the tag is one of an integer's.
fn is_integer(tag: u8) -> bool {
    matches!(tag & !EIGHT, INTEGER | STEP | INTEGER_KNOWN)
        || matches!(tag & !SMALL, SMALL_INTEGER | SMALL_STEP)
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

impl<'a> Iterator for Ops<'a> {
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
