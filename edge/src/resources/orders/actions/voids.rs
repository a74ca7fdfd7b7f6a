//! Taking portions off a bill: by a void, a smaller quantity, or with the whole order. What the kitchen was told of comes off with
//! somebody's leave alone, and whatever comes off is on record with both people. Each portion can be taken off once; what it took from stock goes back to the same batches, or
//! becomes waste with its cost when it had been made.

use super::super::rules::combos::PART_OF_A_COMBO;
use super::super::rules::voids::{Known, VoidKind};
use super::super::rules::{LineRecord, OrderError, OrderRecord, Result, VoidRow};
use super::super::store;
use super::dispatch::{self, follow_kitchen};
use super::{changeable, discounts, reprice};
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::inventory::rules::{Cause, MadeDish, Portions};
use crate::resources::kitchen::actions::Unwanted;
use crate::resources::outlets::rules::Outlet;
use crate::resources::{inventory, kitchen, menu, outlets};
use std::collections::HashMap;
use tiffin_common::{Cents, Quantity, Uuid};

/// What is recorded where nobody has to give a reason.
const AT_ONCE: &str = "Taken off at once";

/// What the stock's ledger shows as the cause where there is to be less of a line.
pub(super) const CHANGE: &str = "ORDER_ITEM_CHANGE";

/// What is taken off.
#[derive(Debug, Clone)]
pub struct VoidLine {
    /// How many portions; none: all that are left.
    pub quantity: Option<i64>,
    /// Why.
    pub reason: String,
    /// Whether they had been made; none: what the kitchen makes likely.
    pub was_made: Option<bool>,
}

/// Takes portions off a line.
///
/// # Errors
/// 403 or a wrong PIN without the right, or where discounts become more than who gave them may give; an offending `quantity`; [`OrderError::State`] when the order is closed or billed.
pub fn void_line(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    line_id: Uuid,
    void: &VoidLine,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let sold = sold_as(&order, line_id)?;
    let Some(line) = sold.first() else { return Err(OrderError::NotFound("order item")) };
    let all: Vec<&LineRecord> = sold.iter().collect();
    let leave = ask_leave(tx, actor, (&outlet, &order), &all, Some(&void.reason), pin)?;
    if line.quantity == 0 {
        return Err(OrderError::State("The line has been taken off already".into()));
    }
    let quantity = void.quantity.unwrap_or(line.quantity);
    if quantity > line.quantity {
        return Err(OrderError::field("quantity", format!("must be at most {}", line.quantity)));
    }
    let (mut was_made, mut progress) = (false, None);
    for part in &sold {
        let off = Off { outlet: &outlet, order: &order, kind: VoidKind::Void, leave: &leave };
        let is_made = off.take(tx, actor, part, quantity, void.was_made, 0)?;
        let left = shrink(&mut order, part, quantity)?;
        was_made |= is_made;
        if order.dispatched_at.is_some() && !part.is_combo() {
            let unwanted =
                Unwanted { order_item: part.id, quantity, left, was_made: is_made, is_handed_over: false };
            progress = kitchen::actions::cancel_line(tx, actor, unwanted, &void.reason)?.or(progress);
        }
    }
    let approver = discounts::ask_leave(tx, actor, (&outlet, &order), pin)?;
    let left = line.quantity.saturating_sub(quantity);
    let amount = Cents::sum(sold.iter().map(|part| part.gross_of(quantity)).collect::<Result<Vec<_>, _>>()?)?;
    let entry = Entry::new("order.void", "order", Some(order.id))
        .before(&serde_json::json!({"item": line.name, "quantity": line.quantity}))
        .after(&serde_json::json!({
            "item": line.name, "quantity": left, "amountCents": amount, "wasMade": was_made
        }))
        .reason(&void.reason)
        .approver(leave.approver.or(approver));
    audit::actions::record(tx, actor, entry)?;
    reprice(tx, &mut order, &sold.iter().map(|part| part.id).collect::<Vec<_>>())?;
    if let Some(progress) = progress {
        follow_kitchen(tx, actor, order.id, progress)?;
    }
    Ok(order)
}

