//! `POST /attendance/look`: what somebody can punch now. Nothing is written but the try of a PIN.

use super::super::actions;
use super::super::rules::{AttendanceError, EventType, Look, Planned, State};
use crate::access::Cx;
use crate::http::{Data, Json, Result};
use crate::resources::auth::api::pins;
use crate::state::Secrets;
use axum::extract::State as Part;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Millis, Uuid};

/// Whose possible punches are asked about.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LookRequest {
    /// The employee's PIN.
    #[schemars(regex(pattern = "^[0-9]{4,8}$"))]
    employee_pin: String,
}

/// How somebody stands.
#[apply(answer!)]
pub struct AttendanceLook {
    /// The employee whose PIN it was.
    employee_id: Uuid,
    /// Name of the employee whose PIN it was.
    employee_name: String,
    /// Where they are.
    state: State,
    /// When they clocked in; null while they are not here.
    since: Option<Millis>,
    /// What they can punch now.
    possible_events: Vec<EventType>,
    /// The shift they are in, or would clock in to now.
    shift: Option<LookShift>,
    /// Minutes worked so far, without breaks.
    worked_minutes: i64,
    /// Minutes of breaks so far.
    break_minutes: i64,
}

view! {
    /// A planned shift.
    pub struct LookShift of planned: Planned {
        /// Id of the shift.
        id: Uuid = planned.shift_id,
        /// When it begins.
        starts_at: Millis = planned.start,
        /// When it ends.
        ends_at: Millis = planned.end,
    }
}

/// What the employee whose PIN it is can punch now.
pub async fn look(
    cx: Cx,
    Part(secrets): Part<Secrets>,
    Json(body): Json<LookRequest>,
) -> Result<Data<AttendanceLook>> {
    let (_, employee) = pins::identify(&cx, &secrets, "employeePin", &body.employee_pin).await?;
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, AttendanceError> {
        let Look { state, since, shift, worked_minutes, break_minutes } =
            actions::look(conn, outlet, &employee, now)?;
        Ok(AttendanceLook {
            employee_id: employee.id,
            employee_name: employee.record.name,
            state,
            since,
            possible_events: state.allowed().collect(),
            shift: shift.map(LookShift::from),
            worked_minutes,
            break_minutes,
        })
    })
    .await
}
