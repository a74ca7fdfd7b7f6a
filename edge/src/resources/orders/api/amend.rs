//! `PATCH /orders/{orderId}`: what an order says of itself.

use super::super::actions::{self, amend::Amend};
use super::super::rules::{OrderError, OrderType};
use super::place::text;
use super::view::{OrderDetail, view};
use crate::access::Cx;
use crate::http::{Id, Json, Patch, Replace, Result, Updated};
use tiffin_common::{Millis, Uuid};

/// A change of what an order says of itself; what is absent stays.
#[apply(filters!)]
pub struct UpdateOrder {
    /// How it reaches its guest.
    order_type: Replace<OrderType>,
    /// Its table; null takes it from its table.
    table_id: Patch<Uuid>,
    /// How many guests.
    #[schemars(range(min = 1, max = 1_000))]
    guest_count: Patch<i64>,
    /// Name of the guest.
    #[schemars(length(max = 120))]
    customer_name: Patch<String>,
    /// The guest's phone.
    #[schemars(length(max = 40))]
    customer_phone: Patch<String>,
    /// Where it is brought.
    #[schemars(length(max = 300))]
    delivery_address: Patch<String>,
    /// For the kitchen.
    #[schemars(length(max = 1_000))]
    notes: Patch<String>,
    /// When the guest wants it, while the kitchen does not have it; null sends it to the kitchen now.
    scheduled_for: Patch<Millis>,
}

/// A text, trimmed; a blank one clears.
fn trimmed(given: Patch<String>) -> Patch<String> {
    match given {
        Patch::Set(given) => text(Some(given)).map_or(Patch::Clear, Patch::Set),
        other => other,
    }
}

/// Changes what an order says of itself.
pub async fn update_order(cx: Cx, Id(id): Id, Json(body): Json<UpdateOrder>) -> Result<Updated<OrderDetail>> {
    let change = Amend {
        order_type: body.order_type.0,
        table_id: body.table_id,
        guest_count: body.guest_count,
        customer_name: trimmed(body.customer_name),
        customer_phone: trimmed(body.customer_phone),
        delivery_address: trimmed(body.delivery_address),
        notes: trimmed(body.notes),
        scheduled_for: body.scheduled_for,
    };
    let caller = cx.principal.clone();
    cx.change(move |tx, actor, expected| -> Result<_, OrderError> {
        actions::amend(tx, actor, id, expected, change)?;
        let detail = view(tx, actor.outlet_id, id)?;
        Ok(OrderDetail { order: detail.order.shown_to(&caller), ..detail })
    })
    .await
}
