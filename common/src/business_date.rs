//! Business dates: which trading day a moment belongs to, and when a trading day begins and ends, across daylight-saving
//! changes. Never guesses a time zone.

use crate::Millis;
use chrono::{Days, NaiveDate, NaiveTime, TimeZone};
use chrono_tz::Tz;

/// How an outlet counts its days: its time zone and the local time at which a new business date begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusinessDay {
    timezone: Tz,
    starts_at: NaiveTime,
}

impl BusinessDay {
    /// Days in `timezone` that begin at local time `starts_at`.
    pub fn new(timezone: Tz, starts_at: NaiveTime) -> Self {
        BusinessDay { timezone, starts_at }
    }

    /// The outlet's time zone.
    pub fn timezone(&self) -> Tz {
        self.timezone
    }

    /// The business date `moment` belongs to: the last date whose [`start`](Self::start) is not after it.
    pub fn date_of(&self, moment: Millis) -> NaiveDate {
        let local = moment.to_utc().with_timezone(&self.timezone);
        let mut date = local.date_naive().checked_add_days(Days::new(1)).unwrap_or(NaiveDate::MAX);
        while self.start(date) > moment {
            match date.pred_opt() {
                Some(earlier) => date = earlier,
                None => break,
            }
        }
        date
    }

    /// The moment business date `date` begins. In a gap of the clock it begins when the gap ends; where the local time
    /// happens twice, the first time.
    pub fn start(&self, date: NaiveDate) -> Millis {
        let mut local = date.and_time(self.starts_at);
        for _ in 0..=240 {
            if let Some(moment) = self.timezone.from_local_datetime(&local).earliest() {
                return Millis::new(moment.timestamp_millis());
            }
            local += chrono::TimeDelta::minutes(1);
        }
        Millis::new(date.and_time(self.starts_at).and_utc().timestamp_millis())
    }

    /// The moment business date `date` ends: the start of the next.
    pub fn end(&self, date: NaiveDate) -> Millis {
        self.start(date.succ_opt().unwrap_or(date))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(zone: Tz, hour: u32) -> BusinessDay {
        BusinessDay::new(zone, NaiveTime::from_hms_opt(hour, 0, 0).unwrap())
    }

    fn at(text: &str) -> Millis {
        text.parse().unwrap()
    }

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn after_midnight_still_belongs_to_the_evening() {
        let kolkata = day(Tz::Asia__Kolkata, 4);
        assert_eq!(kolkata.date_of(at("2026-11-20T20:00:00Z")), date("2026-11-20"));
        assert_eq!(kolkata.date_of(at("2026-11-20T22:29:59.999Z")), date("2026-11-20"));
        assert_eq!(kolkata.date_of(at("2026-11-20T22:30:00Z")), date("2026-11-21"));
    }

    #[test]
    fn days_of_23_and_25_hours_have_no_gap_and_no_overlap() {
        let berlin = day(Tz::Europe__Berlin, 2);
        for text in ["2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25", "2026-10-26"] {
            let (start, end) = (berlin.start(date(text)), berlin.end(date(text)));
            assert_eq!(berlin.date_of(start), date(text));
            assert_eq!(berlin.date_of(end.after(-1)), date(text));
            assert_eq!(berlin.date_of(end), date(text).succ_opt().unwrap());
        }
        let hours = |d: &str| berlin.end(date(d)).since(berlin.start(date(d))) / 3_600_000;
        assert_eq!((hours("2026-03-28"), hours("2026-10-25"), hours("2026-07-01")), (24, 25, 24));
    }
}
