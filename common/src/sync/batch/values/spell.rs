//! A value that no guess gave, told by itself: one of the column's recent ones, a number from the nearest known one, an id by
//! its maker, a text by its parts. Never reserves memory on the word of the bytes alone.

use super::super::memory::Cell;
use super::super::range::{Coder, Number, Prob};
use super::{Actual, Place, Values};
use crate::Uuid;
use crate::frame::DecodeError;
use crate::ids::{Ids, Parts};

/// How a column's values are told when no guess was right.
#[derive(Debug, Clone, Default)]
pub(super) struct Spelled {
    kinds: [Prob; 8],
    recent: Vec<Cell>,
    places: [Prob; RECENT],
    modes: [Prob; 4],
    zeros: [Prob; 16],
    small: Number,
    large: Number,
    makers: [Prob; 16],
}

/// Values that a column remembers.
const RECENT: usize = 32;

/// How a value is told by itself.
const BY_PLACE: usize = 0;
const BY_NULL: usize = 1;
const BY_INT: usize = 2;
const BY_REAL: usize = 3;
const BY_TEXT: usize = 4;
const BY_ID: usize = 5;
const BY_BLOB: usize = 6;
const BY_KNOWN_TEXT: usize = 7;

/// A maker that was not met, and an id that is none of ours.
const NEW_MAKER: usize = 15;
pub(super) const FOREIGN: usize = 14;

/// Marks the place of a blob.
const KNOWN_BLOB: i64 = 1 << 62;

impl Values {
    /// Writes or reads a value that no guess gave.
    pub(super) fn spell<C: Coder>(
        &mut self,
        coder: &mut C,
        at: &Place,
        actual: Actual<'_>,
    ) -> Result<Cell, DecodeError> {
        let Some(column) = self.columns.get_mut(at.column) else { return Err(DecodeError("no such column")) };
        let last = column.last;
        let mut spelled = column.spelled.take().unwrap_or_default();
        let told = self.told(coder, at, actual, last, &mut spelled);
        if let Ok((cell, place)) = told {
            let place = place.unwrap_or_else(|| {
                if spelled.recent.len() < RECENT {
                    spelled.recent.push(cell);
                }
                spelled.recent.len() - 1
            });
            if let Some(recent) = spelled.recent.get_mut(..=place) {
                recent.rotate_right(1);
                recent[0] = cell;
            }
        }
        if let Some(column) = self.columns.get_mut(at.column) {
            column.spelled = Some(spelled);
        }
        told.map(|(cell, _)| cell)
    }

    fn told<C: Coder>(
        &mut self,
        coder: &mut C,
        at: &Place,
        actual: Actual<'_>,
        last: Cell,
        spelled: &mut Spelled,
    ) -> Result<(Cell, Option<usize>), DecodeError> {
        let mut place = 0;
        let kind = match actual {
            Actual::Text(_) => BY_TEXT,
            Actual::Blob(_) => BY_BLOB,
            Actual::Cell(cell) => match spelled.recent.iter().position(|recent| *recent == cell) {
                Some(found) => {
                    place = found;
                    BY_PLACE
                }
                None => match cell {
                    Cell::Null => BY_NULL,
                    Cell::Int(_) => BY_INT,
                    Cell::Real(_) => BY_REAL,
                    Cell::Id(_) => BY_ID,
                    Cell::Text(_) | Cell::Blob(_) => BY_KNOWN_TEXT,
                },
            },
        };
        let (integer, id) = match actual {
            Actual::Cell(Cell::Int(integer)) => (integer, Uuid::nil()),
            Actual::Cell(Cell::Real(bits)) => (bits.cast_signed(), Uuid::nil()),
            Actual::Cell(Cell::Id(id)) => (0, id),
            Actual::Cell(Cell::Text(known)) => (i64::from(known), Uuid::nil()),
            Actual::Cell(Cell::Blob(known)) => (i64::from(known) | KNOWN_BLOB, Uuid::nil()),
            _ => (0, Uuid::nil()),
        };
        let cell = match coder.symbol(kind, &mut spelled.kinds) {
            BY_PLACE => {
                let place = coder.symbol(place, &mut spelled.places);
                let cell = spelled.recent.get(place).copied();
                return Ok((cell.ok_or(DecodeError("there is no such value to repeat"))?, Some(place)));
            }
            BY_NULL => Cell::Null,
            BY_INT => Cell::Int(self.integer(coder, integer, last, spelled)),
            BY_REAL => Cell::Real(coder.raw(integer.cast_unsigned(), 64)),
            BY_ID => Cell::Id(self.id(coder, id, last, spelled)?),
            BY_TEXT => {
                let text = match actual {
                    Actual::Text(text) => text,
                    _ => "",
                };
                Cell::Text(self.text(coder, at.column, text)?)
            }
            BY_BLOB => {
                let blob = match actual {
                    Actual::Blob(blob) => blob,
                    _ => &[],
                };
                let length = coder.number(blob.len() as u64, &mut spelled.small);
                let length = usize::try_from(length).map_err(|_| DecodeError("a body is too large"))?;
                let blob = self.bytes(coder, blob, length)?;
                Cell::Blob(self.texts.keep_blob(&blob)?)
            }
            _ => {
                let bits = usize::BITS - self.texts.len().leading_zeros();
                let read = coder.raw(integer.cast_unsigned(), bits + 1);
                let is_blob = coder.raw((integer & KNOWN_BLOB != 0).into(), 1) == 1;
                let known = u32::try_from(read).ok().filter(|known| (*known as usize) < self.texts.len());
                let known = known.ok_or(DecodeError("there is no such text to repeat"))?;
                if is_blob { Cell::Blob(known) } else { Cell::Text(known) }
            }
        };
        Ok((cell, None))
    }

