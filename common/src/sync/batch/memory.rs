//! What both ends of a body remember: values, texts, and which value followed which. Bounded by what was written or read.

use crate::Uuid;
use crate::frame::DecodeError;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A value, small enough to be kept everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Cell {
    #[default]
    Null,
    Int(i64),
    /// The bits of a REAL.
    Real(u64),
    /// A place among [`Texts`].
    Text(u32),
    Id(Uuid),
    /// A place among [`Texts`].
    Blob(u32),
}

impl Cell {
    /// The same for equal cells, and seldom for others.
    pub(super) fn mark(self) -> u64 {
        match self {
            Cell::Null => 1,
            Cell::Int(integer) => mix(2, integer.cast_unsigned()),
            Cell::Real(bits) => mix(3, bits),
            Cell::Text(place) => mix(4, u64::from(place)),
            Cell::Id(id) => {
                let bits = id.as_u128();
                mix(mix(5, (bits >> 64) as u64), bits as u64)
            }
            Cell::Blob(place) => mix(6, u64::from(place)),
        }
    }

    /// Whether two cells that are equal are so for a reason.
    pub(super) fn is_telling(self) -> bool {
        match self {
            Cell::Null | Cell::Real(_) => false,
            Cell::Int(integer) => integer.unsigned_abs() > 64,
            Cell::Text(_) | Cell::Id(_) | Cell::Blob(_) => true,
        }
    }
}

/// Takes `more` into a mark.
pub(super) fn mix(mark: u64, more: u64) -> u64 {
    let product = u128::from(mark ^ 0x9E37_79B9_7F4A_7C15) * u128::from(more ^ 0xD6E8_FEB8_6659_FD93);
    (product >> 64) as u64 ^ product as u64
}

/// The mark of some bytes.
pub(super) fn mark_of(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mark = chunks.iter().fold(bytes.len() as u64, |mark, chunk| mix(mark, u64::from_le_bytes(*chunk)));
    rest.iter().fold(mark, |mark, byte| mix(mark, u64::from(*byte)))
}

/// Marks are spread already.
#[derive(Debug, Clone, Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = mark_of(bytes);
    }
    fn write_u64(&mut self, mark: u64) {
        self.0 = mark;
    }
    fn write_u32(&mut self, number: u32) {
        self.0 = mix(7, u64::from(number));
    }
}

/// A map by marks.
pub(super) type Marks<V> = HashMap<u64, V, BuildHasherDefault<Spread>>;

/// Every text and blob that was met, once.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    text: String,
    blob: Vec<u8>,
    spans: Vec<(u32, u32)>,
    known: Marks<u32>,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    fn span(&self, place: u32) -> std::ops::Range<usize> {
        let (start, end) = self.spans.get(place as usize).copied().unwrap_or_default();
        start as usize..end as usize
    }

    pub(super) fn text(&self, place: u32) -> &str {
        self.text.get(self.span(place)).unwrap_or_default()
    }

    pub(super) fn blob(&self, place: u32) -> &[u8] {
        self.blob.get(self.span(place)).unwrap_or_default()
    }

    pub(super) fn find_text(&self, text: &str) -> Option<u32> {
        let place = *self.known.get(&mark_of(text.as_bytes()))?;
        (self.text(place) == text).then_some(place)
    }

    pub(super) fn find_blob(&self, blob: &[u8]) -> Option<u32> {
        let place = *self.known.get(&!mark_of(blob))?;
        (self.blob(place) == blob).then_some(place)
    }

    /// Keeps a text; one that is known has its place already.
    pub(super) fn keep_text(&mut self, text: &str) -> Result<u32, DecodeError> {
        if let Some(place) = self.find_text(text) {
            return Ok(place);
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.keep(mark_of(text.as_bytes()), start, self.text.len())
    }

    pub(super) fn keep_blob(&mut self, blob: &[u8]) -> Result<u32, DecodeError> {
        if let Some(place) = self.find_blob(blob) {
            return Ok(place);
        }
        let start = self.blob.len();
        self.blob.extend_from_slice(blob);
        self.keep(!mark_of(blob), start, self.blob.len())
    }

    fn keep(&mut self, mark: u64, start: usize, end: usize) -> Result<u32, DecodeError> {
        let number = |at: usize| u32::try_from(at).map_err(|_| DecodeError("a body is too large"));
        let place = number(self.spans.len())?;
        self.spans.push((number(start)?, number(end)?));
        self.known.insert(mark, place);
        Ok(place)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    mark: u32,
    /// How often it was right lately; 0: there is nothing here.
    trust: u8,
    cell: Cell,
}

/// Which value followed which circumstances last. Grows up to a bound; then the older gives way.
#[derive(Debug, Clone, Default)]
pub(super) struct Followed {
    entries: Vec<Entry>,
    /// Entries that were begun, whether or not they are still there; none while it must not grow.
    taken: Option<usize>,
}

/// Entries at first, which is also all that every body begins with, and at most.
const FEWEST: usize = 1 << 14;
const MOST: usize = 1 << 17;

impl Followed {
    /// Made once, for all bodies to begin with: it does not grow.
    pub(super) fn small() -> Self {
        Followed { entries: vec![Entry::default(); FEWEST], taken: None }
    }

    /// May grow from now on.
    pub(super) fn open(&mut self) {
        self.taken = Some(0);
    }
}

impl Followed {
    fn place(&self, mark: u64) -> usize {
        mark as u32 as usize & (self.entries.len() - 1)
    }

    /// What followed last, and how often it was right (1 to 3).
    pub(super) fn get(&self, mark: u64) -> Option<(Cell, u8)> {
        let entry = self.entries.get(self.place(mark))?;
        (entry.trust > 0 && entry.mark == (mark >> 32) as u32).then_some((entry.cell, entry.trust))
    }

    /// `cell` followed.
    pub(super) fn learn(&mut self, mark: u64, cell: Cell) {
        let place = self.place(mark);
        let Some(entry) = self.entries.get_mut(place) else { return };
        let high = (mark >> 32) as u32;
        let is_new = entry.trust == 0 || entry.mark != high;
        let trust = if is_new || entry.cell != cell { 1 } else { (entry.trust + 1).min(3) };
        *entry = Entry { mark: high, trust, cell };
        let Some(taken) = self.taken.as_mut() else { return };
        *taken += usize::from(is_new);
        if *taken > self.entries.len() / 2 && self.entries.len() < MOST {
            // An entry does not know the bit that decides between the halves of the larger table: it lies in both, and where
            // it is wrong nobody asks for it.
            let old = self.entries.len();
            self.entries.extend_from_within(..old);
        }
    }
}
