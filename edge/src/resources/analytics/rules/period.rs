//! Which business dates a question is about. Dates are the outlet's business dates, weeks begin on Monday. Never asks what day
//! it is.

use crate::http::FieldError;
use chrono::{Datelike, Days, NaiveDate};
use tiffin_common::words;

/// The longest range, in days.
pub const LONGEST_DAYS: i64 = 400;

words! {
    /// A period by name.
    #[derive(Default)]
    pub enum Period {
        /// The present business date.
        #[default]
        Today = "TODAY",
        /// The business date before.
        Yesterday = "YESTERDAY",
        /// From Monday to the present business date.
        ThisWeek = "THIS_WEEK",
        /// From the first of the month to the present business date.
        ThisMonth = "THIS_MONTH",
        /// The whole month before.
        LastMonth = "LAST_MONTH",
    }
}

impl Period {
    /// Its dates, on the business date `today`.
    pub fn range(self, today: NaiveDate) -> Range {
        let first_of = |date: NaiveDate| date.with_day(1).unwrap_or(date);
        match self {
            Period::Today => Range { from: today, to: today },
            Period::Yesterday => Range { from: back(today, 1), to: back(today, 1) },
            Period::ThisWeek => {
                Range { from: back(today, today.weekday().num_days_from_monday().into()), to: today }
            }
            Period::ThisMonth => Range { from: first_of(today), to: today },
            Period::LastMonth => {
                let to = back(first_of(today), 1);
                Range { from: first_of(to), to }
            }
        }
    }

    /// What its range is compared with: this week with the same days of last week, anything else with as many days before.
    pub fn before(self, range: Range) -> Range {
        match self {
            Period::ThisWeek => Range { from: back(range.from, 7), to: back(range.to, 7) },
            _ => range.before(),
        }
    }
}

fn back(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

/// Business dates from the first to the last, both included; at least one, at most [`LONGEST_DAYS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub from: NaiveDate,
    /// The last.
    pub to: NaiveDate,
}

impl Range {
    /// The range that was asked for: without `to` up to the present date, without `from` the last date alone.
    ///
    /// # Errors
    /// `to` before `from`, or too long.
    pub fn of(
        from: Option<NaiveDate>,
        to: Option<NaiveDate>,
        today: NaiveDate,
    ) -> Result<Range, Vec<FieldError>> {
        let to = to.unwrap_or_else(|| from.map_or(today, |from| from.max(today)));
        let from = from.unwrap_or(to);
        let reason = match (to - from).num_days() {
            ..0 => "must not be before from",
            days if days >= LONGEST_DAYS => "must be less than 400 days after from",
            _ => return Ok(Range { from, to }),
        };
        Err(vec![FieldError::new("to", reason)])
    }

    /// How many days it has.
    pub fn days(self) -> i64 {
        (self.to - self.from).num_days() + 1
    }

    /// As many days before it.
    pub fn before(self) -> Range {
        let days = u64::try_from(self.days()).unwrap_or(1);
        Range { from: back(self.from, days), to: back(self.to, days) }
    }

    /// Its dates in their order.
    pub fn dates(self) -> impl Iterator<Item = NaiveDate> {
        self.from.iter_days().take_while(move |date| *date <= self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn dates(range: Range) -> (String, String) {
        (range.from.to_string(), range.to.to_string())
    }

    #[test]
    fn periods_are_business_dates_and_weeks_begin_on_monday() {
        let friday = date("2026-11-20");
        let at = |period: Period, today: &str| dates(period.range(date(today)));
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(at(Period::Today, "2026-11-20"), pair("2026-11-20", "2026-11-20"));
        assert_eq!(at(Period::Yesterday, "2026-11-01"), pair("2026-10-31", "2026-10-31"));
        assert_eq!(at(Period::ThisWeek, "2026-11-20"), pair("2026-11-16", "2026-11-20"));
        assert_eq!(at(Period::ThisWeek, "2026-11-16"), pair("2026-11-16", "2026-11-16"));
        assert_eq!(at(Period::ThisWeek, "2026-11-22"), pair("2026-11-16", "2026-11-22"));
        assert_eq!(at(Period::ThisMonth, "2026-11-20"), pair("2026-11-01", "2026-11-20"));
        assert_eq!(at(Period::LastMonth, "2026-03-31"), pair("2026-02-01", "2026-02-28"));
        assert_eq!(at(Period::LastMonth, "2027-01-01"), pair("2026-12-01", "2026-12-31"));
        let before = |period: Period| dates(period.before(period.range(friday)));
        assert_eq!(before(Period::Today), pair("2026-11-19", "2026-11-19"));
        assert_eq!(before(Period::ThisWeek), pair("2026-11-09", "2026-11-13"));
        assert_eq!(before(Period::ThisMonth), pair("2026-10-12", "2026-10-31"));
        assert_eq!(before(Period::LastMonth), pair("2026-08-31", "2026-09-30"));
    }

    #[test]
    fn ranges_are_bounded_and_name_what_is_wrong() {
        let today = date("2026-11-20");
        let of = |from: Option<&str>, to: Option<&str>| Range::of(from.map(date), to.map(date), today);
        assert_eq!(of(None, None).unwrap().days(), 1);
        assert_eq!(of(Some("2026-11-01"), None).unwrap().days(), 20);
        assert_eq!(of(None, Some("2026-11-01")).unwrap().days(), 1);
        assert_eq!(of(Some("2026-12-01"), None).unwrap().days(), 1);
        assert_eq!(of(Some("2025-01-01"), Some("2026-02-04")).unwrap().days(), 400);
        assert_eq!(of(Some("2025-01-01"), Some("2026-02-05")).unwrap_err()[0].name, "to");
        assert_eq!(of(Some("2026-11-02"), Some("2026-11-01")).unwrap_err()[0].name, "to");
    }
}
