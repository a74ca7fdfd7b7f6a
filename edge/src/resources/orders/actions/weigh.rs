//! A weighed line that weighs otherwise than was said. Less of it comes off as at a void; more is taken out of stock. Never its price per unit,
//! nor its modifiers, which count once whatever it weighs.

use super::super::rules::voids::VoidKind;
use super::super::rules::{LineRecord, OrderError, OrderRecord, Result};
use super::super::store;
use super::voids::{CHANGE, Gone, Off, Settle, ask_leave, settle_stock};
use super::{discounts, dispatch};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::inventory;
use crate::resources::inventory::rules::{Cause, Portions};
use crate::resources::outlets::rules::Outlet;
use tiffin_common::Quantity;

/// Settles the stock of a line that was `before` and weighs `weight` now, and puts on record what came off: `reason` says why, `was_made` whether it had been made. The caller writes the line.
pub(super) fn weigh_anew(
    tx: &Tx<'_>,
    actor: &Actor,
    (outlet, order): (&Outlet, &OrderRecord),
    (before, weight): (&LineRecord, Quantity),
    (reason, was_made): (Option<&str>, Option<bool>),
    pin: &ApproverPin,
) -> Result<()> {
    let was = before.weight.unwrap_or(Quantity::ZERO);
    let after = LineRecord { weight: Some(weight), ..before.clone() };
    let apart = |weight| LineRecord { weight: Some(weight), modifiers: Vec::new(), ..before.clone() };
    if weight > was {
        // It is on the bill already: a count, an "86", hours and the menu are about the next one.
        return match dispatch::is_taken(tx, order, before)? {
            true => take(tx, actor, (outlet, order), &apart(weight.minus(was)?)),
            false => Ok(()),
        };
    }
    let leave = ask_leave(tx, actor, (outlet, order), &[before], reason, pin)?;
    let mut lighter = order.clone();
    for line in lighter.lines.iter_mut().filter(|line| line.id == before.id) {
        line.gross = after.gross_of(after.quantity)?;
    }
    let approver = discounts::ask_leave(tx, actor, (outlet, &lighter), pin)?;
    let off = Off { outlet, order, kind: VoidKind::Less, leave: &leave };
    let (fewer, was_made) = (apart(was.minus(weight)?), off.is_made(before, was_made));
    let mut cost_micros = 0;
    if dispatch::is_taken(tx, order, before)? {
        // All of it goes back, and what it needs now is taken anew: what its modifiers took does not hang on its weight.
        let outstanding = store::sum_outstanding(tx, before.root())?;
        let portions = Portions { order_item_id: before.root(), quantity: outstanding, outstanding };
        inventory::actions::return_line(tx, actor, outlet, portions, &Cause::new(CHANGE, Some(before.id)))?;
        if was_made {
            take(tx, actor, (outlet, order), &fewer)?;
            let settle = Settle { quantity: outstanding, was_made, cause: CHANGE, already: 0 };
            cost_micros = settle_stock(tx, actor, outlet, &fewer, settle)?;
        }
        take(tx, actor, (outlet, order), &after)?;
    }
    let amount = before.gross_of(before.quantity)?.minus(after.gross_of(after.quantity)?)?;
    off.record(
        tx,
        actor,
        before.id,
        Gone { quantity: 0, weight: fewer.weight, amount, was_made, cost_micros },
    )?;
    let mut entry = Entry::new("order.line_change", "order", Some(order.id))
        .before(&serde_json::json!({"item": before.name, "weight": before.amount()}))
        .after(&serde_json::json!({
            "item": before.name, "weight": after.amount(), "amountCents": amount, "wasMade": was_made
        }))
        .approver(leave.approver.or(approver));
    if let Some(reason) = reason {
        entry = entry.reason(reason);
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// Takes what `line` needs out of stock; what is short is the weight's.
fn take(
    tx: &Tx<'_>,
    actor: &Actor,
    (outlet, order): (&Outlet, &OrderRecord),
    line: &LineRecord,
) -> Result<()> {
    let of_weight = |field: FieldError| FieldError::new("weight", field.reason);
    dispatch::deduct(tx, actor, outlet, order, std::slice::from_ref(line)).map_err(|error| match error {
        OrderError::Invalid(fields) => OrderError::Invalid(fields.into_iter().map(of_weight).collect()),
        other => other,
    })
}
