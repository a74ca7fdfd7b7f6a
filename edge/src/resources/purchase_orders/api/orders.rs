//! Purchase orders: the typed operation of the specification, the list, changes, and the way to the supplier.

use super::super::actions::{self, DraftChange, NewPurchaseOrder};
use super::super::rules::lines::LineDraft;
use super::super::rules::{Mode, PurchaseError, Status};
use super::super::store::{self, Filter};
use super::text;
use super::view::{PurchaseOrderDetail, PurchaseOrderSummary, detail, today};
use crate::access::Cx;
use crate::http::{Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use axum::http::StatusCode;
use axum::response::Response;
use chrono::NaiveDate;
use tiffin_common::{Quantity, UnitCost, Uuid};

/// One item to order.
#[apply(request!)]
pub struct CreatePurchaseOrderItem {
    inventory_item_id: Uuid,
    /// More than 0.
    #[schemars(range(min = 0))]
    quantity_ordered: Quantity,
    /// The unit of the quantity; the item's where absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
    /// What one such unit costs; what the item cost last where absent.
    #[serde(default)]
    #[schemars(range(min = 0))]
    unit_cost_cents: Option<UnitCost>,
}

impl From<CreatePurchaseOrderItem> for LineDraft {
    fn from(item: CreatePurchaseOrderItem) -> Self {
        LineDraft {
            stock_item_id: item.inventory_item_id,
            quantity: item.quantity_ordered,
            unit: item.unit,
            unit_cost: item.unit_cost_cents,
        }
    }
}

/// An order to a supplier.
#[apply(request!)]
pub struct CreatePurchaseOrder {
    supplier_id: Uuid,
    /// At least one; each item once.
    #[schemars(length(min = 1, max = 500))]
    items: Vec<CreatePurchaseOrderItem>,
    /// When it is wanted; after the supplier's lead time where absent.
    #[serde(default)]
    expected_delivery_date: Option<NaiveDate>,
    /// For the supplier.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    notes: Option<String>,
    /// MANUAL where absent.
    #[serde(default)]
    mode: Option<Mode>,
}

/// Writes a purchase order.
pub async fn create_purchase_order(cx: Cx, Json(body): Json<CreatePurchaseOrder>) -> Result<Response> {
    let new = NewPurchaseOrder {
        supplier_id: body.supplier_id,
        mode: body.mode.unwrap_or_default(),
        expected_on: body.expected_delivery_date,
        notes: text(body.notes),
        lines: body.items.into_iter().map(LineDraft::from).collect(),
    };
    cx.run(StatusCode::CREATED, move |tx, actor| -> Result<_, PurchaseError> {
        let order = actions::create(tx, actor, new)?;
        detail(tx, actor.outlet_id, order.id, tx.now())
    })
    .await
}

/// Which purchase orders.
#[apply(filters!)]
pub struct ListPurchaseOrders {
    /// In this state.
    status: Option<Status>,
    /// To this supplier.
    supplier_id: Option<Uuid>,
    /// Written on this business date or later.
    from: Option<NaiveDate>,
    /// Written on this business date or earlier.
    to: Option<NaiveDate>,
    #[serde(flatten)]
    paging: Paging,
}

/// The outlet's purchase orders, the newest first.
pub async fn list_purchase_orders(
    cx: Cx,
    Query(query): Query<ListPurchaseOrders>,
) -> Result<Paged<PurchaseOrderSummary>> {
    let paging = query.paging;
    let filter =
        Filter { status: query.status, supplier_id: query.supplier_id, from: query.from, to: query.to };
    let now = cx.db.env().clock.now();
    cx.list(paging, move |conn, outlet| -> Result<_, PurchaseError> {
        let found = store::list(conn, outlet, filter, paging.into())?;
        let today = today(conn, outlet, now)?;
        Ok(found.map(|order| PurchaseOrderSummary::of(order, today)))
    })
    .await
}

/// One purchase order.
pub async fn get_purchase_order(cx: Cx, Id(id): Id) -> Result<Data<PurchaseOrderDetail>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| detail(conn, outlet, id, now)).await
}

/// A change of a draft.
#[apply(filters!)]
pub struct UpdatePurchaseOrder {
    /// In the place of all its items.
    #[schemars(length(min = 1, max = 500))]
    items: Replace<Vec<CreatePurchaseOrderItem>>,
    expected_delivery_date: Replace<NaiveDate>,
    #[schemars(length(max = 1_000))]
    notes: Patch<String>,
}

/// Changes a draft.
pub async fn update_purchase_order(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdatePurchaseOrder>,
) -> Result<Updated<PurchaseOrderDetail>> {
    let notes = match body.notes {
        Patch::Set(notes) => text(Some(notes)).map_or(Patch::Clear, Patch::Set),
        other => other,
    };
    let change = DraftChange {
        expected_on: body.expected_delivery_date.0,
        notes,
        lines: body.items.0.map(|items| items.into_iter().map(LineDraft::from).collect()),
    };
    cx.change(move |tx, actor, expected| -> Result<_, PurchaseError> {
        actions::update(tx, actor, id, expected, change)?;
        detail(tx, actor.outlet_id, id, tx.now())
    })
    .await
}

/// Notes that the supplier has it.
pub async fn send_purchase_order(cx: Cx, Id(id): Id) -> Result<Updated<PurchaseOrderDetail>> {
    cx.update(move |tx, actor| -> Result<_, PurchaseError> {
        actions::send(tx, actor, id)?;
        detail(tx, actor.outlet_id, id, tx.now())
    })
    .await
}

/// Why a purchase order is closed.
#[apply(request!)]
pub struct ClosePurchaseOrder {
    /// Needed while the supplier still owes something of it.
    #[serde(default)]
    #[schemars(length(max = 300))]
    reason: Option<String>,
}

/// Closes it, whatever came.
pub async fn close_purchase_order(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<ClosePurchaseOrder>,
) -> Result<Updated<PurchaseOrderDetail>> {
    let reason = text(body.reason);
    cx.update(move |tx, actor| -> Result<_, PurchaseError> {
        actions::close(tx, actor, id, reason.as_deref())?;
        detail(tx, actor.outlet_id, id, tx.now())
    })
    .await
}
