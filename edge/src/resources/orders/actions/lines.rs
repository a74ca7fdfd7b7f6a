//! Lines after the order was taken. Commands are for single lines, never "replace the order": two waiters who add at once
//! both keep what they added.

use super::super::rules::payments::{CARD, holds_card_number};
use super::super::rules::voids::VoidKind;
use super::super::rules::{LineRecord, LineRequest, OrderError, OrderRecord, Result, Warning};
use super::super::store;
use super::voids::{Off, ask_leave, shrink, sold_as};
use super::weigh::weigh_anew;
use super::{changeable, discounts, dispatch, place, reprice, schedule};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, Patch};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::kitchen::actions::Amended;
use crate::resources::kitchen::rules::TicketType;
use crate::resources::menu::{LocalNow, Occasion};
use crate::resources::outlets::rules::Outlet;
use crate::resources::{channels, kitchen, menu, outlets};
use tiffin_common::{Quantity, Uuid};

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
    let (lists, occasion) = (menu::actions::price_lists(tx, outlet.id)?, occasion_of(tx, &order)?);
    let wanted = place::Wanted { selling, at: None, prices: (&lists, &occasion) };
    let mut drafts = match order.waits_for_its_time() {
        true => schedule::resolve_more(tx, &outlet, &order, requests, wanted)?,
        false => place::resolve(tx, &outlet, tx.now(), requests, wanted)?.drafts,
    };
    check_holds(&order, requests)?;
    let first = order.lines.iter().map(|line| line.line_number).max().unwrap_or(0).saturating_add(1);
    place::prepare_lines(tx, actor, &mut drafts, first);
    for draft in &drafts {
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

/// What the prices of more lines hang on: the order as it is now.
fn occasion_of(tx: &Tx<'_>, order: &OrderRecord) -> Result<Occasion> {
    let area = match order.table_id {
        Some(table) => menu::store::find_area(tx, order.outlet_id, table)?.flatten(),
        None => None,
    };
    let channel_list_id = match order.channel_id {
        Some(channel) => channels::store::find_list(tx, order.outlet_id, channel)?.flatten(),
        None => None,
    };
    let (order_type, channel_id) = (Some(order.order_type), order.channel_id);
    Ok(Occasion { order_type, channel_id, channel_list_id, area })
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
    /// What it weighs now.
    pub weight: Option<Quantity>,
    /// The new notes.
    pub notes: Patch<String>,
    /// Why it is less.
    pub reason: Option<String>,
    /// Whether what is less had been made; none: what the kitchen makes likely.
    pub was_made: Option<bool>,
}

/// Changes quantity, weight or notes of a line. More, and other notes, only where the kitchen has not begun: it is taken out of stock and
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
    let sold = sold_as(&order, line_id)?;
    let Some(before) = sold.first() else { return Err(OrderError::NotFound("order item")) };
    if before.quantity == 0 {
        return Err(OrderError::State("The line has been taken off: add it anew".into()));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let notes = change.notes.clone().apply(before.notes.clone());
    if notes.as_deref().is_some_and(holds_card_number) {
        return Err(OrderError::field("notes", CARD));
    }
    let weight = before.weighed_anew(change.quantity, change.weight).map_err(OrderError::Invalid)?;
    let quantity = change.quantity.unwrap_or(before.quantity);
    let is_less = quantity < before.quantity || weight < before.weight;
    let is_noted = notes != before.notes;
    for part in sold.iter().filter(|_| !is_less || is_noted) {
        if kitchen::actions::started(tx, part.id)? {
            return Err(OrderError::State("The kitchen has begun: void it and add it anew".into()));
        }
    }
    if let Some(weight) = weight.filter(|_| weight != before.weight) {
        weigh_anew(
            tx,
            actor,
            (&outlet, &order),
            (before, weight),
            (change.reason.as_deref(), change.was_made),
            pin,
        )?;
    } else if is_less {
        let fewer = before.quantity.saturating_sub(quantity);
        less(tx, actor, (&outlet, &mut order), (&sold, fewer), &change, pin)?;
    } else if quantity > before.quantity {
        more(tx, actor, &outlet, &order, &sold, quantity)?;
    }
    for part in &sold {
        let is_other = is_noted || quantity != before.quantity || weight != before.weight;
        if order.dispatched_at.is_some() && !part.is_combo() && is_other {
            let amended = Amended { quantity, weight, notes: is_noted.then(|| notes.clone()) };
            kitchen::actions::amend_line(tx, actor, part.id, amended)?;
        }
        if let Some(there) = order.lines.iter_mut().find(|there| there.id == part.id) {
            (there.quantity, there.weight, there.notes) = (quantity, weight, notes.clone());
            there.gross = there.gross_of(there.quantity)?;
        }
    }
    reprice(tx, &mut order, &sold.iter().map(|part| part.id).collect::<Vec<_>>())?;
    Ok(order)
}

/// Takes `fewer` portions off what is `sold` as one line.
fn less(
    tx: &Tx<'_>,
    actor: &Actor,
    (outlet, order): (&Outlet, &mut OrderRecord),
    (sold, fewer): (&[LineRecord], i64),
    change: &LineChange,
    pin: &ApproverPin,
) -> Result<()> {
    let Some(before) = sold.first() else { return Ok(()) };
    let all: Vec<&LineRecord> = sold.iter().collect();
    let leave = ask_leave(tx, actor, (outlet, order), &all, change.reason.as_deref(), pin)?;
    let mut was_made = false;
    for part in sold {
        let off = Off { outlet, order, kind: VoidKind::Less, leave: &leave };
        was_made |= off.take(tx, actor, part, fewer, change.was_made, 0)?;
        shrink(order, part, fewer)?;
    }
    let approver = discounts::ask_leave(tx, actor, (outlet, order), pin)?;
    let left = before.quantity.saturating_sub(fewer);
    let mut entry = Entry::new("order.line_change", "order", Some(order.id))
        .before(&serde_json::json!({"item": before.name, "quantity": before.quantity}))
        .after(&serde_json::json!({"item": before.name, "quantity": left, "wasMade": was_made}))
        .approver(leave.approver.or(approver));
    if let Some(reason) = &change.reason {
        entry = entry.reason(reason);
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// Takes what is `sold` as one line and is to be `wanted` now needs more than before out of stock, where its dishes are still to be had.
fn more(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &OrderRecord,
    sold: &[LineRecord],
    wanted: i64,
) -> Result<()> {
    let now = LocalNow::new(tx.now(), outlet.timezone);
    let mut extra = Vec::with_capacity(sold.len());
    for before in sold {
        dispatch::demand_more(tx, outlet, before, &now)?;
        let quantity = wanted.saturating_sub(before.quantity);
        let more = LineRecord { quantity, gross: before.gross_of(quantity)?, ..before.clone() };
        if dispatch::is_taken(tx, order, before)? {
            dispatch::take_more(tx, actor, &more)?;
            extra.push(more);
        }
    }
    dispatch::deduct(tx, actor, outlet, order, &extra)
}
