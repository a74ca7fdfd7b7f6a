//! The state of an order, as staff set it. Every change is in its history; nothing goes back.

use super::super::rules::voids::VoidKind;
use super::super::rules::{LineRecord, OrderError, OrderRecord, OrderStatus, Result, states};
use super::super::store;
use super::voids::{self, Off};
use super::{channels, dispatch, invoices, payments, place, schedule};
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::Tx;
use crate::http::{Checks, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::{kitchen, outlets, tables};
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// A change of state as asked for.
#[derive(Debug, Clone)]
pub struct SetStatus {
    /// The new state.
    pub status: OrderStatus,
    /// Why.
    pub reason: Option<String>,
    /// Lines of an order that is called off, and whether they had been made; of others, what the kitchen makes likely.
    pub made: Vec<(Uuid, bool)>,
}

impl SetStatus {
    /// To `status`, with a reason or none.
    pub fn to(status: OrderStatus, reason: Option<&str>) -> SetStatus {
        SetStatus { status, reason: reason.map(str::to_owned), made: Vec::new() }
    }
}

/// Sets the state of an order.
///
/// # Errors
/// [`OrderError::Transition`] naming the states that may follow; [`OrderError::State`] for COMPLETED with something due and
/// for CANCELLED with money taken; 403 or a wrong PIN for CANCELLED without the right.
pub fn set_status(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: &SetStatus,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, order.version)?;
    let staff = actor.role != Some(Role::Integration);
    channels::demand_reach(tx, actor, id)?;
    let allowed = states::next(order.status, order.order_type, staff);
    if !allowed.contains(&change.status) {
        return Err(OrderError::Transition { from: order.status, to: change.status, allowed });
    }
    let from = order.status;
    match change.status {
        OrderStatus::Cancelled => cancel(tx, actor, &mut order, change, pin)?,
        OrderStatus::Completed => {
            payments::check_paid(&order)?;
            dispatch::check_held(tx, &order)?;
            // An order with nothing left on it sold nothing: it closes without a bill.
            if order.lines.iter().any(|line| line.quantity > 0) {
                match order.is_operator_taxed {
                    true => channels::complete(tx, actor, &mut order)?,
                    false => invoices::bill(tx, actor, &mut order).map(drop)?,
                }
            }
        }
        _ => {}
    }
    let begins = matches!(change.status, OrderStatus::Accepted | OrderStatus::InPreparation);
    if order.waits_for_its_time() {
        // The house says yes to it; its time comes all the same. Anything else means that it is made now.
        if !matches!(change.status, OrderStatus::Accepted | OrderStatus::Cancelled) {
            schedule::release(tx, actor, &mut order, begins)?;
        }
    } else if order.dispatched_at.is_none() && change.status != OrderStatus::Cancelled {
        accept(tx, actor, &mut order, begins)?;
    }
    if matches!(change.status, OrderStatus::Delivered | OrderStatus::Completed) {
        dispatch::hand_over(tx, actor, order.id)?;
    }
    order.status = change.status;
    if order.status.is_final() {
        order.closed_at = Some(tx.now());
    }
    store::update(tx, &mut order)?;
    super::put_on_record(tx, actor, &order, Some(from), change.reason.clone())?;
    if let (true, Some(session)) = (order.status.is_final(), order.table_session_id) {
        tables::actions::leave_session(tx, actor, session)?;
    }
    Ok(order)
}

/// Staff accept a guest's order: it takes its stock, the kitchen gets it, and the party's next ones need no approval where only the first does.
/// An order that is handed over at once (READY or later) is no work for the kitchen.
fn accept(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord, for_the_kitchen: bool) -> Result<()> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    dispatch::take(tx, actor, &outlet, order)?;
    order.dispatched_at = Some(tx.now());
    (order.server_id, order.server_name) = place::server_of(actor).unzip();
    if for_the_kitchen {
        dispatch::send_all(tx, actor, &outlet, order)?;
    }
    if let Some(session) = order.table_session_id {
        tables::actions::approve_session(tx, actor, session)?;
    }
    Ok(())
}

/// Calls an order off: every line comes off the bill as a void does.
fn cancel(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    change: &SetStatus,
    pin: &ApproverPin,
) -> Result<()> {
    if order.invoice_id.is_some() || order.slip_id.is_some() {
        let why = "The bill has been made: a credit note or a write-off corrects it";
        return Err(OrderError::State(why.into()));
    }
    let reason = change.reason.as_deref();
    let mut approver: Option<Approver> = None;
    if actor.role != Some(Role::Integration) {
        approver = auth::actions::approve(tx, actor, Permission::OrdersCancel, pin)?;
    }
    let outlet = outlets::store::find(tx, order.outlet_id)?;
    check_lines(order, change)?;
    let lines: Vec<LineRecord> = order.lines.iter().filter(|line| line.quantity > 0).cloned().collect();
    let those: Vec<&LineRecord> = lines.iter().collect();
    let leave = voids::ask_leave(tx, actor, (&outlet, &*order), &those, reason, pin)?;
    channels::release(tx, actor, order)?;
    if order.paid > Cents::ZERO {
        return Err(OrderError::State("The order has been paid: take the payment back first".into()));
    }
    let off = Off { outlet: &outlet, order: &*order, kind: VoidKind::Cancel, leave: &leave };
    let mut settled: HashMap<Uuid, i64> = HashMap::new();
    for line in &lines {
        let said = change.made.iter().find(|(item, _)| line.is_of(*item)).map(|(_, was_made)| *was_made);
        let already = settled.entry(line.root()).or_default();
        off.take(tx, actor, line, line.quantity, said, *already)?;
        *already = already.saturating_add(line.quantity);
    }
    if order.dispatched_at.is_some() {
        kitchen::actions::cancel_order(tx, actor, order.id)?;
    }
    let mut entry = Entry::new("order.cancel", "order", Some(order.id))
        .before(&serde_json::json!({"status": order.status, "totalAmountCents": order.total}))
        .after(&serde_json::json!({"status": OrderStatus::Cancelled}))
        .approver(leave.approver.or(approver));
    if let Some(reason) = reason {
        entry = entry.reason(reason);
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// What is said of lines is said of lines of this order.
fn check_lines(order: &OrderRecord, change: &SetStatus) -> Result<()> {
    let mut checks = Checks::new();
    for (index, (item, _)) in change.made.iter().enumerate() {
        let name = format!("lines[{index}].itemId");
        checks.require(order.line(*item).is_some(), name, "is no line of this order");
    }
    checks.finish(()).map_err(OrderError::Invalid)
}
