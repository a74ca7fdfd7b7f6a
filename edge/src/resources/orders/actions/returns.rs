//! What the operator of a channel gave back to its guest: it takes back of the order's slip, and the channel pays so much less out. Never
//! makes a credit note: goods that the house billed beside the slip are refunded.

use super::super::rules::record::{LineRecord, OrderRecord};
use super::super::rules::refunds::{ItemWorth, NewRefund, RefundItem, RefundOf, item_worths, part};
use super::super::rules::slips::{SlipKind, SlipRow};
use super::super::rules::{OrderError, RefundRow, Result};
use super::super::store;
use super::back::{Back, all_that_is_left, is_rest};
use super::{channels, invoices};
use crate::access::{Actor, Approver, Permission};
use crate::db::{Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// Why the house gives nothing back of what is on a slip.
pub(super) const GIVES_BACK: &str =
    "The operator of its channel gives the guest's money back: enter that with /orders/{orderId}/slip/return";

/// What is to be taken back of a slip.
#[derive(Debug, Clone, Copy)]
struct Wanted<'a> {
    /// Portions, an amount, or, where none is named, all that is left.
    of: Option<&'a RefundOf>,
    restock: bool,
    reason: &'a str,
}

/// What the operator gave back to the guest of an order with a slip, and so does not pay out: an entry of its own date. Portions that
/// come back with it, or all with all that is left, are not sold after all.
///
/// # Errors
/// [`OrderError::State`] without a slip; an offending `amountCents` or `items`; 403 or a wrong PIN without the right.
pub fn take_back(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    (of, restock): (Option<&RefundOf>, bool),
    (reason, pin): (&str, &ApproverPin),
) -> Result<SlipRow> {
    let mut order = store::find(tx, actor.outlet_id, id)?;
    if order.slip_id.is_none() {
        let why = "The order has no slip: it is completed first, or has a bill of the house, which a refund takes back";
        return Err(OrderError::State(why.into()));
    }
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    let back = give_back(tx, actor, &mut order, Wanted { of, restock, reason }, approver.as_ref())?;
    store::update(tx, &mut order)?;
    Ok(back)
}

/// Makes the return, without writing the order.
fn give_back(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    wanted: Wanted<'_>,
    approver: Option<&Approver>,
) -> Result<SlipRow> {
    let left = left_of_slip(tx, order)?;
    let food = order.food()?;
    let portions = of_slip(tx, &food, left, wanted)?;
    let amount = portions.amount;
    if amount > left || amount <= Cents::ZERO {
        return Err(OrderError::field(portions.field, format!("must come to 1 to {}", left.get())));
    }
    let reason = wanted.reason;
    let slip = channels::slip(tx, actor, order, SlipKind::Return, amount)?;
    let back = SlipRow { reason: Some(reason.to_owned()), ..slip };
    store::insert_slip(tx, order.outlet_id, &back)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    portions.take_back(tx, actor, (&outlet, &food), back.id, reason)?;
    pay_out_less(tx, actor, order, &back)?;
    let entry = Entry::new("order.slip_return", "order", Some(order.id))
        .after(&serde_json::json!({"amountCents": amount, "number": back.number, "slipNumber": order.slip_number}))
        .reason(reason)
        .approver(approver.cloned());
    audit::actions::record(tx, actor, entry)?;
    Ok(back)
}

/// What earlier returns left of the slip of `order`.
fn left_of_slip(conn: &dyn Source, order: &OrderRecord) -> Result<Cents> {
    let slips = store::list_slips(conn, order.outlet_id, order.id)?;
    let sum =
        |kind: SlipKind| Cents::sum(slips.iter().filter(|slip| slip.kind == kind).map(|slip| slip.total));
    Ok(sum(SlipKind::Slip)?.minus(sum(SlipKind::Return)?)?)
}

/// What is `wanted` of the `food` of an order whose slip has so much `left`.
fn of_slip(tx: &Tx<'_>, food: &OrderRecord, left: Cents, wanted: Wanted<'_>) -> Result<Back> {
    let gone = store::sum_returned_portions(tx, food.id)?;
    let before = |line: &LineRecord| gone.get(&line.id).copied().unwrap_or(0);
    let refunded: Vec<i64> = food.lines.iter().map(before).collect();
    let (items, amount, field) = match wanted.of {
        Some(RefundOf::Items(items)) => {
            let items = item_worths(food, &refunded, items)?;
            let amount = if is_rest(food, &refunded, &items) { left } else { net_of(food, &gone, &items)? };
            (Some(items), amount.min(left), "items")
        }
        Some(RefundOf::Amount(amount)) if *amount != left => (None, *amount, "amountCents"),
        _ => (Some(all_that_is_left(food, &refunded)?), left, "amountCents"),
    };
    let restock = wanted.restock;
    if restock && items.is_none() {
        return Err(OrderError::field("restock", "needs items: name the portions that come back"));
    }
    Ok(Back { items, gone, amount, field, restock })
}

