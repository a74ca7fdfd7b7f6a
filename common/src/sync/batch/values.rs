//! Values, each told by guesses before it is told by itself: what its column did last, what followed the same circumstances
//! before, where its like was just seen. Written and read by the same code. A wrong guess costs bits, never the value.

mod spell;

use super::memory::{Cell, Followed, Marks, Texts, mix};
use super::range::{Coder, Prob};
use crate::Uuid;
use crate::frame::DecodeError;
use crate::ids::{Ids, Parts};
use spell::{FOREIGN, Spelled};

/// The guesses, in the order in which they are asked unless one of them was right the last time.
const RULE: usize = 0;
/// What followed this anchor and the last two values of the column.
const THIRD: usize = 1;
/// What followed this anchor and the last value.
const SECOND: usize = 2;
/// What followed this anchor.
const FIRST: usize = 3;
/// What the row's column held before, or as much more as the last time.
const OLD: usize = 4;
/// What another column holds now that held the same as this one before.
const SOURCE: usize = 5;
/// The id after the last.
const AFTER: usize = 6;
/// As much more than the last as the last time.
const STEP: usize = 7;
/// How many.
const GUESSES: usize = 8;

/// What is known of one column (of inserts or of updates of one table, or of what stands behind some piece of a text).
#[derive(Debug, Clone)]
struct Column {
    /// By guess and trust, for the guess that was right last and for the others.
    hits: [[[Prob; 4]; GUESSES]; 2],
    /// Which guess was right last.
    how: u8,
    last: Cell,
    before: Cell,
    step: i64,
    growth: i64,
    source: u32,
    spelled: Option<Box<Spelled>>,
}

impl Default for Column {
    fn default() -> Self {
        Column {
            hits: Default::default(),
            how: STEP as u8,
            last: Cell::Null,
            before: Cell::Null,
            step: 0,
            growth: 1,
            source: 0,
            spelled: None,
        }
    }
}

/// A value that is to be told: one that may be guessed, or a text or blob that was never met.
#[derive(Debug, Clone, Copy)]
pub(super) enum Actual<'a> {
    Cell(Cell),
    Text(&'a str),
    Blob(&'a [u8]),
}

/// Where a value stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// The column, as [`Values::column`] numbers them.
    pub(super) column: usize,
    /// What the value follows from by a rule.
    pub(super) rule: Option<Cell>,
    /// The cell of the row that is changed: what it held before is asked for, and what it holds now is kept, under this mark.
    pub(super) cell: u64,
    /// The key of a new row.
    pub(super) is_key: bool,
}

/// Everything that is remembered.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    pub(super) texts: Texts,
    pub(super) followed: Followed,
    columns: Vec<Column>,
    numbers: Marks<u32>,
    /// Which column held the value of a mark last.
    holders: Vec<u32>,
    makers: Vec<Parts>,
    next_maker: usize,
    maker: usize,
    /// The newest moment that was met, in milliseconds.
    pub(super) clock: i64,
    /// When the log row was written.
    pub(super) wall: i64,
    /// What the values of this row follow from: the mark of the newest that was no matter of course.
    pub(super) anchor: u64,
    /// What the row is about, and what the row before it was about, where the columns do not say it soon enough.
    pub(super) theme: (u64, u64),
    /// Whether the row is changed, not new.
    pub(super) is_update: bool,
    pub(super) letters: super::letters::Letters,
    /// Bytes that texts may still take.
    pub(super) room: usize,
    pub(super) depth: u8,
}

/// Texts (or columns) after which a body begins anew.
const FULL: usize = 1 << 16;

const HOLDERS: usize = 1 << 11;

impl Values {
    /// The number of the column with this name.
    pub(super) fn column(&mut self, name: u64) -> usize {
        if let Some(number) = self.numbers.get(&name) {
            return *number as usize;
        }
        self.columns.push(Column::default());
        self.numbers.insert(name, self.columns.len() as u32 - 1);
        self.columns.len() - 1
    }

    /// Whether there is more here than is worth keeping.
    pub(super) fn is_full(&self) -> bool {
        self.texts.len() > FULL || self.columns.len() > FULL
    }

    /// What a column held last.
    pub(super) fn last(&self, column: usize) -> Cell {
        self.columns.get(column).map_or(Cell::Null, |column| column.last)
    }