/// The lines that are sold as the line `id`: a combo's with those of its components.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderError::State`] of a component.
pub(super) fn sold_as(order: &OrderRecord, id: Uuid) -> Result<Vec<LineRecord>> {
    let line = order.line(id).ok_or(OrderError::NotFound("order item"))?;
    match order.combo_of(line) {
        Some(_) => Err(OrderError::State(format!("The line {PART_OF_A_COMBO}"))),
        None => Ok(order.sold_as(id)),
    }
}

/// Takes `quantity` off the line in its order; answers what is left of it.
pub(super) fn shrink(order: &mut OrderRecord, line: &LineRecord, quantity: i64) -> Result<i64> {
    let mut left = line.clone();
    left.quantity = line.quantity.saturating_sub(quantity);
    left.voided_quantity = line.voided_quantity.saturating_add(quantity);
    left.gross = left.gross_of(left.quantity)?;
    let quantity = left.quantity;
    if let Some(there) = order.lines.iter_mut().find(|there| there.id == line.id) {
        *there = left;
    }
    Ok(quantity)
}

/// Leave to take portions off a bill.
pub(super) struct Leave {
    /// Who approved by PIN, where that was needed.
    pub(super) approver: Option<Approver>,
    reason: String,
    /// What is known of each line; and whether all of them come off freely.
    known: HashMap<Uuid, Known>,
    is_free: bool,
}

/// Asks for the leave to take portions of `lines` off: nobody's where the kitchen does not know of them or has not known for long,
/// else that of somebody who may void, with a reason. Another system takes its own orders back.
pub(super) fn ask_leave(
    tx: &Tx<'_>,
    actor: &Actor,
    (outlet, order): (&Outlet, &OrderRecord),
    lines: &[&LineRecord],
    reason: Option<&str>,
    pin: &ApproverPin,
) -> Result<Leave> {
    let mut known = HashMap::new();
    for line in lines {
        let of_line = known_of(tx, order, line)?;
        if let Some(of_combo) = line.combo_line_id.and_then(|combo| known.get_mut(&combo)) {
            *of_combo = Known::with(*of_combo, of_line);
        }
        known.insert(line.id, of_line);
    }
    let grace = outlet.void_grace_seconds;
    let is_free = order.dispatched_at.is_none() || known.values().all(|known| known.is_free(grace, tx.now()));
    let mut leave = Leave { approver: None, reason: reason.unwrap_or(AT_ONCE).to_owned(), known, is_free };
    if is_free {
        return Ok(leave);
    }
    if actor.role != Some(Role::Integration) {
        leave.approver = auth::actions::approve(tx, actor, Permission::OrdersVoid, pin)?;
    }
    if reason.is_none_or(|reason| reason.trim().is_empty()) {
        return Err(OrderError::field("reason", "is needed: the kitchen was told of it"));
    }
    Ok(leave)
}

fn known_of(tx: &Tx<'_>, order: &OrderRecord, line: &LineRecord) -> Result<Known> {
    let standing = kitchen::actions::line_standing(tx, line.id, tx.now())?;
    Ok(Known {
        told_at: standing.told_at,
        is_started: standing.is_started,
        is_handed_over: store::is_handed_over(tx, order.id, line.created_at)?,
        is_printed: standing.is_printed,
        is_due: standing.is_due,
        is_on_paper: standing.is_on_paper,
    })
}

/// Portions that come off an order.
pub(super) struct Off<'a> {
    pub(super) outlet: &'a Outlet,
    pub(super) order: &'a OrderRecord,
    pub(super) kind: VoidKind,
    pub(super) leave: &'a Leave,
}

