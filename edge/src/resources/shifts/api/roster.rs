//! `GET /workforce/roster` over HTTP: the specification's typed matrix of employees and their shifts.

use super::super::rules::{Shift, ShiftError, ShiftStatus, ShiftType};
use super::super::store;
use crate::access::{Cx, Permission};
use crate::http::{Code, Problem, Query, reply};
use crate::resources::employees::store as staff;
use crate::resources::outlets::rules::time_text;
use axum::response::Response;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tiffin_common::Uuid;

/// The most days of one answer.
const LONGEST: i64 = 62;

/// Which days.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetRoster {
    /// The first date.
    start_date: NaiveDate,
    /// The last date; at most 62 days in all.
    end_date: NaiveDate,
}

/// Who works when.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterMatrix {
    outlet_id: Uuid,
    start_date: NaiveDate,
    end_date: NaiveDate,
    /// One element per employee, by code: all who work here, and whoever has left and has shifts on these days.
    matrix: Vec<RosterRow>,
}

/// One employee's shifts.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterRow {
    employee_id: Uuid,
    employee_name: String,
    /// What they do.
    role: String,
    /// Their shifts, by their beginning.
    shifts: Vec<RosterShift>,
}

/// One shift in the roster.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RosterShift {
    id: Uuid,
    /// The local date it begins on.
    date: NaiveDate,
    shift_type: ShiftType,
    /// `HH:MM` by the outlet's clock; absent for a day off.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    /// `HH:MM`; the next day where it is not after `startTime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    station: Option<String>,
    status: ShiftStatus,
}

impl From<Shift> for RosterShift {
    fn from(shift: Shift) -> Self {
        RosterShift {
            id: shift.id,
            date: shift.date,
            shift_type: shift.shift_type,
            start_time: shift.start.map(time_text),
            end_time: shift.end.map(time_text),
            station: shift.station,
            status: shift.status,
        }
    }
}

/// The roster of some days; drafts are shown to planners only. Two queries, however many employees and days.
pub(in super::super) async fn get_roster(
    cx: Cx,
    Query(GetRoster { start_date, end_date }): Query<GetRoster>,
) -> Result<Response, Problem> {
    let refused = |reason: &str| {
        Problem::new(Code::BadRequest).detail(format!("endDate {reason}")).with_field("endDate", reason)
    };
    if end_date < start_date {
        return Err(refused("must not be before startDate"));
    }
    if (end_date - start_date).num_days() >= LONGEST {
        return Err(refused("must be within 62 days of startDate"));
    }
    let plans = cx.principal.role.holds(Permission::RosterWrite);
    let roster = cx
        .read(move |conn, outlet_id| -> Result<_, ShiftError> {
            let mut shifts: HashMap<Uuid, Vec<RosterShift>> = HashMap::new();
            for shift in store::in_range(conn, outlet_id, start_date, end_date)? {
                if plans || shift.status == ShiftStatus::Published {
                    shifts.entry(shift.employee_id).or_default().push(shift.into());
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
