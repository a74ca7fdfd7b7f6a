//! `GET /workforce/roster` over HTTP: the specification's typed matrix of employees and their shifts.

use super::super::rules::{Shift, ShiftError, ShiftStatus, ShiftType};
use super::super::store;
use crate::access::{Cx, Permission};
use crate::db::TimeOfDay;
use crate::http::{Code, Problem, Query, Result, reply};
use crate::resources::employees::store as staff;
use axum::response::Response;
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// The most days of one answer.
const LONGEST: i64 = 62;

/// Which days.
#[apply(request!)]
pub struct GetRoster {
    /// The first date.
    start_date: NaiveDate,
    /// The last date; at most 62 days in all.
    end_date: NaiveDate,
}

/// Who works when.
#[apply(answer!)]
pub struct RosterMatrix {
    outlet_id: Uuid,
    start_date: NaiveDate,
    end_date: NaiveDate,
    /// One element per employee, by code: all who work here, and whoever has left and has shifts on these days.
    matrix: Vec<RosterRow>,
}

/// One employee's shifts.
#[apply(answer!)]
pub struct RosterRow {
    employee_id: Uuid,
    employee_name: String,
    /// What they do.
    role: String,
    /// Their shifts, by their beginning.
    shifts: Vec<RosterShift>,
}

view! {
    /// One shift in the roster.
    pub struct RosterShift of shift: &Shift {
        id: Uuid,
        /// The local date it begins on.
        date: NaiveDate,
        shift_type: ShiftType,
        /// `HH:MM` by the outlet's clock; absent for a day off.
        #[serde(skip_serializing_if = "Option::is_none")]
        start_time: Option<TimeOfDay>,
        /// `HH:MM`; the next day where it is not after `startTime`.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_time: Option<TimeOfDay>,
        #[serde(skip_serializing_if = "Option::is_none")]
        station: Option<String> = shift.station.clone(),
        status: ShiftStatus,
    }
}

/// The roster of some days; drafts are shown to planners only. Two queries, however many employees and days.
pub async fn get_roster(
    cx: Cx,
    Query(GetRoster { start_date, end_date }): Query<GetRoster>,
) -> Result<Response> {
    let refused = |reason: &str| {
        Problem::new(Code::BadRequest).detail(format!("endDate {reason}")).with_field("endDate", reason)
    };
    if end_date < start_date {
        return Err(refused("must not be before startDate"));
    }
    if (end_date - start_date).num_days() >= LONGEST {
        return Err(refused("must be within 62 days of startDate"));
    }
    let plans = cx.principal.holds(Permission::RosterWrite);
    let roster = cx
        .read(move |conn, outlet_id| -> Result<_, ShiftError> {
            let mut shifts: HashMap<Uuid, Vec<RosterShift>> = HashMap::new();
            for shift in store::list_between(conn, outlet_id, start_date, end_date)? {
                if plans || shift.status == ShiftStatus::Published {
                    shifts.entry(shift.employee_id).or_default().push((&shift).into());
                }
            }
            let everybody = staff::list_all(conn, outlet_id)?.into_iter();
            let matrix = everybody.filter_map(|person| {
                let theirs = shifts.remove(&person.id);
                (theirs.is_some() || person.works_here()).then(|| RosterRow {
                    employee_id: person.id,
                    employee_name: person.record.name,
                    role: person.record.job_title,
                    shifts: theirs.unwrap_or_default(),
                })
            });
            Ok(RosterMatrix { outlet_id, start_date, end_date, matrix: matrix.collect() })
        })
        .await?;
    Ok(reply::bare(roster))
}
