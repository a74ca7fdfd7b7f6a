//! `/cash-sessions` over HTTP.

use super::super::actions::{self, Count};
use super::super::rules::{
    CashError, CashFlow, Denomination, Movement, MovementKind, Session, SessionStatus,
};
use super::super::store;
use crate::access::{Actor, Cx};
use crate::db::{Source, Tx};
use crate::http::{Created, Data, Id, Json, Paged, Paging, Query, Result, Updated};
use crate::resources::auth::{api::pins, rules::ApproverPin};
use crate::resources::outlets;
use crate::state::Secrets;
use axum::extract::State;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// A cash drawer from its opening to its count.
    pub struct CashSession of session: Session {
        /// Id of the drawer's session, from opening to close.
        id: Uuid,
        /// The drawer's name.
        drawer: String,
        /// Open, or counted.
        status: SessionStatus,
        /// What it began with.
        opening_float_cents: Cents = session.opening_float,
        /// What should lie in it; set when it is closed.
        #[serde(skip_serializing_if = "Option::is_none")]
        expected_cents: Option<Cents> = session.expected,
        /// What was counted.
        #[serde(skip_serializing_if = "Option::is_none")]
        counted_cents: Option<Cents> = session.counted,
        /// Counted − expected: more than nothing is over, less is short.
        #[serde(skip_serializing_if = "Option::is_none")]
        over_short_cents: Option<Cents> = session.over_short,
        /// The trading day it was opened on.
        #[schemars(with = "String")]
        business_date: NaiveDate,
        /// The trading day its count is of: its own, or, where that was closed before, the one it was counted on.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<String>")]
        counted_date: Option<NaiveDate>,
        /// When it was opened.
        opened_at: Millis,
        /// Who opened it.
        opened_by: String = session.opened_by_name,
        /// When it was closed.
        #[serde(skip_serializing_if = "Option::is_none")]
        closed_at: Option<Millis>,
        /// What was noted at its opening or close.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// In which coins and notes it was counted.
        #[serde(skip_serializing_if = "Option::is_none")]
        denominations: Option<Vec<Denomination>>,
        clock_suspect: bool,
        /// Changes with every change.
        version: i64,
    }
}

view! {
    /// Something that happened in a drawer beside sales.
    pub struct CashMovement of movement: Movement {
        /// Id of the movement.
        id: Uuid,
        /// Put in, taken out, or opened without a sale.
        kind: MovementKind,
        /// How much; 0 for a no-sale.
        amount_cents: Cents = movement.amount,
        /// Why the drawer was opened.
        reason: String,
        /// When it was opened for this.
        at: Millis,
        /// The account that did it.
        #[serde(skip_serializing_if = "Option::is_none")]
        by_id: Option<Uuid>,
        /// The employee whose PIN approved.
        #[serde(skip_serializing_if = "Option::is_none")]
        approver_id: Option<Uuid>,
        /// Whom a pay-out was given to, on account of their pay or of their tips.
        #[serde(skip_serializing_if = "Option::is_none")]
        employee_id: Option<Uuid>,
        clock_suspect: bool,
    }
}

/// A cash drawer with everything that went through it.
#[apply(answer!)]
pub struct CashSessionDetail {
    #[serde(flatten)]
    session: CashSession,
    /// What should lie in it now; null for whoever counts it, until it is closed (the outlet's `blindCount`).
    current_expected_cents: Option<Cents>,
    /// What went through it; left out with what should lie in it.
    #[serde(flatten)]
    flow: Option<CashFlow>,
    /// Pay-ins, pay-outs and no-sales.
    movements: Vec<CashMovement>,
}

fn detail(conn: &dyn Source, actor: &Actor, id: Uuid) -> Result<CashSessionDetail, CashError> {
    let outlet = actor.outlet_id;
    let session = store::find(conn, outlet, id)?.ok_or(CashError::NotFound("cash session"))?;
    let is_hidden = session.is_hidden_from(actor) && outlets::store::find(conn, outlet)?.blind_count;
    let flow = if is_hidden { None } else { Some(store::sum_flow(conn, id)?) };
    Ok(CashSessionDetail {
        current_expected_cents: flow.map(|flow| flow.expected(session.opening_float)).transpose()?,
        session: session.into(),
        flow,
        movements: store::list_movements(conn, id)?.into_iter().map(CashMovement::from).collect(),
    })
}

/// Which drawers to list.
#[apply(filters!)]
pub struct ListCashSessions {
    /// Open, or counted.
    status: Option<SessionStatus>,
    /// Opened on this trading day.
    business_date: Option<NaiveDate>,
    /// Of this trading day or later: that of its count, or, of one that is open, its own.
    from: Option<NaiveDate>,
    /// Of this trading day or earlier.
    to: Option<NaiveDate>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists the outlet's drawers.
pub async fn list_cash_sessions(cx: Cx, Query(query): Query<ListCashSessions>) -> Result<Paged<CashSession>> {
    let ListCashSessions { status, business_date, from, to, paging } = query;
    let dates = (business_date, from, to);
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, status, dates, paging)).await
}

