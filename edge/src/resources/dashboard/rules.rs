//! Decisions of the dashboard. Pure.

use crate::db::TimeOfDay;
use crate::resources::attendance::rules::State;
use crate::resources::kitchen::rules::TicketStatus;
use chrono::NaiveDate;
use chrono_tz::Tz;
use tiffin_common::{BusinessDay, Cents, Millis, Overflow, Quantity, Uuid};

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
    /// At `now`, on the business date `today`.
    pub fn at(day: BusinessDay, today: NaiveDate, now: Millis) -> Comparison {
        let before = today.checked_sub_days(chrono::Days::new(7)).unwrap_or(today);
        Comparison { today, before, until: day.start(before).after(now.since(day.start(today))) }
    }
}

/// The change from `before` to `now` in percent, with two decimals; none when there was nothing.
///
/// # Errors
/// A difference beyond any range.
pub fn change_percentage(now: Cents, before: Cents) -> Result<Option<Quantity>, Overflow> {
    if before == Cents::ZERO {
        return Ok(None);
    }
    let difference = Quantity::from_millionths(now.minus(before)?.get());
    // Rounded to hundredths of a percent, which are then exact in millionths.
    difference.ratio(10_000, before.get())?.times(10_000).map(Some)
}

/// The local date and time of day at `moment`, as the roster writes them.
pub fn local(moment: Millis, timezone: Tz) -> (NaiveDate, TimeOfDay) {
    let local = moment.to_utc().with_timezone(&timezone);
    (local.date_naive(), TimeOfDay(local.time()))
}

/// Sums and counts of two days' sales.
#[derive(Debug, Clone, Copy)]
pub struct Sales {
    pub today: Cents,
    pub orders: i64,
    pub before: Cents,
}

/// A kitchen ticket past its time.
#[derive(Debug)]
pub struct LateTicket {
    pub id: Uuid,
    pub ticket_number: i64,
    pub order_id: Uuid,
    pub order_number: String,
    pub table_number: Option<String>,
    pub station_name: String,
    pub status: TicketStatus,
    pub target_ready_at: Millis,
}

/// Stock at or below its threshold.
#[derive(Debug)]
pub struct LowItem {
    pub id: Uuid,
    pub name: String,
    pub unit: String,
    pub current_stock: Quantity,
    pub min_stock_threshold: Quantity,
}

/// A batch whose time is near.
#[derive(Debug)]
pub struct ExpiringBatch {
    pub item_id: Uuid,
    pub name: String,
    pub unit: String,
    pub batch_number: String,
    pub quantity: Quantity,
    pub expiry_date: NaiveDate,
}

/// Somebody who is at work.
#[derive(Debug)]
pub struct OnShift {
    pub employee_id: Uuid,
    pub employee_name: String,
    pub state: State,
    pub started_at: Millis,
}

/// How many are to work, and how many of them should be here and are not.
#[derive(Debug)]
pub struct Rostered {
    pub rostered: i64,
    pub late: i64,
}

/// Something in the audit log that should not be usual.
#[derive(Debug)]
pub struct Oddity {
    /// When.
    pub at: Millis,
    /// What, as the audit log names it.
    pub action: String,
    /// Who.
    pub actor_name: String,
    /// The signed-in device, or the address where nobody was signed in.
    pub device: Option<String>,
}

/// What waits for somebody's decision.
#[derive(Debug)]
pub struct Approvals {
    pub leave_requests: i64,
    pub swaps: i64,
    pub qr_orders: i64,
    pub needs_review_attendance: i64,
    pub urgent_tickets: i64,
    pub feedback_to_answer: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveTime;

    #[test]
    fn last_weeks_day_is_looked_at_as_far_as_this_one_has_come() {
        let day = BusinessDay::new(Tz::Europe__Berlin, NaiveTime::from_hms_opt(4, 0, 0).unwrap());
        let at = |text: &str| text.parse::<Millis>().unwrap();
        let compared =
            Comparison::at(day, day.date_of(at("2026-11-20T12:30:00Z")), at("2026-11-20T12:30:00Z"));
        assert_eq!(
            (compared.today.to_string(), compared.before.to_string()),
            ("2026-11-20".into(), "2026-11-13".into())
        );
        assert_eq!(compared.until, at("2026-11-13T12:30:00Z"));
        // Across the end of summer time the same time of day is another hour of UTC.
        let compared =
            Comparison::at(day, day.date_of(at("2026-10-28T11:00:00Z")), at("2026-10-28T11:00:00Z"));
        assert_eq!(compared.until, at("2026-10-21T10:00:00Z"));
    }

    #[test]
    fn changes_have_two_decimals_and_nothing_has_none() {
        let text = |now, before| {
            change_percentage(Cents::new(now), Cents::new(before)).unwrap().map(|change| change.to_string())
        };
        assert_eq!(text(150, 100).as_deref(), Some("50"));
        assert_eq!(text(100, 150).as_deref(), Some("-33.33"));
        assert_eq!(text(5, 0), None);
    }

    #[test]
    fn the_rosters_clock_is_the_outlets() {
        let moment = "2026-11-20T20:15:00Z".parse().unwrap();
        assert_eq!(
            local(moment, Tz::Asia__Kolkata),
            ("2026-11-21".parse().unwrap(), "01:45".parse().unwrap())
        );
    }
}
