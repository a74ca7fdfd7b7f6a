//! The parts an outlet's settings are made of, and what they are for a new one. Pure.

use crate::access::Role;
use crate::db::TimeOfDay;
use chrono::NaiveTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiffin_common::{Bps, Cents, words};

words! {
    /// What an order does when stock does not suffice.
    pub enum StockPolicy {
        /// Sell, and keep the shortfall as a deficit.
        AllowNegative = "ALLOW_NEGATIVE",
        /// Refuse the order.
        Block = "BLOCK",
    }
}

words! {
    /// Which QR orders wait for staff.
    pub enum QrOrderApproval {
        /// A party's first order.
        FirstOrder = "FIRST_ORDER",
        /// Every order.
        Always = "ALWAYS",
        /// No order waits.
        Never = "NEVER",
    }
}

table! {
    /// Grace and breaks of attendance.
    #[derive(Copy, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AttendanceSettings: outlets {
        /// Minutes a punch may be off.
        #[schemars(range(min = 0, max = 240))]
        pub grace_minutes: i64 => attendance_grace_minutes,
        /// Longest break, minutes.
        #[schemars(range(min = 0, max = 480))]
        pub max_break_minutes: i64 => attendance_max_break_minutes,
    }
}

/// When a shift begins and ends, local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftTime {
    /// When it begins: `HH:MM` on the outlet's clock.
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub start: TimeOfDay,
    /// `HH:MM`; before `start` when the shift crosses midnight.
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub end: TimeOfDay,
}

/// The times of the three shift types (contract section 3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct ShiftTimes {
    /// 07:00–15:00 unless set.
    pub morning: ShiftTime,
    /// 15:00–23:00 unless set.
    pub evening: ShiftTime,
    /// 23:00–07:00 unless set.
    pub night: ShiftTime,
}

impl Default for ShiftTimes {
    fn default() -> Self {
        let at = |hour| TimeOfDay(NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or_default());
        let time = |start, end| ShiftTime { start: at(start), end: at(end) };
        ShiftTimes { morning: time(7, 15), evening: time(15, 23), night: time(23, 7) }
    }
}

/// How far a role may discount an order alone, in basis points. A role that is not named may not discount alone, except
/// managers and owners, who are not limited.
pub type DiscountLimits = BTreeMap<String, Bps>;

/// How much a role may take out of a drawer alone, in cents. A role that is not named may take nothing out alone, except managers
/// and owners, who are not limited.
pub type PayOutLimits = BTreeMap<String, Cents>;

/// The pay-out limits of a new outlet.
pub fn default_pay_out_limits() -> PayOutLimits {
    BTreeMap::from([(Role::Cashier.name().to_owned(), Cents::new(20_000))])
}

/// The limits of a new outlet.
pub fn default_discount_limits() -> DiscountLimits {
    [(Role::Cashier, 1_000), (Role::Waiter, 0)]
        .map(|(role, bps)| (role.name().to_owned(), Bps::new(bps)))
        .into()
}

/// Reads `HH:MM`.
pub fn parse_time(text: &str) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(text, "%H:%M").ok()
}