    fn guess(&self, guess: usize, at: &Place, marks: &[u64; 3]) -> Option<(Cell, u8)> {
        let column = self.columns.get(at.column)?;
        match guess {
            RULE if at.is_key => Some((self.next(self.clock.cast_unsigned())?, 1)),
            RULE => at.rule.map(|cell| (cell, 0)),
            FIRST | SECOND | THIRD => self.followed.get(marks[guess - THIRD]),
            OLD if at.cell != 0 => {
                let (old, _) = self.followed.get(at.cell)?;
                match old {
                    Cell::Int(old) => Some((Cell::Int(old.wrapping_add(column.growth)), 0)),
                    _ => None,
                }
            }
            SOURCE => self.columns.get(column.source as usize).map(|source| (source.last, 0)),
            AFTER if at.is_key => {
                let maker = *self.makers.get(self.maker)?;
                Some((self.next(maker.ms)?, 0))
            }
            AFTER => match column.last {
                Cell::Id(last) => self.followed.get(mix(AFTER as u64, Cell::Id(last).mark())),
                Cell::Int(_) => Some((Cell::Int(self.clock), 1)),
                _ => None,
            },
            STEP => Some(match column.last {
                Cell::Int(last) => (Cell::Int(last.wrapping_add(column.step)), u8::from(column.step == 0)),
                Cell::Id(last) if column.step != 0 => {
                    let parts = Ids::split(last)?;
                    let counter = parts.counter.wrapping_add(column.step as u32);
                    (Cell::Id(Ids::join(Parts { counter, ..parts })), 2)
                }
                last => (last, 3),
            }),
            _ => None,
        }
    }

    /// The id that the maker of the last key makes next, at this moment.
    fn next(&self, ms: u64) -> Option<Cell> {
        let maker = *self.makers.get(self.maker)?;
        let parts = Parts { ms, counter: maker.counter.wrapping_add(1), nonce: maker.nonce };
        Some(Cell::Id(Ids::join(parts)))
    }

    /// What the guesses from the circumstances are kept under: [`THIRD`], [`SECOND`] and [`FIRST`].
    fn marks(&self, at: &Place) -> [u64; 3] {
        let Some(column) = self.columns.get(at.column) else { return [0; 3] };
        let old = match at.cell {
            0 => 0,
            cell => self.followed.get(cell).map_or(0, |(old, _)| old.mark()),
        };
        let first = mix(at.column as u64 + 100, mix(self.anchor, old));
        let last = column.last.mark();
        let third = match self.theme {
            (0, _) => mix(mix(first, last), column.before.mark()),
            (theme, before) => mix(mix(first, theme), if theme == before { last } else { 0 }),
        };
        [third, mix(first, last), first]
    }

    /// Writes or reads one value.
    pub(super) fn value<C: Coder>(
        &mut self,
        coder: &mut C,
        at: Place,
        actual: Actual<'_>,
    ) -> Result<Cell, DecodeError> {
        if coder.is_over() {
            return Err(DecodeError("it ends early"));
        }
        let wanted = match actual {
            Actual::Cell(cell) => Some(cell),
            _ => None,
        };
        let marks = self.marks(&at);
        let how = self.columns.get(at.column).map_or(STEP, |column| usize::from(column.how));
        let mut wrong = [Cell::Null; GUESSES];
        let mut asked = 0;
        let order = std::iter::once(how).chain((0..GUESSES).filter(|guess| *guess != how));
        for guess in order {
            let Some((cell, trust)) = self.guess(guess, &at, &marks) else { continue };
            if wrong[..asked].contains(&cell) {
                continue;
            }
            let Some(column) = self.columns.get_mut(at.column) else { continue };
            let prob = &mut column.hits[usize::from(guess == how)][guess][usize::from(trust & 3)];
            if coder.bit(wanted == Some(cell), prob) {
                self.settle(&at, cell, Some((guess, trust)), &marks);
                return Ok(cell);
            }
            wrong[asked] = cell;
            asked += 1;
        }
        let cell = self.spell(coder, &at, actual)?;
        self.settle(&at, cell, None, &marks);
        Ok(cell)
    }

    /// `id` was the key of the row after that of `before`.
    pub(super) fn follow(&mut self, before: Cell, id: Cell) {
        self.followed.learn(mix(AFTER as u64, before.mark()), id);
    }

