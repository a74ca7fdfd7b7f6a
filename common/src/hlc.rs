//! A hybrid logical clock: the wall clock where it can be trusted to move forward, a counter where it cannot. It orders
//! what happened at one place and between places that have heard of each other. Never read as a time of day, and never
//! a cursor.

use crate::Millis;

/// A moment of the logical clock: 47 bits of milliseconds above 16 bits of counter, so that it fits a positive `i64`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hlc(i64);

const COUNTER_BITS: u32 = 16;
const MAX_MS: i64 = (1 << 47) - 1;

impl Hlc {
    /// Before anything happened.
    pub const ZERO: Hlc = Hlc(0);

    /// The moment with this packed value; a negative one (no writer makes it) reads as [`Hlc::ZERO`].
    pub fn new(packed: i64) -> Self {
        Hlc(packed.max(0))
    }

    /// The packed value.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The wall-clock part, in milliseconds since 1970.
    pub fn wall(self) -> Millis {
        Millis::new(self.0 >> COUNTER_BITS)
    }

    /// The moment of the next event: `now`, or just after this one when the wall clock stands still or went back.
    #[must_use]
    pub fn tick(self, now: Millis) -> Self {
        let wall = now.get().clamp(0, MAX_MS) << COUNTER_BITS;
        Hlc(wall.max(self.0.saturating_add(1)))
    }

    /// The moment after hearing of `other`: later than both.
    #[must_use]
    pub fn observe(self, other: Hlc, now: Millis) -> Self {
        self.max(other).tick(now)
    }
}

#[cfg(feature = "sqlite")]
crate::sqlite_integer!(Hlc, Hlc::new);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_only_ever_moves_forward(start in 0i64..i64::MAX - 10, nows: Vec<i64>) {
            let mut clock = Hlc::new(start);
            for now in nows.into_iter().take(5) {
                let next = clock.tick(Millis::new(now));
                prop_assert!(next > clock);
                prop_assert!(next.observe(clock, Millis::new(now)) > next);
                clock = next;
            }
        }
    }

    #[test]
    fn it_follows_the_wall_clock_when_that_moves_forward() {
        let now = Millis::new(1_763_640_000_123);
        assert_eq!(Hlc::ZERO.tick(now).wall(), now);
    }
}
