//! Staff switch by PIN on a signed-in terminal.

use super::super::rules::{AuthError, SWITCH_LIFETIME_MS};
use super::super::{approver, store};
use super::{Desk, User};
use crate::access::Cx;
use crate::http::{Data, Json, Problem};
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose turn it is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PinSwitch {
    #[schemars(regex(pattern = "^[0-9]{4,6}$"))]
    employee_pin: String,
}

/// The terminal in an employee's hands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Switched {
    access_token: String,
    /// Seconds the access token lives; it cannot be refreshed.
    expires_in: i64,
    user: User,
}

/// Hands the terminal to an employee. The token dies with the terminal's own session.
pub(in super::super) async fn switch_by_pin(
    cx: Cx,
    State(desk): State<Desk>,
    Json(body): Json<PinSwitch>,
) -> Result<Data<Switched>, Problem> {
    let (_, employee) = approver::identify(&cx, &desk.secrets, "employeePin", &body.employee_pin).await?;
    let (account, user) = cx
        .read(move |conn, outlet| -> Result<_, AuthError> {
            let account = store::find_by_employee(conn, outlet, employee.id)?
                .filter(|account| account.is_usable() && account.works_at(outlet))
                .ok_or(AuthError::Forbidden("This employee has no account at this outlet"))?;
            let user = User::of(conn, &account)?;
            Ok((account, user))
        })
        .await?;
    let access_token = desk.issue(&account.principal(cx.principal.session_id), SWITCH_LIFETIME_MS)?;
    Ok(Data::new(Switched { access_token, expires_in: SWITCH_LIFETIME_MS / 1000, user }))
}
