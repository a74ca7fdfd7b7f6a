//! PINs that are entered on a signed-in device: whose they are, and the switch of a terminal to their owner. Hashing takes a while
//! and a wrong PIN must stay counted when the action it was for is refused, so both happen before the action's transaction. Never
//! keeps a PIN.

use super::super::rules::{ApproverPin, AuthError, SWITCH_LIFETIME_MS};
use super::super::{actions, store};
use super::{Desk, User, user};
use crate::access::{Cx, PinHash, hashing};
use crate::db::Source;
use crate::http::{Data, Json, Problem, Result};
use crate::resources::employees;
use crate::resources::employees::rules::{Employee, Pin};
use crate::state::Secrets;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Reads the `approverPin` of a request.
///
/// # Errors
/// 401 for a PIN nobody has, which is counted; 422 when it has not the form of one; 423 while PIN entry is locked here.
pub async fn approver(cx: &Cx, secrets: &Secrets, pin: Option<String>) -> Result<ApproverPin> {
    let Some(text) = pin else { return Ok(ApproverPin::none()) };
    let (hash, _) = identify(cx, secrets, "approverPin", &text).await?;
    Ok(ApproverPin(Some(hash)))
}

/// The employee of the outlet whose PIN was entered on this device. `field` names it in a refusal.
///
/// # Errors
/// As [`approver`].
pub async fn identify(
    cx: &Cx,
    secrets: &Secrets,
    field: &'static str,
    text: &str,
) -> Result<(PinHash, Employee)> {
    let pin = Pin::entered(text).ok_or_else(|| Problem::field(field, "must be 4 to 6 digits"))?;
    let (outlet, session, account) = (cx.outlet_id, cx.principal.session_id, cx.principal.account_id);
    let clock = Arc::clone(&cx.db.env().clock);
    let locked = move |conn: &dyn Source| -> Result<(), AuthError> {
        let lock = actions::pin_lock(conn, session, account, clock.now())?;
        lock.map_or(Ok(()), |seconds| Err(AuthError::Locked(seconds)))
    };
    let still_locked = locked.clone();
    cx.db.read(move |conn| locked(conn)).await?;
    let pepper = Arc::clone(&secrets.pepper);
    let hash = hashing::apart(move || hashing::pin(pin.digits(), outlet, &pepper)).await??;
    let found = cx
        .db
        .read(move |conn| -> Result<_, AuthError> {
            // Asked again: guesses made at the same time may have locked meanwhile.
            still_locked(conn)?;
            Ok(employees::store::find_by_pin(conn, outlet, &hash)?)
        })
        .await?;
    if let Some(employee) = found {
        return Ok((hash, employee));
    }
    let actor = cx.actor();
    cx.db.write(move |tx| actions::wrong_pin(tx, &actor)).await?;
    Err(AuthError::WrongPin.into())
}

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
pub async fn switch_by_pin(
    cx: Cx,
    State(desk): State<Desk>,
    Json(body): Json<PinSwitch>,
) -> Result<Data<Switched>> {
    let (_, employee) = identify(&cx, &desk.secrets, "employeePin", &body.employee_pin).await?;
    let (account, user) = cx
        .read(move |conn, outlet| -> Result<_, AuthError> {
            let account = store::find_by_employee(conn, outlet, employee.id)?
                .filter(|account| account.is_usable() && account.works_at(outlet))
                .ok_or(AuthError::Forbidden("This employee has no account at this outlet"))?;
            let user = user(conn, &account)?;
            Ok((account, user))
        })
        .await?;
    let access_token = desk.issue(&account.principal(cx.principal.session_id), SWITCH_LIFETIME_MS)?;
    Ok(Data::new(Switched { access_token, expires_in: SWITCH_LIFETIME_MS / 1000, user }))
}
