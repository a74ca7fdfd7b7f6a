//! `POST /workforce/attendance`, typed by the specification.

use super::super::actions;
use super::super::rules::{AttendanceError, EventType, PunchStatus, Record};
use crate::access::Cx;
use crate::http::{Json, Result};
use crate::resources::auth::api::pins;
use crate::resources::auth::rules::AuthError;
use crate::resources::employees;
use crate::state::Secrets;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Millis, Uuid};

/// A punch at a tablet (the specification's attendance request).
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttendanceRequest {
    /// The employee's PIN.
    #[schemars(regex(pattern = "^[0-9]{4,8}$"))]
    employee_pin: String,
    /// What they do.
    event_type: EventType,
}

view! {
    /// A recorded punch (the specification's attendance response).
    pub struct AttendanceResponse of record: Record {
        /// The record's id.
        id: Uuid,
        /// Name of the employee whose PIN it was.
        employee_name: String,
        /// What was recorded: clocked in or out, or a break.
        event_type: EventType = record.event,
        /// When, by the server's clock.
        timestamp: Millis = record.at,
        /// How that compares with the planned shift.
        status: PunchStatus,
    }
}

/// Records a punch of the employee whose PIN it is.
pub async fn punch(
    cx: Cx,
    State(secrets): State<Secrets>,
    Json(body): Json<AttendanceRequest>,
) -> Result<Response> {
    let (hash, _) = pins::identify(&cx, &secrets, "employeePin", &body.employee_pin).await?;
    cx.run(StatusCode::CREATED, move |tx, actor| -> Result<_, AttendanceError> {
        // Looked up again: they may have left meanwhile.
        let employee =
            employees::store::find_by_pin(tx, actor.outlet_id, &hash)?.ok_or(AuthError::WrongPin)?;
        Ok(AttendanceResponse::from(actions::punch(tx, actor, &employee, body.event_type)?))
    })
    .await
}
