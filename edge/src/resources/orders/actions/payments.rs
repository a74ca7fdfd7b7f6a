//! Money that comes in. A payment is a row that never changes; one that settles an order makes its bill. It never completes an order by
//! itself, because a counter is paid before it cooks and a table after: staff set COMPLETED once nothing is due.

use super::super::rules::payments::{NewPayment, change_of};
use super::super::rules::{Buyer, OrderError, OrderRecord, OrderStatus, PaymentMethod, PaymentRow, Result};
use super::super::store;
use super::receipts;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::outlets;
use tiffin_common::{Cents, Uuid};

/// Takes a payment, in part or whole.
///
/// # Errors
/// All offending fields, among them an `amountCents` above what is due; [`OrderError::State`] for a cancelled order.
pub fn pay(tx: &Tx<'_>, actor: &Actor, id: Uuid, new: &NewPayment) -> Result<PaymentRow> {
    let mut order = store::find_head(tx, actor.outlet_id, id)?;
    if order.status == OrderStatus::Cancelled {
        return Err(OrderError::State("The order is CANCELLED: nothing can be paid".into()));
    }
    let change = change_of(new, order.due())?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let drawer = match new.method {
        PaymentMethod::Cash => store::find_open_drawer(tx, actor)?,
        _ => None,
    };
    let payment = PaymentRow {
        id: tx.new_id(),
        method: new.method,
        amount: new.amount,
        tip: new.tip,
        tendered: new.tendered,
        change,
        reference: new.reference.clone(),
        channel_id: order.channel_id.filter(|_| new.method == PaymentMethod::Other),
        drawer,
        refunded: Cents::ZERO,
        business_date: outlet.business_date(tx.now()),
        at: tx.now(),
        by_id: actor.account_id,
        by: actor.name.clone(),
        clock_suspect: tx.is_clock_doubtful(),
        is_reversed: false,
        corrections: Vec::new(),
    };
    store::insert_payment(tx, &order, &payment)?;
    order.paid = order.paid.plus(new.amount)?;
    order.tip = order.tip.plus(new.tip)?;
    store::update(tx, &mut order)?;
    if is_to_be_billed(&order) {
        receipts::invoice(tx, actor, id, &Buyer::default(), new.printer_id)?;
        order = store::find_head(tx, actor.outlet_id, id)?;
    }
    receipts::paid(tx, actor, &order, new)?;
    Ok(payment)
}

/// Whether a payment that has come in makes the bill: all is paid, and the house has taken the order on and cooks it, or will not change
/// it any more. What waits for staff or for its time gets its bill when it is completed.
fn is_to_be_billed(order: &OrderRecord) -> bool {
    order.due() == Cents::ZERO
        && order.invoice_id.is_none()
        && !order.is_operator_taxed
        && !order.awaits_approval()
        && !order.waits_for_its_time()
}

/// Refuses an order that may not be completed: something is due.
///
/// # Errors
/// [`OrderError::State`] naming it.
pub(super) fn check_paid(order: &OrderRecord) -> Result<()> {
    let due = order.due();
    if due == Cents::ZERO {
        return Ok(());
    }
    Err(OrderError::State(format!("{} is still to be paid before the order can be completed", due.get())))
}
