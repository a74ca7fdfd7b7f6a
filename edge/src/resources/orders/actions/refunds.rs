//! Money that goes back: never more than was paid, per payment and per line, whoever asks at the same time.
//!
//! A refund credits a bill: the credit note refers to the bill and lowers it by what is given back, so nothing becomes due again
//! (`refunded`). An order that is paid and has no bill gets it first; money that came in for one that is not is taken back by
//! reversing the payment. Where the operator of a channel bills the food, the bill is of the goods alone, and what is asked for of the
//! food is a return of the slip. What portions are paid back in cash is rounded as bills are. Portions that come back and cannot go back on a shelf are waste: what a dish sold leaves every figure.

use super::super::rules::credits::{Returned, by_component};
use super::super::rules::invoices::{Bill, BillLine, BillTax};
use super::super::rules::price::round_to;
use super::super::rules::refunds::{
    ItemWorth, NewRefund, PaymentLeft, RefundItem, RefundOf, item_worths, part, sources,
};
use super::super::rules::slips::SlipRow;
use super::super::rules::{
    OrderError, OrderRecord, PaymentMethod, PaymentRow, RefundItemRow, RefundRow, Result, TaxRow,
};
use super::super::store;
use super::voids::{self, Settle};
use super::{invoices, returns};
use crate::access::{Actor, Approver, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets::rules::{Outlet, TaxKind};
use crate::resources::{kitchen, outlets};
use std::collections::HashMap;
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
    back.take_back(tx, actor, (&outlet, &billed), note_id, &new.reason)?;
    record(tx, actor, &order, &note, new, approver)?;
    order.refunded = order.refunded.plus(back.amount)?;
    store::update(tx, &mut order)?;
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

/// What comes back of a bill.
pub(super) struct Back {
    /// The portions; none: an amount alone.
    pub(super) items: Option<Vec<ItemWorth>>,
    /// Portions of each line that came back before.
    pub(super) gone: HashMap<Uuid, i64>,
    /// What they were charged at.
    pub(super) amount: Cents,
    /// The field that was asked for.
    pub(super) field: &'static str,
    /// Whether what was not made goes back on its shelf.
    pub(super) restock: bool,
}

impl Back {
    /// Gives `odd` more, which is rounding: portions are paid back in coins of `step` as they were paid.
    fn round_off(&mut self, step: Cents, odd: Cents) -> Result<()> {
        let amount = self.amount.plus(odd)?;
        if self.field != "items" || amount <= Cents::ZERO {
            let reason = format!("must give back a multiple of {} in cash", step.get());
            return Err(OrderError::field(self.field, reason));
        }
        self.amount = amount;
        Ok(())
    }

    /// What `of` means for `order`, which has its bill: the portions that are named, or all that are left with all that is left of
    /// the bill.
    pub(super) fn find(tx: &Tx<'_>, order: &OrderRecord, of: &RefundOf, restock: bool) -> Result<Back> {
        let gone = store::sum_refunded_portions(tx, order.id, order.invoice_id)?;
        let refunded: Vec<i64> =
            order.lines.iter().map(|line| gone.get(&line.id).copied().unwrap_or(0)).collect();
        let (items, amount, field) = match of {
            RefundOf::Items(items) => {
                let items = item_worths(order, &refunded, items)?;
                let amount = if is_rest(order, &refunded, &items) {
                    all_of_bill(tx, order)?
                } else {
                    Cents::sum(items.iter().map(|item| item.amount))?
                };
                (Some(items), amount, "items")
            }
            RefundOf::Amount(amount) => {
                let is_all = *amount == all_of_bill(tx, order)?;
                if restock && !is_all {
                    return Err(OrderError::field(
                        "restock",
                        "needs items: name the portions that come back",
                    ));
                }
                let items = if is_all { Some(all_that_is_left(order, &refunded)?) } else { None };
                (items, *amount, "amountCents")
            }
        };
        Ok(Back { items, gone, amount, field, restock })
    }

    /// Makes the credit note of it.
    pub(super) fn credit(
        &self,
        tx: &Tx<'_>,
        actor: &Actor,
        (outlet, order): (&Outlet, &OrderRecord),
        reason: &str,
    ) -> Result<(Uuid, Bill)> {
        let taxes = store::list_taxes(tx, order.id)?;
        let credit = credit_of(order, self.items.as_deref(), &self.gone, &taxes, self.amount, reason)?;
        invoices::credit(tx, actor, outlet, order, credit)
    }

    /// The portions. What the kitchen has begun cannot go back on a shelf: it is thrown away, as is whatever nobody wants back there.
    pub(super) fn take_back(
        &self,
        tx: &Tx<'_>,
        actor: &Actor,
        (outlet, order): (&Outlet, &OrderRecord),
        note: Uuid,
        reason: &str,
    ) -> Result<()> {
        let mut gone = self.gone.clone();
        for item in self.items.iter().flatten() {
            let Some(line) = order.lines.get(item.line) else { continue };
            let restocked = self.restock && !kitchen::actions::started(tx, line.id)?;
            let settle =
                Settle { quantity: item.quantity, was_made: !restocked, cause: "REFUND", already: 0 };
            voids::settle_stock(tx, actor, outlet, line, settle)?;
            kitchen::actions::cancel_held(tx, actor, line.id, item.quantity, reason)?;
            let from = gone.entry(line.id).or_default();
            let to = from.saturating_add(item.quantity);
            let row = RefundItemRow {
                order_item_id: line.id,
                quantity: item.quantity,
                amount: item.amount,
                restocked,
                subtotal: part(line.subtotal, *from, to, line.quantity)?,
                discount: part(line.discount, *from, to, line.quantity)?,
                wasted: !restocked,
            };
            *from = to;
            store::insert_refund_item(tx, order, note, &row)?;
        }
        Ok(())
    }
}

/// What earlier credit notes left of the bill.
pub(super) fn all_of_bill(tx: &Tx<'_>, order: &OrderRecord) -> Result<Cents> {
    let bill = order.invoice_id.ok_or(OrderError::NotFound("invoice"))?;
    Ok(invoices::remainder(tx, order, bill)?.1.total)
}

/// Whether no portion is left once `items` are back: they bring all that is left of the bill, rounding and all.
pub(super) fn is_rest(order: &OrderRecord, refunded: &[i64], items: &[ItemWorth]) -> bool {
    order.lines.iter().zip(refunded).enumerate().all(|(at, (line, gone))| {
        let back = items.iter().filter(|item| item.line == at).map(|item| item.quantity);
        back.fold(*gone, i64::saturating_add) >= line.quantity
    })
}

/// Every portion that has not come back.
pub(super) fn all_that_is_left(order: &OrderRecord, refunded: &[i64]) -> Result<Vec<ItemWorth>> {
    let left = order.lines.iter().zip(refunded).filter(|(line, gone)| line.quantity > **gone);
    let items: Vec<RefundItem> = left
        .map(|(line, gone)| RefundItem {
            order_item_id: line.id,
            quantity: line.quantity.saturating_sub(*gone),
        })
        .collect();
    Ok(item_worths(order, refunded, &items)?)
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
        return Ok(invoices::Credit { amount, lines: Vec::new(), returned: None, reason });
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
                kind: TaxKind::default(),
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
            subtotal_cents: share(line.subtotal)?,
            discount_cents: share(line.discount)?,
            service_charge_cents: share(line.service_charge)?,
            tax_cents: line_tax,
            amount_cents: item.amount,
            supply: 0,
            charge_supply: None,
        });
        *from = to;
    }
    let sum = |pick: fn(&BillLine) -> Cents| Cents::sum(lines.iter().map(pick));
    let returned = Returned {
        goods: sum(|line| line.subtotal_cents)?.minus(sum(|line| line.discount_cents)?)?,
        service_charge: sum(|line| line.service_charge_cents)?,
        taxes: by_component(back)?,
    };
    Ok(invoices::Credit { amount, lines, returned: Some(returned), reason })
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
