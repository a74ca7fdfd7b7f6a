//! Packed bodies: the changes of one action, each value told by what went before it where that is shorter. An order's
//! rows repeat each other (its id, its moment, its date; ids that count on; quantities that stay alike), so this takes a
//! quarter of their plain form, before any compression. Never allocates for a value; `unpack` reads it.
//!
//! A zero byte (no table has that number), then for each change:
//! `table varint · flags byte · [key value] · [version saw] · [mask length byte · mask] · values in column order`. An insert
//! has no key of its own (it is among the columns) and leaves null columns out; an update has only what changed, null
//! included; a delete has the key and no columns. The version is the one a change of a shared row was based on. The mask is
//! left out where it is that of the table's last change of the same kind.

use super::memory::{Last, Mask, Memory};
use super::op::{Op, OpKind, Value};
use super::tags::{
    BLOB, DELETE, ID, ID_KNOWN, ID_STEP, INSERT, INTEGER, INTEGER_KNOWN, KEY_COLUMN, NULL, PACKED, REAL,
    SAME, SAME_MASK, SAW, SHORT_TEXT, SMALL, SMALL_INTEGER, SMALL_STEP, STEP, TEXT, TEXT_KNOWN, UPDATE,
};
use super::unpack::Unpacker;
use super::wire::{put_signed, put_varint};
use crate::Uuid;
use crate::ids::Ids;

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

    /// Forgets everything.
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
