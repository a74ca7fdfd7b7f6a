//! Decisions of the dashboard. Pure.

use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use tiffin_common::{BusinessDay, Millis, Overflow, Quantity};

/// How many rows a list of the dashboard shows.
pub const SHOWN: i64 = 10;

/// How many days ahead stock counts as expiring.
pub const EXPIRING_DAYS: u64 = 3;

/// The days sales are compared over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The present business date.
    pub today: NaiveDate,
    /// The same weekday of last week.
    pub before: NaiveDate,
    /// As far into that day as the present moment is into this one.
    pub until: Millis,
}

impl Comparison {
    /// At `now`.
    pub fn at(day: BusinessDay, now: Millis) -> Comparison {
        let today = day.date_of(now);
        let before = today.checked_sub_days(chrono::Days::new(7)).unwrap_or(today);
        Comparison { today, before, until: day.start(before).after(now.since(day.start(today))) }
    }
}

/// The change from `before` to `now` in percent, with two decimals; none when there was nothing.
///
/// # Errors
/// A difference beyond any range.
pub fn change_percentage(now: i64, before: i64) -> Result<Option<Quantity>, Overflow> {
    if before == 0 {
        return Ok(None);
    }
    let difference = now.checked_sub(before).ok_or(Overflow)?;
    // Rounded to hundredths of a percent, which are then exact in millionths.
    Quantity::from_millionths(difference).ratio(10_000, before)?.times(10_000).map(Some)
}

/// The local date and time of day at `moment`, as the roster writes them.
pub fn local(moment: Millis, timezone: Tz) -> (String, String) {
    let local = moment.to_utc().with_timezone(&timezone);
    let time: NaiveTime = local.time();
    (local.date_naive().to_string(), time.format("%H:%M").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_weeks_day_is_looked_at_as_far_as_this_one_has_come() {
        let day = BusinessDay::new(Tz::Europe__Berlin, NaiveTime::from_hms_opt(4, 0, 0).unwrap());
        let at = |text: &str| text.parse::<Millis>().unwrap();
        let compared = Comparison::at(day, at("2026-11-20T12:30:00Z"));
        assert_eq!(
            (compared.today.to_string(), compared.before.to_string()),
            ("2026-11-20".into(), "2026-11-13".into())
        );
        assert_eq!(compared.until, at("2026-11-13T12:30:00Z"));
        // Across the end of summer time the same time of day is another hour of UTC.
        let compared = Comparison::at(day, at("2026-10-28T11:00:00Z"));
        assert_eq!(compared.until, at("2026-10-21T10:00:00Z"));
    }

    #[test]
    fn changes_have_two_decimals_and_nothing_has_none() {
        let text = |now, before| change_percentage(now, before).unwrap().map(|change| change.to_string());
        assert_eq!(text(150, 100).as_deref(), Some("50"));
        assert_eq!(text(100, 150).as_deref(), Some("-33.33"));
        assert_eq!(text(5, 0), None);
    }

    #[test]
    fn the_rosters_clock_is_the_outlets() {
        let moment = "2026-11-20T20:15:00Z".parse().unwrap();
        assert_eq!(local(moment, Tz::Asia__Kolkata), ("2026-11-21".to_owned(), "01:45".to_owned()));
    }
}
