//! The roster over HTTP. Never decides who may be planned when.

pub mod roster;
pub mod shifts;
pub mod swaps;
pub mod weeks;

use super::rules::ShiftError;
use super::rules::plan::{Warning, WarningCode};
use crate::http::{Code, FieldError, Problem};
use crate::view;
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::Uuid;

impl From<ShiftError> for Problem {
    fn from(error: ShiftError) -> Self {
        match error {
            ShiftError::NotFound(what) => Problem::not_found(what),
            ShiftError::Stale(version) => {
                Problem::new(Code::StaleVersion).detail(format!("The shift is at version {version}"))
            }
            ShiftError::Invalid(fields) => Problem::invalid(fields),
            ShiftError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
            ShiftError::Transition(why) => Problem::new(Code::InvalidTransition).detail(why),
            ShiftError::Conflict(fields) => {
                let detail = fields.first().map(|FieldError { name, reason }| format!("{name} {reason}"));
                Problem::new(Code::Conflict).detail(detail.unwrap_or_default()).with_fields(fields)
            }
            ShiftError::Db(error) => error.into(),
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
