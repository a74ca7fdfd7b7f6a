//! A purchase order as clients see it.

use super::super::rules::{Delivery, DeliveryLine, Mode, OrderLine, PurchaseError, PurchaseOrder, Status};
use super::super::store;
use crate::db::{self, Source};
use crate::resources::outlets;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// A purchase order without its lines.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseOrderSummary {
    id: Uuid,
    /// `PO-{outletCode}-{yymmdd}-{nnn}`, counted from 001 each business date.
    po_number: String,
    /// MANUAL by a person, AUTO from low stock.
    mode: Mode,
    status: Status,
    supplier_id: Uuid,
    /// Their name when it was written.
    supplier_name: String,
    /// When it is promised for.
    expected_delivery_date: NaiveDate,
    /// Sent, and promised for a day that has passed.
    is_overdue: bool,
    /// For the supplier.
    notes: Option<String>,
    /// The sum of its lines.
    total_cents: Cents,
    business_date: NaiveDate,
    created_by_name: String,
    created_at: Millis,
    updated_at: Millis,
    sent_at: Option<Millis>,
    /// When all of it had come.
    received_at: Option<Millis>,
    closed_at: Option<Millis>,
    close_reason: Option<String>,
    version: i64,
}

impl PurchaseOrderSummary {
    /// The order as it is seen on business date `today`.
    pub(super) fn new(order: PurchaseOrder, today: NaiveDate) -> Self {
        PurchaseOrderSummary {
            is_overdue: order.status.is_awaited() && order.expected_on < today,
            id: order.id,
            po_number: order.po_number,
            mode: order.mode,
            status: order.status,
            supplier_id: order.supplier_id,
            supplier_name: order.supplier_name,
            expected_delivery_date: order.expected_on,
            notes: order.notes,
            total_cents: order.total,
            business_date: order.business_date,
            created_by_name: order.created_by_name,
            created_at: order.created_at,
            updated_at: order.updated_at,
            sent_at: order.sent_at,
            received_at: order.received_at,
            closed_at: order.closed_at,
            close_reason: order.close_reason,
            version: order.version,
        }
    }
}

/// One item of a purchase order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseOrderItem {
    id: Uuid,
    inventory_item_id: Uuid,
    /// Its name when it was ordered.
    name: String,
    quantity_ordered: Quantity,
    /// What has come, in the unit of the order.
    quantity_received: Quantity,
    /// What is still to come.
    quantity_outstanding: Quantity,
    /// What came beyond the order.
    quantity_over: Quantity,
    /// What the quantities are counted in.
    unit: String,
    /// What one unit costs.
    unit_cost_cents: UnitCost,
    line_total_cents: Cents,
    /// What is ordered, in the item's own unit.
    stock_quantity: Quantity,
    /// The item's own unit.
    stock_unit: String,
}

impl TryFrom<OrderLine> for PurchaseOrderItem {
    type Error = Overflow;

    fn try_from(line: OrderLine) -> Result<Self, Overflow> {
        let (received, ordered) = (line.received()?, line.ordered);
        Ok(PurchaseOrderItem {
            id: line.id,
            inventory_item_id: ordered.stock_item_id,
            name: ordered.name,
            quantity_ordered: ordered.quantity,
            quantity_received: received,
            quantity_outstanding: ordered.quantity.minus(received)?.max(Quantity::ZERO),
            quantity_over: received.minus(ordered.quantity)?.max(Quantity::ZERO),
            unit: ordered.unit,
            unit_cost_cents: ordered.unit_cost,
            line_total_cents: ordered.total,
            stock_quantity: ordered.stock_quantity,
            stock_unit: ordered.stock_unit,
        })
    }
}

/// What a supplier brought at one time.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseDelivery {
    id: Uuid,
    /// The number of the supplier's invoice or delivery note.
    invoice_ref: Option<String>,
    note: Option<String>,
    /// The sum of its items.
    total_cents: Cents,
    business_date: NaiveDate,
    at: Millis,
    /// Who took it in.
    by_name: String,
    /// What came, batch by batch.
    items: Vec<PurchaseDeliveryItem>,
}

/// What was brought of one item into one batch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseDeliveryItem {
    id: Uuid,
    /// The order's item it is of.
    purchase_order_item_id: Uuid,
    inventory_item_id: Uuid,
    name: String,
    quantity_received: Quantity,
    unit: String,
    /// What one unit cost.
    unit_cost_cents: UnitCost,
    line_total_cents: Cents,
    /// How much the stock grew by, in the item's own unit.
    stock_quantity: Quantity,
    /// The item's own unit.
    stock_unit: String,
    /// The batch it is in.
    batch_id: Uuid,
    batch_number: String,
    expiry_date: Option<NaiveDate>,
}

/// A purchase order with what is ordered and what came.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PurchaseOrderDetail {
    #[serde(flatten)]
    order: PurchaseOrderSummary,
    /// What is ordered.
    items: Vec<PurchaseOrderItem>,
    /// What came, the oldest first.
    deliveries: Vec<PurchaseDelivery>,
}

fn delivery(delivery: Delivery, lines: &[OrderLine]) -> PurchaseDelivery {
    PurchaseDelivery {
        id: delivery.id,
        invoice_ref: delivery.invoice_ref,
        note: delivery.note,
        total_cents: delivery.total,
        business_date: delivery.business_date,
        at: delivery.at,
        by_name: delivery.by_name,
        items: delivery.lines.into_iter().filter_map(|item| delivered(item, lines)).collect(),
    }
}

fn delivered(item: DeliveryLine, lines: &[OrderLine]) -> Option<PurchaseDeliveryItem> {
    let line = lines.iter().find(|line| line.id == item.order_line_id)?;
    Some(PurchaseDeliveryItem {
        id: item.id,
        purchase_order_item_id: line.id,
        inventory_item_id: line.ordered.stock_item_id,
        name: line.ordered.name.clone(),
        quantity_received: item.quantity,
        unit: item.unit,
        unit_cost_cents: item.unit_cost,
        line_total_cents: item.total,
        stock_quantity: item.stock_quantity,
        stock_unit: line.ordered.stock_unit.clone(),
        batch_id: item.batch_id,
        batch_number: item.batch_number,
        expiry_date: item.expiry_date,
    })
}

/// The outlet's business date at `now`.
pub(super) fn today(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<NaiveDate> {
    Ok(outlets::store::find(conn, outlet)?.business_date(now))
}

/// The order of that id with everything that belongs to it.
pub(super) fn detail(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    now: Millis,
) -> Result<PurchaseOrderDetail, PurchaseError> {
    let order = store::find(conn, outlet, id)?.ok_or(PurchaseError::NotFound("purchase order"))?;
    let lines = store::list_lines(conn, outlet, id)?;
    let deliveries = store::list_deliveries(conn, outlet, id)?;
    Ok(PurchaseOrderDetail {
        order: PurchaseOrderSummary::new(order, today(conn, outlet, now)?),
        deliveries: deliveries.into_iter().map(|one| delivery(one, &lines)).collect(),
        items: lines.into_iter().map(PurchaseOrderItem::try_from).collect::<Result<_, _>>()?,
    })
}
