//! Money that goes back: never more than was paid, per payment and per line, whoever asks at the same time.
//!
//! Two things are called a refund. Once there is a bill, a refund credits it: the credit note refers to the bill and lowers it
//! by what is given back, so nothing becomes due again (`refunded`). Before there is one, money handed back is as if it had
//! never come in: `paid` falls by it and it is due again (a card instead of the cash, an order that is called off), and the
//! document is a voucher without a bill. Portions that come back are always a sale undone: the bill is made first, then credited.

use super::super::rules::invoices::{Bill, BillLine, BillTax};
use super::super::rules::refunds::{
    ItemWorth, NewRefund, PaymentLeft, RefundItem, RefundOf, item_worths, part, sources,
};
use super::super::rules::{
    OrderError, OrderRecord, PaymentMethod, PaymentRow, RefundItemRow, RefundRow, Result, TaxRow,
};
use super::super::store;
use super::invoices;
use super::voids::{self, Settle};
use crate::access::{Actor, Approver, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets::rules::Outlet;
use crate::resources::{kitchen, outlets};
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// Gives money back and makes the credit note, whose id it answers.
///
/// # Errors
/// All offending fields, among them an amount or quantity above what is left; [`OrderError::State`] for portions of an order
/// that is neither billed nor paid; 403 or a wrong PIN without the right.
pub fn refund(tx: &Tx<'_>, actor: &Actor, id: Uuid, new: &NewRefund, pin: &ApproverPin) -> Result<Uuid> {
    let mut order = store::find(tx, actor.outlet_id, id)?;
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    let gone = store::sum_refunded_portions(tx, order.id, order.invoice_id)?;
    let items = wanted_items(&order, &gone, new)?;
    let (amount, field) = match (&items, &new.of) {
        (Some(items), RefundOf::Items(_)) => (Cents::sum(items.iter().map(|item| item.amount))?, "items"),
        (_, RefundOf::Amount(amount)) => (*amount, "amountCents"),
        (None, RefundOf::Items(_)) => (Cents::ZERO, "items"),
    };
    let payments = store::list_payments(tx, order.id)?;
    let left: Vec<PaymentLeft> = payments
        .iter()
        .map(|p| p.amount.minus(p.refunded).map(|left| PaymentLeft { id: p.id, left }))
        .collect::<Result<_, _>>()?;
    let from = sources(amount, &left, new.payment_id, field)?;
    if items.is_none() {
        check_cash_step(order.terms.cash_rounding, &payments, &left, &from)?;
    }
    if items.is_some() && order.invoice_id.is_none() {
        if order.due() > Cents::ZERO {
            let why = "The order is neither billed nor paid in full: void the lines instead";
            return Err(OrderError::State(why.into()));
        }
        invoices::bill(tx, actor, &mut order)?;
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let taxes = store::list_taxes(tx, order.id)?;
    let credit = credit_of(&order, items.as_deref(), &gone, &taxes, amount, &new.reason)?;
    let (note_id, note) = invoices::credit(tx, actor, &outlet, &order, credit)?;
    let parts = Parts { order: &order, outlet: &outlet, note: note_id, approver: approver.as_ref(), new };
    parts.give_back(tx, actor, &payments, &from)?;
    parts.take_back(tx, actor, items.as_deref().unwrap_or_default())?;
    record(tx, actor, &order, &note, new, approver)?;
    if order.invoice_id.is_some() {
        order.refunded = order.refunded.plus(amount)?;
    } else {
        order.paid = order.paid.minus(amount)?;
    }
    store::update(tx, &mut order)?;
    Ok(note_id)
}

/// Refuses cash that cannot be handed over: an amount between two steps of the order's cash rounding, but for all that is left.
fn check_cash_step(
    step: Cents,
    payments: &[PaymentRow],
    left: &[PaymentLeft],
    from: &[(Uuid, Cents)],
) -> Result<()> {
    for (id, amount) in from {
        let is_cash = payments.iter().any(|p| p.id == *id && p.method == PaymentMethod::Cash);
        let is_rest = left.iter().any(|payment| payment.id == *id && payment.left == *amount);
        if is_cash && !is_rest && step > Cents::ZERO && amount.get() % step.get() != 0 {
            let reason = format!("must give back a multiple of {} in cash", step.get());
            return Err(OrderError::field("amountCents", reason));
        }
    }
    Ok(())
}

/// The portions that come back: those named, or all of them when the whole order is to go back into stock.
fn wanted_items(
    order: &OrderRecord,
    gone: &HashMap<Uuid, i64>,
    new: &NewRefund,
) -> Result<Option<Vec<ItemWorth>>> {
    let refunded: Vec<i64> =
        order.lines.iter().map(|line| gone.get(&line.id).copied().unwrap_or(0)).collect();
    match &new.of {
        RefundOf::Items(items) => Ok(Some(item_worths(order, &refunded, items)?)),
        RefundOf::Amount(_) if !new.restock => Ok(None),
        RefundOf::Amount(amount) => {
            if *amount != order.total || order.refunded != Cents::ZERO {
                return Err(OrderError::field("restock", "needs items: name the portions that come back"));
            }
            let all: Vec<RefundItem> = order
                .lines
                .iter()
                .filter(|line| line.quantity > 0)
                .map(|line| RefundItem { order_item_id: line.id, quantity: line.quantity })
                .collect();
            Ok(Some(item_worths(order, &refunded, &all)?))
        }
    }
}

/// The credit note's lines and taxes.
fn credit_of<'a>(
    order: &OrderRecord,
    items: Option<&[ItemWorth]>,
    gone: &HashMap<Uuid, i64>,
    taxes: &[TaxRow],
    amount: Cents,
    reason: &'a str,
) -> Result<invoices::Credit<'a>> {
    let Some(items) = items else {
        return Ok(invoices::Credit { amount, lines: Vec::new(), taxes: None, reason });
    };
    let mut lines = Vec::with_capacity(items.len());
    let mut back = Vec::new();
    let mut gone = gone.clone();
    for item in items {
        let Some(line) = order.lines.get(item.line) else { continue };
        let from = gone.entry(line.id).or_default();
        let to = from.saturating_add(item.quantity);
        let share = |whole: Cents| part(whole, *from, to, line.quantity);
        let mut line_tax = Cents::ZERO;
        for tax in taxes.iter().filter(|tax| tax.order_item_id == line.id) {
            let tax_cents = share(tax.line.tax)?;
            line_tax = line_tax.plus(tax_cents)?;
            let taxable_cents = share(tax.line.taxable)?;
            back.push(BillTax {
                name: tax.line.name.clone(),
                rate_bps: tax.line.rate,
                taxable_cents,
                tax_cents,
            });
        }
        lines.push(BillLine {
            order_item_id: line.id,
            name: line.name.clone(),
            modifiers: Vec::new(),
            hsn_sac: line.hsn_sac.clone(),
            quantity: item.quantity,
            unit_price_cents: line.unit_price.plus(line.modifiers_total)?,
            gross_cents: line.gross_of(item.quantity)?,
            discount_cents: share(line.discount)?,
            service_charge_cents: share(line.service_charge)?,
            tax_cents: line_tax,
            amount_cents: item.amount,
        });
        *from = to;
    }
    let taxes = super::super::rules::credits::by_component(back)?;
    Ok(invoices::Credit { amount, lines, taxes: Some(taxes), reason })
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

    /// The portions. What the kitchen has begun cannot go back on a shelf: its stock stays used.
    fn take_back(&self, tx: &Tx<'_>, actor: &Actor, items: &[ItemWorth]) -> Result<()> {
        for item in items {
            let Some(line) = self.order.lines.get(item.line) else { continue };
            let restocked = self.new.restock && !kitchen::actions::started(tx, line.id)?;
            if restocked {
                let settle = Settle { quantity: item.quantity, was_made: false, cause: "REFUND", already: 0 };
                voids::settle_stock(tx, actor, self.outlet, line, settle)?;
            }
            let row = RefundItemRow {
                order_item_id: line.id,
                quantity: item.quantity,
                amount: item.amount,
                restocked,
            };
            store::insert_refund_item(tx, self.order, self.note, &row)?;
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
