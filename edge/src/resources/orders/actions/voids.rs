//! Taking portions off a line. Each portion can be taken off once; what it took from stock goes back to the same batches, or
//! becomes waste with its cost when it had been made.

use super::super::rules::{LineRecord, OrderError, OrderRecord, Result, VoidRow};
use super::super::store;
use super::dispatch::{self, follow_kitchen};
use super::{changeable, reprice};
use crate::access::{Actor, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::inventory::rules::{Cause, MadeDish, Portions};
use crate::resources::outlets::rules::Outlet;
use crate::resources::{inventory, kitchen, menu, outlets};
use tiffin_common::Uuid;

/// What is taken off.
#[derive(Debug, Clone)]
pub struct VoidLine {
    /// How many portions; none: all that are left.
    pub quantity: Option<i64>,
    /// Why.
    pub reason: String,
    /// Whether they had been made; none: whether the kitchen has begun.
    pub was_made: Option<bool>,
}

/// Takes portions off a line.
///
/// # Errors
/// 403 or a wrong PIN without the right; an offending `quantity`; [`OrderError::State`] when the order is closed or billed.
pub fn void_line(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    line_id: Uuid,
    void: &VoidLine,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    let approver = auth::actions::approve(tx, actor, Permission::OrdersVoid, pin)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let index =
        order.lines.iter().position(|line| line.id == line_id).ok_or(OrderError::NotFound("order item"))?;
    let Some(line) = order.lines.get_mut(index) else { return Err(OrderError::NotFound("order item")) };
    if line.quantity == 0 {
        return Err(OrderError::State("The line has been taken off already".into()));
    }
    let quantity = void.quantity.unwrap_or(line.quantity);
    if quantity > line.quantity {
        return Err(OrderError::field("quantity", format!("must be at most {}", line.quantity)));
    }
    let was_made = match void.was_made {
        Some(was_made) => was_made,
        None => kitchen::actions::started(tx, line.id)?,
    };
    let before = line.quantity;
    line.quantity = line.quantity.saturating_sub(quantity);
    line.voided_quantity = line.voided_quantity.saturating_add(quantity);
    line.gross = line.gross_of(line.quantity)?;
    let line = line.clone();
    let settle = Settle { quantity, was_made, cause: "ORDER_ITEM_VOID", already: 0 };
    if dispatch::is_taken(tx, &order, &line)? {
        settle_stock(tx, actor, &outlet, &line, settle)?;
    }
    let mut progress = None;
    if order.dispatched_at.is_some() && !was_made {
        progress = kitchen::actions::cancel_line(tx, actor, line.id, quantity, &void.reason)?;
    }
    let row = VoidRow {
        id: tx.new_id(),
        order_item_id: line.id,
        quantity,
        amount: line.gross_of(quantity)?,
        reason: void.reason.clone(),
        was_made,
        by_id: actor.account_id,
        approver_id: approver.as_ref().map(|approver| approver.employee_id),
        business_date: outlet.business_date(tx.now()),
        at: tx.now(),
    };
    store::insert_void(tx, &order, &row)?;
    let entry = Entry::new("order.void", "order", Some(order.id))
        .before(&serde_json::json!({"item": line.name, "quantity": before}))
        .after(&serde_json::json!({
            "item": line.name, "quantity": line.quantity, "amountCents": row.amount, "wasMade": was_made
        }))
        .reason(&void.reason)
        .approver(approver);
    audit::actions::record(tx, actor, entry)?;
    reprice(tx, &mut order, &[line.id])?;
    if let Some(progress) = progress {
        follow_kitchen(tx, actor, order.id, progress)?;
    }
    Ok(order)
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
/// the line's new quantity is written: what is still sold tells how many portions hold their ingredients.
pub(super) fn settle_stock(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    line: &LineRecord,
    settle: Settle,
) -> Result<()> {
    let Settle { quantity, was_made, cause, already } = settle;
    let outstanding = store::sum_outstanding(tx, line.root())?.saturating_sub(already);
    let portions = Portions { order_item_id: line.root(), quantity, outstanding };
    let cause = Cause::new(cause, Some(line.id));
    if was_made {
        let made = MadeDish {
            portions,
            order_item_id: line.id,
            menu_item_id: line.menu_item_id,
            name: &line.name,
            station_id: kitchen::actions::station_for(tx, actor.outlet_id, line.station_id)?,
        };
        return Ok(inventory::actions::waste_line(tx, actor, outlet, &made, &cause)?);
    }
    inventory::actions::return_line(tx, actor, outlet, portions, &cause)?;
    menu::actions::give_back(tx, actor, line.menu_item_id, quantity)?;
    for option in line.option_ids() {
        menu::actions::give_back_option(tx, actor, option, quantity)?;
    }
    Ok(())
}
