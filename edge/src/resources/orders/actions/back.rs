//! What comes back of a bill or of a slip: portions with what they were charged at, or an amount; the credit note of it, and where the
//! portions go. Never moves money.

use super::super::rules::credits::{Returned, by_component};
use super::super::rules::invoices::{Bill, BillLine, BillTax};
use super::super::rules::refunds::{ItemWorth, RefundItem, RefundOf, item_worths, part};
use super::super::rules::{LineRecord, OrderError, OrderRecord, OrderStatus, RefundItemRow, Result, TaxRow};
use super::super::store;
use super::invoices;
use super::voids::{self, Settle};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::kitchen::{self, actions::Unwanted, rules::Progress};
use crate::resources::outlets::rules::{Outlet, TaxKind};
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

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
    pub(super) fn round_off(&mut self, step: Cents, odd: Cents) -> Result<()> {
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
    /// Cooks who still have some of them hear of it; answers what the order follows once it is written.
    pub(super) fn take_back(
        &self,
        tx: &Tx<'_>,
        actor: &Actor,
        (outlet, order): (&Outlet, &OrderRecord),
        note: Uuid,
        reason: &str,
    ) -> Result<Option<Progress>> {
        let mut gone = self.gone.clone();
        let mut progress = None;
        for item in self.items.iter().flatten() {
            let Some(line) = order.lines.get(item.line) else { continue };
            let restocked = self.restock && !kitchen::actions::started(tx, line.id)?;
            let settle =
                Settle { quantity: item.quantity, was_made: !restocked, cause: "REFUND", already: 0 };
            voids::settle_stock(tx, actor, outlet, line, settle)?;
            let from = gone.entry(line.id).or_default();
            let to = from.saturating_add(item.quantity);
            let left = line.quantity.saturating_sub(to);
            let unwanted = Unwanted {
                order_item: line.id,
                quantity: item.quantity,
                left,
                was_made: !restocked,
                is_handed_over: matches!(order.status, OrderStatus::Delivered | OrderStatus::Completed),
            };
            progress = kitchen::actions::cancel_line(tx, actor, unwanted, reason)?;
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
        Ok(progress)
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
    // Components come back with their combo.
    let is_left = |line: &LineRecord, gone: i64| line.quantity > gone && order.combo_of(line).is_none();
    let left = order.lines.iter().zip(refunded).filter(|(line, gone)| is_left(line, **gone));
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
        let Some(line) = order.lines.get(item.line).filter(|line| !line.is_combo()) else { continue };
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
            unit_price_cents: line.billed_price()?,
            gross_cents: line.gross_of(item.quantity)?,
            subtotal_cents: share(line.subtotal)?,
            discount_cents: share(line.discount)?,
            service_charge_cents: share(line.service_charge)?,
            tax_cents: line_tax,
            amount_cents: item.amount,
            supply: 0,
            charge_supply: None,
            combo: order.bill_combo(line, item.quantity)?,
            weight: line.weight,
            weight_unit: line.weight_unit,
            modifiers_cents: line.billed_apart(),
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
