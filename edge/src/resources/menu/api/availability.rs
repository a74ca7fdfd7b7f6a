//! Stock state and own prices: what is this outlet's alone.

use crate::access::Cx;
use crate::http::{Id, Json, Patch, Result, Updated};
use crate::resources::menu::actions;
use crate::resources::menu::rules::{AvailabilityChange, AvailabilityState, MenuError, MenuItem, Status};
use tiffin_common::{Cents, Millis};

/// A new stock state.
#[apply(request!)]
pub struct SetAvailability {
    /// In stock, limited or out of stock.
    status: Status,
    /// Portions left; required with LIMITED, refused otherwise. Of a dish that is sold by weight: how often it may still be sold, whatever
    /// each weighs.
    #[schemars(range(min = 1, max = 1_000_000))]
    quantity_left: Option<i64>,
    /// When it is back in stock by itself.
    until: Option<Millis>,
    /// Why, for the staff.
    #[schemars(length(max = 200))]
    reason: Option<String>,
}

impl From<SetAvailability> for AvailabilityChange {
    fn from(body: SetAvailability) -> Self {
        AvailabilityChange {
            status: body.status,
            quantity_left: body.quantity_left,
            until: body.until,
            reason: body.reason,
        }
    }
}

/// Sets the stock state of a dish.
pub async fn put_item_availability(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<SetAvailability>,
) -> Result<Updated<AvailabilityState>> {
    cx.update(move |tx, actor| -> Result<_, MenuError> {
        let item = actions::set_availability(tx, actor, id, body.into())?;
        Ok(AvailabilityState { id, is_available: item.is_available, availability: item.availability })
    })
    .await
}

/// Sets the stock state of a modifier option.
pub async fn put_option_availability(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<SetAvailability>,
) -> Result<Updated<AvailabilityState>> {
    cx.update(move |tx, actor| -> Result<_, MenuError> {
        let option = actions::set_option_availability(tx, actor, id, body.into())?;
        Ok(AvailabilityState { id, is_available: option.available, availability: option.availability })
    })
    .await
}

/// Sets the stock state of a variant.
pub async fn put_variant_availability(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<SetAvailability>,
) -> Result<Updated<AvailabilityState>> {
    cx.update(move |tx, actor| actions::set_variant_availability(tx, actor, id, body.into())).await
}

/// This outlet's own price of a dish.
#[apply(request!)]
pub struct SetPrice {
    /// The price; null goes back to the shared one.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Patch<Cents>,
}

/// Sets this outlet's own price of a dish.
pub async fn put_item_price(cx: Cx, Id(id): Id, Json(body): Json<SetPrice>) -> Result<Updated<MenuItem>> {
    let price = body.price_cents.apply(None);
    cx.update(move |tx, actor| actions::set_price(tx, actor, id, price)).await
}

/// Sets this outlet's own price of a variant; answers its dish.
pub async fn put_variant_price(cx: Cx, Id(id): Id, Json(body): Json<SetPrice>) -> Result<Updated<MenuItem>> {
    let price = body.price_cents.apply(None);
    cx.update(move |tx, actor| actions::set_variant_price(tx, actor, id, price)).await
}
