//! Payments that were entered wrongly, and payments that did not hold. Each is a row of its own that counts on its own date; no
//! document is made, and nothing is a refund.

use super::super::rules::corrections::{Corrected, NewCorrection};
use super::super::rules::{
    CorrectionKind, CorrectionRow, OrderError, OrderRecord, OrderStatus, PaymentMethod, PaymentRow, Result,
};
use super::super::store;
use crate::access::{Actor, Approver, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets;
use tiffin_common::{Cents, Uuid};

/// Puts method, tip or reference of a payment right. A tip where there was none is anybody's to add who takes payments.
///
/// # Errors
/// [`OrderError::NotFound`]; all offending fields; [`OrderError::State`] for a payment that did not hold, or another method once
/// part of it was given back; 403 or a wrong PIN without the right.
pub fn correct(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    payment_id: Uuid,
    new: &NewCorrection,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let (mut order, payment) = standing(tx, actor, id, payment_id)?;
    let (method, tip, reference): Corrected = new.of(&payment)?;
    if method != payment.method && payment.refunded != Cents::ZERO {
        let why = "Part of the payment has been given back: its method can no longer be another";
        return Err(OrderError::State(why.into()));
    }
    let approver = match new.needs_approval(&payment) {
        true => auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?,
        false => None,
    };
    let is_cash = [payment.method, method].contains(&PaymentMethod::Cash);
    let drawer = if is_cash { store::find_drawer_of(tx, actor, &payment)? } else { None };
    order.tip = order.tip.plus(tip)?.minus(payment.tip)?;
    let entry = Entry::new("payment.correct", "payment", Some(payment.id));
    let row = CorrectionRow {
        new_method: method,
        new_tip: tip,
        new_reference: reference,
        drawer,
        ..row(tx, actor, &payment, CorrectionKind::Correct, (&new.reason, approver.as_ref()))?
    };
    write(tx, actor, &mut order, &row, (entry, approver))?;
    Ok(order)
}

/// Takes a payment back that did not hold (a bounced card, the wrong bill): it is due again, whether or not there is a bill. An order
/// that was COMPLETED by it is open again.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderError::State`] for one that was taken back before, or of which part was given back; 403 or a
/// wrong PIN without the right.
pub fn reverse(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    payment_id: Uuid,
    reason: &str,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let (mut order, payment) = standing(tx, actor, id, payment_id)?;
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    if payment.refunded != Cents::ZERO {
        return Err(OrderError::State("Part of the payment has been given back: refund the rest".into()));
    }
    let drawer = match payment.method {
        PaymentMethod::Cash => match store::find_drawer_of(tx, actor, &payment)? {
            None => store::find_open_drawer(tx, actor)?,
            drawer => drawer,
        },
        _ => None,
    };
    order.paid = order.paid.minus(payment.amount)?;
    order.tip = order.tip.minus(payment.tip)?;
    let from = order.status;
    let reopens = from == OrderStatus::Completed && order.due() > Cents::ZERO;
    if reopens {
        (order.status, order.closed_at) = (OrderStatus::Delivered, None);
    }
    let entry = Entry::new("payment.reverse", "payment", Some(payment.id));
    let row = CorrectionRow {
        new_amount: Cents::ZERO,
        new_tip: Cents::ZERO,
        drawer,
        ..row(tx, actor, &payment, CorrectionKind::Reverse, (reason, approver.as_ref()))?
    };
    write(tx, actor, &mut order, &row, (entry, approver))?;
    if reopens {
        super::put_on_record(tx, actor, &order, Some(from), Some(reason.to_owned()))?;
    }
    Ok(order)
}

/// Takes back a payment of which no money has moved, with the order's other changes; the caller has asked for the leave to.
pub(super) fn take_back(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    payment: &PaymentRow,
    reason: &str,
) -> Result<()> {
    order.paid = order.paid.minus(payment.amount)?;
    order.tip = order.tip.minus(payment.tip)?;
    let row = CorrectionRow {
        new_amount: Cents::ZERO,
        new_tip: Cents::ZERO,
        ..row(tx, actor, payment, CorrectionKind::Reverse, (reason, None))?
    };
    write(tx, actor, order, &row, (Entry::new("payment.reverse", "payment", Some(payment.id)), None))
}

/// The order and a payment of it that holds.
fn standing(tx: &Tx<'_>, actor: &Actor, id: Uuid, payment_id: Uuid) -> Result<(OrderRecord, PaymentRow)> {
    let order = store::find_head(tx, actor.outlet_id, id)?;
    let payments = store::list_payments(tx, order.id)?;
    let found = payments.into_iter().find(|payment| payment.id == payment_id);
    let payment = found.ok_or(OrderError::NotFound("payment"))?;
    if payment.is_reversed {
        return Err(OrderError::State("The payment did not hold and has been taken back".into()));
    }
    Ok((order, payment))
}

/// A correction that changes nothing yet.
fn row(
    tx: &Tx<'_>,
    actor: &Actor,
    payment: &PaymentRow,
    kind: CorrectionKind,
    (reason, approver): (&str, Option<&Approver>),
) -> Result<CorrectionRow> {
    Ok(CorrectionRow {
        id: tx.new_id(),
        payment_id: payment.id,
        kind,
        old_method: payment.method,
        new_method: payment.method,
        old_amount: payment.amount,
        new_amount: payment.amount,
        old_tip: payment.tip,
        new_tip: payment.tip,
        old_reference: payment.reference.clone(),
        new_reference: payment.reference.clone(),
        drawer: None,
        reason: reason.to_owned(),
        business_date: outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()),
        at: tx.now(),
        by_id: actor.account_id,
        by: actor.name.clone(),
        approver_id: approver.map(|approver| approver.employee_id),
        clock_suspect: tx.is_clock_doubtful(),
    })
}

fn write(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    row: &CorrectionRow,
    (entry, approver): (Entry, Option<Approver>),
) -> Result<()> {
    store::insert_correction(tx, order, row)?;
    store::update(tx, order)?;
    let entry = entry
        .before(&serde_json::json!({
            "method": row.old_method, "amountCents": row.old_amount, "tipCents": row.old_tip, "reference": row.old_reference,
        }))
        .after(&serde_json::json!({
            "method": row.new_method, "amountCents": row.new_amount, "tipCents": row.new_tip, "reference": row.new_reference,
            "orderNumber": order.order_number,
        }))
        .reason(&row.reason)
        .approver(approver);
    Ok(audit::actions::record(tx, actor, entry)?)
}
