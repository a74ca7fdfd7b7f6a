//! A supplier delivers: batches, what has come of the order, and where that leaves it.

use super::super::rules::delivery::{self, Arrival, Arrived, Tolerance};
use super::super::rules::record::after_delivery;
use super::super::rules::{Delivery, DeliveryLine, OrderLine, PurchaseError, PurchaseOrder, Result, Status};
use super::super::store;
use super::invoice::check_new;
use super::{find, found_items};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, FieldError};
use crate::resources::audit::{self, Entry};
use crate::resources::inventory;
use crate::resources::inventory::rules::{Cause, Kind, Receipt, StockError};
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use serde_json::json;
use tiffin_common::{Cents, Uuid};

/// What a supplier brings.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// The items.
    pub arrivals: Vec<Arrival>,
    /// The number of the supplier's invoice or delivery note; each once per supplier.
    pub invoice_ref: Option<String>,
    /// A note.
    pub note: Option<String>,
    /// Whether somebody looked at what is not as it was ordered, and it is right.
    pub is_confirmed: bool,
}

/// Takes a delivery into stock and answers its id. What is beyond the outlet's tolerances, past its date or was not ordered is taken in
/// when it is confirmed, and audited.
///
/// # Errors
/// [`PurchaseError::Transition`] unless it is sent and not closed; all offending fields; [`PurchaseError::Unconfirmed`] with every
/// reason; an invoice that was taken in before.
pub fn deliver(tx: &Tx<'_>, actor: &Actor, id: Uuid, new: NewDelivery) -> Result<Uuid> {
    let order = find(tx, actor, id)?;
    order.check_next(Status::Received)?;
    check_new(tx, actor, &order, new.invoice_ref.as_deref())?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let mut lines = store::list_lines(tx, outlet.id, id)?;
    let items = found_items(tx, actor, new.arrivals.iter().map(|arrival| arrival.stock_item_id))?;
    let mut checks = Checks::new();
    let extra = delivery::unordered(&new.arrivals, &lines, &items, &mut checks)?;
    lines.extend(extra.into_iter().map(|ordered| OrderLine::extra(tx.new_id(), ordered)));
    let arrived = delivery::checked(new.arrivals, &lines, &items, &mut checks)?;
    checks.finish(())?;
    let today = outlet.business_date(tx.now());
    let tolerance = Tolerance { quantity: outlet.quantity_tolerance, price: outlet.price_tolerance, today };
    let concerns = delivery::concerns(&arrived, &lines, &items, tolerance)?;
    if !concerns.is_empty() && !new.is_confirmed {
        return Err(PurchaseError::Unconfirmed(concerns));
    }
    let delivery = Delivery {
        id: tx.new_id(),
        invoice_ref: new.invoice_ref,
        note: new.note,
        total: Cents::sum(arrived.iter().map(|item| item.total))?,
        business_date: today,
        at: tx.now(),
        by_name: actor.name.clone(),
        lines: Vec::new(),
    };
    store::insert_delivery(tx, actor, &order, &delivery)?;
    store::insert_extra(tx, outlet.id, id, &lines)?;
    for (i, item) in arrived.into_iter().enumerate() {
        if let Some(line) = lines.iter_mut().find(|line| line.id == item.order_line_id) {
            line.received_stock_quantity = line.received_stock_quantity.plus(item.stock_quantity)?;
        }
        store::set_received(tx, outlet.id, item.order_line_id, item.stock_quantity)?;
        take_in(tx, actor, &outlet, &order, &delivery, i, item)?;
    }
    let status = after_delivery(&lines);
    store::set_delivered(tx, outlet.id, id, status, today)?;
    let entry = Entry::new("purchase_order.deliver", "purchase_order", Some(id))
        .before(&json!({"status": order.status}))
        .after(&json!({"status": status, "poNumber": order.po_number, "deliveryId": delivery.id,
            "invoiceRef": delivery.invoice_ref, "totalCents": delivery.total, "confirmed": concerns}));
    audit::actions::record(tx, actor, entry)?;
    Ok(delivery.id)
}

/// Puts the `i`-th item of a delivery into its batch.
fn take_in(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &PurchaseOrder,
    delivery: &Delivery,
    i: usize,
    item: Arrived,
) -> Result<()> {
    let receipt = Receipt {
        stock_item_id: item.stock_item_id,
        quantity: item.stock_quantity,
        unit_cost: item.stock_cost,
        batch_number: item.batch_number,
        expiry_date: item.expiry_date,
        supplier_id: Some(order.supplier_id),
        kind: Kind::Receipt,
        cause: Cause::new("DELIVERY", Some(delivery.id)).reason(order.po_number.clone()),
    };
    let batch =
        inventory::actions::receive(tx, actor, outlet, &receipt).map_err(|error| of_item(error, i))?;
    let line = DeliveryLine {
        id: tx.new_id(),
        order_line_id: item.order_line_id,
        batch_id: batch.id,
        batch_number: batch.batch_number,
        expiry_date: batch.expiry_date,
        quantity: item.quantity,
        unit: item.unit,
        unit_cost: item.unit_cost,
        total: item.total,
        stock_quantity: item.stock_quantity,
    };
    let number = i64::try_from(i).unwrap_or(i64::MAX).saturating_add(1);
    Ok(store::insert_delivery_line(tx, outlet.id, delivery.id, number, &line)?)
}

/// The store room's refusal with the paths of the delivery.
fn of_item(error: StockError, i: usize) -> PurchaseError {
    let StockError::Invalid(fields) = error else { return error.into() };
    let path = |field: FieldError| FieldError::new(format!("items[{i}].{}", field.name), field.reason);
    PurchaseError::Invalid(fields.into_iter().map(path).collect())
}
