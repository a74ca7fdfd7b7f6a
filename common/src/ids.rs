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

impl Ids {
    /// A generator whose ids carry `nonce` (its low 42 bits), which must come from a random source.
    pub fn new(nonce: u64) -> Self {
        Ids {
            nonce: nonce & NONCE_BITS,
            last_ms: std::sync::atomic::AtomicI64::new(0),
            counter: AtomicU64::new(0),
        }
    }

    /// The next id. Ids never go back in time, even when `now` does, so they stay ordered by creation.
    pub fn next(&self, now: Millis) -> Uuid {
        let ms = now.get().clamp(0, (1 << 48) - 1);
        let ms = self.last_ms.fetch_max(ms, Ordering::Relaxed).max(ms);
        let count = self.counter.fetch_add(1, Ordering::Relaxed) & 0xFFFF_FFFF;
        let random = (u128::from(count) << 42) | u128::from(self.nonce);
        let high = random >> 62;
        let low = random & ((1 << 62) - 1);
        let time = u128::from(ms.unsigned_abs());
        Uuid::from_u128((time << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low)
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
    fn a_clock_set_back_does_not_reorder() {
        let ids = Ids::new(1);
        let first = ids.next(Millis::new(2_000));
        assert!(ids.next(Millis::new(1_000)) > first);
    }
}
