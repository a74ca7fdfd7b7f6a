//! When portions may come off a bill, and whether they count as made. Never asks the clock or the kitchen itself.

use tiffin_common::{Millis, words};

words! {
    /// How portions came off a bill.
    pub enum VoidKind {
        /// They were voided.
        Void = "VOID",
        /// The line was made smaller.
        Less = "LESS",
        /// The whole order was called off.
        Cancel = "CANCEL",
    }
}

/// What is known of the portions of a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// When the kitchen was told to cook the latest of them; none: it was not.
    pub told_at: Option<Millis>,
    /// The cooks have begun.
    pub is_started: bool,
    /// They are ready or with the guest, as somebody said of the whole order.
    pub is_handed_over: bool,
    /// Their ticket may be on paper.
    pub is_printed: bool,
    /// They should have been ready by now.
    pub is_due: bool,
    /// Their station works from paper: nobody sees what it begins.
    pub is_on_paper: bool,
}

impl Known {
    /// Whether they come off without anybody's leave: the kitchen does not know of them, or has known for less than `grace_seconds`
    /// and nothing is started or printed.
    pub fn is_free(&self, grace_seconds: i64, now: Millis) -> bool {
        if self.is_started || self.is_handed_over || self.is_printed {
            return false;
        }
        let grace = 0..grace_seconds.saturating_mul(1_000);
        self.told_at.is_none_or(|at| grace.contains(&now.since(at)))
    }

    /// What is known of a combo, whose components these are of.
    #[must_use]
    pub fn with(self, component: Known) -> Known {
        Known {
            told_at: self.told_at.max(component.told_at),
            is_started: self.is_started || component.is_started,
            is_handed_over: self.is_handed_over || component.is_handed_over,
            is_printed: self.is_printed || component.is_printed,
            is_due: self.is_due || component.is_due,
            is_on_paper: self.is_on_paper || component.is_on_paper,
        }
    }

    /// Whether they count as made where nobody says so.
    pub fn is_made(&self) -> bool {
        self.is_started || self.is_handed_over || self.is_due || self.is_on_paper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: Millis = Millis::new(1_000_000);

    #[test]
    fn what_the_kitchen_was_told_of_is_free_for_the_grace_alone() {
        let told = Known { told_at: Some(TOLD), ..Known::default() };
        assert!(Known::default().is_free(0, TOLD), "it was never told");
        assert!(told.is_free(60, TOLD) && told.is_free(60, TOLD.after(59_999)));
        assert!(!told.is_free(60, TOLD.after(60_000)) && !told.is_free(0, TOLD));
        assert!(!told.is_free(60, TOLD.after(-1)), "a clock that was put back opens nothing");
        for known in [
            Known { is_started: true, ..told },
            Known { is_handed_over: true, ..told },
            Known { is_printed: true, ..told },
        ] {
            assert!(!known.is_free(60, TOLD), "{known:?}");
        }
    }

    #[test]
    fn whatever_may_have_been_cooked_counts_as_made() {
        let told = Known { told_at: Some(TOLD), is_printed: true, ..Known::default() };
        assert!(!told.is_made(), "a display's station says when it begins");
        for known in [
            Known { is_started: true, ..told },
            Known { is_handed_over: true, ..told },
            Known { is_due: true, ..told },
            Known { is_on_paper: true, ..told },
        ] {
            assert!(known.is_made(), "{known:?}");
        }
    }
}
