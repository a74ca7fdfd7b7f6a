//! Lines after the order was taken. Commands are for single lines, never "replace the order": two waiters who add at once
//! both keep what they added.

use super::super::rules::{LineRecord, LineRequest, OrderError, OrderRecord, Result};
use super::super::store;
use super::voids::{self, Settle};
use super::{changeable, dispatch, place, reprice};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Patch;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::kitchen::rules::TicketType;
use crate::resources::menu::rules::LocalNow;
use crate::resources::{kitchen, menu, outlets};
use tiffin_common::Uuid;

/// The most lines one order holds.
pub const MAX_LINES: usize = 500;

/// Adds lines: the kitchen gets a ticket with only these.
///
/// # Errors
/// As [`place`](super::place()); [`OrderError::State`] when the order is closed or billed.
pub fn add_lines(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    requests: &[LineRequest],
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    if order.lines.len().saturating_add(requests.len()) > MAX_LINES {
        return Err(OrderError::field("items", format!("would give the order more than {MAX_LINES} lines")));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let (may_override, approver) = place::price_approver(tx, actor, pin)?;
    let mut drafts = place::resolve(tx, &outlet, requests, may_override)?;
    let first = order.lines.iter().map(|line| line.line_number).max().unwrap_or(0).saturating_add(1);
    for (number, draft) in (first..).zip(&mut drafts) {
        place::prepare_line(tx, actor, draft, number);
        store::insert_lines(tx, &order, std::slice::from_ref(&draft.line))?;
        if let Some(menu_price) = draft.overridden {
            let entry = Entry::new("order.price_override", "order", Some(order.id))
                .before(&serde_json::json!({"item": draft.name, "unitPriceCents": menu_price}))
                .after(&serde_json::json!({"item": draft.name, "unitPriceCents": draft.line.unit_price}))
                .approver(approver.clone());
            audit::actions::record(tx, actor, entry)?;
        }
    }
    let added: Vec<_> = drafts.iter().map(|draft| draft.line.clone()).collect();
    order.lines.extend(added.iter().cloned());
    if order.dispatched_at.is_some() {
        place::count_down(tx, actor, &drafts)?;
        dispatch::deduct(tx, actor, &outlet, &order, &added)?;
        dispatch::send(tx, actor, &order, &drafts, TicketType::Addition)?;
    }
    reprice(tx, &mut order, &[])?;
    Ok(order)
}

/// A change of one line.
#[derive(Debug, Clone)]
pub struct LineChange {
    /// The new quantity.
    pub quantity: Option<i64>,
    /// The new notes.
    pub notes: Patch<String>,
}

/// Changes quantity or notes of a line the kitchen has not begun. More of it is taken out of stock and sent; less goes back
/// and comes off its ticket.
///
/// # Errors
/// [`OrderError::State`] when it has been started: void it and order anew.
pub fn change_line(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    line_id: Uuid,
    expected: Option<i64>,
    change: LineChange,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, expected)?;
    let index =
        order.lines.iter().position(|line| line.id == line_id).ok_or(OrderError::NotFound("order item"))?;
    let mut line = order.lines.swap_remove(index);
    if line.quantity == 0 {
        return Err(OrderError::State("The line has been taken off: add it anew".into()));
    }
    if kitchen::actions::started(tx, line.id)? {
        return Err(OrderError::State("The kitchen has begun: void it and add it anew".into()));
    }
    let before = line.clone();
    line.notes = change.notes.apply(line.notes.take());
    line.quantity = change.quantity.unwrap_or(line.quantity);
    line.gross = line.gross_of(line.quantity)?;
    let more = line.quantity.saturating_sub(before.quantity);
    order.lines.push(line.clone());
    order.lines.sort_by_key(|line| line.line_number);
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    if more > 0 {
        let now = LocalNow::new(tx.now(), outlet.timezone);
        let dish = menu::store::list_sellable(tx, outlet.id, &[line.menu_item_id], &now)?.pop();
        let reason = match &dish {
            None => Some("is no longer on the menu"),
            Some(dish) => dish.unavailable,
        };
        if let Some(reason) = reason {
            return Err(OrderError::field("quantity", format!("cannot be more: it {reason}")));
        }
        let extra = LineRecord { quantity: more, ..line.clone() };
        if dispatch::is_taken(tx, &order, &line)? {
            dispatch::take_more(tx, actor, &extra)?;
            dispatch::deduct(tx, actor, &outlet, &order, &[extra])?;
        }
    } else if more < 0 && dispatch::is_taken(tx, &order, &line)? {
        let quantity = more.saturating_neg();
        let settle = Settle { quantity, was_made: false, cause: "ORDER_ITEM_CHANGE", already: 0 };
        voids::settle_stock(tx, actor, &outlet, &line, settle)?;
    }
    if order.dispatched_at.is_some() && (more != 0 || line.notes != before.notes) {
        let notes = (line.notes != before.notes).then(|| line.notes.clone());
        kitchen::actions::amend_line(tx, actor, line.id, line.quantity, notes)?;
    }
    if more < 0 {
        let entry = Entry::new("order.line_change", "order", Some(order.id))
            .before(&serde_json::json!({"item": line.name, "quantity": before.quantity}))
            .after(&serde_json::json!({"item": line.name, "quantity": line.quantity}));
        audit::actions::record(tx, actor, entry)?;
    }
    reprice(tx, &mut order, &[line.id])?;
    Ok(order)
}
