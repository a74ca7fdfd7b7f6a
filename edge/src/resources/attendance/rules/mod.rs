//! Decisions about punches: what may follow what, how they are judged, and the timesheets they make. Never looks at a clock
//! or a table.

pub mod clock;
pub mod punch;
pub mod span;
pub mod timesheet;

use crate::db::DbError;
use crate::http::FieldError;
use crate::resources::auth::rules::AuthError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// An attendance that was begun so long ago and not ended was forgotten: it needs review, and a new one may begin.
pub const FORGOTTEN_MS: i64 = 16 * 60 * 60_000;

/// The same event of the same employee within this time is the same tap.
pub const REPEAT_MS: i64 = 60_000;

/// The longest attendance a correction may make.
pub const LONGEST_MS: i64 = 24 * 60 * 60_000;

/// How far back a punch may be corrected or added: a year.
pub const OLDEST_MS: i64 = 366 * 24 * 60 * 60_000;

/// What an employee says at the tablet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
pub enum EventType {
    /// Work begins.
    ClockIn,
    /// Work ends, and with it a break that was not ended.
    ClockOut,
    /// A break begins.
    BreakStart,
    /// Work goes on.
    BreakEnd,
}

impl EventType {
    /// All of them, in the order of a day.
    pub const ALL: [EventType; 4] =
        [EventType::ClockIn, EventType::BreakStart, EventType::BreakEnd, EventType::ClockOut];

    /// The name that clients see and the database holds.
    pub fn name(self) -> &'static str {
        match self {
            EventType::ClockIn => "CLOCK_IN",
            EventType::ClockOut => "CLOCK_OUT",
            EventType::BreakStart => "BREAK_START",
            EventType::BreakEnd => "BREAK_END",
        }
    }

    /// The event of that name.
    pub fn of_name(name: &str) -> Option<EventType> {
        EventType::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// How a punch compares with the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(inline)]
pub enum PunchStatus {
    /// Within the grace, or nothing was planned.
    OnTime,
    /// Too late, or the breaks were too long.
    Late,
    /// Too early.
    Early,
}

impl PunchStatus {
    /// The name that clients see and the database holds.
    pub fn name(self) -> &'static str {
        match self {
            PunchStatus::OnTime => "ON_TIME",
            PunchStatus::Late => "LATE",
            PunchStatus::Early => "EARLY",
        }
    }

    /// The status of that name.
    pub fn of_name(name: &str) -> Option<PunchStatus> {
        [PunchStatus::OnTime, PunchStatus::Late, PunchStatus::Early]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// Where an employee is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// At work.
    In,
    /// On a break.
    Break,
    /// Not here.
    Out,
}

impl State {
    /// The name the database holds.
    pub fn name(self) -> &'static str {
        match self {
            State::In => "IN",
            State::Break => "BREAK",
            State::Out => "OUT",
        }
    }

    /// The state of that name.
    pub fn of_name(name: &str) -> Option<State> {
        [State::In, State::Break, State::Out].into_iter().find(|state| state.name() == name)
    }

    /// The state after `event`; none when it does not fit.
    pub fn after(self, event: EventType) -> Option<State> {
        match (self, event) {
            (State::Out, EventType::ClockIn) | (State::Break, EventType::BreakEnd) => Some(State::In),
            (State::In, EventType::BreakStart) => Some(State::Break),
            (State::In | State::Break, EventType::ClockOut) => Some(State::Out),
            _ => None,
        }
    }

    /// What fits now.
    pub fn allowed(self) -> impl Iterator<Item = EventType> {
        EventType::ALL.into_iter().filter(move |event| self.after(*event).is_some())
    }
}

/// One stay of an employee, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of attendances")]
pub struct Attendance {
    pub id: Uuid,
    pub employee_id: Uuid,
    pub employee_name: String,
    pub business_date: String,
    pub planned: Option<punch::Planned>,
    pub state: State,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    pub is_disordered: bool,
}

/// One punch, as kept, with what it has of its attendance.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of attendance_records")]
pub struct Record {
    pub id: Uuid,
    pub attendance_id: Uuid,
    pub employee_id: Uuid,
    pub employee_name: String,
    pub event: EventType,
    pub at: Millis,
    pub effective_at: Millis,
    pub status: PunchStatus,
    pub business_date: String,
    pub attendance_date: String,
    pub shift_id: Option<Uuid>,
    pub is_manual: bool,
    pub clock_suspect: bool,
    pub needs_review: bool,
    pub device: Option<String>,
    pub version: i64,
}

/// Why a punch or a correction is refused.
#[derive(Debug, thiserror::Error)]
pub enum AttendanceError {
    /// No such record in this outlet.
    #[error("no such attendance record")]
    NotFound,
    /// The event does not fit what the employee did before. `forgotten` is when an attendance began that was never ended.
    #[error("{event:?} does not fit {state:?}")]
    Order {
        /// Where the employee is.
        state: State,
        /// What was punched.
        event: EventType,
        /// When an attendance began that was never ended.
        forgotten: Option<Millis>,
    },
    /// Offending fields.
    #[error("{} fields are invalid", .0.len())]
    Invalid(Vec<FieldError>),
    /// The approver's PIN.
    #[error(transparent)]
    Auth(#[from] AuthError),
    /// The store.
    #[error(transparent)]
    Db(#[from] DbError),
}

crate::store_errors!(AttendanceError);

impl AttendanceError {
    /// One offending field.
    pub fn field(name: &str, reason: impl Into<String>) -> AttendanceError {
        AttendanceError::Invalid(vec![FieldError::new(name, reason)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_goes_in_break_in_out_and_nothing_else() {
        let mut seen = Vec::new();
        for state in [State::Out, State::In, State::Break] {
            let fits: Vec<_> = state.allowed().map(EventType::name).collect();
            seen.push(format!("{} {}", state.name(), fits.join(" ")));
        }
        assert_eq!(seen, ["OUT CLOCK_IN", "IN BREAK_START CLOCK_OUT", "BREAK BREAK_END CLOCK_OUT"]);
    }

    #[test]
    fn names_read_back() {
        for event in EventType::ALL {
            assert_eq!(EventType::of_name(event.name()), Some(event));
        }
        for state in [State::In, State::Break, State::Out] {
            assert_eq!(State::of_name(state.name()), Some(state));
        }
        assert_eq!(PunchStatus::of_name("EARLY"), Some(PunchStatus::Early));
        assert_eq!(PunchStatus::of_name("early"), None);
    }
}
