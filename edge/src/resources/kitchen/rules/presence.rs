//! Whether displays that were there are still there. Pure.

use tiffin_common::{Millis, Uuid};

/// How long a display may be away before anybody is told: it comes back by itself after a change of network, or of its battery.
const PATIENCE_MS: i64 = 120_000;

/// What was last told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It never was there: nobody misses it.
    Never,
    /// It was there.
    There,
    /// It went.
    Gone,
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It is there, for the first time or again.
    Came,
    /// It has been away since.
    Went(Millis),
}

/// What changed about somebody who `is_there` or was there at `last`, the start of this process where nobody was since.
pub fn turn(known: Known, is_there: bool, last: Millis, now: Millis) -> Option<Turn> {
    match (known, is_there) {
        (Known::Never | Known::Gone, true) => Some(Turn::Came),
        (Known::There, false) if now.since(last) >= PATIENCE_MS => Some(Turn::Went(last)),
        _ => None,
    }
}

/// A station, and whether displays follow it as far as is on record.
#[derive(Debug, Clone)]
pub struct StationWatch {
    /// The station.
    pub station: Uuid,
    /// Where it is.
    pub outlet: Uuid,
    /// What it is called.
    pub name: String,
    /// It works from paper: nobody has to look.
    pub is_on_paper: bool,
    /// When a display came that was there since or went; none: no display ever followed it.
    pub seen_at: Option<Millis>,
    /// Since when none follows it, though some did.
    pub unwatched_since: Option<Millis>,
}

impl StationWatch {
    /// What was last told of it.
    pub fn known(&self) -> Known {
        match (self.seen_at, self.unwatched_since) {
            (None, _) => Known::Never,
            (_, None) => Known::There,
            _ => Known::Gone,
        }
    }

    /// Whether somebody should see to it.
    pub fn is_missed(&self) -> bool {
        self.known() == Known::Gone && !self.is_on_paper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_is_told_once_and_a_short_absence_is_none() {
        let (came, later) = (Millis::new(1_000_000), |ms| Millis::new(1_000_000 + ms));
        assert_eq!(
            turn(Known::Never, false, came, later(999_999)),
            None,
            "nobody misses what never was there"
        );
        assert_eq!(turn(Known::Never, true, came, came), Some(Turn::Came));
        assert_eq!(turn(Known::There, true, came, later(999_999)), None);
        assert_eq!(turn(Known::There, false, came, later(PATIENCE_MS - 1)), None);
        assert_eq!(turn(Known::There, false, came, later(PATIENCE_MS)), Some(Turn::Went(came)));
        assert_eq!(turn(Known::Gone, false, came, later(999_999)), None);
        assert_eq!(turn(Known::Gone, true, came, later(999_999)), Some(Turn::Came));
    }
}
