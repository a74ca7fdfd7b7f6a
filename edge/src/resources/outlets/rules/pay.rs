//! What an outlet pays beyond the hour: overtime, days of rest, leave. Pure.

use super::profile::Overtime;
use crate::http::Checks;
use chrono::{Datelike, NaiveDate};
use tiffin_common::{Bps, Quantity, words};

words! {
    /// A day of the week.
    #[expect(missing_docs, reason = "the names say it")]
    pub enum Weekday {
        Mon = "MON",
        Tue = "TUE",
        Wed = "WED",
        Thu = "THU",
        Fri = "FRI",
        Sat = "SAT",
        Sun = "SUN",
    }
}

impl Weekday {
    /// The day that is so many days after Monday.
    pub fn after_monday(days: u32) -> Option<Weekday> {
        Weekday::ALL.get(usize::try_from(days).ok()?).copied()
    }

    /// The day of the week of a date.
    pub fn of(date: NaiveDate) -> Option<Weekday> {
        Weekday::after_monday(date.weekday().num_days_from_monday())
    }
}

words! {
    /// What kind of leave.
    pub enum LeaveType {
        /// Yearly holidays.
        Annual = "ANNUAL",
        /// Days of illness.
        Sick = "SICK",
        /// Short notice, personal matters.
        Casual = "CASUAL",
        /// Without pay; unlimited.
        Unpaid = "UNPAID",
        /// Anything else; unlimited.
        Other = "OTHER",
    }
}

words! {
    /// When a year's leave may be taken.
    pub enum Accrual {
        /// All of it from the first of January on.
        Yearly = "YEARLY",
        /// A twelfth with each month that begins, in whole half days.
        Monthly = "MONTHLY",
    }
}

/// The terms of a type of leave that has a limit.
#[apply(value!)]
#[derive(Copy)]
pub struct LeaveTerms {
    /// Whole or half days of a year, unless an employee was given an entitlement of their own.
    #[schemars(range(min = 0, max = 366))]
    pub entitled_days: Quantity,
    /// When they may be taken.
    pub accrual: Accrual,
    /// At most so many of what was left of the year before; they lapse with this year. Whole or half days.
    #[schemars(range(min = 0, max = 366))]
    pub carry_over_days: Quantity,
    /// Whether such days are paid.
    pub paid: bool,
}

/// The terms of leave; what is not named in it has its default. UNPAID leave has no limit and no pay.
#[apply(value!)]
#[serde(default)]
pub struct LeaveSettings {
    /// Minutes that a day of paid leave or a holiday pays those who are paid by the hour, unless they have an ordinary day of their own.
    #[schemars(range(min = 1, max = 1_440))]
    pub day_minutes: i64,
    /// Whether a holiday is paid to those who are paid by the hour, beside the hours they work on it.
    pub holidays_paid: bool,
    /// Of ANNUAL leave.
    pub annual: LeaveTerms,
    /// Of SICK leave.
    pub sick: LeaveTerms,
    /// Of CASUAL leave.
    pub casual: LeaveTerms,
    /// Whether OTHER leave, which has no limit, is paid.
    pub other_paid: bool,
}

impl Default for LeaveSettings {
    fn default() -> Self {
        let days = |days: i64| LeaveTerms {
            entitled_days: Quantity::from_millionths(days.saturating_mul(1_000_000)),
            accrual: Accrual::Yearly,
            carry_over_days: Quantity::ZERO,
            paid: true,
        };
        LeaveSettings {
            day_minutes: 480,
            holidays_paid: true,
            annual: days(18),
            sick: days(12),
            casual: days(7),
            other_paid: true,
        }
    }
}

impl LeaveSettings {
    /// The terms of a type; none where it has no limit.
    pub fn terms(&self, leave_type: LeaveType) -> Option<&LeaveTerms> {
        match leave_type {
            LeaveType::Annual => Some(&self.annual),
            LeaveType::Sick => Some(&self.sick),
            LeaveType::Casual => Some(&self.casual),
            LeaveType::Unpaid | LeaveType::Other => None,
        }
    }

    /// Whether days of a type are paid.
    pub fn pays(&self, leave_type: LeaveType) -> bool {
        match leave_type {
            LeaveType::Unpaid => false,
            LeaveType::Other => self.other_paid,
            _ => self.terms(leave_type).is_some_and(|terms| terms.paid),
        }
    }

    /// Notes what does not hold.
    pub(super) fn check(&self, checks: &mut Checks) {
        for (name, terms) in [("annual", &self.annual), ("sick", &self.sick), ("casual", &self.casual)] {
            for (field, days) in
                [("entitledDays", terms.entitled_days), ("carryOverDays", terms.carry_over_days)]
            {
                let is_whole = days.get() % 500_000 == 0;
                checks.require(is_whole, format!("leave.{name}.{field}"), "must be whole or half days");
            }
        }
    }
}

impl Overtime {
    /// Notes what does not hold.
    pub(super) fn check(&self, checks: &mut Checks) {
        let limits =
            [("dailyMinutes", self.daily_minutes, 1_440), ("weeklyMinutes", self.weekly_minutes, 10_080)];
        for (name, limit, most) in limits {
            let holds = limit.is_none_or(|limit| (0..=most).contains(&limit));
            checks.require(holds, format!("overtime.{name}"), format!("must be from 0 to {most}"));
        }
        let pays = (Bps::WHOLE..=100_000).contains(&self.multiplier_bps.get());
        checks.require(pays, "overtime.multiplierBps", "must be from 10000 to 100000");
    }
}