    /// Bytes as they are, at most as many as there is room for.
    pub(in super::super) fn bytes<C: Coder>(
        &mut self,
        coder: &mut C,
        bytes: &[u8],
        length: usize,
    ) -> Result<Vec<u8>, DecodeError> {
        self.room = self.room.checked_sub(length).ok_or(DecodeError("a body is too large"))?;
        let mut read = Vec::new();
        for at in 0..length {
            read.push(coder.raw(bytes.get(at).copied().unwrap_or_default().into(), 8) as u8);
            if coder.is_over() {
                return Err(DecodeError("it ends early"));
            }
        }
        Ok(read)
    }

    fn integer<C: Coder>(&mut self, coder: &mut C, actual: i64, last: Cell, spelled: &mut Spelled) -> i64 {
        let last = match last {
            Cell::Int(last) => last,
            _ => 0,
        };
        let bases = [0, last, self.clock, self.wall];
        let steps = bases.map(|base| decimal(actual.wrapping_sub(base)));
        let size = |at: usize| 64 - steps[at].0.unsigned_abs().leading_zeros() + u32::from(at > 0);
        let mode = (0..4).min_by_key(|at| size(*at)).unwrap_or(0);
        let (whole, zeros) = steps[mode];
        let mode = coder.symbol(mode, &mut spelled.modes);
        let zeros = coder.symbol(zeros as usize, &mut spelled.zeros) as u32;
        let numbers = if mode == 0 { &mut spelled.small } else { &mut spelled.large };
        let read = coder.signed(whole, numbers).wrapping_mul(10i64.wrapping_pow(zeros));
        bases.get(mode).copied().unwrap_or(0).wrapping_add(read)
    }

    fn id<C: Coder>(
        &mut self,
        coder: &mut C,
        actual: Uuid,
        last: Cell,
        spelled: &mut Spelled,
    ) -> Result<Uuid, DecodeError> {
        let parts = Ids::split(actual);
        let maker = match parts {
            None => FOREIGN,
            Some(parts) => {
                self.makers.iter().position(|maker| maker.nonce == parts.nonce).unwrap_or(NEW_MAKER)
            }
        };
        let parts = parts.unwrap_or(Parts { ms: 0, counter: 0, nonce: 0 });
        let base = match coder.symbol(maker, &mut spelled.makers) {
            FOREIGN => {
                let bits = actual.as_u128();
                let high = coder.raw((bits >> 64) as u64, 64);
                return Ok(Uuid::from_u128(u128::from(high) << 64 | u128::from(coder.raw(bits as u64, 64))));
            }
            NEW_MAKER => {
                let nonce = coder.raw(parts.nonce, 42);
                Parts { ms: self.clock.cast_unsigned(), counter: 0, nonce }
            }
            place => {
                let maker = *self.makers.get(place).ok_or(DecodeError("there is no id to step from"))?;
                match last {
                    Cell::Id(last) => {
                        Ids::split(last).filter(|last| last.nonce == maker.nonce).unwrap_or(maker)
                    }
                    _ => maker,
                }
            }
        };
        let bases = [base.ms, self.clock.cast_unsigned(), self.wall.cast_unsigned()];
        let mode = bases.iter().enumerate().min_by_key(|(_, base)| parts.ms.abs_diff(**base));
        let mode = coder.symbol(mode.map_or(0, |(mode, _)| mode), &mut spelled.modes);
        let base_ms = bases.get(mode).copied().unwrap_or(0);
        let ms = coder.signed(parts.ms.wrapping_sub(base_ms).cast_signed(), &mut spelled.small);
        let step = i64::from(parts.counter) - i64::from(base.counter);
        let step = coder.signed(step, &mut spelled.large);
        let counter = i64::from(base.counter).wrapping_add(step) as u32;
        Ok(Ids::join(Parts { ms: base_ms.wrapping_add_signed(ms), counter, nonce: base.nonce }))
    }
}

/// A number without its decimal zeros (at most 15), and how many those are.
fn decimal(mut whole: i64) -> (i64, u32) {
    let mut zeros = 0;
    while whole != 0 && whole % 10 == 0 && zeros < 15 {
        whole /= 10;
        zeros += 1;
    }
    (whole, zeros)
}
