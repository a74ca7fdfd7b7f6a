//! A change of what the screens of a till go by: what is absent stays, at every depth.

use crate::http::Replace;
use crate::resources::outlets::rules::{Ageing, Reason, Reasons, TillSettings};
use tiffin_common::Cents;

patch! {
    /// A change of the reasons that may be chosen; a list is replaced as a whole, one that is absent stays.
    pub struct ReasonsChange of Reasons {
        /// For taking something off an order.
        #[schemars(length(max = 30))]
        void: Replace<Vec<Reason>>,
        /// For calling an order off.
        #[schemars(length(max = 30))]
        cancel: Replace<Vec<Reason>>,
        /// For a discount.
        #[schemars(length(max = 30))]
        discount: Replace<Vec<Reason>>,
        /// For giving money back.
        #[schemars(length(max = 30))]
        refund: Replace<Vec<Reason>>,
        /// For giving up what is due.
        #[schemars(length(max = 30))]
        write_off: Replace<Vec<Reason>>,
        /// For taking money out of a drawer.
        #[schemars(length(max = 30))]
        pay_out: Replace<Vec<Reason>>,
    }
}

patch! {
    /// A change of when something is late; what is absent stays.
    pub struct AgeingChange of Ageing {
        /// Minutes until it is shown as one that waits.
        #[schemars(range(min = 1, max = 240))]
        warn_minutes: Replace<i64>,
        /// Minutes until it is shown as late.
        #[schemars(range(min = 1, max = 480))]
        late_minutes: Replace<i64>,
    }
}

patch! {
    /// A change of what the screens of a till go by; what is absent stays.
    pub struct TillChange of TillSettings {
        /// Reasons that may be chosen; a reason of one's own is always possible.
        reasons: ReasonsChange,
        /// Tips that are offered, in basis points of the bill.
        #[schemars(length(max = 6), inner(range(min = 1, max = 10_000)))]
        tip_presets_bps: Replace<Vec<i64>>,
        /// Amounts of cash that are offered, in cents, besides the exact one.
        #[schemars(length(max = 8), inner(range(min = 1, max = 1_000_000_000)))]
        cash_presets_cents: Replace<Vec<Cents>>,
        /// When something is late.
        ageing: AgeingChange,
        /// Seconds without a touch after which a till asks for a PIN again; 0: when the turn ends.
        #[schemars(range(min = 0, max = 3_600))]
        idle_lock_seconds: Replace<i64>,
    }
}

impl ReasonsChange {
    fn apply(self, present: Reasons) -> Reasons {
        self.over(present)
    }
}

impl AgeingChange {
    fn apply(self, present: Ageing) -> Ageing {
        self.over(present)
    }
}

impl TillChange {
    pub(super) fn apply(self, present: TillSettings) -> TillSettings {
        self.over(present)
    }
}