    /// Remembers what came.
    fn settle(&mut self, at: &Place, cell: Cell, guess: Option<(usize, u8)>, marks: &[u64; 3]) {
        let Some(column) = self.columns.get(at.column) else { return };
        let (guess, trust) = guess.map_or((None, 0), |(guess, trust)| (Some(guess), trust));
        let is_course = matches!(guess, Some(RULE | SOURCE | AFTER | OLD));
        let first = marks[FIRST - THIRD];
        let is_news = matches!(cell, Cell::Id(_))
            && !is_course
            && guess != Some(FIRST)
            && self.followed.get(first).map(|(cell, _)| cell) != Some(cell);
        match guess {
            Some(RULE | SOURCE | AFTER) => {}
            Some(FIRST) if trust == 3 => {}
            _ => marks.iter().for_each(|mark| self.followed.learn(*mark, cell)),
        }
        let growth = match (self.followed.get(at.cell), cell) {
            (Some((Cell::Int(old), _)), Cell::Int(new)) if at.cell != 0 => Some(new.wrapping_sub(old)),
            _ => None,
        };
        if at.cell != 0 {
            self.followed.learn(at.cell, cell);
        }
        let step = if guess == Some(SOURCE) { 0 } else { step(column.last, cell) };
        let source = self.source(at.column, cell);
        if let Some(column) = self.columns.get_mut(at.column) {
            column.how = guess.unwrap_or(usize::from(column.how)) as u8;
            column.step = step;
            column.growth = growth.unwrap_or(column.growth);
            column.source = source;
            column.before = column.last;
            column.last = cell;
        }
        match cell {
            Cell::Id(id) => {
                if guess.is_none() || at.is_key {
                    self.met(id, at.is_key);
                }
                if !at.is_key && (is_news || guess == Some(RULE)) {
                    self.anchor = cell.mark();
                }
            }
            Cell::Int(ms) if is_moment(ms) && self.depth == 0 && self.is_update && guess.is_none() => {
                self.clock = ms;
            }
            _ if guess.is_none() && self.depth > 0 => self.anchor = mix(at.column as u64, cell.mark()),
            _ => {}
        }
    }

    /// The column that a value of this one is taken from next time: one that holds it now. This one holds it from now on.
    fn source(&mut self, at: usize, cell: Cell) -> u32 {
        if self.holders.is_empty() {
            self.holders.resize(HOLDERS, 0);
        }
        let holds = |column: u32| self.columns.get(column as usize).is_some_and(|column| column.last == cell);
        let source = self.columns.get(at).map_or(0, |column| column.source);
        let Some(holder) = self.holders.get_mut(cell.mark() as usize % HOLDERS) else { return source };
        let other = std::mem::replace(holder, at as u32);
        let is_better = !holds(source) && cell.is_telling() && other as usize != at && holds(other);
        if is_better { other } else { source }
    }

    fn met(&mut self, id: Uuid, is_key: bool) {
        let Some(parts) = Ids::split(id) else { return };
        let place = self.makers.iter().position(|maker| maker.nonce == parts.nonce);
        let place = match place {
            Some(place) => place,
            None if self.makers.len() < FOREIGN => {
                self.makers.push(parts);
                self.makers.len() - 1
            }
            None => {
                self.next_maker = (self.next_maker + 1) % FOREIGN;
                self.next_maker
            }
        };
        if let Some(maker) = self.makers.get_mut(place) {
            *maker = parts;
        }
        if is_key {
            self.maker = place;
            self.clock = parts.ms.cast_signed();
        }
    }
}

/// Whether an integer can only be a moment.
fn is_moment(integer: i64) -> bool {
    (1_500_000_000_000..1 << 47).contains(&integer)
}

/// How much more a value is than the one before.
fn step(last: Cell, cell: Cell) -> i64 {
    match (last, cell) {
        (Cell::Int(last), Cell::Int(now)) => now.wrapping_sub(last),
        (Cell::Id(last), Cell::Id(now)) => match (Ids::split(last), Ids::split(now)) {
            (Some(last), Some(now)) if last.nonce == now.nonce && last.ms == now.ms => {
                i64::from(now.counter) - i64::from(last.counter)
            }
            _ => 0,
        },
        _ => 0,
    }
}
