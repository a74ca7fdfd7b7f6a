//! PINs that are entered on a signed-in device: whose they are, and the switch of a terminal to their owner. Hashing takes a while
//! and a wrong PIN must stay counted when the action it was for is refused, so both happen before the action's transaction. Never
//! keeps a PIN.

use super::super::rules::{ApproverPin, AuthError, EnteredPin};
use super::super::{actions, store};
use super::{Desk, Done, User, user};
use crate::access::tokens::{PIN_IDLE_MS, PIN_LIFETIME_MS};
use crate::access::{Actor, Cx, PinHash, Principal, Role, hashing, pin_turn};
use crate::db::Source;
use crate::http::{Data, Id, Json, Problem, Result};
use crate::resources::employees;
use crate::resources::employees::api::EmployeeView;
use crate::resources::employees::rules::{Employee, EmployeeError, Pin};
use crate::state::Secrets;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::Uuid;

/// How long an answer to a PIN takes while many wrong ones are entered at the outlet.
const SLOWLY: Duration = Duration::from_secs(1);

/// How often the box tries to find a PIN that nobody has.
const TRIES: usize = 32;

/// Reads the `approverPin` of a request.
///
/// # Errors
/// 401 for a PIN nobody has, which is counted; 422 when it has not the form of one; 423 while PIN entry is locked here.
pub async fn approver(cx: &Cx, secrets: &Secrets, pin: Option<String>) -> Result<ApproverPin> {
    let Some(text) = pin else { return Ok(ApproverPin::none()) };
    let (hash, _) = identify(cx, secrets, "approverPin", &text).await?;
    Ok(ApproverPin(Some(EnteredPin { hash, digits: text.len() })))
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
    let pin = Pin::entered(text).ok_or_else(|| Problem::field(field, "must be 4 to 8 digits"))?;
    let (outlet, session, account) = (cx.outlet_id, cx.principal.session_id, cx.principal.account_id);
    let clock = Arc::clone(&cx.db.env().clock);
    let locked = move |conn: &dyn Source| -> Result<(), AuthError> {
        let lock = actions::pin_lock(conn, session, account, clock.now())?;
        lock.map_or(Ok(()), |seconds| Err(AuthError::Locked(seconds)))
    };
    let (still_locked, now) = (locked.clone(), cx.db.env().clock.now());
    let look = move |conn: &dyn Source| -> Result<bool, AuthError> {
        locked(conn)?;
        Ok(actions::is_slow(conn, outlet, now)?)
    };
    if cx.db.read(look).await? {
        tokio::time::sleep(SLOWLY).await;
    }
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
    #[schemars(regex(pattern = "^[0-9]{4,8}$"))]
    employee_pin: String,
}

/// Whose turn it is at the till.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AtTill {
    id: Uuid,
    name: String,
    /// What they hold, as far as it is of the till; at a kitchen display, KITCHEN.
    role: Role,
}

/// The terminal in an employee's hands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Switched {
    access_token: String,
    /// Seconds the access token lives at most; it cannot be refreshed.
    expires_in: i64,
    /// Seconds without a request after which the turn ends before that.
    idle_seconds: i64,
    /// Who entered the PIN.
    employee: AtTill,
    user: User,
}

/// Hands the terminal to an employee. The token dies with the terminal's own session, with the next person's PIN, and when nobody used it
/// for a while.
pub async fn switch_by_pin(
    cx: Cx,
    State(desk): State<Desk>,
    Json(body): Json<PinSwitch>,
) -> Result<Data<Switched>> {
    let (_, employee) = identify(&cx, &desk.secrets, "employeePin", &body.employee_pin).await?;
    let (id, session) = (employee.id, cx.principal.session_id);
    let (account, user) = cx
        .read(move |conn, outlet| -> Result<_, AuthError> {
            let account = actions::at_device(conn, outlet, session, &employee)?
                .ok_or(AuthError::Forbidden("This employee has no role at this device"))?;
            let user = user(conn, &account, true)?;
            Ok((account, user))
        })
        .await?;
    end_turn(&desk, session).await?;
    let (actor, name) = (cx.actor(), account.name.clone());
    let shown = AtTill { id, name: name.clone(), role: account.role };
    let whose = account.id;
    cx.db.write_vital(move |tx| actions::switched(tx, &actor, whose, &name)).await?;
    let principal = Principal { by_pin: true, ..account.principal(session) };
    let access_token = desk.issue(&principal, PIN_LIFETIME_MS)?;
    desk.revocations.hear(pin_turn(session), cx.db.env().clock.now());
    Ok(Data::new(Switched {
        access_token,
        expires_in: PIN_LIFETIME_MS / 1000,
        idle_seconds: PIN_IDLE_MS / 1000,
        employee: shown,
        user,
    }))
}

