//! Ids: UUIDv7 whose random part is this process start's nonce and a counter. Valid, time-ordered, never reused after a
//! rollback, and alike enough to compress well. Never reads a clock or a random source.

use crate::Millis;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// Makes ids. One per process start (RFC 9562 section 6.2 allows a counter in the random bits).
#[derive(Debug)]
pub struct Ids {
    nonce: u64,
    /// Milliseconds in the upper 42 bits would not fit with the counter; the time guard is kept apart.
    last_ms: std::sync::atomic::AtomicI64,
    counter: AtomicU64,
}

/// 42 random bits of the nonce, 32 bits of counter: 74 bits that UUIDv7 leaves free.
const NONCE_BITS: u64 = (1 << 42) - 1;

/// The three parts of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Milliseconds since 1970.
    pub(crate) ms: u64,
    /// How many ids its generator made before.
    pub(crate) counter: u32,
    /// Its generator.
    pub(crate) nonce: u64,
}

/// The id that stands for what was hashed: the first half of its BLAKE3 hash. No row's, and of no version.
pub fn id_of_hash(hash: &[u8; 32]) -> Uuid {
    hash.first_chunk().map_or(Uuid::nil(), |half| Uuid::from_bytes(*half))
}

impl Ids {
    /// A generator whose ids carry `nonce` (its low 42 bits), which must come from a random source.
    pub fn new(nonce: u64) -> Self {
        Ids {
            nonce: nonce & NONCE_BITS,
            last_ms: std::sync::atomic::AtomicI64::new(0),
            counter: AtomicU64::new(0),
        }
    }

    /// What the ids of these generators consist of; any UUIDv7 can be taken apart so, and [`Ids::join`] gives it back.
    pub(crate) fn split(id: Uuid) -> Option<Parts> {
        if id.get_version_num() != 7 || id.get_variant() != uuid::Variant::RFC4122 {
            return None;
        }
        let bits = id.as_u128();
        let random = (bits >> 64 & 0xFFF) << 62 | bits & ((1 << 62) - 1);
        Some(Parts {
            ms: (bits >> 80) as u64,
            counter: (random >> 42) as u32,
            nonce: random as u64 & NONCE_BITS,
        })
    }

    /// The id of these parts (48, 32 and 42 bits).
    pub(crate) fn join(parts: Parts) -> Uuid {
        let random = u128::from(parts.counter) << 42 | u128::from(parts.nonce & NONCE_BITS);
        let (high, low) = (random >> 62, random & ((1 << 62) - 1));
        let time = u128::from(parts.ms & ((1 << 48) - 1));
        Uuid::from_u128(time << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
    }

    /// The next id. Ids never go back in time, even when `now` does, so they stay ordered by creation.
    pub fn next(&self, now: Millis) -> Uuid {
        let ms = now.get().clamp(0, (1 << 48) - 1);
        let ms = self.last_ms.fetch_max(ms, Ordering::Relaxed).max(ms);
        let counter = self.counter.fetch_add(1, Ordering::Relaxed) as u32;
        Ids::join(Parts { ms: ms.unsigned_abs(), counter, nonce: self.nonce })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_v7_ordered_and_distinct() {
        let ids = Ids::new(0xFFFF_FFFF_FFFF);
        let made: Vec<Uuid> = (0..1000).map(|i| ids.next(Millis::new(1_700_000_000_000 + i / 100))).collect();
        assert!(made.windows(2).all(|w| w[0] < w[1]));
        assert!(
            made.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122)
        );
    }

    #[test]
    fn ids_come_apart_and_together() {
        for text in ["0197f6a2-1c3d-7abc-9def-0123456789ab", "ffffffff-ffff-7fff-bfff-ffffffffffff"] {
            let id: Uuid = text.parse().unwrap();
            assert_eq!(Ids::split(id).map(Ids::join), Some(id));
        }
        assert_eq!(Ids::split(Uuid::nil()), None);
    }

    #[test]
    fn a_clock_set_back_does_not_reorder() {
        let ids = Ids::new(1);
        let first = ids.next(Millis::new(2_000));
        assert!(ids.next(Millis::new(1_000)) > first);
    }
}
