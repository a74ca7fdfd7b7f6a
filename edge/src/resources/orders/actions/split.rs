//! Dividing an order (rules/split.rs says how). Lines keep their stock movements and kitchen tickets: nothing is deducted or
//! cooked again.

use super::super::rules::split::{Divisible, Portions, SplitBy, Take, divide, parts};
use super::super::rules::{DiscountRecord, LineRecord, OrderError, OrderRecord, Result};
use super::super::store;
use super::{changeable, dispatch, next_order_number, reprice};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::code_of;
use crate::resources::kitchen::{self, rules::Move};
use crate::resources::outlets;
use std::collections::HashMap;
use tiffin_common::{Cents, Overflow, Uuid};

/// Divides an order and answers all its parts, the order itself first. Equal shares leave it whole: they answer it alone.
///
/// # Errors
/// All offending fields; [`OrderError::State`] when it is closed, billed, waits for staff, or more has been paid than would
/// be left on it.
pub fn split(tx: &Tx<'_>, actor: &Actor, id: Uuid, by: &SplitBy) -> Result<Vec<OrderRecord>> {
    if let SplitBy::Equally(_) = by {
        return equally(tx, actor, id);
    }
    let mut order = changeable(tx, actor, id, None)?;
    if order.awaits_approval() {
        return Err(OrderError::State(format!("{} waits to be accepted first", order.order_number)));
    }
    let original = order.total;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let mut made = Vec::new();
    for takes in parts(&order, by)? {
        let mut new = new_order(tx, actor, &order, &outlet.code)?;
        let before = order.lines.clone();
        let moves = move_portions(tx, &mut order, &mut new, &takes)?;
        divide_discounts(tx, &before, &takes, &order, &new)?;
        let touched: Vec<Uuid> = order.lines.iter().map(|line| line.id).collect();
        reprice(tx, &mut new, &[])?;
        reprice(tx, &mut order, &touched)?;
        kitchen::actions::move_lines(tx, actor, &dispatch::ticket_order(&new), &moves)?;
        made.push(new);
    }
    settle(tx, &mut order, &mut made, original)?;
    let numbers: Vec<&str> = made.iter().map(|part| part.order_number.as_str()).collect();
    let entry = Entry::new("order.split", "order", Some(order.id))
        .before(&serde_json::json!({"totalAmountCents": original}))
        .after(&serde_json::json!({"totalAmountCents": order.total, "parts": numbers}));
    audit::actions::record(tx, actor, entry)?;
    made.insert(0, order);
    Ok(made)
}

