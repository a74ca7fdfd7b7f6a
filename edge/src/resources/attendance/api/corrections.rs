//! Corrections of punches over HTTP.

use super::super::actions::{self, Added};
use super::super::rules::{AttendanceError, EventType};
use super::records::{AttendanceDetail, detail};
use crate::access::{Actor, Cx};
use crate::db::Tx;
use crate::http::{Created, Id, Json, Result};
use crate::resources::auth::api::pins;
use crate::state::Secrets;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Millis, Uuid};

/// Another time for a punch.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorrectAttendance {
    /// When it really was.
    new_time: Millis,
    /// Why the time is corrected; stays with the record.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

fn shown(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<AttendanceDetail, AttendanceError> {
    detail(tx, actor.outlet_id, id, tx.now())
}

/// Gives a punch another time.
pub async fn correct_attendance(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<CorrectAttendance>,
) -> Result<Created<AttendanceDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    cx.create(move |tx, actor| {
        let record = actions::correct(tx, actor, id, body.new_time, &body.reason, &pin)?;
        shown(tx, actor, record.id)
    })
    .await
}

/// A punch that was forgotten.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddAttendance {
    /// The employee whose punch was forgotten.
    employee_id: Uuid,
    /// What they would have tapped.
    event_type: EventType,
    /// When it was.
    time: Millis,
    /// Why it is entered by hand; stays with the record.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Adds a punch that was forgotten.
pub async fn add_attendance(
    cx: Cx,
    State(secrets): State<Secrets>,
    Json(body): Json<AddAttendance>,
) -> Result<Created<AttendanceDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let added =
        Added { employee_id: body.employee_id, event: body.event_type, time: body.time, reason: body.reason };
    cx.create(move |tx, actor| {
        let record = actions::add(tx, actor, &added, &pin)?;
        shown(tx, actor, record.id)
    })
    .await
}
