//! What both ends of a packed body remember of the values that went before, so that most of them are a byte: the writer says
//! "the same", "the third id back", "two more", and the reader knows what that is. Both ends call the same functions in the
//! same order and so remember the same. Bounded: no bytes make it grow beyond [`TABLES`] × 256 columns.

use super::op::Value;
use crate::Uuid;
use crate::ids::{Ids, Parts};

/// Tables that are remembered, by number; a table beyond is written out in full.
const TABLES: usize = 256;

/// Texts shorter than this are not worth a place among the recent ones.
const SHORTEST: usize = 4;

/// Integers at least this large (moments, mostly) are worth one.
const LARGE: u64 = 1 << 28;

/// The last `N` different values, by place; the oldest gives way.
#[derive(Debug, Clone)]
pub(super) struct Recent<V, const N: usize> {
    values: Vec<V>,
    next: usize,
}

impl<V: Copy, const N: usize> Default for Recent<V, N> {
    fn default() -> Self {
        Recent { values: Vec::new(), next: 0 }
    }
}

impl<V: Copy, const N: usize> Recent<V, N> {
    fn push(&mut self, value: V) {
        match self.values.get_mut(self.next) {
            Some(place) => *place = value,
            None => self.values.push(value),
        }
        self.next = (self.next + 1) % N;
    }

    /// The value at `place`.
    pub(super) fn get(&self, place: usize) -> Option<V> {
        self.values.get(place).copied()
    }

    /// The place of the first value that `is_it`.
    pub(super) fn find(&self, is_it: impl FnMut(&V) -> bool) -> Option<usize> {
        self.values.iter().position(is_it)
    }

    fn clear(&mut self) {
        self.values.clear();
        self.next = 0;
    }
}

/// What a column of a table held last. `T` stands for a text: where it lies, or the text itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Last<T> {
    /// Nothing that helps.
    #[default]
    Nothing,
    /// An integer.
    Integer(i64),
    /// A text.
    Text(T),
    /// An id.
    Id(Uuid),
}

/// The columns a change set, as bits.
pub(super) type Mask = [u8; 32];

/// The columns of a mask, ascending.
pub(super) fn columns(mask: &Mask) -> impl Iterator<Item = usize> {
    (0..256).filter(|column| mask[column / 8] & 1 << (column % 8) != 0)
}

#[derive(Debug, Clone)]
struct Table<T> {
    no: u16,
    /// Of the last insert and of the last update.
    masks: [Option<Mask>; 2],
    columns: Vec<Last<T>>,
}

/// What is remembered of a body so far.
#[derive(Debug, Clone)]
pub(super) struct Memory<T> {
    tables: Vec<Table<T>>,
    pub(super) ids: Recent<Uuid, 32>,
    /// The last id of each generator.
    pub(super) makers: Recent<Parts, 16>,
    pub(super) integers: Recent<i64, 8>,
    pub(super) texts: Recent<T, 16>,
}

impl<T: Copy> Default for Memory<T> {
    fn default() -> Self {
        Memory {
            tables: Vec::new(),
            ids: Recent::default(),
            makers: Recent::default(),
            integers: Recent::default(),
            texts: Recent::default(),
        }
    }
}

impl<T: Copy> Memory<T> {
    pub(super) fn clear(&mut self) {
        self.tables.clear();
        self.ids.clear();
        self.makers.clear();
        self.integers.clear();
        self.texts.clear();
    }

    fn table(&mut self, no: u16) -> Option<&mut Table<T>> {
        let found = self.tables.iter().rposition(|table| table.no == no);
        let index = match found {
            Some(index) => index,
            None if usize::from(no) < TABLES => {
                self.tables.push(Table { no, masks: [None; 2], columns: Vec::new() });
                self.tables.len() - 1
            }
            None => return None,
        };
        self.tables.get_mut(index)
    }

    /// What `column` of `table` held last.
    pub(super) fn last(&mut self, table: u16, column: usize) -> Last<T> {
        self.table(table).and_then(|table| table.columns.get(column).copied()).unwrap_or_default()
    }

    /// `column` of `table` holds `value` now.
    pub(super) fn hold(&mut self, table: u16, column: usize, value: Last<T>) {
        let Some(table) = self.table(table) else { return };
        if table.columns.len() <= column {
            table.columns.resize(column.min(255) + 1, Last::Nothing);
        }
        if let Some(place) = table.columns.get_mut(column) {
            *place = value;
        }
    }

    /// The mask of the last insert (or update) of `table`.
    pub(super) fn mask(&mut self, table: u16, is_update: bool) -> Option<&mut Option<Mask>> {
        self.table(table).and_then(|table| table.masks.get_mut(usize::from(is_update)))
    }

    /// An integer was written out.
    pub(super) fn met_integer(&mut self, integer: i64) {
        if integer.unsigned_abs() >= LARGE {
            self.integers.push(integer);
        }
    }

    /// A text of `length` bytes was written out.
    pub(super) fn met_text(&mut self, text: T, length: usize) {
        if length >= SHORTEST {
            self.texts.push(text);
        }
    }

    /// An id was written out, or as a step from another.
    pub(super) fn met_id(&mut self, id: Uuid) {
        self.ids.push(id);
        let Some(parts) = Ids::split(id) else { return };
        match self.makers.find(|maker| maker.nonce == parts.nonce) {
            Some(place) => {
                if let Some(maker) = self.makers.values.get_mut(place) {
                    *maker = parts;
                }
            }
            None => self.makers.push(parts),
        }
    }
}

/// Products that an integer may be, as counted back among the integers before it in its row, and what they are divided by: a rate in
/// basis points of an amount (a tax), a quantity in millionths at a unit cost (the cost of a movement), a price times a quantity
/// (a line of an order).
const PRODUCTS: [(usize, usize, i64); 3] = [(0, 1, 10_000), (0, 3, 1_000_000), (2, 4, 1)];

/// Ways in which an integer follows from others: those, and what the last two add up to (the stock after a movement).
pub(super) const WAYS: u8 = PRODUCTS.len() as u8 + 1;

/// The integer that follows from those in `before` in this way. Halves go away from zero.
pub(super) fn derived(before: &[(usize, Value<'_>)], way: u8) -> Option<i64> {
    let back = |place: usize| {
        let mut integers = before.iter().rev().filter_map(|(_, value)| match value {
            Value::Integer(integer) => Some(*integer),
            _ => None,
        });
        integers.nth(place)
    };
    let Some((one, other, unit)) = usize::from(way).checked_sub(1).and_then(|way| PRODUCTS.get(way)) else {
        return back(0)?.checked_add(back(1)?);
    };
    let product = back(*one)?.checked_mul(back(*other)?)?;
    product.checked_add(product.signum() * (unit / 2)).map(|product| product / unit)
}
