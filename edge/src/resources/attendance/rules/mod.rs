//! Decisions about punches: what may follow what, how they are judged, and the timesheets they make. Never looks at a clock
//! or a table.

pub mod clock;
mod look;
pub mod pay;
pub mod payroll;
pub mod punch;
mod record;
pub mod span;
pub mod timesheet;

pub use look::Look;
pub use record::{Attendance, Correction, Planned, Record};

use crate::resources::auth::rules::AuthError;
use tiffin_common::{Millis, words};

/// An attendance that was begun so long ago and not ended was forgotten: it needs review, and a new one may begin.
pub const FORGOTTEN_MS: i64 = 16 * 60 * 60_000;

/// The same event of the same employee within this time is the same tap.
pub const REPEAT_MS: i64 = 60_000;

/// The longest attendance a correction may make.
pub const LONGEST_MS: i64 = 24 * 60 * 60_000;

/// How far back a punch may be corrected or added: a year.
pub const OLDEST_MS: i64 = 366 * 24 * 60 * 60_000;

words! {
    /// What an employee says at the tablet.
    #[schemars(inline)]
    pub enum EventType {
        /// Work begins.
        ClockIn = "CLOCK_IN",
        /// Work ends, and with it a break that was not ended.
        ClockOut = "CLOCK_OUT",
        /// A break begins.
        BreakStart = "BREAK_START",
        /// Work goes on.
        BreakEnd = "BREAK_END",
    }
}

words! {
    /// How a punch compares with the plan.
    #[schemars(inline)]
    pub enum PunchStatus {
        /// Within the grace, or nothing was planned.
        OnTime = "ON_TIME",
        /// Too late, or the breaks were too long.
        Late = "LATE",
        /// Too early.
        Early = "EARLY",
    }
}

words! {
    /// Where an employee is.
    pub enum State {
        /// At work.
        In = "IN",
        /// On a break.
        Break = "BREAK",
        /// Not here.
        Out = "OUT",
    }
}

impl State {
    /// The state after `event`; none when it does not fit.
    pub fn after(self, event: EventType) -> Option<State> {
        match (self, event) {
            (State::Out, EventType::ClockIn) | (State::Break, EventType::BreakEnd) => Some(State::In),
            (State::In, EventType::BreakStart) => Some(State::Break),
            (State::In | State::Break, EventType::ClockOut) => Some(State::Out),
            _ => None,
        }
    }

    /// What fits now, in the order of a day.
    pub fn allowed(self) -> impl Iterator<Item = EventType> {
        use EventType::{BreakEnd, BreakStart, ClockIn, ClockOut};
        [ClockIn, BreakStart, BreakEnd, ClockOut]
            .into_iter()
            .filter(move |event| self.after(*event).is_some())
    }
}

refusals! {
    /// Why a punch or a correction is refused.
    #[derive(Debug, thiserror::Error)]
    pub enum AttendanceError {
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
        /// The approver's PIN.
        #[error(transparent)]
        Auth(#[from] AuthError),
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
}
