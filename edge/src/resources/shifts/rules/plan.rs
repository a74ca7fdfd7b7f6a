//! Which shifts of one employee can stand side by side, and which are lawful but unwise. Pure.

use super::{Shift, ShiftType};
use crate::http::FieldError;
use crate::resources::outlets::rules::Overtime;
use chrono::{Datelike, Days, NaiveDate};
use chrono_tz::Tz;
use tiffin_common::{Bps, Uuid, words};

const MINUTE: i64 = 60_000;

const HOUR: i64 = 60 * MINUTE;

/// The least between two days' work, milliseconds.
const REST: i64 = 11 * HOUR;

words! {
    /// What is unwise about a shift.
    pub enum WarningCode {
        /// More than the outlet's overtime allows in the week from Monday, or in a day.
        Overtime = "OVERTIME",
        /// Less than 11 hours between two days' work.
        ShortRest = "SHORT_REST",
        /// Work on seven days in a row, or more.
        SeventhDay = "SEVENTH_DAY",
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

/// What is told as overtime where no law and no setting says so: nine hours of a day, 48 of a week.
const USUAL: Overtime =
    Overtime { daily_minutes: Some(540), weekly_minutes: Some(2_880), multiplier_bps: Bps::new(10_000) };

/// Days in a row that nobody should work.
const IN_A_ROW: u64 = 7;

/// The days whose shifts [`warnings`] of a shift on `date` must know: those that can be one row of seven with it, which reaches over its
/// week by a day at least on one side.
pub fn around_week(date: NaiveDate) -> (NaiveDate, NaiveDate) {
    around(date, date)
}

/// The same of the shifts on `first` to `last`.
pub fn around(first: NaiveDate, last: NaiveDate) -> (NaiveDate, NaiveDate) {
    let before = first.checked_sub_days(Days::new(IN_A_ROW)).unwrap_or(first);
    (before, last.checked_add_days(Days::new(IN_A_ROW)).unwrap_or(last))
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

/// What is unwise about `shift` where such work is overtime, given all shifts of its employee on the days of [`around_week`], itself included. A shift
/// counts for the date it begins on; two of one date are a split shift and want no rest between them.
pub fn warnings(shift: &Shift, week: &[Shift], timezone: Tz, overtime: Option<Overtime>) -> Vec<Warning> {
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
    let over = |worked: i64, limit: fn(Overtime) -> Option<i64>| {
        let limit = limit(overtime.unwrap_or(USUAL))?.saturating_mul(MINUTE);
        (worked > limit).then(|| format!("more than {}", duration(limit)))
    };
    let day = total(&|date| date == shift.date);
    if let Some(more) = over(day, |overtime| overtime.daily_minutes) {
        warn(WarningCode::Overtime, format!("{} on {}, {more}", duration(day), shift.date));
    }
    let first = monday(shift.date);
    let hours = total(&|date| monday(date) == first);
    if let Some(more) = over(hours, |overtime| overtime.weekly_minutes) {
        warn(WarningCode::Overtime, format!("{} in the week from {first}, {more}", duration(hours)));
    }
    let worked = |date: &NaiveDate| spans.iter().any(|(other, _)| other == date);
    let before = shift.date.iter_days().rev().skip(1).take_while(worked).count();
    let after = shift.date.iter_days().skip(1).take_while(worked).count();
    let row = before.saturating_add(after).saturating_add(1);
    if row as u64 >= IN_A_ROW {
        warn(WarningCode::SeventhDay, format!("{} is one of {row} days of work in a row", shift.date));
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
