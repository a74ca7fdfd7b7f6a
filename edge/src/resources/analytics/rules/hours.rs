//! Sales by the local hour orders were taken in and by weekday. The hour that a clock change repeats counts as one, the hour it
//! skips has nothing. Never asks which time zone: it is handed the outlet's days.

use super::rows::Quarter;
use chrono::{Datelike, NaiveDate, Timelike};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{BusinessDay, Cents, Overflow};

/// What was sold in some hours; without tax and before refunds, which have an hour of their own.
#[apply(figures!)]
#[derive(Copy, Default)]
pub struct HourSums {
    /// Orders that count as revenue.
    pub orders_count: i64,
    /// Guests, where they were counted.
    pub guests_count: i64,
    /// Revenue before discounts, without tax.
    pub gross_revenue_cents: Cents,
    /// What discounts took off it.
    pub discount_cents: Cents,
    /// grossRevenueCents − discountCents.
    pub revenue_cents: Cents,
}

impl HourSums {
    fn add(&mut self, quarter: &Quarter) -> Result<(), Overflow> {
        self.orders_count = self.orders_count.checked_add(quarter.taken.orders).ok_or(Overflow)?;
        self.guests_count = self.guests_count.checked_add(quarter.taken.guests).ok_or(Overflow)?;
        self.gross_revenue_cents = self.gross_revenue_cents.plus(quarter.taken.gross)?;
        self.discount_cents = self.discount_cents.plus(quarter.taken.discount)?;
        self.revenue_cents = self.gross_revenue_cents.minus(self.discount_cents)?;
        Ok(())
    }
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "weekdays")]
pub enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

const WEEK: [Weekday; 7] =
    [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];

/// The sums of an hour of the day.
#[apply(figures!)]
pub struct HourOfDay {
    /// The local hour, 0 to 23.
    #[schemars(range(min = 0, max = 23))]
    pub hour: u32,
    /// What was sold in it.
    #[serde(flatten)]
    pub sums: HourSums,
}

/// The sums of a day of the week.
#[apply(figures!)]
pub struct DayOfWeek {
    /// Of the business date: after midnight is still the evening before.
    pub weekday: Weekday,
    /// How many such days the range has, so that averages can be made.
    pub days_count: i64,
    /// What was sold on them.
    #[serde(flatten)]
    pub sums: HourSums,
}

/// The sums of an hour of a day of the week.
#[apply(figures!)]
pub struct HourOfWeek {
    /// Of the business date.
    pub weekday: Weekday,
    /// The local hour, 0 to 23.
    #[schemars(range(min = 0, max = 23))]
    pub hour: u32,
    /// What was sold in it.
    #[serde(flatten)]
    pub sums: HourSums,
}

/// Sales by hour and weekday. The three lists add up to the same.
#[apply(figures!)]
pub struct Hourly {
    /// All 24 hours, from the one the business day begins in.
    pub hours: Vec<HourOfDay>,
    /// All 7 days, from Monday.
    pub weekdays: Vec<DayOfWeek>,
    /// The hours of the week in which something was sold, in the order of the lists above.
    pub cells: Vec<HourOfWeek>,
    /// All of it.
    pub totals: HourSums,
}

/// Sums `quarters` of the business dates `dates`, which an outlet counts as `days` says and begins at the local hour `first`.
///
/// # Errors
/// [`Overflow`].
pub fn by_hour(
    quarters: &[Quarter],
    dates: impl Iterator<Item = NaiveDate>,
    days: BusinessDay,
    first: u32,
) -> Result<Hourly, Overflow> {
    let mut hours: Vec<HourOfDay> =
        (0..24).map(|hour| HourOfDay { hour: (first + hour) % 24, sums: HourSums::default() }).collect();
    let mut weekdays: Vec<DayOfWeek> = WEEK
        .iter()
        .map(|weekday| DayOfWeek { weekday: *weekday, days_count: 0, sums: HourSums::default() })
        .collect();
    for date in dates {
        if let Some(day) = weekdays.get_mut(weekday_index(date)) {
            day.days_count = day.days_count.saturating_add(1);
        }
    }
    let mut cells: BTreeMap<(usize, u32), HourSums> = BTreeMap::new();
    let mut totals = HourSums::default();
    for quarter in quarters {
        let hour = quarter.start.to_utc().with_timezone(&days.timezone()).hour();
        let since = (hour + 24 - first % 24) % 24;
        if let Some(of) = hours.get_mut(since as usize) {
            of.sums.add(quarter)?;
        }
        if let Some(of) = weekdays.get_mut(weekday_index(quarter.date)) {
            of.sums.add(quarter)?;
        }
        cells.entry((weekday_index(quarter.date), since)).or_default().add(quarter)?;
        totals.add(quarter)?;
    }
    let cells = cells.into_iter().filter_map(|((day, since), sums)| {
        Some(HourOfWeek { weekday: *WEEK.get(day)?, hour: (first + since) % 24, sums })
    });
    Ok(Hourly { hours, weekdays, cells: cells.collect(), totals })
}

