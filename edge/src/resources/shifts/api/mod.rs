//! The roster over HTTP. Never decides who may be planned when.

pub mod roster;
pub mod shifts;
pub mod swaps;
pub mod weeks;

use super::rules::ShiftError;
use crate::db::{self, Source};
use crate::http::{Code, FieldError, Problem};
use crate::resources::employees::{rules::Employee, store as staff};
use crate::resources::outlets::rules::parse_time;
use chrono::NaiveTime;
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

/// Everybody by id, for their names.
struct Staff(HashMap<Uuid, Employee>);

impl Staff {
    fn of(conn: &dyn Source, outlet: Uuid) -> db::Result<Staff> {
        Ok(Staff(staff::list_all(conn, outlet)?.into_iter().map(|person| (person.id, person)).collect()))
    }

    fn name(&self, id: Uuid) -> String {
        self.0.get(&id).map(|person| person.record.name.clone()).unwrap_or_default()
    }
}

/// A time of day that the schema has found to be one.
fn time(text: Option<String>) -> Option<NaiveTime> {
    text.as_deref().and_then(parse_time)
}
