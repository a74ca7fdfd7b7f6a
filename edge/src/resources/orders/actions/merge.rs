//! Putting orders together: their lines move into one, which is priced anew; the others end as CANCELLED, naming it. Lines
//! keep their stock movements and kitchen tickets: nothing is deducted, returned or cooked again.

use super::super::rules::{DiscountKind, OrderError, OrderRecord, OrderStatus, Result};
use super::super::store;
use super::{changeable, dispatch, reprice};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::kitchen::{self, rules::Move};
use crate::resources::tables;
use tiffin_common::{Bps, Cents, Uuid};

/// Moves everything of `others` into the order `id` and answers it.
///
/// # Errors
/// All offending `orderIds`; [`OrderError::State`] when one is closed, billed, partly paid, waits for staff or was taken on
/// other terms.
pub fn merge(tx: &Tx<'_>, actor: &Actor, id: Uuid, others: &[Uuid]) -> Result<OrderRecord> {
    let mut target = changeable(tx, actor, id, None)?;
    let sources = sources(tx, actor, &target, others)?;
    let numbers: Vec<String> = sources.iter().map(|source| source.order_number.clone()).collect();
    let before = target.total;
    for source in sources {
        absorb(tx, actor, &mut target, source)?;
    }
    reprice(tx, &mut target, &[])?;
    let entry = Entry::new("order.merge", "order", Some(target.id))
        .before(&serde_json::json!({"totalAmountCents": before, "orders": numbers}))
        .after(&serde_json::json!({"totalAmountCents": target.total}));
    audit::actions::record(tx, actor, entry)?;
    Ok(target)
}

fn sources(tx: &Tx<'_>, actor: &Actor, target: &OrderRecord, others: &[Uuid]) -> Result<Vec<OrderRecord>> {
    let mut wrong = Vec::new();
    let mut found = Vec::with_capacity(others.len());
    for (index, other) in others.iter().enumerate() {
        let name = format!("orderIds[{index}]");
        if *other == target.id {
            wrong.push(FieldError::new(name, "is the order itself"));
            continue;
        }
        if others.iter().take(index).any(|earlier| earlier == other) {
            wrong.push(FieldError::new(name, "is named twice"));
            continue;
        }
        match changeable(tx, actor, *other, None) {
            Ok(source) => found.push(source),
            Err(OrderError::NotFound(_)) => wrong.push(FieldError::new(name, "is no order of this outlet")),
            Err(OrderError::State(why)) => return Err(OrderError::State(format!("{name}: {why}"))),
            Err(error) => return Err(error),
        }
    }
    if !wrong.is_empty() {
        return Err(OrderError::Invalid(wrong));
    }
    for order in found.iter().chain([target]) {
        check(target, order)?;
    }
    Ok(found)
}

fn check(target: &OrderRecord, order: &OrderRecord) -> Result<()> {
    let number = &order.order_number;
    if order.awaits_approval() {
        return Err(OrderError::State(format!("{number} waits to be accepted first")));
    }
    if order.waits_for_its_time() {
        return Err(OrderError::State(format!("{number} is for later: change its time first")));
    }
    if order.id != target.id && order.paid != Cents::ZERO {
        return Err(OrderError::State(format!(
            "{number} has been paid in part: settle it, or give the money back"
        )));
    }
    if order.channel_id != target.channel_id {
        return Err(OrderError::State(format!("{number} came through another channel")));
    }
    let (a, b) = (&target.terms, &order.terms);
    let same = a.prices_include_tax == b.prices_include_tax
        && a.service_charge == b.service_charge
        && (a.service_charge_taxed == b.service_charge_taxed || a.service_charge == Bps::default())
        && a.cash_rounding == b.cash_rounding;
    if same {
        return Ok(());
    }
    Err(OrderError::State(format!("{number} was taken on other terms of tax, service charge or rounding")))
}

/// The guests of both; none where nobody counted any.
fn together(these: Option<i64>, those: Option<i64>) -> Option<i64> {
    match (these, those) {
        (Some(these), Some(those)) => Some(these.saturating_add(those)),
        (one, other) => one.or(other),
    }
}

/// Moves everything of `source` into `target`, its guests too, and ends `source`. The server stays the target's.
fn absorb(tx: &Tx<'_>, actor: &Actor, target: &mut OrderRecord, mut source: OrderRecord) -> Result<()> {
    // A percentage of the whole source would become one of the whole target: it stays the amount it came to.
    for discount in store::list_discounts(tx, source.id)? {
        if discount.order_item_id.is_none() && discount.kind == DiscountKind::Percent {
            store::set_discount(tx, discount.id, DiscountKind::Fixed, discount.amount.get())?;
        }
        store::set_discount_order(tx, discount.id, target.id)?;
    }
    let last = target.lines.iter().map(|line| line.line_number).max().unwrap_or(0);
    let mut moves = Vec::with_capacity(source.lines.len());
    for (line, offset) in std::mem::take(&mut source.lines).iter_mut().zip(1..) {
        line.line_number = last.saturating_add(offset);
        store::set_line_order(tx, line, target.id)?;
        store::set_voids_order(tx, line.id, source.id, target.id)?;
        moves.push(Move { from: line.id, to: line.id, quantity: line.quantity });
        target.lines.push(line.clone());
    }
    kitchen::actions::move_lines(tx, actor, &dispatch::ticket_order(target), &moves)?;
    target.guest_count = together(target.guest_count, source.guest_count);
    reprice(tx, &mut source, &[])?;
    let from = source.status;
    source.status = OrderStatus::Cancelled;
    source.merged_into_id = Some(target.id);
    source.closed_at = Some(tx.now());
    store::update(tx, &mut source)?;
    let reason = format!("Merged into {}", target.order_number);
    super::put_on_record(tx, actor, &source, Some(from), Some(reason))?;
    match source.table_session_id.filter(|session| Some(*session) != target.table_session_id) {
        Some(session) => {
            tables::actions::leave_session(tx, actor, session)?;
            Ok(())
        }
        None => Ok(()),
    }
}
