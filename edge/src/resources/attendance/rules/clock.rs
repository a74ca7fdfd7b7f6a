//! Whether the server's clock can be believed. Never refuses a punch: it is kept and flagged.

use tiffin_common::Millis;

/// Steps back up to this are a time server at work.
const TOLERATED_MS: i64 = 10_000;

/// A restaurant in which nothing at all was recorded for three days was closed for longer than any weekly rest, or its clock
/// was set forward.
const SILENCE_MS: i64 = 72 * 60 * 60_000;

/// What the box remembers of time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Remembered {
    /// The newest moment it ever recorded; it never goes back.
    pub newest: Option<Millis>,
    /// When the last punch of anybody was recorded: other records may have come after a leap, and would hide it.
    pub last_punch: Option<Millis>,
}

/// Whether `now` is a moment that a jump of the clock must have made.
pub fn is_suspect(now: Millis, remembered: Remembered) -> bool {
    let behind = remembered.newest.is_some_and(|newest| newest.since(now) > TOLERATED_MS);
    let silent = |moment: Option<Millis>| moment.is_some_and(|before| now.since(before) > SILENCE_MS);
    behind || silent(remembered.newest) || silent(remembered.last_punch)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 60 * 60_000;

    fn suspect(now: i64, newest: Option<i64>, last_punch: Option<i64>) -> bool {
        let remembered =
            Remembered { newest: newest.map(Millis::new), last_punch: last_punch.map(Millis::new) };
        is_suspect(Millis::new(now), remembered)
    }

    #[test]
    fn only_a_jump_is_suspect() {
        let now = 1_000 * HOUR;
        assert!(!suspect(now, None, None));
        assert!(!suspect(now, Some(now), Some(now - HOUR)));
        assert!(!suspect(now, Some(now + 10_000), None), "a time server's step");
        assert!(suspect(now, Some(now + 10_001), None), "set back");
        assert!(!suspect(now, Some(now - 60 * HOUR), Some(now - 63 * HOUR)), "closed over the weekend");
        assert!(suspect(now, Some(now - 73 * HOUR), None), "set forward");
        assert!(suspect(now, Some(now - 1), Some(now - 8_000 * HOUR)), "set forward, and trade went on");
    }
}
