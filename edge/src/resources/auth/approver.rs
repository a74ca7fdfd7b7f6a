//! Whose PIN was entered: the part of a PIN's check that happens before the transaction, because hashing takes a while and a
//! wrong PIN must stay counted when the action it was for is refused. A file of its own beside the five: other resources'
//! handlers use it. Never keeps the PIN.

use super::actions;
use super::rules::AuthError;
use crate::access::{Cx, PinHash, hashing};
use crate::db::Source;
use crate::http::Problem;
use crate::resources::employees;
use crate::resources::employees::rules::{Employee, Pin};
use crate::state::Secrets;
use std::sync::Arc;

/// A PIN that belongs to somebody at the outlet, or none. [`actions::approve`] asks whether that somebody may approve.
#[derive(Debug, Clone, Default)]
pub struct ApproverPin(Option<PinHash>);

impl ApproverPin {
    /// No PIN was entered.
    pub fn none() -> ApproverPin {
        ApproverPin(None)
    }

    /// The PIN of that hash.
    pub fn of_hash(hash: PinHash) -> ApproverPin {
        ApproverPin(Some(hash))
    }

    pub(super) fn hash(&self) -> Option<&PinHash> {
        self.0.as_ref()
    }
}

/// Reads the `approverPin` of a request.
///
/// # Errors
/// 401 for a PIN nobody has, which is counted; 422 when it has not the form of one; 423 while PIN entry is locked here.
pub async fn from_pin(cx: &Cx, secrets: &Secrets, pin: Option<String>) -> Result<ApproverPin, Problem> {
    let Some(text) = pin else { return Ok(ApproverPin::none()) };
    let (hash, _) = identify(cx, secrets, "approverPin", &text).await?;
    Ok(ApproverPin::of_hash(hash))
}

/// The employee of the outlet whose PIN was entered on this device. `field` names it in a refusal.
///
/// # Errors
/// As [`from_pin`].
pub async fn identify(
    cx: &Cx,
    secrets: &Secrets,
    field: &'static str,
    text: &str,
) -> Result<(PinHash, Employee), Problem> {
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
