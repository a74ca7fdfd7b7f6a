//! What the screens of a till go by: the reasons that may be chosen, what is offered, and when something is late. Pure.

use crate::http::Checks;
use std::collections::HashSet;
use tiffin_common::Cents;

/// A reason that may be chosen.
#[apply(value!)]
pub struct Reason {
    /// Capitals, digits and underscores, unique among its like.
    #[schemars(regex(pattern = "^[A-Z0-9_]{1,40}$"))]
    pub code: String,
    /// As a person reads it.
    #[schemars(length(min = 1, max = 120))]
    pub text: String,
}

/// Reasons by what they are given for.
#[apply(value!)]
#[serde(default)]
pub struct Reasons {
    /// For taking something off an order.
    #[schemars(length(max = 30))]
    pub void: Vec<Reason>,
    /// For calling an order off.
    #[schemars(length(max = 30))]
    pub cancel: Vec<Reason>,
    /// For a discount.
    #[schemars(length(max = 30))]
    pub discount: Vec<Reason>,
    /// For giving money back.
    #[schemars(length(max = 30))]
    pub refund: Vec<Reason>,
    /// For giving up what is due.
    #[schemars(length(max = 30))]
    pub write_off: Vec<Reason>,
    /// For taking money out of a drawer.
    #[schemars(length(max = 30))]
    pub pay_out: Vec<Reason>,
}

/// After how many minutes an open order is shown as one that waits, and as late.
#[apply(value!)]
#[derive(Copy)]
#[serde(default)]
pub struct Ageing {
    /// Minutes until it is shown as one that waits.
    #[schemars(range(min = 1, max = 240))]
    pub warn_minutes: i64,
    /// Minutes until it is shown as late.
    #[schemars(range(min = 1, max = 480))]
    pub late_minutes: i64,
}

/// What the screens of a till go by.
#[apply(value!)]
#[serde(default)]
pub struct TillSettings {
    /// Reasons that may be chosen; a reason of one's own is always possible.
    pub reasons: Reasons,
    /// Tips that are offered, in basis points of the bill.
    #[schemars(length(max = 6), inner(range(min = 1, max = 10_000)))]
    pub tip_presets_bps: Vec<i64>,
    /// Amounts of cash that are offered, in cents, besides the exact one.
    #[schemars(length(max = 8), inner(range(min = 1, max = 1_000_000_000)))]
    pub cash_presets_cents: Vec<Cents>,
    /// When something is late.
    pub ageing: Ageing,
    /// Seconds without a touch after which a till asks for a PIN again; 0: when the turn ends.
    #[schemars(range(min = 0, max = 3_600))]
    pub idle_lock_seconds: i64,
}

fn reasons(list: &[(&str, &str)]) -> Vec<Reason> {
    let reason = |(code, text): &(&str, &str)| Reason { code: (*code).to_owned(), text: (*text).to_owned() };
    list.iter().map(reason).collect()
}

impl Default for Reasons {
    fn default() -> Self {
        Reasons {
            void: reasons(&[
                ("MISTAKE", "Entered by mistake"),
                ("CHANGED_MIND", "Guest changed their mind"),
                ("SOLD_OUT", "Sold out"),
                ("QUALITY", "Not as it should be"),
            ]),
            cancel: reasons(&[("GUEST_LEFT", "Guest left"), ("MISTAKE", "Entered by mistake")]),
            discount: reasons(&[
                ("REGULAR", "Regular guest"),
                ("COMPLAINT", "After a complaint"),
                ("STAFF", "Staff meal"),
            ]),
            refund: reasons(&[("QUALITY", "Not as it should be"), ("OVERCHARGED", "Charged too much")]),
            write_off: reasons(&[("WALKED_OUT", "Guest left without paying")]),
            pay_out: reasons(&[("SUPPLIER", "Supplier paid in cash"), ("PETTY", "Small expenses")]),
        }
    }
}

impl Default for Ageing {
    fn default() -> Self {
        Ageing { warn_minutes: 15, late_minutes: 30 }
    }
}

impl Default for TillSettings {
    fn default() -> Self {
        TillSettings {
            reasons: Reasons::default(),
            tip_presets_bps: vec![500, 1_000, 1_500],
            cash_presets_cents: [10_000, 20_000, 50_000].map(Cents::new).to_vec(),
            ageing: Ageing::default(),
            idle_lock_seconds: 0,
        }
    }
}

impl TillSettings {
    /// Notes what does not hold.
    pub(super) fn check(&self, checks: &mut Checks) {
        let Reasons { void, cancel, discount, refund, write_off, pay_out } = &self.reasons;
        for (name, list) in [
            ("void", void),
            ("cancel", cancel),
            ("discount", discount),
            ("refund", refund),
            ("writeOff", write_off),
            ("payOut", pay_out),
        ] {
            let mut seen = HashSet::new();
            for (i, reason) in list.iter().enumerate() {
                let path = format!("till.reasons.{name}[{i}].code");
                checks.require(seen.insert(&reason.code), path, "is there twice");
            }
        }
        let Ageing { warn_minutes, late_minutes } = self.ageing;
        checks.require(warn_minutes < late_minutes, "till.ageing.lateMinutes", "must be above warnMinutes");
    }
}
