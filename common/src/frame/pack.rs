//! Packed bodies: the changes of one action, each value told by what went before it where that is shorter. An order's
//! rows repeat each other (its id, its moment, its date; ids that count on; quantities that stay alike), so this takes a
//! quarter of their plain form, before any compression. Never allocates for a value, never panics on any bytes.
//!
//! A zero byte (no table has that number), then for each change:
//! `table varint · flags byte · [key value] · [version saw] · [mask length byte · mask] · values in column order`. An insert
//! has no key of its own (it is among the columns) and leaves null columns out; an update has only what changed, null
//! included; a delete has the key and no columns. The version is the one a change of a shared row was based on. The mask is
//! left out where it is that of the table's last change of the same kind.

use super::DecodeError;
use super::memory::{Last, Mask, Memory};
use super::op::{DELETE, INSERT, KIND_BITS, Op, OpKind, SAW, UPDATE, Value};
use super::wire::{Reader, put_signed, put_varint};
use crate::Uuid;
use crate::ids::{Ids, Parts};

/// What a packed body begins with.
pub(super) const PACKED: u8 = 0;

/// Flag: the mask is that of the table's last change of this kind.
const SAME_MASK: u8 = 0x20;

/// The column whose memory a key shares: the id is the first column of every table.
const KEY_COLUMN: usize = 0;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const REAL: u8 = 2;
const TEXT: u8 = 3;
const BLOB: u8 = 4;
const ID: u8 = 5;
/// What the column held last.
const SAME: u8 = 6;
/// More (or less) than the column held last.
const STEP: u8 = 7;
/// An id of a generator that was met: which one, milliseconds on, ids on.
const ID_STEP: u8 = 8;
/// An id that was met: its place.
const ID_KNOWN: u8 = 9;
/// 0x10…0x17: a large integer that was met. 0x20…0x2F: a text that was met.
const INTEGER_KNOWN: u8 = 0x10;
const TEXT_KNOWN: u8 = 0x20;
/// 0x40…0x7F: the integers 0…63. 0x80…0xBF: text of 0…63 bytes. 0xC0…0xFF: a step of −32…31.
const SMALL_INTEGER: u8 = 0x40;
const SHORT_TEXT: u8 = 0x80;
const SMALL_STEP: u8 = 0xC0;
const SMALL: u8 = 0x3F;

/// Where a text lies in the bytes that were written.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    length: usize,
}

/// The changes of one action, as they are being packed.
#[derive(Debug, Default)]
pub struct Changes {
    bytes: Vec<u8>,
    count: u32,
    memory: Memory<Span>,
}

