//! Packed bodies: the changes of one action, each value told by what went before it where that is shorter. An order's
//! rows repeat each other (its id, its moment, its date; ids that count on; quantities that stay alike), so this takes a
//! quarter of their plain form, before any compression. Never allocates for a value; `unpack` reads it.
//!
//! A zero byte, then for each change: `table varint · flags byte · [version saw] · [mask length byte · mask] · [key value] ·
//! values in column order`. An insert has no key of its own (it is among the columns) and leaves null columns out; an update
//! has only what changed, null included; a delete has the key and no columns. The version is the one a change of a shared row
//! was based on. The mask is left out where it is that of the table's last change of the same kind.

use super::memory::{self, Last, Mask, Memory, derived};
use super::op::{Op, OpKind, Value};
use super::tags::{
    BLOB, DELETE, DERIVED, EIGHT, ID, ID_KNOWN, ID_NEXT, ID_STEP, INSERT, INTEGER, INTEGER_KNOWN, KEY_COLUMN,
    NULL, PACKED, REAL, SAME, SAME_MASK, SAW, SHORT_TEXT, SMALL, SMALL_INTEGER, SMALL_STEP, STEP, TEXT,
    TEXT_KNOWN, UPDATE,
};
use super::unpack::Ops;
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
        self.memory.clear();
        self.count = 0;
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
        for op in Ops::of(&kept).flatten() {
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
        self.head(op);
        if op.kind != OpKind::Insert {
            self.value(op.table, KEY_COLUMN, op.key, &[]);
        }
        for (place, (column, value)) in op.columns.iter().enumerate() {
            self.value(op.table, *column, *value, op.columns.get(..place).unwrap_or_default());
        }
    }

    /// What a change is, and which columns it has: all of it but its values.
    fn head(&mut self, op: &Op<'_>) {
        put_varint(&mut self.bytes, u64::from(op.table));
        let (mask, is_same) = self.mask(op);
        let kind = match op.kind {
            OpKind::Insert => INSERT,
            OpKind::Update => UPDATE,
            OpKind::Delete => DELETE,
        };
        let saw = if op.saw.is_some() { SAW } else { 0 };
        self.bytes.push(kind | saw | if is_same { SAME_MASK } else { 0 });
        if let Some(version) = op.saw {
            put_signed(&mut self.bytes, version);
        }
        if !is_same && op.kind != OpKind::Delete {
            let length = op.columns.last().map_or(0, |(column, _)| column / 8 + 1);
            self.bytes.push(length as u8);
            self.bytes.extend(mask.iter().take(length));
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

    /// One value, told by what went before: in its column, and in its row (`before`, by ascending column).
    fn value(&mut self, table: u16, column: usize, value: Value<'_>, before: &[(usize, Value<'_>)]) {
        let last = self.memory.last(table, column);
        let now = match value {
            Value::Null => {
                self.bytes.push(NULL);
                Last::Nothing
            }
            Value::Integer(integer) => self.put_integer(integer, last, before),
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

    fn put_integer(&mut self, integer: i64, last: Last<Span>, before: &[(usize, Value<'_>)]) -> Last<Span> {
        let step = match last {
            Last::Integer(last) => Some(integer.wrapping_sub(last)),
            _ => None,
        };
        let follows = |way: &u8| derived(before, *way) == Some(integer);
        if let small @ 0..=63 = integer {
            self.bytes.push(SMALL_INTEGER | small as u8);
        } else if let Some(step @ -32..=31) = step {
            self.bytes.push(SMALL_STEP | (step + 32) as u8);
        } else if let Some(way) = (0..memory::WAYS).find(follows) {
            self.bytes.push(DERIVED + way);
        } else if let Some(place) = self.memory.integers.find(|known| *known == integer) {
            self.bytes.push(INTEGER_KNOWN | place as u8);
        } else if let Some(step) = step.filter(|step| step.unsigned_abs() < integer.unsigned_abs() >> 7) {
            self.put_decimal(STEP, step);
        } else {
            self.put_decimal(INTEGER, integer);
            self.memory.met_integer(integer);
        }
        Last::Integer(integer)
    }

    /// A number without the zeros at its end: prices and quantities have many.
    fn put_decimal(&mut self, tag: u8, mut number: i64) {
        let mut zeros = 0;
        while zeros < EIGHT && number % 10 == 0 {
            number /= 10;
            zeros += 1;
        }
        self.bytes.push(tag | zeros);
        put_signed(&mut self.bytes, number);
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
            Some((parts, place, before))
                if place <= usize::from(EIGHT)
                    && parts.ms == before.ms
                    && before.counter.checked_add(1) == Some(parts.counter) =>
            {
                self.bytes.push(ID_NEXT | place as u8);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Millis;

    /// Bytes that `values` take beyond those of a change without any, each in a column of its own.
    fn bytes(values: &[Value<'_>]) -> Vec<u8> {
        let columns: Vec<_> = values.iter().copied().enumerate().collect();
        let op = Op { table: 70, kind: OpKind::Insert, key: Value::Null, saw: None, columns };
        let mut changes = Changes::default();
        changes.push(&op);
        assert_eq!(Ops::of(changes.bytes()).collect::<Result<Vec<_>, _>>(), Ok(vec![op]));
        // The form, the table, what it is, how many bytes of mask, and those.
        changes.bytes()[4 + values.len().div_ceil(8)..].to_vec()
    }

    #[test]
    fn numbers_leave_out_the_zeros_at_their_end() {
        for (number, length) in [(74_000, 3), (-74_000, 3), (50_000_000, 2), (1_234_567, 5), (64, 3)] {
            assert_eq!(bytes(&[Value::Integer(number)]).len(), length, "{number}");
        }
        for number in [i64::MIN, i64::MAX, 9_000_000_000_000_000_000, -1_000_000_000_000_000_000] {
            bytes(&[Value::Integer(number)]);
        }
    }

    #[test]
    fn what_follows_from_other_columns_takes_a_byte() {
        let [stock, taken, left] = [99_994_500_001, -90_000, 99_994_410_001].map(Value::Integer);
        let [unit, cost] = [7_885_000_005, -709_650_000].map(Value::Integer);
        let [price, voided, count, gross] = [16_050, 0, 2, 32_100].map(Value::Integer);
        let [rate, amount, tax] = [700, 32_540, 2_278].map(Value::Integer);
        for (row, way) in [
            (vec![stock, taken, left], 0),
            (vec![stock, Value::Text("taken"), taken, left], 0),
            (vec![rate, amount, tax], 1),
            (vec![taken, stock, left, unit, cost], 2),
            (vec![price, voided, count, voided, voided, gross], 3),
        ] {
            assert_eq!(bytes(&row).last(), Some(&(DERIVED + way)), "{row:?}");
        }
        assert_ne!(bytes(&[rate, amount, Value::Integer(2_277)]).last(), Some(&(DERIVED + 1)));
        for most in [[i64::MAX, 1, i64::MIN], [i64::MAX, i64::MAX, 1_000], [i64::MIN, -1, i64::MAX]] {
            bytes(&most.map(Value::Integer));
        }
    }

    #[test]
    fn ids_that_count_on_take_a_byte() {
        let (own, other) = (Ids::new(5), Ids::new(6));
        let [a, b, c] = [1_000, 1_000, 1_001].map(|ms| Value::Id(own.next(Millis::new(ms))));
        let others = [Value::Id(other.next(Millis::new(7))), Value::Id(other.next(Millis::new(7)))];
        let of = |values: &[Value<'_>]| bytes(values).len();
        assert_eq!(of(&[a, b]) - of(&[a]), 1);
        assert_eq!(of(&[a, b, c]) - of(&[a, b]), 4);
        assert_eq!(of(&[a, others[0], others[1], b]) - of(&[a, others[0]]), 2);
    }
}
