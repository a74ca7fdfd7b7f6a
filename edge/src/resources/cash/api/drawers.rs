//! `/cash-sessions` over HTTP.

use super::super::actions;
use super::super::rules::{CashError, CashFlow, Movement, MovementKind, Session, SessionStatus};
use super::super::store;
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Query, Result, Updated};
use crate::resources::auth::{api::pins, rules::ApproverPin};
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
        clock_suspect: bool,
    }
}

/// A cash drawer with everything that went through it.
#[apply(answer!)]
pub struct CashSessionDetail {
    #[serde(flatten)]
    session: CashSession,
    /// What should lie in it now.
    current_expected_cents: Cents,
    /// What went through it.
    #[serde(flatten)]
    flow: CashFlow,
    /// Pay-ins, pay-outs and no-sales.
    movements: Vec<CashMovement>,
}

fn detail(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<CashSessionDetail, CashError> {
    let session = store::find(conn, outlet, id)?.ok_or(CashError::NotFound("cash session"))?;
    let flow = store::sum_flow(conn, id)?;
    Ok(CashSessionDetail {
        current_expected_cents: flow.expected(session.opening_float)?,
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
    #[serde(flatten)]
    paging: Paging,
}

/// Lists the outlet's drawers.
pub async fn list_cash_sessions(cx: Cx, Query(query): Query<ListCashSessions>) -> Result<Paged<CashSession>> {
    let ListCashSessions { status, business_date, paging } = query;
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, status, business_date, paging)).await
}

/// One drawer.
pub async fn get_cash_session(cx: Cx, Id(id): Id) -> Result<Data<CashSessionDetail>> {
    cx.get(move |conn, outlet| detail(conn, outlet, id)).await
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
}

async fn move_cash(
    cx: Cx,
    id: Uuid,
    kind: MovementKind,
    amount: Cents,
    reason: String,
    pin: ApproverPin,
) -> Result<Created<CashSessionDetail>> {
    cx.create(move |tx, actor| -> Result<_, CashError> {
        actions::move_cash(tx, actor, id, kind, amount, &reason, &pin)?;
        detail(tx, actor.outlet_id, id)
    })
    .await
}

/// Puts money into a drawer.
pub async fn pay_in(cx: Cx, Id(id): Id, Json(body): Json<MoveCash>) -> Result<Created<CashSessionDetail>> {
    move_cash(cx, id, MovementKind::PayIn, body.amount_cents, body.reason, ApproverPin::none()).await
}

/// Takes money out of a drawer.
pub async fn pay_out(cx: Cx, Id(id): Id, Json(body): Json<MoveCash>) -> Result<Created<CashSessionDetail>> {
    move_cash(cx, id, MovementKind::PayOut, body.amount_cents, body.reason, ApproverPin::none()).await
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
    move_cash(cx, id, MovementKind::NoSale, Cents::ZERO, body.reason, pin).await
}

/// A drawer's count.
#[apply(request!)]
pub struct CloseCashSession {
    /// What lies in it.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    counted_cents: Cents,
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
        actions::close(tx, actor, id, body.counted_cents, body.note)?;
        detail(tx, actor.outlet_id, id)
    })
    .await
}
