//! When shifts begin and end. Pure.

use crate::db::TimeOfDay;
use chrono::NaiveTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
