//! What a question is asked in. Never the question itself.

use super::money::Currency;
use super::plan::Plan;
use super::topics::Heard;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde_json::Value;
use tiffin_common::Millis;

/// What a question is asked in.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The outlet's name.
    pub outlet: String,
    /// Its currency.
    pub currency: Currency,
    /// Its business date.
    pub today: NaiveDate,
    /// Its time zone.
    pub timezone: Tz,
    /// The moment.
    pub now: Millis,
    /// How the conversation's last question was understood.
    pub before: Option<Plan>,
    /// The conversation's last messages, the oldest first: who, what.
    pub history: Vec<(bool, String)>,
}

impl Setting {
    /// What a topic is told of the answers `data` to its calls.
    pub fn heard<'a>(&'a self, plan: &'a Plan, data: &'a [Value]) -> Heard<'a> {
        let Setting { currency, today, now, timezone, .. } = self;
        Heard { plan, data, currency, today: *today, now: *now, timezone: *timezone }
    }
}