impl Changes {
    /// The body so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many changes it holds.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Forgets everything; the memory it took is kept for the next.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
        self.memory.clear();
    }

    /// Goes back to the first `count` changes, which took `length` bytes.
    pub fn cut(&mut self, length: usize, count: u32) {
        if length >= self.bytes.len() {
            return;
        }
        let mut kept = std::mem::take(&mut self.bytes);
        kept.truncate(length);
        self.clear();
        // Packed once more, which gives the same bytes and what is to be remembered of them. Seldom: a statement failed after
        // others had succeeded, and its action went on.
        for op in Unpacker::new(kept.get(1..).unwrap_or_default()).flatten() {
            self.push(&op);
        }
        debug_assert!(self.bytes == kept && self.count == count);
    }

    /// Adds a change. Columns ascend and are below 256.
    pub fn push(&mut self, op: &Op<'_>) {
        if self.bytes.is_empty() {
            self.bytes.push(PACKED);
        }
        self.count += 1;
        put_varint(&mut self.bytes, u64::from(op.table));
        let (mask, is_same) = self.mask(op);
        let kind = match op.kind {
            OpKind::Insert => INSERT,
            OpKind::Update => UPDATE,
            OpKind::Delete => DELETE,
        };
        let saw = if op.saw.is_some() { SAW } else { 0 };
        self.bytes.push(kind | saw | if is_same { SAME_MASK } else { 0 });
        if op.kind != OpKind::Insert {
            self.put(op.table, KEY_COLUMN, op.key);
        }
        if let Some(version) = op.saw {
            put_signed(&mut self.bytes, version);
        }
        if !is_same && op.kind != OpKind::Delete {
            let length = op.columns.last().map_or(0, |(column, _)| column / 8 + 1);
            self.bytes.push(length as u8);
            self.bytes.extend(mask.iter().take(length));
        }
        for (column, value) in &op.columns {
            self.put(op.table, *column, *value);
        }
    }

    /// The columns of a change, and whether they are those of the last one of its table and kind.
    fn mask(&mut self, op: &Op<'_>) -> (Mask, bool) {
        let mut mask: Mask = [0; 32];
        for (column, _) in &op.columns {
            if let Some(byte) = mask.get_mut(column / 8) {
                *byte |= 1 << (column % 8);
            }
        }
        if op.kind == OpKind::Delete {
            return (mask, false);
        }
        let Some(last) = self.memory.mask(op.table, op.kind == OpKind::Update) else { return (mask, false) };
        let is_same = *last == Some(mask);
        *last = Some(mask);
        (mask, is_same)
    }

    fn put(&mut self, table: u16, column: usize, value: Value<'_>) {
        let last = self.memory.last(table, column);
        let now = match value {
            Value::Null => {
                self.bytes.push(NULL);
                Last::Nothing
            }
            Value::Integer(integer) => self.put_integer(integer, last),
            Value::Real(real) => {
                self.bytes.push(REAL);
                self.bytes.extend_from_slice(&real.to_le_bytes());
                Last::Nothing
            }
            Value::Text(text) => self.put_text(text, last),
            Value::Id(id) => self.put_id(id, last),
            Value::Blob(blob) => {
                self.bytes.push(BLOB);
                put_varint(&mut self.bytes, blob.len() as u64);
                self.bytes.extend_from_slice(blob);
                Last::Nothing
            }
        };
        self.memory.hold(table, column, now);
    }

    fn put_integer(&mut self, integer: i64, last: Last<Span>) -> Last<Span> {
        let step = match last {
            Last::Integer(before) => Some(integer.wrapping_sub(before)),
            _ => None,
        };
        if let small @ 0..=63 = integer {
            self.bytes.push(SMALL_INTEGER | small as u8);
        } else if let Some(step @ -32..=31) = step {
            self.bytes.push(SMALL_STEP | (step + 32) as u8);
        } else if let Some(place) = self.memory.integers.find(|known| *known == integer) {
            self.bytes.push(INTEGER_KNOWN | place as u8);
        } else if let Some(step) = step.filter(|step| step.unsigned_abs() < integer.unsigned_abs() >> 7) {
            self.bytes.push(STEP);
            put_signed(&mut self.bytes, step);
        } else {
            self.bytes.push(INTEGER);
            put_signed(&mut self.bytes, integer);
            self.memory.met_integer(integer);
        }
        Last::Integer(integer)
    }

    fn put_text(&mut self, text: &str, last: Last<Span>) -> Last<Span> {
        let is_it = |span: &Span| {
            self.bytes.get(span.start..span.start + span.length).is_some_and(|there| there == text.as_bytes())
        };
        if let Last::Text(span) = last
            && is_it(&span)
        {
            self.bytes.push(SAME);
            return last;
        }
        if let Some(place) = self.memory.texts.find(is_it) {
            self.bytes.push(TEXT_KNOWN | place as u8);
            return self.memory.texts.get(place).map_or(Last::Nothing, Last::Text);
        }
        if text.len() <= usize::from(SMALL) {
            self.bytes.push(SHORT_TEXT | (text.len() as u8));
        } else {
            self.bytes.push(TEXT);
            put_varint(&mut self.bytes, text.len() as u64);
        }
        let span = Span { start: self.bytes.len(), length: text.len() };
        self.bytes.extend_from_slice(text.as_bytes());
        self.memory.met_text(span, text.len());
        Last::Text(span)
    }

    fn put_id(&mut self, id: Uuid, last: Last<Span>) -> Last<Span> {
        if matches!(last, Last::Id(before) if before == id) {
            self.bytes.push(SAME);
            return last;
        }
        if let Some(place) = self.memory.ids.find(|known| *known == id) {
            self.bytes.extend([ID_KNOWN, place as u8]);
            return Last::Id(id);
        }
        let maker = Ids::split(id).and_then(|parts| {
            let place = self.memory.makers.find(|maker| maker.nonce == parts.nonce)?;
            Some((parts, place, self.memory.makers.get(place)?))
        });
        match maker {
            Some((parts, place, before)) => {
                self.bytes.extend([ID_STEP, place as u8]);
                put_signed(&mut self.bytes, parts.ms.wrapping_sub(before.ms).cast_signed());
                put_signed(&mut self.bytes, i64::from(parts.counter) - i64::from(before.counter));
            }
            None => {
                self.bytes.push(ID);
                self.bytes.extend_from_slice(id.as_bytes());
            }
        }
        self.memory.met_id(id);
        Last::Id(id)
    }
}

/// The changes of a packed body, one after the other. Stops after the first error.
#[derive(Debug, Clone)]
pub(super) struct Unpacker<'a> {
    reader: Reader<'a>,
    memory: Memory<&'a str>,
}

impl<'a> Unpacker<'a> {
    /// The changes in `bytes`, what follows [`PACKED`].
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
        for column in (0..256).filter(|column| mask[column / 8] & 1 << (column % 8) != 0) {
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