/// One drawer.
pub async fn get_cash_session(cx: Cx, Id(id): Id) -> Result<Data<CashSessionDetail>> {
    let actor = cx.actor();
    cx.get(move |conn, _| detail(conn, &actor, id)).await
}

/// A drawer to open.
#[apply(request!)]
pub struct OpenCashSession {
    /// What is in it.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    opening_float_cents: Cents,
    /// Its name; MAIN where absent.
    #[serde(default = "main_drawer")]
    #[schemars(regex(pattern = "^[A-Za-z0-9 _-]{1,40}$"))]
    drawer: String,
    /// A note to keep with the session.
    #[serde(default)]
    #[schemars(length(max = 300))]
    note: Option<String>,
}

fn main_drawer() -> String {
    "MAIN".into()
}

/// Opens a drawer.
pub async fn create_cash_session(cx: Cx, Json(body): Json<OpenCashSession>) -> Result<Created<CashSession>> {
    cx.create(move |tx, actor| actions::open(tx, actor, body.drawer, body.opening_float_cents, body.note))
        .await
}

/// Money that is put in or taken out.
#[apply(request!)]
pub struct MoveCash {
    /// How much is put in or taken out.
    #[schemars(range(min = 1, max = 1_000_000_000_000i64))]
    amount_cents: Cents,
    /// Why the money moves; on the day's report.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// For more than the role may take out of the drawer alone (`payOutLimitCents`), or more tips than are owed: the PIN of somebody who may.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
    /// Whom it is given to: of a pay-out an advance on their pay, of a tip-out their tips; payroll has it.
    #[serde(default)]
    employee_id: Option<Uuid>,
}

async fn move_cash(
    cx: Cx,
    id: Uuid,
    (kind, is_tips): (MovementKind, bool),
    money: (Cents, Option<Uuid>),
    reason: String,
    pin: ApproverPin,
) -> Result<Created<CashSessionDetail>> {
    cx.create(move |tx, actor| -> Result<_, CashError> {
        let (amount, employee_id) = money;
        let moved = actions::Moved { kind, amount, reason: &reason, is_tips, employee_id };
        actions::move_cash(tx, actor, id, moved, &pin)?;
        detail(tx, actor, id)
    })
    .await
}

/// Puts money into a drawer.
pub async fn pay_in(cx: Cx, Id(id): Id, Json(body): Json<MoveCash>) -> Result<Created<CashSessionDetail>> {
    if body.employee_id.is_some() {
        return Err(CashError::field("employeeId", "is for money that is given").into());
    }
    let money = (body.amount_cents, None);
    move_cash(cx, id, (MovementKind::PayIn, false), money, body.reason, ApproverPin::none()).await
}

/// Takes money out of a drawer. What is more than the drawer holds is refused and, unlike other refusals, stays counted: amounts that
/// are tried one after the other would tell what should be in it.
pub async fn pay_out(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<MoveCash>,
) -> Result<Created<CashSessionDetail>> {
    take_out(cx, &secrets, id, body, false).await
}

/// Pays tips out of a drawer to those they are for, up to what is owed of them: a pay-out in all else.
pub async fn tip_out(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<MoveCash>,
) -> Result<Created<CashSessionDetail>> {
    take_out(cx, &secrets, id, body, true).await
}

async fn take_out(
    cx: Cx,
    secrets: &Secrets,
    id: Uuid,
    body: MoveCash,
    is_tips: bool,
) -> Result<Created<CashSessionDetail>> {
    if let Some(stored) = cx.answered().await? {
        return Ok(Created::new(stored));
    }
    let pin = pins::approver(&cx, secrets, body.approver_pin).await?;
    let (actor, probed) = (cx.actor(), pin);
    let probe = move |tx: &Tx<'_>| actions::probe(tx, &actor, id, (body.amount_cents, is_tips), &probed);
    if cx.db.write(probe).await? {
        return Err(CashError::NotHeld.into());
    }
    let money = (body.amount_cents, body.employee_id);
    move_cash(cx, id, (MovementKind::PayOut, is_tips), money, body.reason, pin).await
}

/// A drawer opened without a sale.
#[apply(request!)]
pub struct NoSale {
    /// Why the drawer is opened without a sale.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Opens a drawer without a sale.
pub async fn no_sale(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<NoSale>,
) -> Result<Created<CashSessionDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    move_cash(cx, id, (MovementKind::NoSale, false), (Cents::ZERO, None), body.reason, pin).await
}

/// A drawer's count.
#[apply(request!)]
pub struct CloseCashSession {
    /// What lies in it.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    counted_cents: Cents,
    /// In which coins and notes; they must add up to `countedCents`.
    #[serde(default)]
    #[schemars(length(max = 100))]
    denominations: Option<Vec<Denomination>>,
    /// A note on the count, about a difference for instance.
    #[serde(default)]
    #[schemars(length(max = 300))]
    note: Option<String>,
}

/// Counts and closes a drawer.
pub async fn close_cash_session(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CloseCashSession>,
) -> Result<Updated<CashSessionDetail>> {
    cx.update(move |tx, actor| -> Result<_, CashError> {
        let CloseCashSession { counted_cents: counted, denominations, note } = body;
        actions::close(tx, actor, id, Count { counted, denominations, note })?;
        detail(tx, actor, id)
    })
    .await
}
