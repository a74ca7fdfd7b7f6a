//! Lines after the order was taken. Commands are for single lines, never "replace the order": two waiters who add at once
//! both keep what they added.

use super::super::rules::payments::{CARD, holds_card_number};
use super::super::rules::voids::VoidKind;
use super::super::rules::{LineRecord, LineRequest, OrderError, OrderRecord, Result, Warning};
use super::super::store;
use super::voids::{Off, ask_leave, shrink};
use super::{changeable, dispatch, place, reprice, schedule};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, Patch};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::kitchen::rules::TicketType;
use crate::resources::menu::rules::LocalNow;
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use crate::resources::{kitchen, menu, outlets};
use tiffin_common::Uuid;

/// The most lines one order holds.
pub const MAX_LINES: usize = 500;

/// Adds lines: the kitchen gets a ticket with only these. Answers the order, and what of them was sold although it is unwise.
///
/// # Errors
/// As [`place`](super::place()); [`OrderError::State`] when the order is closed or billed.
pub fn add_lines(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    requests: &[LineRequest],
    pin: &ApproverPin,
) -> Result<(OrderRecord, Vec<Warning>)> {
    let mut order = changeable(tx, actor, id, None)?;
    if order.lines.len().saturating_add(requests.len()) > MAX_LINES {
        return Err(OrderError::field("items", format!("would give the order more than {MAX_LINES} lines")));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let (may_override, approver) = place::price_approver(tx, actor, pin)?;
    let selling = place::by_staff(&outlet, may_override);
    let mut drafts = match order.waits_for_its_time() {
        true => schedule::resolve_more(tx, &outlet, &order, requests, selling)?,
        false => place::resolve(tx, &outlet, tx.now(), requests, place::Wanted { selling, at: None })?.drafts,
    };
    check_holds(&order, requests)?;
    let first = order.lines.iter().map(|line| line.line_number).max().unwrap_or(0).saturating_add(1);
    for (number, draft) in (first..).zip(&mut drafts) {
        place::prepare_line(tx, actor, draft, number);
        store::insert_lines(tx, &order, std::slice::from_ref(&draft.line))?;
        place::record_overrides(tx, actor, (order.id, &draft.name), draft, approver.as_ref())?;
    }
    let added: Vec<_> = drafts.iter().map(|draft| draft.line.clone()).collect();
    order.lines.extend(added.iter().cloned());
    if order.dispatched_at.is_some() {
        place::count_down(tx, actor, &drafts)?;
        dispatch::deduct(tx, actor, &outlet, &order, &added)?;
        dispatch::send(tx, actor, &outlet, &order, &drafts, TicketType::Addition)?;
    }
    schedule::plan_anew(tx, &outlet, &mut order)?;
    reprice(tx, &mut order, &[])?;
    Ok((order, drafts.into_iter().flat_map(|draft| draft.warnings).collect()))
}

/// Lines are held at tables by staff alone.
fn check_holds(order: &OrderRecord, requests: &[LineRequest]) -> Result<()> {
    if order.table_number.is_some() && dispatch::may_hold(order.order_type, order.source, order.channel_id) {
        return Ok(());
    }
    let mut checks = Checks::new();
    for (index, line) in requests.iter().enumerate() {
        checks.require(!line.hold, format!("items[{index}].hold"), "is for what staff order at a table");
    }
    checks.finish(()).map_err(OrderError::Invalid)
}

/// A change of one line.
#[derive(Debug, Clone, Default)]
pub struct LineChange {
    /// The new quantity.
    pub quantity: Option<i64>,
    /// The new notes.
    pub notes: Patch<String>,
    /// Why it is less.
    pub reason: Option<String>,
    /// Whether what is less had been made; none: what the kitchen makes likely.
    pub was_made: Option<bool>,
}

/// Changes quantity or notes of a line. More, and other notes, only where the kitchen has not begun: it is taken out of stock and
/// sent. Less comes off its ticket as a void does.
///
/// # Errors
/// [`OrderError::State`] for more when it has been started: order it anew; for less, as [`void_line`](super::void_line).
pub fn change_line(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    line_id: Uuid,
    expected: Option<i64>,
    change: LineChange,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, expected)?;
    let before = order.line(line_id).ok_or(OrderError::NotFound("order item"))?.clone();
    if before.quantity == 0 {
        return Err(OrderError::State("The line has been taken off: add it anew".into()));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let mut line = before.clone();
    line.notes = change.notes.apply(line.notes.take());
    if line.notes.as_deref().is_some_and(holds_card_number) {
        return Err(OrderError::field("notes", CARD));
    }
    line.quantity = change.quantity.unwrap_or(line.quantity);
    let (is_less, is_noted) = (line.quantity < before.quantity, line.notes != before.notes);
    if (!is_less || is_noted) && kitchen::actions::started(tx, line.id)? {
        return Err(OrderError::State("The kitchen has begun: void it and add it anew".into()));
    }
    if is_less {
        let fewer = before.quantity.saturating_sub(line.quantity);
        let leave = ask_leave(tx, actor, (&outlet, &order), &[&before], change.reason.as_deref(), pin)?;
        let off = Off { outlet: &outlet, order: &order, kind: VoidKind::Less, leave: &leave };
        let was_made = off.take(tx, actor, &before, fewer, change.was_made, 0)?;
        line.quantity = shrink(&mut order, &before, fewer)?;
        let mut entry = Entry::new("order.line_change", "order", Some(order.id))
            .before(&serde_json::json!({"item": line.name, "quantity": before.quantity}))
            .after(&serde_json::json!({
                "item": line.name, "quantity": line.quantity, "wasMade": was_made
            }))
            .approver(leave.approver);
        if let Some(reason) = change.reason {
            entry = entry.reason(reason);
        }
        audit::actions::record(tx, actor, entry)?;
    } else if line.quantity > before.quantity {
        more(tx, actor, &outlet, &order, &before, line.quantity)?;
    }
    if order.dispatched_at.is_some() && (is_noted || line.quantity != before.quantity) {
        let notes = is_noted.then(|| line.notes.clone());
        kitchen::actions::amend_line(tx, actor, line.id, line.quantity, notes)?;
    }
    if let Some(there) = order.lines.iter_mut().find(|there| there.id == line.id) {
        (there.quantity, there.notes) = (line.quantity, line.notes);
        there.gross = there.gross_of(there.quantity)?;
    }
    reprice(tx, &mut order, &[line_id])?;
    Ok(order)
}

/// Takes what `line` needs more than before out of stock, where the dish is still to be had.
fn more(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &OrderRecord,
    before: &LineRecord,
    wanted: i64,
) -> Result<()> {
    let now = LocalNow::new(tx.now(), outlet.timezone);
    let dish = menu::store::list_sellable(tx, outlet.id, &[before.menu_item_id], &now)?.pop();
    // A dish that was sold before it had sizes is sold on as it was.
    let dish = match (dish, before.variant_id) {
        (Some(dish), Some(id)) => dish.variant(Some(id), None).ok().flatten().map(|one| dish.in_size(one)),
        (dish, _) => dish,
    };
    let reason = match &dish {
        None => Some("is no longer on the menu"),
        Some(dish) if dish.is_short() && outlet.stock_policy == StockPolicy::AllowNegative => None,
        Some(dish) => dish.unavailable,
    };
    if let Some(reason) = reason {
        return Err(OrderError::field("quantity", format!("cannot be more: it {reason}")));
    }
    let quantity = wanted.saturating_sub(before.quantity);
    let extra = LineRecord { quantity, gross: before.gross_of(quantity)?, ..before.clone() };
    if dispatch::is_taken(tx, order, before)? {
        dispatch::take_more(tx, actor, &extra)?;
        dispatch::deduct(tx, actor, outlet, order, &[extra])?;
    }
    Ok(())
}
