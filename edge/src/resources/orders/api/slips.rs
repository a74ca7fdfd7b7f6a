//! What the operator of a channel gave back of an order with a slip, over HTTP.

use super::super::actions;
use super::super::rules::OrderError;
use super::money::{CreateRefundItem, back};
use super::view::{OrderDetail, view};
use crate::access::Cx;
use crate::http::{Created, Id, Json, Problem, Result};
use crate::resources::auth::api::pins;
use crate::state::Secrets;
use axum::extract::State;
use tiffin_common::Cents;

/// What the operator gave back.
#[apply(request!)]
pub struct CreateSlipReturn {
    /// How much, without tax; all that is left of the slip where neither it nor items are given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000_000i64))]
    amount_cents: Option<Cents>,
    /// Portions that came back, instead of an amount.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    items: Option<Vec<CreateRefundItem>>,
    /// Put the ingredients of what was not made back into stock; otherwise they are waste.
    #[serde(default)]
    restock: bool,
    /// Why the operator gave it back, in words.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may give refunds.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// What was taken back of a slip, and the order after it.
#[apply(answer!)]
pub struct MadeSlipReturn {
    /// Its number, of a series of its own.
    number: String,
    /// How much of the slip it takes back.
    amount_cents: Cents,
    /// The order as it is now.
    order: OrderDetail,
}

/// Takes back of a slip what the operator gave back to the guest.
pub async fn create_slip_return(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<CreateSlipReturn>,
) -> Result<Created<MadeSlipReturn>> {
    let reason = body.reason.trim().to_owned();
    if reason.is_empty() {
        return Err(Problem::field("reason", "must say why"));
    }
    if body.amount_cents.is_some() && body.items.is_some() {
        return Err(Problem::field("amountCents", "cannot be given together with items"));
    }
    let (of, restock) = (back(body.amount_cents, body.items), body.restock);
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        let back = actions::returns::take_back(tx, actor, id, (of.as_ref(), restock), (&reason, &pin))?;
        let order = view(tx, actor.outlet_id, id)?;
        Ok(MadeSlipReturn { number: back.number, amount_cents: back.total, order })
    })
    .await
}
