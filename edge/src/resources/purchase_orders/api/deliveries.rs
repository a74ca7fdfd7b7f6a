//! Deliveries.

use super::super::actions::{self, NewDelivery};
use super::super::rules::PurchaseError;
use super::super::rules::delivery::Arrival;
use super::text;
use super::view::{PurchaseOrderDetail, detail};
use crate::access::Cx;
use crate::http::{Created, Id, Json, Result};
use chrono::NaiveDate;
use tiffin_common::{Quantity, UnitCost, Uuid};

/// One item that is delivered.
#[apply(request!)]
pub struct CreateDeliveryItem {
    inventory_item_id: Uuid,
    /// More than 0; it may be more than was ordered.
    #[schemars(range(min = 0))]
    quantity_received: Quantity,
    /// The unit of the quantity; the one it was ordered in where absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
    /// What one such unit cost.
    #[schemars(range(min = 0))]
    unit_cost_cents: UnitCost,
    /// The supplier's batch number; one is made up where absent.
    #[serde(default)]
    #[schemars(length(max = 60))]
    batch_number: Option<String>,
    /// The last date it may be used; absent for what keeps.
    #[serde(default)]
    expiry_date: Option<NaiveDate>,
}

/// What a supplier brings.
#[apply(request!)]
pub struct CreateDelivery {
    /// An item may come in several batches.
    #[schemars(length(min = 1, max = 500))]
    items: Vec<CreateDeliveryItem>,
    /// The number of the supplier's invoice or delivery note; each once per supplier.
    #[serde(default)]
    #[schemars(length(max = 60))]
    invoice_ref: Option<String>,
    #[serde(default)]
    #[schemars(length(max = 500))]
    note: Option<String>,
    /// Whether somebody has looked at what is beyond the outlet's tolerances, past its date or not on the order, and it is right. Without
    /// it such a delivery is 409 ERR_CONFIRMATION_NEEDED, with every reason.
    #[serde(default)]
    confirm: bool,
}

impl From<CreateDelivery> for NewDelivery {
    fn from(body: CreateDelivery) -> Self {
        let arrival = |item: CreateDeliveryItem| Arrival {
            stock_item_id: item.inventory_item_id,
            quantity: item.quantity_received,
            unit: item.unit,
            unit_cost: item.unit_cost_cents,
            batch_number: text(item.batch_number),
            expiry_date: item.expiry_date,
        };
        NewDelivery {
            arrivals: body.items.into_iter().map(arrival).collect(),
            invoice_ref: text(body.invoice_ref),
            note: text(body.note),
            is_confirmed: body.confirm,
        }
    }
}

/// A purchase order after a delivery.
#[apply(answer!)]
pub struct DeliveredPurchaseOrder {
    /// The delivery that was taken in, among the order's deliveries.
    delivery_id: Uuid,
    #[serde(flatten)]
    order: PurchaseOrderDetail,
}

/// Takes a delivery into stock.
pub async fn create_delivery(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CreateDelivery>,
) -> Result<Created<DeliveredPurchaseOrder>> {
    let new = NewDelivery::from(body);
    cx.create(move |tx, actor| -> Result<_, PurchaseError> {
        let delivery_id = actions::deliver(tx, actor, id, new)?;
        Ok(DeliveredPurchaseOrder { delivery_id, order: detail(tx, actor.outlet_id, id, tx.now())? })
    })
    .await
}
