//! Which shifts of one employee can stand side by side, and which are lawful but unwise. Pure.

use super::{Shift, ShiftType};
use crate::http::FieldError;
use chrono::{Datelike, Days, NaiveDate};
use chrono_tz::Tz;
use tiffin_common::{Uuid, words};

const HOUR: i64 = 3_600_000;

/// The most of a day before it is overtime, milliseconds.
const DAY_LIMIT: i64 = 9 * HOUR;

/// The most of a week before it is overtime, milliseconds.
const WEEK_LIMIT: i64 = 48 * HOUR;

/// The least between two days' work, milliseconds.
const REST: i64 = 11 * HOUR;

words! {
    /// What is unwise about a shift.
    pub enum WarningCode {
        /// More than 48 hours in the week from Monday, or 9 in a day.
        Overtime = "OVERTIME",
        /// Less than 11 hours between two days' work.
        ShortRest = "SHORT_REST",
    }
}

/// Something unwise, not forbidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Which rule it goes against.
    pub code: WarningCode,
    /// What exactly, for a person.
    pub message: String,
    /// The employee whose shift it is.
    pub employee_id: Uuid,
    /// The day of the shift.
    pub date: NaiveDate,
}

/// The Monday of the week `date` lies in.
pub fn monday(date: NaiveDate) -> NaiveDate {
    let days = date.weekday().num_days_from_monday();
    date.checked_sub_days(Days::new(days.into())).unwrap_or(date)
}

/// The days whose shifts can clash with one on `date`: a shift may end the day after it began.
pub fn neighbours(date: NaiveDate) -> (NaiveDate, NaiveDate) {
    (date.pred_opt().unwrap_or(date), date.succ_opt().unwrap_or(date))
}

/// The days whose shifts [`warnings`] must know: the week, and a day more on either side.
pub fn around_week(date: NaiveDate) -> (NaiveDate, NaiveDate) {
    let first = monday(date);
    let last = first.checked_add_days(Days::new(6)).unwrap_or(first);
    (neighbours(first).0, neighbours(last).1)
}

/// The first of `others` that `shift` cannot stand beside: one of the same employee that overlaps it in real time, or a day
/// off and anything else on the same date. Shifts of other employees, and `shift` itself, are no matter.
pub fn clash<'a>(
    shift: &Shift,
    others: impl IntoIterator<Item = &'a Shift>,
    timezone: Tz,
) -> Option<&'a Shift> {
    let mine = shift.span(timezone);
    others.into_iter().find(|other| {
        if other.id == shift.id || other.employee_id != shift.employee_id {
            return false;
        }
        match (mine, other.span(timezone)) {
            (Some(mine), Some(theirs)) => mine.overlaps(theirs),
            _ => other.date == shift.date,
        }
    })
}

/// Says that `shift` clashes with `other`, at the field a planner would change.
pub fn clash_field(shift: &Shift, other: &Shift) -> FieldError {
    let field = if shift.is_work() && other.is_work() { "startTime" } else { "shiftType" };
    FieldError::new(field, format!("clashes with the employee's {}", other.describe()))
}

/// What is unwise about `shift`, given all shifts of its employee on the days of [`around_week`], itself included. A shift
/// counts for the date it begins on; two of one date are a split shift and want no rest between them.
pub fn warnings(shift: &Shift, week: &[Shift], timezone: Tz) -> Vec<Warning> {
    let mut found = Vec::new();
    if shift.shift_type == ShiftType::Off {
        return found;
    }
    let mut warn = |code, message| {
        found.push(Warning { code, message, employee_id: shift.employee_id, date: shift.date });
    };
    let spans: Vec<_> =
        week.iter().filter_map(|other| other.span(timezone).map(|span| (other.date, span))).collect();
    let total = |counts: &dyn Fn(NaiveDate) -> bool| {
        let lengths = spans.iter().filter(|(date, _)| counts(*date)).map(|(_, span)| span.length_ms());
        lengths.fold(0i64, i64::saturating_add)
    };
    let day = total(&|date| date == shift.date);
    if day > DAY_LIMIT {
        warn(WarningCode::Overtime, format!("{} on {}, more than 9 h", duration(day), shift.date));
    }
    let first = monday(shift.date);
    let hours = total(&|date| monday(date) == first);
    if hours > WEEK_LIMIT {
        warn(WarningCode::Overtime, format!("{} in the week from {first}, more than 48 h", duration(hours)));
    }
    let of_day = || spans.iter().filter(|(date, _)| *date == shift.date).map(|(_, span)| *span);
    let begins = of_day().map(|span| span.start).min();
    let ends = of_day().map(|span| span.end).max();
    let before = spans.iter().filter(|(date, _)| *date < shift.date).map(|(_, span)| span.end).max();
    let after = spans.iter().filter(|(date, _)| *date > shift.date).map(|(_, span)| span.start).min();
    for (end, start, which) in [(before, begins, "before"), (ends, after, "after")] {
        let rest = end.zip(start).map(|(end, start)| start.since(end));
        if let Some(rest) = rest.filter(|rest| *rest < REST) {
            warn(
                WarningCode::ShortRest,
                format!("{} of rest {which} this day's work, less than 11 h", duration(rest)),
            );
        }
    }
    found
}

/// `8 h` or `7 h 30 min`.
fn duration(ms: i64) -> String {
    let minutes = ms / 60_000;
    match minutes % 60 {
        0 => format!("{} h", minutes / 60),
        rest => format!("{} h {rest} min", minutes / 60),
    }
}