fn equally(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Vec<OrderRecord>> {
    let order = store::find_head(tx, actor.outlet_id, id)?;
    if order.status.is_final() {
        return Err(OrderError::State(format!("The order is {}: it cannot be divided", order.status)));
    }
    if order.due() == Cents::ZERO {
        return Err(OrderError::State("Nothing is due that could be divided".into()));
    }
    Ok(vec![order])
}

/// An order beside `source`, of its trading day and at its table, with nothing on it yet.
fn new_order(tx: &Tx<'_>, actor: &Actor, source: &OrderRecord, outlet_code: &str) -> Result<OrderRecord> {
    let (token, order_number) = next_order_number(tx, source.outlet_id, outlet_code, source.business_date)?;
    let new = OrderRecord {
        id: tx.new_id(),
        order_number,
        token_number: token,
        gross: Cents::ZERO,
        subtotal: Cents::ZERO,
        discount: Cents::ZERO,
        service_charge: Cents::ZERO,
        tax: Cents::ZERO,
        rounding: Cents::ZERO,
        total: Cents::ZERO,
        paid: Cents::ZERO,
        refunded: Cents::ZERO,
        tip: Cents::ZERO,
        credited: Cents::ZERO,
        written_off: Cents::ZERO,
        guest_count: None,
        receipt_code: Some(code_of(&tx.random::<8>())),
        split_from_id: Some(source.id),
        external_id: None,
        merged_into_id: None,
        created_by: actor.account_id,
        clock_suspect: tx.is_clock_doubtful(),
        version: 1,
        created_at: tx.now(),
        updated_at: tx.now(),
        lines: Vec::new(),
        ..source.clone()
    };
    store::insert(tx, &new)?;
    super::put_on_record(tx, actor, &new, None, Some(format!("Split from {}", source.order_number)))?;
    Ok(new)
}

/// Moves portions: a whole line goes as it is, part of one becomes a line that shares its stock.
fn move_portions(
    tx: &Tx<'_>,
    order: &mut OrderRecord,
    new: &mut OrderRecord,
    takes: &[Take],
) -> Result<Vec<Move>> {
    let mut moves = Vec::with_capacity(takes.len());
    // Combos of which a part leaves, and the part.
    let mut combos: HashMap<Uuid, Uuid> = HashMap::new();
    for take in takes {
        let Some(index) = order.lines.iter().position(|line| line.id == take.order_item_id) else { continue };
        let line_number = i64::try_from(new.lines.len()).unwrap_or(i64::MAX).saturating_add(1);
        let Some(line) = order.lines.get_mut(index) else { continue };
        let moved = if take.quantity >= line.quantity {
            let mut whole = order.lines.remove(index);
            whole.line_number = line_number;
            store::set_line_order(tx, &mut whole, new.id)?;
            store::set_voids_order(tx, whole.id, order.id, new.id)?;
            whole
        } else {
            line.quantity = line.quantity.saturating_sub(take.quantity);
            line.gross = line.gross_of(line.quantity)?;
            let mut part = part_of(tx, line, take.quantity, line_number)?;
            combos.insert(line.id, part.id);
            part.combo_line_id = part.combo_line_id.map(|combo| combos.get(&combo).copied().unwrap_or(combo));
            store::insert_lines(tx, new, std::slice::from_ref(&part))?;
            part
        };
        moves.push(Move { from: take.order_item_id, to: moved.id, quantity: take.quantity });
        new.lines.push(moved);
    }
    Ok(moves)
}

fn part_of(tx: &Tx<'_>, line: &LineRecord, quantity: i64, line_number: i64) -> Result<LineRecord> {
    let mut part = LineRecord {
        id: tx.new_id(),
        line_number,
        quantity,
        voided_quantity: 0,
        gross: line.gross_of(quantity)?,
        subtotal: Cents::ZERO,
        discount: Cents::ZERO,
        service_charge: Cents::ZERO,
        tax: Cents::ZERO,
        split_from_id: Some(line.root()),
        version: 1,
        ..line.clone()
    };
    for modifier in &mut part.modifiers {
        modifier.id = tx.new_id();
    }
    Ok(part)
}

/// Gives every discount its part of both orders. `before` are the lines as they were.
fn divide_discounts(
    tx: &Tx<'_>,
    before: &[LineRecord],
    takes: &[Take],
    order: &OrderRecord,
    new: &OrderRecord,
) -> Result<()> {
    let discounts = store::list_discounts(tx, order.id)?;
    if discounts.is_empty() {
        return Ok(());
    }
    let taken = |id: Uuid| takes.iter().find(|take| take.order_item_id == id).map_or(0, |take| take.quantity);
    // What a combo comes to stands here with the combo, on which its discounts are.
    let gross = |line: &LineRecord| {
        let of_combo = before.iter().filter(|part| part.combo_line_id == Some(line.id));
        match line.is_component() {
            true => Ok(Cents::ZERO),
            false => Cents::sum(of_combo.map(|part| part.gross).chain([line.gross])),
        }
    };
    let portions: Vec<Portions> = before
        .iter()
        .map(|line| {
            gross(line).map(|gross| Portions { gross, quantity: line.quantity, taken: taken(line.id) })
        })
        .collect::<std::result::Result<_, Overflow>>()?;
    let index = |id: Uuid| before.iter().position(|line| line.id == id);
    let divisible: Vec<Divisible> = discounts
        .iter()
        .map(|d| Divisible {
            line: d.order_item_id.and_then(index),
            kind: d.kind,
            value: d.value,
            amount: d.amount,
        })
        .collect();
    for (discount, (leaves, stays)) in discounts.iter().zip(divide(&divisible, &portions)?) {
        let line = discount.order_item_id;
        if line.is_some_and(|id| new.line(id).is_some()) {
            store::set_discount_order(tx, discount.id, new.id)?;
            continue;
        }
        if leaves > 0 {
            let position = line.and_then(|id| takes.iter().position(|take| take.order_item_id == id));
            let to = position.and_then(|at| new.lines.get(at)).map(|line| line.id);
            let part =
                DiscountRecord { id: tx.new_id(), order_item_id: to, value: leaves, ..discount.clone() };
            store::insert_discount(tx, new, &part)?;
        }
        if stays == 0 {
            store::set_discount_removed(tx, discount.id)?;
        } else if stays != discount.value {
            store::set_discount(tx, discount.id, discount.kind, stays)?;
        }
    }
    Ok(())
}

/// Puts what counting by parts gained or lost on the order that was divided, and on its parts only where it would fall below
/// nothing: all of them add up to `original`. Where totals are rounded each part is, as any bill, and they add up to what that makes.
fn settle(tx: &Tx<'_>, order: &mut OrderRecord, made: &mut [OrderRecord], original: Cents) -> Result<()> {
    let sum = Cents::sum(made.iter().map(|part| part.total))?.plus(order.total)?;
    let mut odd = match order.terms.cash_rounding.get() {
        ..=1 => original.minus(sum)?,
        _ => Cents::ZERO,
    };
    for part in std::iter::once(&mut *order).chain(made) {
        let share = odd.max(Cents::ZERO.minus(part.total)?);
        if share == Cents::ZERO {
            continue;
        }
        part.total = part.total.plus(share)?;
        part.rounding = part.rounding.plus(share)?;
        odd = odd.minus(share)?;
        store::update(tx, part)?;
    }
    if order.total < order.paid.minus(order.refunded)? {
        let why = "More has been paid than would be left on the order: give money back first";
        return Err(OrderError::State(why.into()));
    }
    Ok(())
}
