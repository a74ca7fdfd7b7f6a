//! What a shift is. Pure: whatever reads the store or the clock happens before.

pub mod plan;
pub mod swap;

use crate::db::TimeOfDay;
use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::{Outlet, ShiftTime, ShiftTimes};
use chrono::{Months, NaiveDate};
use chrono_tz::Tz;
use std::fmt::Display;
use std::ops::Deref;
use tiffin_common::{BusinessDay, Millis, Uuid, words};

words! {
    /// The kind of a shift.
    pub enum ShiftType {
        /// By day.
        Morning = "MORNING",
        /// By evening.
        Evening = "EVENING",
        /// By night.
        Night = "NIGHT",
        /// A day off; has no times.
        Off = "OFF",
    }
}

impl ShiftType {
    /// When such a shift begins and ends unless told otherwise; a day off never does.
    fn usual_times(self, times: &ShiftTimes) -> Option<ShiftTime> {
        match self {
            ShiftType::Morning => Some(times.morning),
            ShiftType::Evening => Some(times.evening),
            ShiftType::Night => Some(times.night),
            ShiftType::Off => None,
        }
    }
}

words! {
    /// Whether the staff can see a shift.
    pub enum ShiftStatus {
        /// Only planners see it.
        Draft = "DRAFT",
        /// Everybody sees it, and is told when it changes.
        Published = "PUBLISHED",
    }
}

words! {
    /// What became of a shift that stood in the way of leave.
    #[schemars(rename = "ClashOutcome")]
    pub enum Outcome {
        /// It is a day off now.
        Off = "OFF",
        /// The date had become a day off already: it was taken off the roster.
        Removed = "REMOVED",
        /// It stands as it was: half a day off leaves half a day's work.
        Kept = "KEPT",
    }
}

/// From one moment to another, the last not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first moment.
    pub start: Millis,
    /// The first moment after it.
    pub end: Millis,
}

impl Span {
    /// How long it is in real time, milliseconds.
    pub fn length_ms(self) -> i64 {
        self.end.since(self.start)
    }

    /// Whether the two have a moment in common.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
}

table! {
    /// What a planner writes of a shift.
    #[derive(PartialEq, Eq)]
    pub struct ShiftDraft: shifts {
        /// Who works.
        pub employee_id: Uuid,
        /// The local date it begins on.
        pub date: NaiveDate,
        /// Its kind.
        pub shift_type: ShiftType,
        /// When it begins, by the outlet's clock; none for a day off. In a draft that is not checked: the usual time of the kind.
        pub start_time: Option<TimeOfDay>,
        /// When it ends, by the same rules; the next day where that is not after the start.
        pub end_time: Option<TimeOfDay>,
        /// Where.
        pub station: Option<String>,
        /// What else the employee should know.
        pub notes: Option<String>,
    }
}