impl Off<'_> {
    /// Settles the stock of `quantity` portions of `line`, which it still holds, and puts them on record. `was_made` as somebody
    /// says; `already`: see [`Settle`]. Answers whether they counted as made.
    pub(super) fn take(
        &self,
        tx: &Tx<'_>,
        actor: &Actor,
        line: &LineRecord,
        quantity: i64,
        was_made: Option<bool>,
        already: i64,
    ) -> Result<bool> {
        let was_made = self.is_made(line, was_made);
        let cause = match self.kind {
            VoidKind::Void => "ORDER_ITEM_VOID",
            VoidKind::Less => CHANGE,
            VoidKind::Cancel => "ORDER_CANCEL",
        };
        let mut cost_micros = 0;
        if dispatch::is_taken(tx, self.order, line)? {
            let settle = Settle { quantity, was_made, cause, already };
            cost_micros = settle_stock(tx, actor, self.outlet, line, settle)?;
        }
        let (amount, weight) =
            (line.gross_of(quantity)?, line.weight.map(|one| one.times(quantity)).transpose()?);
        self.record(tx, actor, line.id, Gone { quantity, weight, amount, was_made, cost_micros })?;
        Ok(was_made)
    }

    /// Whether what comes off `line` counts as made, as somebody `says` or as the kitchen makes likely.
    pub(super) fn is_made(&self, line: &LineRecord, says: Option<bool>) -> bool {
        let known = self.leave.known.get(&line.id).copied().unwrap_or_default();
        says.unwrap_or(!self.leave.is_free && known.is_made())
    }

    /// Puts what is `gone` of a line on record, where the kitchen was told of it. What comes off with a combo is on record for each of its
    /// components.
    pub(super) fn record(&self, tx: &Tx<'_>, actor: &Actor, line: Uuid, gone: Gone) -> Result<()> {
        let is_combo = self.order.line(line).is_some_and(LineRecord::is_combo);
        if self.order.dispatched_at.is_none() || is_combo {
            return Ok(());
        }
        let row = VoidRow {
            id: tx.new_id(),
            order_item_id: line,
            quantity: gone.quantity,
            amount: gone.amount,
            reason: self.leave.reason.clone(),
            was_made: gone.was_made,
            by_id: actor.account_id,
            approver_id: self.leave.approver.as_ref().map(|approver| approver.employee_id),
            business_date: self.outlet.business_date(tx.now()),
            at: tx.now(),
            kind: self.kind,
            cost_micros: gone.cost_micros,
            weight: gone.weight,
        };
        Ok(store::insert_void(tx, self.order, &row)?)
    }
}

/// What came off a line.
pub(super) struct Gone {
    /// Portions of it.
    pub(super) quantity: i64,
    /// What it weighed, where it was sold by weight.
    pub(super) weight: Option<Quantity>,
    /// In the menu's prices.
    pub(super) amount: Cents,
    /// Whether it counts as made.
    pub(super) was_made: bool,
    /// What was thrown away, in millionths of a cent.
    pub(super) cost_micros: i64,
}

/// What becomes of the ingredients of portions that are no longer sold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settle {
    /// How many portions.
    pub(super) quantity: i64,
    /// Whether they had been made.
    pub(super) was_made: bool,
    /// What the ledger shows as the cause.
    pub(super) cause: &'static str,
    /// Portions of the same root line that were settled in this transaction and still count as sold in the tables.
    pub(super) already: i64,
}

/// Gives back, or writes off, the ingredients of `quantity` portions; counted-down portions can be sold again. Call it before
/// the line's new quantity is written: what is still sold tells how many portions hold their ingredients. Answers what was thrown
/// away, in millionths of a cent.
pub(super) fn settle_stock(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    line: &LineRecord,
    settle: Settle,
) -> Result<i64> {
    let Settle { quantity, was_made, cause, already } = settle;
    let outstanding = store::sum_outstanding(tx, line.root())?.saturating_sub(already);
    let portions = Portions { order_item_id: line.root(), quantity, outstanding };
    let cause = Cause::new(cause, Some(line.id));
    if was_made {
        let made = MadeDish {
            portions,
            order_item_id: line.id,
            menu_item_id: line.menu_item_id,
            variant_id: line.variant_id,
            name: &line.name,
            weight: line.weight.zip(line.weight_unit),
            station_id: kitchen::actions::station_for(tx, actor.outlet_id, line.station_id)?,
        };
        return Ok(inventory::actions::waste_line(tx, actor, outlet, &made, &cause)?);
    }
    inventory::actions::return_line(tx, actor, outlet, portions, &cause)?;
    for id in line.counted() {
        menu::actions::give_back(tx, actor, id, quantity)?;
    }
    for option in line.option_ids() {
        menu::actions::give_back_option(tx, actor, option, quantity)?;
    }
    Ok(0)
}
