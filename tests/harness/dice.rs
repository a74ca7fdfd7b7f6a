//! Randomness that a seed repeats. Never a secret.

use edge::db::Random;
use std::sync::Mutex;

/// A seeded source of random numbers (SplitMix64); each part of a test draws from one of its own.
#[derive(Debug)]
pub struct Dice(Mutex<u64>);

impl Dice {
    /// A source that `seed` determines.
    pub fn new(seed: u64) -> Dice {
        Dice(Mutex::new(seed))
    }

    /// Another source, determined by this one and `name`; drawing from one does not move the other.
    #[must_use]
    pub fn fork(seed: u64, name: &str) -> Dice {
        let mixed = name.bytes().fold(seed, |mix, byte| Dice::new(mix ^ u64::from(byte)).next());
        Dice::new(mixed)
    }

    /// The next 64 bits.
    pub fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0 when `end` is 0.
    pub fn below(&self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or_default()
    }

    /// A number of `from..to`.
    pub fn between(&self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from))
    }

    /// True in `per_mille` of a thousand cases.
    pub fn happens(&self, per_mille: u64) -> bool {
        self.below(1_000) < per_mille
    }

    /// One of `things`.
    pub fn pick<'t, T>(&self, things: &'t [T]) -> &'t T {
        &things[usize::try_from(self.below(things.len() as u64)).unwrap()]
    }
}

impl Random for Dice {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}