/// Ends the turn of whoever entered a PIN on the device last: their token is void at once, also after a restart.
async fn end_turn(desk: &Desk, session: Uuid) -> Result<()> {
    desk.db.write_vital(move |tx| store::set_pin_ended(tx, session).map_err(AuthError::from)).await?;
    desk.void([pin_turn(session)]);
    Ok(())
}

/// Takes the terminal back from whoever entered a PIN on it.
pub async fn end_pin(cx: Cx, State(desk): State<Desk>) -> Result<Data<Done>> {
    end_turn(&desk, cx.principal.session_id).await?;
    Ok(Data::new(Done {}))
}

/// A new PIN.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetPin {
    /// 4–8 digits, nothing trivial.
    #[schemars(regex(pattern = "^[0-9]{4,8}$"))]
    pin: String,
}

/// A new PIN of one's own.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangePin {
    /// The PIN until now.
    #[schemars(regex(pattern = "^[0-9]{4,8}$"))]
    employee_pin: String,
    /// 4–8 digits, nothing trivial.
    #[schemars(regex(pattern = "^[0-9]{4,8}$"))]
    pin: String,
}

/// An employee who has a new PIN.
#[apply(answer!)]
pub struct PinSet {
    #[serde(flatten)]
    employee: EmployeeView,
    /// The PIN that the box chose, because several of today's could not be had; shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    assigned_pin: Option<String>,
}

/// Gives an employee a new PIN: somebody below, or oneself.
pub async fn set_employee_pin(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<SetPin>,
) -> Result<Data<PinSet>> {
    let (actor, expected) = (cx.actor(), cx.expected_version());
    choose(&cx, &secrets, actor, id, expected, &body.pin).await
}

/// Changes one's own PIN at any signed-in device.
pub async fn change_own_pin(
    cx: Cx,
    State(secrets): State<Secrets>,
    Json(body): Json<ChangePin>,
) -> Result<Data<PinSet>> {
    let (_, employee) = identify(&cx, &secrets, "employeePin", &body.employee_pin).await?;
    let name = employee.record.name.clone();
    let own = Actor { account_id: None, employee_id: Some(employee.id), name, role: None, ..cx.actor() };
    choose(&cx, &secrets, own, employee.id, None, &body.pin).await
}

/// Sets `wanted`, or a PIN that the box finds: which PINs somebody has is not for anybody to find out, so a taken one is refused in the
/// words for an easy one, and after a few of a day whatever is wanted makes no difference.
async fn choose(
    cx: &Cx,
    secrets: &Secrets,
    actor: Actor,
    employee: Uuid,
    expected: Option<i64>,
    wanted: &str,
) -> Result<Data<PinSet>> {
    let easy = |reason| Problem::field("pin", reason);
    let wanted = Pin::new(wanted).map_err(easy)?;
    let (outlet, now) = (cx.outlet_id, cx.db.env().clock.now());
    let assigns =
        cx.db.read(move |conn| actions::pins_refused(conn, outlet, now).map_err(Problem::from)).await?;
    for _ in 0..TRIES {
        let pin = if assigns { Pin::made_of(cx.db.env().random_bytes()) } else { wanted.clone() };
        let (pepper, digits) = (Arc::clone(&secrets.pepper), pin.digits().to_owned());
        let hash = hashing::apart(move || hashing::pin(pin.digits(), outlet, &pepper)).await??;
        let acting = actor.clone();
        let set =
            move |tx: &crate::db::Tx<'_>| employees::actions::set_pin(tx, &acting, employee, expected, &hash);
        match cx.db.write(set).await {
            Ok(employee) => {
                let assigned_pin = assigns.then_some(digits);
                return Ok(Data::new(PinSet { employee: employee.into(), assigned_pin }));
            }
            Err(EmployeeError::PinTaken) if assigns => {}
            Err(EmployeeError::PinTaken) => {
                cx.db.write(move |tx| actions::taken_pin(tx, &actor)).await?;
                return Err(easy(Pin::EASY));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(easy(Pin::EASY))
}
