//! Lines, voids, discounts, states and courses of an order over HTTP. Every answer is the order as it is now.

use super::super::actions::{
    self, discounts::GiveDiscount, lines::LineChange, status::SetStatus, voids::VoidLine,
};
use super::super::rules::{DiscountKind, OrderError, OrderStatus, discounts};
use super::super::store::{self, Traced};
use super::place::text;
use super::view::{OrderDetail, view};
use crate::access::Cx;
use crate::http::{Created, Data, Id, Json, Patch, Path, Problem, Replace, Result, Updated};
use crate::resources::auth::api::pins;
use crate::resources::inventory::MadeFrom;
use crate::resources::inventory::store::makings;
use crate::state::Secrets;
use axum::extract::State;
use chrono::NaiveDate;
use tiffin_common::{Quantity, Uuid};

/// A change of a line. Fewer portions, or less weight, come off as at a void; more only where the kitchen has not begun.
#[apply(filters!)]
pub struct UpdateOrderItem {
    /// How many portions there shall be.
    #[schemars(range(min = 1, max = 10_000))]
    quantity: Replace<i64>,
    /// How much there shall be of a dish that is sold by weight, in the line's `weightUnit`: more than 0. The line keeps its price per unit.
    #[schemars(range(min = 0, max = 10_000))]
    weight: Replace<Quantity>,
    /// For the kitchen.
    #[schemars(length(max = 500))]
    notes: Patch<String>,
    /// Why there shall be less; needed where the kitchen was told of it.
    #[schemars(length(min = 1, max = 300))]
    reason: Option<String>,
    /// Whether what comes off had been made. Where absent, as at a void.
    was_made: Option<bool>,
    /// The PIN of somebody who may void, or whose discount limit is wide enough: where discounts come to more of what is left than whoever gave
    /// them may give.
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Changes a line.
pub async fn update_order_item(
    cx: Cx,
    State(secrets): State<Secrets>,
    Path((id, item)): Path<(Uuid, Uuid)>,
    Json(body): Json<UpdateOrderItem>,
) -> Result<Updated<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let notes = match body.notes {
        Patch::Set(notes) => text(Some(notes)).map_or(Patch::Clear, Patch::Set),
        other => other,
    };
    let (reason, was_made) = (text(body.reason), body.was_made);
    let change = LineChange { quantity: body.quantity.0, weight: body.weight.0, notes, reason, was_made };
    cx.change(move |tx, actor, expected| -> Result<_, OrderError> {
        actions::change_line(tx, actor, id, item, expected, change, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// Portions to take off a line.
#[apply(request!)]
pub struct VoidOrderItem {
    /// How many; all where absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    quantity: Option<i64>,
    /// Why it is taken off; in the audit log.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// Whether they had been made: then their ingredients are waste. Where absent: when they were started, ready or delivered, when
    /// they should have been ready by now, or when their station works from paper.
    #[serde(default)]
    was_made: Option<bool>,
    /// The PIN of somebody who may void. Not needed while nothing is started or printed and the kitchen has known for less than
    /// `voidGraceSeconds`, unless discounts come to more of what is left than whoever gave them may give.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Takes portions off a line.
pub async fn void_order_item(
    cx: Cx,
    State(secrets): State<Secrets>,
    Path((id, item)): Path<(Uuid, Uuid)>,
    Json(body): Json<VoidOrderItem>,
) -> Result<Updated<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let void = VoidLine { quantity: body.quantity, reason: body.reason, was_made: body.was_made };
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        actions::void_line(tx, actor, id, item, &void, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// A discount to be given on an order.
#[apply(request!)]
pub struct CreateOrderDiscount {
    /// Share or amount.
    r#type: DiscountKind,
    /// Percent (at most two decimals), or cents.
    #[schemars(range(min = 0, max = 999_999_999))]
    value: Quantity,
    /// On this line; the whole order where absent.
    #[serde(default)]
    item_id: Option<Uuid>,
    /// Why it is given; in the audit log.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody with a wider limit.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Gives a discount.
pub async fn create_order_discount(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<CreateOrderDiscount>,
) -> Result<Created<OrderDetail>> {
    let value =
        discounts::value_of(body.r#type, body.value).map_err(|field| Problem::invalid(vec![field]))?;
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let give = GiveDiscount { kind: body.r#type, value, line_id: body.item_id, reason: body.reason };
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::discount(tx, actor, id, give, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// Takes a discount off.
pub async fn delete_order_discount(
    cx: Cx,
    Path((id, discount)): Path<(Uuid, Uuid)>,
) -> Result<Updated<OrderDetail>> {
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        actions::remove_discount(tx, actor, id, discount)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// A change of state.
#[apply(request!)]
pub struct UpdateOrderStatus {
    /// The new state.
    status: OrderStatus,
    /// Why; needed for CANCELLED where the kitchen was told of something.
    #[serde(default)]
    #[schemars(length(max = 300))]
    reason: Option<String>,
    /// With CANCELLED: lines of which somebody knows whether they had been made. The others as at a void.
    #[serde(default)]
    #[schemars(length(max = 500))]
    lines: Vec<CancelledLine>,
    /// The PIN of somebody who may cancel, and void what the kitchen was told of.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// A line of an order that is called off.
#[apply(request!)]
pub struct CancelledLine {
    /// Id of the line, as the order shows it.
    item_id: Uuid,
    /// Whether it had been made: then its ingredients are waste.
    was_made: bool,
}

/// Sets the state of an order.
pub async fn update_order_status(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<UpdateOrderStatus>,
) -> Result<Updated<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    if body.status != OrderStatus::Cancelled && !body.lines.is_empty() {
        return Err(Problem::field("lines", "go with CANCELLED alone"));
    }
    let made = body.lines.iter().map(|line| (line.item_id, line.was_made)).collect();
    let change = SetStatus { status: body.status, reason: text(body.reason), made };
    cx.change(move |tx, actor, expected| -> Result<_, OrderError> {
        actions::set_status(tx, actor, id, expected, &change, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// A course to release.
#[apply(filters!)]
pub struct FireCourse {
    /// Number of the course that the kitchen may begin; where absent, everything that is held.
    #[schemars(range(min = 1, max = 20))]
    course: Option<i64>,
}

/// What was released.
#[apply(answer!)]
pub struct FiredCourse {
    /// The order it belongs to.
    order_id: Uuid,
    /// Number of the course that was released; null: all of them.
    course: Option<i64>,
    /// Tickets that were held and are with the kitchen now.
    tickets_fired: usize,
}

/// Releases a held course to the kitchen.
pub async fn fire_course(cx: Cx, Id(id): Id, Json(body): Json<FireCourse>) -> Result<Updated<FiredCourse>> {
    let course = body.course;
    cx.update(move |tx, actor| {
        let fired = actions::fire(tx, actor, id, course);
        fired.map(|tickets_fired| FiredCourse { order_id: id, course, tickets_fired })
    })
    .await
}

/// What went into an order.
#[apply(answer!)]
pub struct OrderTrace {
    /// The order that was asked about.
    order_id: Uuid,
    /// The order's number, as called and printed.
    order_number: String,
    /// Its lines, each with what went into it.
    items: Vec<TracedItem>,
}

/// What went into a line.
#[apply(answer!)]
pub struct TracedItem {
    /// The line of the order.
    order_item_id: Uuid,
    /// Name of the dish.
    name: String,
    /// What it took.
    ingredients: Vec<TracedIngredient>,
}

view! {
    /// What a line took from one batch.
    struct TracedIngredient of traced: Traced {
        /// The stock item.
        inventory_item_id: Uuid = traced.stock_item_id,
        /// Name of the stock item.
        name: String,
        /// Unit of the quantity, as kg.
        unit: String,
        /// How much, what came back taken off.
        quantity: Quantity,
        /// The batch; none: sold without stock.
        batch_id: Option<Uuid>,
        /// Number of the batch; null where there was no stock to take from.
        batch_number: Option<String>,
        /// Its expiry, `YYYY-MM-DD`.
        #[schemars(with = "Option<String>")]
        expiry_date: Option<NaiveDate>,
        /// Who delivered it.
        supplier_id: Option<Uuid>,
        /// Who delivered the batch, where that is known.
        supplier_name: Option<String>,
        /// What the batch was made of, where it was made here, and what that was made of.
        made_from: Vec<MadeFrom> = Vec::new(),
    }
}

/// Which batches and suppliers went into an order.
pub async fn get_order_trace(cx: Cx, Id(id): Id) -> Result<Data<OrderTrace>> {
    let actor = cx.actor();
    cx.get(move |conn, outlet| -> Result<_, OrderError> {
        actions::channels::demand_reach(conn, &actor, id)?;
        let order = store::find(conn, outlet, id)?;
        let mut items: Vec<TracedItem> = order
            .lines
            .iter()
            .filter(|line| !line.is_combo())
            .map(|line| TracedItem {
                order_item_id: line.id,
                name: line.name.clone(),
                ingredients: Vec::new(),
            })
            .collect();
        for traced in store::list_traced(conn, outlet, id)? {
            let Some(item) = items.iter_mut().find(|item| item.order_item_id == traced.order_item_id) else {
                continue;
            };
            let origins = match traced.batch_id {
                Some(batch) => makings::list_origins(conn, outlet, batch)?,
                None => Vec::new(),
            };
            let made_from = origins.into_iter().map(Into::into).collect();
            item.ingredients.push(TracedIngredient { made_from, ..traced.into() });
        }
        Ok(OrderTrace { order_id: id, order_number: order.order_number, items })
    })
    .await
}
