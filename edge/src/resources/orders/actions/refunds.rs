//! Money that goes back: never more than was paid, per payment and per line, whoever asks at the same time.
//!
//! A refund credits a bill: the credit note refers to the bill and lowers it by what is given back, so nothing becomes due again
//! (`refunded`). An order that is paid and has no bill gets it first; money that came in for one that is not is taken back by
//! reversing the payment. Where the operator of a channel bills the food, the bill is of the goods alone, and what is asked for of the
//! food is a return of the slip. What portions are paid back in cash is rounded as bills are. Portions that come back and cannot go back on a shelf are waste: what a dish sold leaves every figure.

use super::super::rules::invoices::Bill;
use super::super::rules::price::round_to;
use super::super::rules::refunds::{NewRefund, PaymentLeft, sources};
use super::super::rules::slips::SlipRow;
use super::super::rules::{OrderError, OrderRecord, PaymentMethod, PaymentRow, RefundRow, Result};
use super::super::store;
use super::back::Back;
use super::dispatch::follow_kitchen;
use super::{invoices, returns};
use crate::access::{Actor, Approver, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use tiffin_common::{Cents, Uuid};

/// What a refund made.
#[derive(Debug)]
pub struct Refunded {
    /// The credit note.
    pub note: Uuid,
    /// What was taken back of the slip with it, where the operator of the channel bills the food.
    pub slip_return: Option<SlipRow>,
}

/// Gives money back and makes the credit note.
///
/// # Errors
/// All offending fields, among them an amount or quantity above what is left; [`OrderError::State`] for an order that is neither
/// billed nor paid, or of which the house has billed nothing; 403 or a wrong PIN without the right.
pub fn refund(tx: &Tx<'_>, actor: &Actor, id: Uuid, new: &NewRefund, pin: &ApproverPin) -> Result<Refunded> {
    let mut order = store::find(tx, actor.outlet_id, id)?;
    if order.is_operator_taxed && order.invoice_id.is_none() {
        return Err(OrderError::State(returns::GIVES_BACK.into()));
    }
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    if order.invoice_id.is_none() {
        if order.due() > Cents::ZERO {
            let why = "The order is neither billed nor paid in full: reverse its payment, or void the lines";
            return Err(OrderError::State(why.into()));
        }
        invoices::bill(tx, actor, &mut order)?;
    }
    let (of, slip_return) = returns::return_food(tx, actor, &mut order, new, approver.as_ref())?;
    let billed = order.billed()?;
    let mut back = Back::find(tx, &billed, &of, new.restock)?;
    let payments = store::list_payments(tx, order.id)?;
    let held = payments.iter().filter(|payment| !payment.is_reversed);
    let left: Vec<PaymentLeft> = held
        .map(|p| p.amount.minus(p.refunded).map(|left| PaymentLeft { id: p.id, left }))
        .collect::<Result<_, _>>()?;
    let mut from = sources(back.amount, &left, new.payment_id, back.field)?;
    let odd = odd_cash(order.terms.cash_rounding, &payments, &left, &from)?;
    if odd != Cents::ZERO {
        back.round_off(order.terms.cash_rounding, odd)?;
        from = sources(back.amount, &left, new.payment_id, back.field)?;
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let (note_id, note) = back.credit(tx, actor, (&outlet, &billed), &new.reason)?;
    let parts = Parts { order: &order, outlet: &outlet, note: note_id, approver: approver.as_ref(), new };
    parts.give_back(tx, actor, &payments, &from)?;
    let progress = back.take_back(tx, actor, (&outlet, &billed), note_id, &new.reason)?;
    record(tx, actor, &order, &note, new, approver)?;
    order.refunded = order.refunded.plus(back.amount)?;
    store::update(tx, &mut order)?;
    if let Some(progress) = progress {
        follow_kitchen(tx, actor, order.id, progress)?;
    }
    Ok(Refunded { note: note_id, slip_return })
}

/// What is lacking to the nearest coins (below nothing: is too much), where cash that is given back lies between two steps of the
/// order's cash rounding; all that is left of a payment is handed over as it came.
fn odd_cash(
    step: Cents,
    payments: &[PaymentRow],
    left: &[PaymentLeft],
    from: &[(Uuid, Cents)],
) -> Result<Cents> {
    let mut odd = Cents::ZERO;
    for (id, amount) in from {
        let is_cash = payments.iter().any(|p| p.id == *id && p.method == PaymentMethod::Cash);
        let most = left.iter().find(|payment| payment.id == *id).map_or(*amount, |payment| payment.left);
        if is_cash && most != *amount {
            odd = odd.plus(round_to(*amount, step)?.min(most).minus(*amount)?)?;
        }
    }
    Ok(odd)
}

/// What the rows of one refund share.
struct Parts<'a> {
    order: &'a OrderRecord,
    outlet: &'a Outlet,
    note: Uuid,
    approver: Option<&'a Approver>,
    new: &'a NewRefund,
}

impl Parts<'_> {
    /// The money, payment by payment. Cash leaves the drawer that is open.
    fn give_back(
        &self,
        tx: &Tx<'_>,
        actor: &Actor,
        payments: &[PaymentRow],
        from: &[(Uuid, Cents)],
    ) -> Result<()> {
        for (payment_id, amount) in from {
            let Some(payment) = payments.iter().find(|payment| payment.id == *payment_id) else { continue };
            let drawer = match payment.method {
                PaymentMethod::Cash => store::find_open_drawer(tx, actor)?,
                _ => None,
            };
            let row = RefundRow {
                id: tx.new_id(),
                payment_id: *payment_id,
                credit_note_id: Some(self.note),
                credit_note_number: None,
                method: payment.method,
                amount: *amount,
                reason: self.new.reason.clone(),
                restock: self.new.restock,
                drawer,
                business_date: self.outlet.business_date(tx.now()),
                at: tx.now(),
                by_id: actor.account_id,
                by: actor.name.clone(),
                approver_id: self.approver.map(|approver| approver.employee_id),
                clock_suspect: tx.is_clock_doubtful(),
            };
            if !store::insert_refund(tx, self.order, &row)? {
                return Err(OrderError::field("amountCents", "is more than is left of the payment"));
            }
        }
        Ok(())
    }
}

fn record(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &OrderRecord,
    note: &Bill,
    new: &NewRefund,
    approver: Option<Approver>,
) -> Result<()> {
    let entry = Entry::new("order.refund", "order", Some(order.id))
        .before(&serde_json::json!({"paidCents": order.paid, "refundedCents": order.refunded}))
        .after(&serde_json::json!({
            "amountCents": note.total_cents, "creditNoteNumber": note.number, "restock": new.restock,
        }))
        .reason(&new.reason)
        .approver(approver);
    Ok(audit::actions::record(tx, actor, entry)?)
}
