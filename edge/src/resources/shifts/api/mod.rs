//! The roster over HTTP. Never decides who may be planned when.

pub mod roster;
pub mod shifts;
pub mod swaps;
pub mod weeks;

use super::rules::ShiftError;
use super::rules::plan::{Warning, WarningCode};
use crate::http::{Code, FieldError, Problem};
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::Uuid;

answered! {
    ShiftError of "shift" {
        ShiftError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
        ShiftError::Transition(why) => Problem::new(Code::InvalidTransition).detail(why),
        ShiftError::Conflict(fields) => {
            let detail = fields.first().map(|FieldError { name, reason }| format!("{name} {reason}"));
            Problem::new(Code::Conflict).detail(detail.unwrap_or_default()).with_fields(fields)
        }
    }
}

view! {
    /// Something unwise, not forbidden.
    pub struct RosterWarning of warning: Warning {
        /// Which rule it goes against.
        code: WarningCode,
        /// What exactly, for a person.
        message: String,
        /// The employee whose shift it is.
        employee_id: Uuid,
        /// The day of the shift.
        date: NaiveDate,
    }
}

/// The names of everybody, by id.
type Names = HashMap<Uuid, String>;

fn name(names: &Names, id: Uuid) -> String {
    names.get(&id).cloned().unwrap_or_default()
}

fn seen(warnings: Vec<Warning>) -> Vec<RosterWarning> {
    warnings.into_iter().map(Into::into).collect()
}
