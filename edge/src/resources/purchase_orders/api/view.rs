//! A purchase order as clients see it.

use super::super::rules::invoices::{self, Brought, Match, Matched, SupplierInvoice};
use super::super::rules::returns::{PurchaseReturn, ReturnLine};
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
    /// What went back, the oldest first.
    returns: Vec<PurchaseReturnView>,
    /// The supplier's invoice, the last one where there are several; null before one was entered.
    invoice: Option<SupplierInvoiceView>,
    /// All of them, in the order they were entered.
    invoices: Vec<SupplierInvoiceView>,
}

view! {
    /// A debit note: what went back at one time.
    #[schemars(rename = "PurchaseReturn")]
    pub struct PurchaseReturnView of back: PurchaseReturn, lines: &[OrderLine] {
        id: Uuid,
        /// `DN/{outletCode}/{fiscalYear}-{nnn}`, without a gap in the fiscal year.
        number: String,
        note: Option<String>,
        /// The sum of its items, without tax: what the supplier owes.
        total_cents: Cents = back.total,
        /// The tax that their invoices charged on that.
        tax_cents: Cents = back.tax,
        business_date: NaiveDate,
        at: Millis,
        /// Who sent it back.
        by_name: String,
        /// What went back, batch by batch.
        items: Vec<PurchaseReturnItem> = back.lines.into_iter().filter_map(|item| returned(item, lines)).collect(),
    }
}

view! {
    /// What went back of one batch.
    pub struct PurchaseReturnItem of item: ReturnLine, line: &OrderLine {
        id: Uuid,
        /// The order's item it is of.
        purchase_order_item_id: Uuid = line.id,
        inventory_item_id: Uuid = line.ordered.stock_item_id,
        name: String = line.ordered.name.clone(),
        /// The batch it left.
        batch_id: Uuid,
        batch_number: String,
        /// How much went back, in `unit`.
        quantity: Quantity,
        unit: String,
        /// What the supplier owes for one unit.
        unit_cost_cents: UnitCost = item.unit_cost,
        /// What the supplier owes for all of it.
        line_total_cents: Cents = item.total,
        /// How much the stock fell by, in the item's own unit.
        stock_quantity: Quantity,
        /// The item's own unit.
        stock_unit: String = line.ordered.stock_unit.clone(),
        /// Why it went back.
        reason: String,
    }
}

view! {
    /// A supplier's invoice, held against what came of it.
    #[derive(Clone)]
    #[schemars(rename = "SupplierInvoice")]
    pub struct SupplierInvoiceView of invoice: SupplierInvoice, matched: Matched {
        id: Uuid,
        /// The number on it, as the supplier gave it.
        r#ref: String = invoice.reference.clone(),
        /// What is to be paid, with tax.
        total_cents: Cents = invoice.total,
        /// The tax in it.
        tax_cents: Cents = invoice.tax,
        /// What the deliveries that it is for cost: those with its number, and those with no other invoice's where no delivery has its.
        delivered_cents: Cents = matched.delivered,
        /// How much more it is for, without tax; less: below 0.
        difference_cents: Cents = matched.difference,
        /// MATCHED, OVER: for more than came, or SHORT.
        status: Match = matched.status,
        /// There is a difference that nobody accepted.
        is_open: bool = matched.is_open,
        business_date: NaiveDate,
        at: Millis,
        /// Who entered it.
        by_name: String,
        /// When somebody accepted a difference.
        accepted_at: Option<Millis>,
        /// Who accepted it.
        accepted_by_name: Option<String>,
        /// Why it was accepted.
        accepted_reason: Option<String>,
    }
}

fn returned(item: ReturnLine, lines: &[OrderLine]) -> Option<PurchaseReturnItem> {
    let line = lines.iter().find(|line| line.id == item.order_line_id)?;
    Some(PurchaseReturnItem::of(item, line))
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
    let returns = store::list_returns(conn, outlet, id)?;
    let invoices = store::list_invoices(conn, outlet, id)?;
    let came: Vec<Brought> = deliveries.iter().map(Brought::from).collect();
    let matched = invoices::matched(&invoices, &came)?;
    let invoices: Vec<SupplierInvoiceView> = invoices
        .into_iter()
        .zip(matched)
        .map(|(one, matched)| SupplierInvoiceView::of(one, matched))
        .collect();
    Ok(PurchaseOrderDetail {
        returns: returns.into_iter().map(|one| PurchaseReturnView::of(one, &lines)).collect(),
        invoice: invoices.last().cloned(),
        invoices,
        order: PurchaseOrderSummary::of(order, today(conn, outlet, now)?),
        deliveries: deliveries.into_iter().map(|one| PurchaseDelivery::of(one, &lines)).collect(),
        items: lines.into_iter().map(PurchaseOrderItem::try_from).collect::<Result<_, _>>()?,
    })
}