/// What `items` came to without tax, after their discounts.
fn net_of(order: &OrderRecord, gone: &HashMap<Uuid, i64>, items: &[ItemWorth]) -> Result<Cents> {
    let (mut net, mut gone) = (Cents::ZERO, gone.clone());
    for item in items {
        let Some(line) = order.lines.get(item.line) else { continue };
        let from = gone.entry(line.id).or_default();
        let to = from.saturating_add(item.quantity);
        net = net.plus(part(line.subtotal, *from, to, line.quantity)?)?;
        net = net.minus(part(line.discount, *from, to, line.quantity)?)?;
        *from = to;
    }
    Ok(net)
}

/// What a refund is of the bill of `order`: all of it, or, where the operator bills the food, what it asks for of the goods. What it asks
/// for of the food beside them is taken back of the slip, without writing the order.
///
/// # Errors
/// [`OrderError::State`] where it is of food alone; all offending fields.
pub(super) fn return_food(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    new: &NewRefund,
    approver: Option<&Approver>,
) -> Result<(RefundOf, Option<SlipRow>)> {
    if order.slip_id.is_none() {
        return Ok((new.of.clone(), None));
    }
    let (food, goods) = match &new.of {
        RefundOf::Items(items) => by_kind(tx, order, items)?,
        RefundOf::Amount(amount) => by_amount(tx, order, *amount)?,
    };
    let goods = goods.ok_or_else(|| OrderError::State(GIVES_BACK.into()))?;
    let Some(food) = food else { return Ok((goods, None)) };
    let wanted = Wanted { of: Some(&food), restock: new.restock, reason: &new.reason };
    let back = give_back(tx, actor, order, wanted, approver)?;
    Ok((goods, Some(back)))
}

/// What is asked for of the food, and of the goods.
type Shares = (Option<RefundOf>, Option<RefundOf>);

/// Portions of food are on the slip, those of goods on the bill.
fn by_kind(tx: &Tx<'_>, order: &OrderRecord, items: &[RefundItem]) -> Result<Shares> {
    let mut gone = store::sum_returned_portions(tx, order.id)?;
    gone.extend(store::sum_refunded_portions(tx, order.id, order.invoice_id)?);
    let before = |line: &LineRecord| gone.get(&line.id).copied().unwrap_or(0);
    // Whatever is wrong is named by its place in the whole list.
    item_worths(order, &order.lines.iter().map(before).collect::<Vec<_>>(), items)?;
    let is_goods = |item: &RefundItem| order.line(item.order_item_id).is_some_and(|line| line.is_goods);
    let (mut goods, food): (Vec<RefundItem>, Vec<RefundItem>) = items.iter().partition(|item| is_goods(item));
    // Goods in a combo that is on the slip are on the bill by themselves.
    for item in &food {
        let of_combo = order.lines.iter().filter(|line| line.combo_line_id == Some(item.order_item_id));
        let parts = of_combo.filter(|line| line.is_goods);
        goods.extend(parts.map(|line| RefundItem { order_item_id: line.id, ..*item }));
    }
    let some = |items: Vec<RefundItem>| (!items.is_empty()).then_some(RefundOf::Items(items));
    Ok((some(food), some(goods)))
}

/// An amount is of the bill, but that of all that is left of both.
fn by_amount(tx: &Tx<'_>, order: &OrderRecord, amount: Cents) -> Result<Shares> {
    let bill = order.invoice_id.ok_or(OrderError::NotFound("invoice"))?;
    let (food, goods) = (left_of_slip(tx, order)?, invoices::remainder(tx, order, bill)?.1.total);
    if goods == Cents::ZERO {
        return Ok((Some(RefundOf::Amount(amount)), None));
    }
    if food > Cents::ZERO && amount == food.plus(goods)? {
        return Ok((Some(RefundOf::Amount(food)), Some(RefundOf::Amount(goods))));
    }
    if amount > goods {
        let both = food.plus(goods)?.get();
        let reason = format!(
            "must be at most {}, which is left of the bill, or {both}, which is left of bill and slip",
            goods.get()
        );
        return Err(OrderError::field("amountCents", reason));
    }
    Ok((None, Some(RefundOf::Amount(amount))))
}

/// The channel pays so much less out; what it was not to pay out is credited.
fn pay_out_less(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord, back: &SlipRow) -> Result<()> {
    let mut rest = back.total;
    for payment in store::list_payments(tx, order.id)? {
        let amount = payment.amount.minus(payment.refunded)?.min(rest);
        if !payment.is_payout() || payment.is_reversed || amount <= Cents::ZERO {
            continue;
        }
        let row = RefundRow {
            id: tx.new_id(),
            payment_id: payment.id,
            credit_note_id: None,
            credit_note_number: None,
            method: payment.method,
            amount,
            reason: back.reason.clone().unwrap_or_default(),
            restock: false,
            drawer: None,
            business_date: back.business_date,
            at: back.at,
            by_id: actor.account_id,
            by: actor.name.clone(),
            approver_id: None,
            clock_suspect: back.clock_suspect,
        };
        if store::insert_refund(tx, order, &row)? {
            rest = rest.minus(amount)?;
        }
    }
    order.refunded = order.refunded.plus(back.total.minus(rest)?)?;
    order.credited = order.credited.plus(rest)?;
    Ok(())
}