table! {
    /// A shift, as kept. What was written of it is read as if it were its own.
    #[derive(PartialEq, Eq)]
    pub struct Shift: shifts {
        /// Its id.
        pub id: Uuid,
        /// What was written of it.
        pub draft: ShiftDraft => flat,
        /// Whether the staff can see it.
        pub status: ShiftStatus,
        /// Why it was turned into a day off, and by whom.
        pub off_reason: Option<String>,
        /// The leave that turned it into a day off.
        pub leave_request_id: Option<Uuid>,
        /// 1, 2, ….
        pub version: i64,
        /// When it was planned.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

impl Deref for Shift {
    type Target = ShiftDraft;

    fn deref(&self) -> &ShiftDraft {
        &self.draft
    }
}

impl Shift {
    /// A new shift that only planners see.
    pub fn planned(id: Uuid, draft: ShiftDraft, now: Millis) -> Shift {
        Shift {
            id,
            draft,
            status: ShiftStatus::Draft,
            off_reason: None,
            leave_request_id: None,
            version: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// The shift in the hands of `employee_id`.
    #[must_use]
    pub fn handed_to(&self, employee_id: Uuid) -> Shift {
        Shift { draft: ShiftDraft { employee_id, ..self.draft.clone() }, ..self.clone() }
    }

    /// Whether somebody works.
    pub fn is_work(&self) -> bool {
        self.shift_type != ShiftType::Off
    }

    /// From its beginning to its end in real time; none for a day off.
    pub fn span(&self, timezone: Tz) -> Option<Span> {
        let (start, end) = self.start_time.zip(self.end_time)?;
        Some(span(timezone, self.date, start, end))
    }

    /// What it is, for a person: `NIGHT shift 23:00–07:00 on 2026-11-23`.
    pub fn describe(&self) -> String {
        match self.start_time.zip(self.end_time) {
            Some((start, end)) => format!("{} shift {start}–{end} on {}", self.shift_type, self.date),
            None => format!("day off on {}", self.date),
        }
    }
}

/// What two local times on `date` are in real time. A time the clock leaves out is the moment it goes on; one that comes
/// twice is the first.
fn span(timezone: Tz, date: NaiveDate, start: TimeOfDay, end: TimeOfDay) -> Span {
    let last = if end > start { date } else { date.succ_opt().unwrap_or(date) };
    let moment = |time: TimeOfDay, date| BusinessDay::new(timezone, time.0).start(date);
    Span { start: moment(start, date), end: moment(end, last) }
}

impl ShiftDraft {
    /// A shift of the usual times.
    pub fn new(employee_id: Uuid, date: NaiveDate, shift_type: ShiftType) -> ShiftDraft {
        let (start_time, end_time, station, notes) = (None, None, None, None);
        ShiftDraft { employee_id, date, shift_type, start_time, end_time, station, notes }
    }

    /// The draft with its times filled in, when everything in it holds.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self, outlet: &Outlet, today: NaiveDate) -> Result<ShiftDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(near(self.date, today), "date", "must be within two years of today");
        match self.shift_type.usual_times(&outlet.shift_times) {
            Some(usual) => {
                let start = *self.start_time.get_or_insert(usual.start);
                let end = *self.end_time.get_or_insert(usual.end);
                let skipped = span(outlet.timezone, self.date, start, end).length_ms() <= 0;
                checks.require(!skipped, "endTime", "the clock leaves these hours out on that day");
            }
            None => {
                checks.require(self.start_time.is_none(), "startTime", "a day off has no times");
                checks.require(self.end_time.is_none(), "endTime", "a day off has no times");
            }
        }
        checks.finish(self)
    }
}

/// Whether `date` is one that is planned for: within two years of `today`.
pub fn near(date: NaiveDate, today: NaiveDate) -> bool {
    let years = Months::new(24);
    let (first, last) = (today.checked_sub_months(years), today.checked_add_months(years));
    first.is_none_or(|first| date >= first) && last.is_none_or(|last| date <= last)
}

/// Says why `what` cannot go from one state to another, unless that is among what is `allowed`.
///
/// # Errors
/// The refusal, which names what is allowed.
pub fn check_move<S: Display + PartialEq>(what: &str, from: S, to: S, allowed: &[S]) -> Result<(), String> {
    if allowed.contains(&to) {
        return Ok(());
    }
    let names: Vec<String> = allowed.iter().map(S::to_string).collect();
    let names = if names.is_empty() { "nothing: it is settled".to_owned() } else { names.join(", ") };
    Err(format!("{what} that is {from} cannot become {to}; allowed: {names}"))
}

/// Days on which somebody is away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    /// Who.
    pub employee_id: Uuid,
    /// The first day.
    pub from: NaiveDate,
    /// The last day.
    pub to: NaiveDate,
    /// Why, for a person: `ANNUAL leave`.
    pub what: String,
}

impl Absence {
    /// The one of `absences` that keeps `employee` away on `date`.
    pub fn on(absences: &[Absence], employee: Uuid, date: NaiveDate) -> Option<&Absence> {
        absences.iter().find(|away| away.employee_id == employee && away.from <= date && date <= away.to)
    }
}

refusals! {
    /// Why the roster refuses.
    #[derive(Debug, thiserror::Error)]
    pub enum ShiftError {
        /// Not the caller's to do.
        #[error("{0}")]
        Forbidden(&'static str),
        /// The state does not allow it; says what is allowed.
        #[error("{0}")]
        Transition(String),
        /// What was agreed no longer fits; names the parts.
        #[error("{} parts do not fit", .0.len())]
        Conflict(Vec<FieldError>),
    }
}

#[cfg(test)]
mod tests;
