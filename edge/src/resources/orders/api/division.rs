//! Splitting and merging orders over HTTP.

use super::super::actions;
use super::super::rules::split::{SplitBy, Take, shares};
use super::super::rules::{OrderError, OrderRecord};
use super::view::{OrderDetail, view};
use crate::access::Cx;
use crate::http::{Created, Id, Json, Problem, Result, Updated};
use tiffin_common::{Cents, Uuid};

/// Portions that go to a new order.
#[apply(request!)]
pub struct SplitItem {
    /// The line that portions are taken from.
    order_item_id: Uuid,
    /// How many portions; all of them where absent.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    quantity: Option<i64>,
}

/// How to divide an order: exactly one of the four.
#[apply(filters!)]
pub struct SplitOrder {
    /// These portions to a new order.
    #[schemars(length(min = 1, max = 200))]
    items: Option<Vec<SplitItem>>,
    /// What this seat had to a new order.
    #[schemars(range(min = 1, max = 1_000))]
    seat: Option<i64>,
    /// What each of these seats had to a new order of its own.
    #[schemars(length(min = 1, max = 100), inner(range(min = 1, max = 1_000)))]
    seats: Option<Vec<i64>>,
    /// What is due in this many equal payments; the order stays whole.
    #[schemars(range(min = 2, max = 100))]
    equally: Option<i64>,
}

/// A share of what is due.
#[apply(answer!)]
pub struct PaymentShare {
    /// Which one, from 1.
    number: i64,
    /// What it pays.
    amount_cents: Cents,
}

/// The parts of an order that was divided.
#[apply(answer!)]
pub struct DividedOrder {
    /// The order itself first, then the new ones. Their totals add up to what the order came to.
    orders: Vec<OrderDetail>,
    /// With `equally`: what each guest pays of what is due.
    shares: Vec<PaymentShare>,
}

impl SplitOrder {
    fn checked(self) -> Result<Wanted> {
        match (self.items, self.seat, self.seats, self.equally) {
            (Some(items), None, None, None) => Ok(Wanted::Items(items)),
            (None, Some(seat), None, None) => Ok(Wanted::By(SplitBy::Seats(vec![seat]))),
            (None, None, Some(seats), None) => Ok(Wanted::By(SplitBy::Seats(seats))),
            (None, None, None, Some(count)) => Ok(Wanted::By(SplitBy::Equally(count))),
            _ => Err(Problem::field("items", "give exactly one of items, seat, seats and equally")),
        }
    }
}

enum Wanted {
    Items(Vec<SplitItem>),
    By(SplitBy),
}

impl Wanted {
    /// With the quantities that were left out.
    fn of(self, order: &OrderRecord) -> SplitBy {
        let all = |id: Uuid| order.line(id).map_or(1, |line| line.quantity);
        match self {
            Wanted::By(by) => by,
            Wanted::Items(items) => SplitBy::Items(
                items
                    .iter()
                    .map(|item| Take {
                        order_item_id: item.order_item_id,
                        quantity: item.quantity.unwrap_or_else(|| all(item.order_item_id)),
                    })
                    .collect(),
            ),
        }
    }
}

/// Divides an order.
pub async fn split_order(cx: Cx, Id(id): Id, Json(body): Json<SplitOrder>) -> Result<Created<DividedOrder>> {
    let wanted = body.checked()?;
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        let by = wanted.of(&super::super::store::find(tx, actor.outlet_id, id)?);
        let parts = actions::split(tx, actor, id, &by)?;
        let mut divided = DividedOrder { orders: Vec::with_capacity(parts.len()), shares: Vec::new() };
        if let (SplitBy::Equally(count), Some(order)) = (&by, parts.first()) {
            let amounts = shares(order.due(), *count, order.terms.cash_rounding)?;
            divided.shares = amounts
                .into_iter()
                .zip(1..)
                .map(|(amount_cents, number)| PaymentShare { number, amount_cents })
                .collect();
        }
        for part in &parts {
            divided.orders.push(view(tx, actor.outlet_id, part.id)?);
        }
        Ok(divided)
    })
    .await
}

/// Orders to put into one.
#[apply(request!)]
pub struct MergeOrders {
    /// The orders whose lines move; they end as CANCELLED.
    #[schemars(length(min = 1, max = 50))]
    order_ids: Vec<Uuid>,
}

/// Puts orders together.
pub async fn merge_orders(cx: Cx, Id(id): Id, Json(body): Json<MergeOrders>) -> Result<Updated<OrderDetail>> {
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        actions::merge(tx, actor, id, &body.order_ids)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}