fn weekday_index(date: NaiveDate) -> usize {
    date.weekday().num_days_from_monday() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::analytics::rules::rows::Taken;
    use chrono::NaiveTime;
    use tiffin_common::Millis;

    fn berlin() -> BusinessDay {
        BusinessDay::new("Europe/Berlin".parse().unwrap(), NaiveTime::from_hms_opt(4, 0, 0).unwrap())
    }

    fn quarter(days: BusinessDay, at: &str) -> Quarter {
        let start: Millis = at.parse().unwrap();
        let taken = Taken { orders: 1, guests: 2, gross: Cents::new(1_000), discount: Cents::new(100) };
        Quarter { date: days.date_of(start), start, taken }
    }

    fn counted(quarters: &[&str]) -> Vec<(u32, i64)> {
        let days = berlin();
        let quarters: Vec<Quarter> = quarters.iter().map(|at| quarter(days, at)).collect();
        let sums = by_hour(&quarters, std::iter::empty(), days, 4).unwrap();
        assert_eq!(sums.totals.orders_count, i64::try_from(quarters.len()).unwrap());
        assert_eq!(
            sums.totals.revenue_cents.get(),
            sums.hours.iter().map(|h| h.sums.revenue_cents.get()).sum::<i64>()
        );
        assert_eq!(
            sums.totals.revenue_cents.get(),
            sums.cells.iter().map(|h| h.sums.revenue_cents.get()).sum::<i64>()
        );
        sums.hours.iter().filter(|h| h.sums.orders_count > 0).map(|h| (h.hour, h.sums.orders_count)).collect()
    }

    #[test]
    fn the_repeated_hour_is_one_and_the_skipped_one_is_empty() {
        // 25 October 2026: 02:00–03:00 happens twice, at 00:00 and 01:00 UTC.
        let autumn =
            ["2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"];
        assert_eq!(counted(&autumn), [(1, 1), (2, 2), (3, 1)]);
        // 29 March 2026: after 01:59 comes 03:00, at 01:00 UTC.
        assert_eq!(counted(&["2026-03-29T00:45:00Z", "2026-03-29T01:00:00Z"]), [(1, 1), (3, 1)]);
    }

    #[test]
    fn after_midnight_is_the_evening_before_and_hours_begin_with_the_day() {
        let days = berlin();
        let range = ["2026-10-24", "2026-10-25"].map(|date| date.parse::<NaiveDate>().unwrap());
        // Sunday 25 October, 03:30 local, is Saturday's.
        let sums = by_hour(&[quarter(days, "2026-10-25T02:30:00Z")], range.into_iter(), days, 4).unwrap();
        assert_eq!((sums.hours[0].hour, sums.hours[23].hour), (4, 3));
        assert_eq!((sums.cells[0].weekday, sums.cells[0].hour), (Weekday::Sat, 3));
        let counts: Vec<i64> = sums.weekdays.iter().map(|day| day.days_count).collect();
        assert_eq!(counts, [0, 0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn zones_of_half_and_quarter_hours_have_whole_hours() {
        let kathmandu =
            BusinessDay::new("Asia/Kathmandu".parse().unwrap(), NaiveTime::from_hms_opt(4, 0, 0).unwrap());
        let sums = by_hour(
            &[quarter(kathmandu, "2026-10-25T06:15:00Z"), quarter(kathmandu, "2026-10-25T06:00:00Z")],
            std::iter::empty(),
            kathmandu,
            4,
        )
        .unwrap();
        let sold: Vec<u32> = sums.cells.iter().map(|cell| cell.hour).collect();
        assert_eq!(sold, [11, 12]);
    }
}
