//! The compression of a block: zstd, with a dictionary learnt from trade. A dictionary has a number, which both ends must know;
//! what is released stays in both programs for ever. Never decompresses past a bound.

use crate::frame::DecodeError;
use std::sync::LazyLock;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// Number 1 and on. Trained by `cargo run -p tiffin-tests --bin dictionary`, which says on what.
const RELEASED: [&[u8]; 2] = [include_bytes!("dictionary_1.bin"), include_bytes!("dictionary_2.bin")];

/// The most of zstd that still keeps pace with a branch; see `tests/benches/sync`.
const LEVEL: i32 = 19;

/// A dictionary as zstd wants it for both directions.
type Prepared = (EncoderDictionary<'static>, DecoderDictionary<'static>);

/// Each prepared once, when it is first asked for: it takes longer than a body, and an old one may never be asked for.
static PREPARED: [LazyLock<Prepared>; RELEASED.len()] =
    [LazyLock::new(|| prepare(RELEASED[0])), LazyLock::new(|| prepare(RELEASED[1]))];

fn prepare(bytes: &'static [u8]) -> Prepared {
    (EncoderDictionary::copy(bytes, LEVEL), DecoderDictionary::copy(bytes))
}

/// A dictionary that this program knows, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dictionary(
    /// As a block names it.
    pub(super) u8,
);

impl Dictionary {
    /// Plain zstd, which everybody reads.
    pub const NONE: Dictionary = Dictionary(0);

    /// The newest: for what only this program reads.
    pub const NEWEST: Dictionary = Dictionary(RELEASED.len() as u8);

    /// The numbers of all that this program knows, for the other side to choose from.
    pub fn known() -> Vec<u32> {
        (1..=u32::from(Dictionary::NEWEST.0)).collect()
    }

    /// Those of the `numbers` that the other side names which are known here too.
    pub fn shared(numbers: &[u32]) -> Vec<u32> {
        let known = Dictionary::known();
        numbers.iter().copied().filter(|number| known.contains(number)).collect()
    }

    /// The newest of the `numbers` that the other side names; none where it names none that is known here.
    pub fn among(numbers: &[u32]) -> Dictionary {
        let newest = Dictionary::shared(numbers).into_iter().max();
        newest.and_then(|number| u8::try_from(number).ok()).map_or(Dictionary::NONE, Dictionary)
    }

    /// Its number, for the other side to pack with.
    pub fn number(self) -> Option<u32> {
        (self != Dictionary::NONE).then_some(u32::from(self.0))
    }

    /// The one that a block names; none when only a newer version knows it.
    pub(super) fn of_byte(byte: u8) -> Option<Dictionary> {
        (byte <= Dictionary::NEWEST.0).then_some(Dictionary(byte))
    }

    fn prepared(self) -> Option<&'static Prepared> {
        PREPARED.get(usize::from(self.0).checked_sub(1)?).map(|prepared| &**prepared)
    }

    /// Compresses. The block names the dictionary, so zstd does not.
    pub(super) fn compress(self, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let compressor = match self.prepared() {
            Some((dictionary, _)) => Compressor::with_prepared_dictionary(dictionary),
            None => Compressor::new(LEVEL),
        };
        let packed = compressor.and_then(|mut with| {
            with.include_dictid(false)?;
            with.compress(bytes)
        });
        packed.map_err(|_| DecodeError("compression failed"))
    }

    /// Decompresses, to at most `most` bytes.
    pub(super) fn decompress(self, bytes: &[u8], most: usize) -> Result<Vec<u8>, DecodeError> {
        const WRONG: DecodeError = DecodeError("a block cannot be decompressed");
        let size = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
        let size = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= most);
        let decompressor = match self.prepared() {
            Some((_, dictionary)) => Decompressor::with_prepared_dictionary(dictionary),
            None => Decompressor::new(),
        };
        decompressor.and_then(|mut from| from.decompress(bytes, size.unwrap_or(0))).map_err(|_| WRONG)
    }
}
