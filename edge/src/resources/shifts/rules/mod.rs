//! What a shift is. Pure: whatever reads the store or the clock happens before.

pub mod plan;
pub mod swap;

use crate::db::DbError;
use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::{Outlet, ShiftTimes, parse_time};
use chrono::{Months, NaiveDate, NaiveTime};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{BusinessDay, Millis, Uuid};

/// The kind of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ShiftType {
    /// By day.
    Morning,
    /// By evening.
    Evening,
    /// By night.
    Night,
    /// A day off; has no times.
    Off,
}

impl ShiftType {
    /// All of them.
    pub const ALL: [ShiftType; 4] =
        [ShiftType::Morning, ShiftType::Evening, ShiftType::Night, ShiftType::Off];

    /// The name that clients see and the database holds.
    pub fn name(self) -> &'static str {
        match self {
            ShiftType::Morning => "MORNING",
            ShiftType::Evening => "EVENING",
            ShiftType::Night => "NIGHT",
            ShiftType::Off => "OFF",
        }
    }

    /// The kind of that name.
    pub fn of_name(name: &str) -> Option<ShiftType> {
        ShiftType::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// When such a shift begins and ends unless told otherwise; a day off never does.
    fn usual_times(self, times: &ShiftTimes) -> Option<(NaiveTime, NaiveTime)> {
        let time = match self {
            ShiftType::Morning => &times.morning,
            ShiftType::Evening => &times.evening,
            ShiftType::Night => &times.night,
            ShiftType::Off => return None,
        };
        parse_time(&time.start).zip(parse_time(&time.end))
    }
}

/// Whether the staff can see a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ShiftStatus {
    /// Only planners see it.
    Draft,
    /// Everybody sees it, and is told when it changes.
    Published,
}

impl ShiftStatus {
    /// The name that clients see and the database holds.
    pub fn name(self) -> &'static str {
        match self {
            ShiftStatus::Draft => "DRAFT",
            ShiftStatus::Published => "PUBLISHED",
        }
    }

    /// The status of that name.
    pub fn of_name(name: &str) -> Option<ShiftStatus> {
        [ShiftStatus::Draft, ShiftStatus::Published].into_iter().find(|status| status.name() == name)
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

/// A shift, as kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    /// Its id.
    pub id: Uuid,
    /// Who works.
    pub employee_id: Uuid,
    /// The local date it begins on.
    pub date: NaiveDate,
    /// Its kind.
    pub shift_type: ShiftType,
    /// When it begins, by the outlet's clock; none for a day off.
    pub start: Option<NaiveTime>,
    /// When it ends; the next day where that is not after the start.
    pub end: Option<NaiveTime>,
    /// Where.
    pub station: Option<String>,
    /// What else the employee should know.
    pub notes: Option<String>,
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

impl Shift {
    /// Whether somebody works.
    pub fn is_work(&self) -> bool {
        self.shift_type != ShiftType::Off
    }

    /// The moment it begins; none for a day off.
    pub fn starts_at(&self, outlet: &Outlet) -> Option<Millis> {
        self.span(outlet.timezone).map(|span| span.start)
    }

    /// The moment it ends; none for a day off.
    pub fn ends_at(&self, outlet: &Outlet) -> Option<Millis> {
        self.span(outlet.timezone).map(|span| span.end)
    }

    /// From its beginning to its end in real time; none for a day off.
    pub fn span(&self, timezone: Tz) -> Option<Span> {
        let (start, end) = self.start.zip(self.end)?;
        Some(span(timezone, self.date, start, end))
    }

    /// What it is, for a person: `NIGHT shift 23:00–07:00 on 2026-11-23`.
    pub fn describe(&self) -> String {
        match self.start.zip(self.end) {
            Some((start, end)) => format!(
                "{} shift {}–{} on {}",
                self.shift_type.name(),
                start.format("%H:%M"),
                end.format("%H:%M"),
                self.date
            ),
            None => format!("day off on {}", self.date),
        }
    }
}

/// What two local times on `date` are in real time. A time the clock leaves out is the moment it goes on; one that comes
/// twice is the first.
fn span(timezone: Tz, date: NaiveDate, start: NaiveTime, end: NaiveTime) -> Span {
    let last = if end > start { date } else { date.succ_opt().unwrap_or(date) };
    Span {
        start: BusinessDay::new(timezone, start).start(date),
        end: BusinessDay::new(timezone, end).start(last),
    }
}

/// What a planner writes of a shift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShiftDraft {
    /// Who works.
    pub employee_id: Uuid,
    /// The local date it begins on.
    pub date: NaiveDate,
    /// Its kind.
    pub shift_type: ShiftType,
    /// When it begins; the outlet's time for the kind when absent.
    pub start: Option<NaiveTime>,
    /// When it ends; the outlet's time for the kind when absent.
    pub end: Option<NaiveTime>,
    /// Where.
    pub station: Option<String>,
    /// What else the employee should know.
    pub notes: Option<String>,
}

impl ShiftDraft {
    /// A shift of the usual times.
    pub fn new(employee_id: Uuid, date: NaiveDate, shift_type: ShiftType) -> ShiftDraft {
        ShiftDraft { employee_id, date, shift_type, start: None, end: None, station: None, notes: None }
    }

    /// The draft with its times filled in, when everything in it holds.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self, outlet: &Outlet, today: NaiveDate) -> Result<ShiftDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(near(self.date, today), "date", "must be within two years of today");
        match self.shift_type.usual_times(&outlet.shift_times) {
            Some((start, end)) => {
                let (start, end) = (*self.start.get_or_insert(start), *self.end.get_or_insert(end));
                let skipped = span(outlet.timezone, self.date, start, end).length_ms() <= 0;
                checks.require(!skipped, "endTime", "the clock leaves these hours out on that day");
            }
            None => {
                checks.require(self.start.is_none(), "startTime", "a day off has no times");
                checks.require(self.end.is_none(), "endTime", "a day off has no times");
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

/// Why the roster refuses.
#[derive(Debug, thiserror::Error)]
pub enum ShiftError {
    /// No such record in this outlet; names the kind.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The record has changed since the client read it.
    #[error("the shift is at version {0}")]
    Stale(i64),
    /// Offending fields.
    #[error("{} fields are invalid", .0.len())]
    Invalid(Vec<FieldError>),
    /// Not the caller's to do.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The state does not allow it; says what is allowed.
    #[error("{0}")]
    Transition(String),
    /// What was agreed no longer fits; names the parts.
    #[error("{} parts do not fit", .0.len())]
    Conflict(Vec<FieldError>),
    /// The store.
    #[error(transparent)]
    Db(#[from] DbError),
}

crate::store_errors!(ShiftError);

impl ShiftError {
    /// One offending field.
    pub fn field(name: &str, reason: impl Into<String>) -> ShiftError {
        ShiftError::Invalid(vec![FieldError::new(name, reason)])
    }
}

#[cfg(test)]
mod tests;
