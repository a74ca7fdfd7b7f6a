//! Attendance over HTTP.

pub mod corrections;
pub mod look;
pub mod punches;
pub mod records;
pub mod timesheets;

use super::rules::{AttendanceError, EventType, State};
use crate::http::{Code, Problem};

answered! {
    AttendanceError of "attendance record" {
        AttendanceError::Order { state, event, forgotten } => {
            let mut detail = refusal(state, event);
            if let Some(since) = forgotten {
                detail.push_str(&format!(
                    " The work begun at {since} was never clocked out: a manager adds the CLOCK_OUT."
                ));
            }
            Problem::new(Code::InvalidTransition).detail(detail)
        }
        AttendanceError::Auth(error) => error.into(),
    }
}

fn refusal(state: State, event: EventType) -> String {
    let place = match state {
        State::In => "at work",
        State::Break => "on a break",
        State::Out => "not clocked in",
    };
    let allowed: Vec<&str> = state.allowed().map(EventType::name).collect();
    format!(
        "{} is not possible: this employee is {place}. Possible now: {}.",
        event.name(),
        allowed.join(", ")
    )
}
