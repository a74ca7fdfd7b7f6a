//! What can happen to an order. One function per state change; every one runs in its caller's transaction and leaves lines,
//! prices, stock, kitchen, table and histories in step.

pub mod amend;
mod back;
pub mod channels;
pub mod command;
pub mod corrections;
pub mod credits;
pub mod discounts;
pub mod dispatch;
pub mod invoices;
pub mod lines;
pub mod merge;
pub mod payments;
pub mod place;
pub mod qr;
pub mod quote;
pub mod receipts;
pub mod refunds;
pub mod returns;
pub mod schedule;
pub mod service_charge;
pub mod split;
pub mod status;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod voids;
mod weigh;

pub use amend::amend;
pub use corrections::{correct, reverse};
pub use credits::{credit_note, write_off};
pub use discounts::{discount, remove_discount};
pub use dispatch::{fire, follow_kitchen};
pub use invoices::withdraw;
pub use lines::{add_lines, change_line};
pub use merge::merge;
pub use payments::pay;
pub use place::place;
pub use qr::place_guest;
pub use quote::{quote, quote_guest};
pub use receipts::invoice;
pub use refunds::refund;
pub use split::split;
pub use status::set_status;
pub use tables::{merge_tables, move_table};
pub use voids::void_line;

use super::rules::price::{Reduction, price};
use super::rules::{DiscountRecord, History, OrderError, OrderRecord, OrderStatus, Priced, Result, numbers};
use super::store;
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::http::Stale;
use chrono::NaiveDate;
use tiffin_common::Uuid;

/// The order of that id, if it may still be changed: neither closed nor billed.
///
/// # Errors
/// [`OrderError::NotFound`], [`OrderError::Stale`] when `expected` is not its version, [`OrderError::State`].
pub fn changeable(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<OrderRecord> {
    let order = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, order.version)?;
    if order.status.is_final() {
        return Err(OrderError::State(format!("The order is {}: it can no longer be changed", order.status)));
    }
    if order.invoice_id.is_some() || order.slip_id.is_some() {
        return Err(OrderError::State(
            "The bill has been made: refund what is wrong, or take a new order".into(),
        ));
    }
    Ok(order)
}

/// The next token of the outlet's trading day `date`, and the order number that it stands in.
fn next_order_number(tx: &Tx<'_>, outlet: Uuid, code: &str, date: NaiveDate) -> db::Result<(i64, String)> {
    let life = store::find_life(tx, outlet)?;
    let token = store::next_number(tx, outlet, &numbers::order_series(date, life))?;
    Ok((token, numbers::order_number(code, date, life, token)))
}

/// Puts on record that `order` came from `from` to where it is.
pub(super) fn put_on_record(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &OrderRecord,
    from: Option<OrderStatus>,
    reason: Option<String>,
) -> db::Result<History> {
    let (id, at, by_id, by) = (tx.new_id(), tx.now(), actor.account_id, actor.name.clone());
    let history = History { id, from, to: order.status, at, by_id, by, reason };
    store::insert_history(tx, order, &history)?;
    Ok(history)
}

/// The discounts as the price rules take them.
pub(super) fn reductions(order: &OrderRecord, discounts: &[DiscountRecord]) -> Vec<Reduction> {
    let index = |id: Uuid| order.lines.iter().position(|line| line.id == id).unwrap_or(usize::MAX);
    discounts
        .iter()
        .map(|d| Reduction { line: d.order_item_id.map(index), kind: d.kind, value: d.value })
        .collect()
}

/// Prices `order` anew from its lines and discounts and writes what changed: the order, its tax lines, the amounts of its
/// discounts, and its lines (those in `touched` in any case). Call it after every change before the invoice.
///
/// # Errors
/// [`OrderError::State`] when more has been paid than would be left to pay.
pub fn reprice(tx: &Tx<'_>, order: &mut OrderRecord, touched: &[Uuid]) -> Result<Priced> {
    let discounts = store::list_discounts(tx, order.id)?;
    let priced = price(&order.terms, &order.price_lines(), &reductions(order, &discounts))?;
    let kept = order.paid.minus(order.refunded)?;
    if priced.total < kept {
        let paid = kept.get();
        return Err(OrderError::State(format!(
            "{paid} has been paid, more than would be left to pay: give money back first"
        )));
    }
    let before: Vec<_> =
        order.lines.iter().map(|l| (l.subtotal, l.discount, l.service_charge, l.tax)).collect();
    order.set_price(&priced)?;
    for (line, before) in order.lines.iter_mut().zip(before) {
        if touched.contains(&line.id)
            || before != (line.subtotal, line.discount, line.service_charge, line.tax)
        {
            store::update_line(tx, line)?;
        }
    }
    for (given, amounts) in discounts.iter().zip(priced.reductions.iter().zip(&priced.net_reductions)) {
        if (&given.amount, &given.net) != amounts {
            store::set_discount_amount(tx, given.id, *amounts.0, *amounts.1)?;
        }
    }
    store::update_taxes(tx, order, &priced, false)?;
    store::update(tx, order)?;
    Ok(priced)
}
