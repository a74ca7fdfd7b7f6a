//! Attendance over HTTP.

pub mod corrections;
pub mod look;
pub mod payroll;
pub mod punches;
pub mod records;
pub mod timesheets;

use super::rules::{AttendanceError, EventType, State};
use crate::access::Cx;
use crate::http::{Code, Problem, Result};
use crate::resources::audit::{self, Entry};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The longest range of timesheets and payroll, in days.
const LONGEST_DAYS: i64 = 366;

/// The form of timesheets and payroll.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SheetFormat {
    /// As an envelope; money in cents.
    #[default]
    Json,
    /// A file for spreadsheets: a header row, money in major units of the currency the header names, with its decimals.
    Csv,
}

/// Refuses a range that runs backwards or is too long.
fn check_range(from: NaiveDate, to: NaiveDate) -> Result<()> {
    let length = to.signed_duration_since(from).num_days();
    if (0..=LONGEST_DAYS).contains(&length) {
        return Ok(());
    }
    Err(Problem::new(Code::BadRequest)
        .detail("to must be from or at most 366 days later")
        .with_field("to", "must be from or at most 366 days later"))
}

/// Puts on record that what people earn left as a file. At head office by its own hand.
async fn on_record(cx: &Cx, action: &'static str, from: NaiveDate, to: NaiveDate) -> Result<()> {
    if cx.db.is_copy() {
        return Ok(());
    }
    let (actor, told) = (cx.actor(), json!({"from": from, "to": to}));
    let entry = Entry::new(action, "attendance", None).after(&told);
    Ok(cx.db.write(move |tx| audit::actions::record(tx, &actor, entry)).await?)
}

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
