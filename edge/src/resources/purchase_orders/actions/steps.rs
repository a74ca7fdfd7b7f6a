//! A purchase order goes to its supplier, and is closed in the end.

use super::super::rules::{PurchaseError, PurchaseOrder, Result, Status};
use super::super::store;
use super::find;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use serde_json::json;
use tiffin_common::Uuid;

/// Notes that the supplier has it.
///
/// # Errors
/// [`PurchaseError::Transition`] unless it is a draft.
pub fn send(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<PurchaseOrder> {
    let before = find(tx, actor, id)?;
    before.check_next(Status::Sent)?;
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    store::set_sent(tx, actor.outlet_id, id, today)?;
    record(tx, actor, "purchase_order.send", &before, Status::Sent, None)?;
    find(tx, actor, id)
}

/// Closes it, whatever came. Where the supplier still owes something of it, `reason` says why that is given up.
///
/// # Errors
/// [`PurchaseError::Transition`] when it is closed; a missing reason.
pub fn close(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: Option<&str>) -> Result<PurchaseOrder> {
    let before = find(tx, actor, id)?;
    before.check_next(Status::Closed)?;
    if reason.is_none() && before.status.is_awaited() {
        return Err(PurchaseError::field("reason", "say why the rest is no longer wanted"));
    }
    store::set_closed(tx, actor.outlet_id, id, reason)?;
    record(tx, actor, "purchase_order.close", &before, Status::Closed, reason)?;
    find(tx, actor, id)
}

fn record(
    tx: &Tx<'_>,
    actor: &Actor,
    action: &'static str,
    order: &PurchaseOrder,
    to: Status,
    reason: Option<&str>,
) -> Result<()> {
    let mut entry = Entry::new(action, "purchase_order", Some(order.id))
        .before(&json!({"status": order.status}))
        .after(&json!({"status": to, "poNumber": order.po_number, "totalCents": order.total}));
    if let Some(reason) = reason {
        entry = entry.reason(reason);
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}
