//! A purchase order as clients see it.

use super::super::rules::{
    Delivery, DeliveryLine, Mode, OrderLine, PurchaseError, PurchaseOrder, Result, Status,
};
use super::super::store;
use crate::db::{self, Source};
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

view! {
    /// A purchase order without its lines.
    pub struct PurchaseOrderSummary of order: PurchaseOrder, today: NaiveDate {
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
        expected_delivery_date: NaiveDate = order.expected_on,
        /// Sent, and promised for a day that has passed.
        is_overdue: bool = order.status.is_awaited() && order.expected_on < today,
        /// For the supplier.
        notes: Option<String>,
        /// The sum of what was ordered.
        total_cents: Cents = order.total,
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
}

view! {
    /// One item of a purchase order.
    pub struct PurchaseOrderItem of line: OrderLine | Overflow {
        id: Uuid,
        inventory_item_id: Uuid = line.ordered.stock_item_id,
        /// Its name when it was ordered.
        name: String = line.ordered.name.clone(),
        quantity_ordered: Quantity = line.ordered.quantity,
        /// What has come, in the unit of the order.
        quantity_received: Quantity = line.received()?,
        /// What is still to come.
        quantity_outstanding: Quantity = line.ordered.quantity.minus(quantity_received)?.max(Quantity::ZERO),
        /// What came beyond the order.
        quantity_over: Quantity = quantity_received.minus(line.ordered.quantity)?.max(Quantity::ZERO),
        /// What the quantities are counted in.
        unit: String = line.ordered.unit,
        /// What one unit costs.
        unit_cost_cents: UnitCost = line.ordered.unit_cost,
        line_total_cents: Cents = line.ordered.total,
        /// What is ordered, in the item's own unit.
        stock_quantity: Quantity = line.ordered.stock_quantity,
        /// The item's own unit.
        stock_unit: String = line.ordered.stock_unit,
        /// It came, and was confirmed, without being ordered; what is ordered of it is what came first.
        is_extra: bool,
    }
}

view! {
    /// What a supplier brought at one time.
    pub struct PurchaseDelivery of delivery: Delivery, lines: &[OrderLine] {
        id: Uuid,
        /// The number of the supplier's invoice or delivery note.
        invoice_ref: Option<String>,
        note: Option<String>,
        /// The sum of its items.
        total_cents: Cents = delivery.total,
        business_date: NaiveDate,
        at: Millis,
        /// Who took it in.
        by_name: String,
        /// What came, batch by batch.
        items: Vec<PurchaseDeliveryItem> = delivery.lines.into_iter().filter_map(|item| delivered(item, lines)).collect(),
    }
}

view! {
    /// What was brought of one item into one batch.
    pub struct PurchaseDeliveryItem of item: DeliveryLine, line: &OrderLine {
        id: Uuid,
        /// The order's item it is of.
        purchase_order_item_id: Uuid = line.id,
        inventory_item_id: Uuid = line.ordered.stock_item_id,
        name: String = line.ordered.name.clone(),
        quantity_received: Quantity = item.quantity,
        unit: String,
        /// What one unit cost.
        unit_cost_cents: UnitCost = item.unit_cost,
        line_total_cents: Cents = item.total,
        /// How much the stock grew by, in the item's own unit.
        stock_quantity: Quantity,
        /// The item's own unit.
        stock_unit: String = line.ordered.stock_unit.clone(),
        /// The batch it is in.
        batch_id: Uuid,
        batch_number: String,
        expiry_date: Option<NaiveDate>,
    }
}

/// A purchase order with what is ordered and what came.
#[apply(answer!)]
pub struct PurchaseOrderDetail {
    #[serde(flatten)]
    order: PurchaseOrderSummary,
    /// What is ordered.
    items: Vec<PurchaseOrderItem>,
    /// What came, the oldest first.
    deliveries: Vec<PurchaseDelivery>,
}

fn delivered(item: DeliveryLine, lines: &[OrderLine]) -> Option<PurchaseDeliveryItem> {
    let line = lines.iter().find(|line| line.id == item.order_line_id)?;
    Some(PurchaseDeliveryItem::of(item, line))
}

/// The outlet's business date at `now`.
pub(super) fn today(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<NaiveDate> {
    Ok(outlets::store::find(conn, outlet)?.business_date(now))
}

/// The order of that id with everything that belongs to it.
pub(super) fn detail(conn: &dyn Source, outlet: Uuid, id: Uuid, now: Millis) -> Result<PurchaseOrderDetail> {
    let order = store::find(conn, outlet, id)?.ok_or(PurchaseError::NotFound("purchase order"))?;
    let lines = store::list_lines(conn, outlet, id)?;
    let deliveries = store::list_deliveries(conn, outlet, id)?;
    Ok(PurchaseOrderDetail {
        order: PurchaseOrderSummary::of(order, today(conn, outlet, now)?),
        deliveries: deliveries.into_iter().map(|one| PurchaseDelivery::of(one, &lines)).collect(),
        items: lines.into_iter().map(PurchaseOrderItem::try_from).collect::<Result<_, _>>()?,
    })
}
