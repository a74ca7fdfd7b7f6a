//! Drafts from low stock.

use super::super::actions::{self, Scope, Skipped};
use super::super::rules::PurchaseError;
use super::super::rules::shortage::SkipReason;
use super::view::{PurchaseOrderDetail, detail};
use crate::access::Cx;
use crate::http::{Created, Json, Result};
use tiffin_common::Uuid;

/// What to look at; everything where nothing is named.
#[apply(filters!)]
pub struct DraftLowStock {
    /// Only what this supplier delivers.
    supplier_id: Option<Uuid>,
    /// Only these items.
    #[schemars(length(min = 1, max = 500))]
    inventory_item_ids: Option<Vec<Uuid>>,
}

/// What came of looking at low stock.
#[apply(answer!)]
pub struct DraftedPurchaseOrders {
    /// The drafts that were written, one per supplier; none when there is nothing to order.
    purchase_orders: Vec<PurchaseOrderDetail>,
    /// Low items, and items that were named, which no draft orders.
    skipped: Vec<SkippedItem>,
}

view! {
    /// An item that is not ordered.
    pub struct SkippedItem of skipped: Skipped {
        inventory_item_id: Uuid = skipped.stock_item_id,
        name: String,
        /// Why no draft was made for it.
        reason: SkipReason,
    }
}

/// Writes drafts for what is low.
pub async fn create_auto_purchase_orders(
    cx: Cx,
    Json(body): Json<DraftLowStock>,
) -> Result<Created<DraftedPurchaseOrders>> {
    let scope = Scope { supplier_id: body.supplier_id, stock_item_ids: body.inventory_item_ids };
    cx.create(move |tx, actor| -> Result<_, PurchaseError> {
        let done = actions::draft_low_stock(tx, actor, &scope)?;
        let orders = done.orders.into_iter().map(|order| detail(tx, actor.outlet_id, order.id, tx.now()));
        Ok(DraftedPurchaseOrders {
            purchase_orders: orders.collect::<Result<_, _>>()?,
            skipped: done.skipped.into_iter().map(SkippedItem::from).collect(),
        })
    })
    .await
}
