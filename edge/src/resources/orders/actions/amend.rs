//! What an order says of itself after it was taken: how it reaches its guest, where, for how many and when. Lines are `lines`' to change.

use super::super::rules::{Guest, OrderError, OrderRecord, OrderType, Result};
use super::super::store;
use super::{changeable, dispatch, schedule, service_charge};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Patch;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets::rules::Outlet;
use crate::resources::tables::{Table, TableError};
use crate::resources::{kitchen, outlets, tables};
use tiffin_common::{Millis, Uuid};

/// A change of an order.
#[derive(Debug, Clone, Default)]
pub struct Amend {
    /// How it reaches its guest.
    pub order_type: Option<OrderType>,
    /// Its table.
    pub table_id: Patch<Uuid>,
    /// How many guests.
    pub guest_count: Patch<i64>,
    /// What to call the guest.
    pub customer_name: Patch<String>,
    /// Where to call the guest.
    pub customer_phone: Patch<String>,
    /// Where it is brought.
    pub delivery_address: Patch<String>,
    /// For the kitchen.
    pub notes: Patch<String>,
    /// When the guest wants it.
    pub scheduled_for: Patch<Millis>,
}

/// Changes what an order says of itself. The kitchen learns of another type, table or note; what leaves its table is held no longer.
///
/// # Errors
/// Offending fields; [`OrderError::State`] when the order is closed or billed, or is to be for later and the kitchen has it.
pub fn amend(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: Amend,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, expected)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let before = order.clone();
    order.order_type = change.order_type.unwrap_or(order.order_type);
    order.guest_count = change.guest_count.apply(order.guest_count);
    order.notes = change.notes.apply(order.notes.take());
    order.guest = Guest {
        name: change.customer_name.apply(order.guest.name.take()),
        phone: change.customer_phone.apply(order.guest.phone.take()),
        address: change.delivery_address.apply(order.guest.address.take()),
    };
    if order.guest != before.guest {
        store::set_guest(tx, order.outlet_id, order.id, &order.guest)?;
    }
    seat(tx, actor, &outlet, &mut order, &change.table_id)?;
    match change.scheduled_for {
        Patch::Keep => {}
        Patch::Clear if !order.waits_for_its_time() => order.scheduled_for = None,
        Patch::Clear => schedule::reschedule(tx, actor, &outlet, &mut order, None)?,
        Patch::Set(wanted) => schedule::reschedule(tx, actor, &outlet, &mut order, Some(wanted))?,
    }
    if order.order_type != before.order_type {
        service_charge::follow_type(tx, &outlet, &mut order, before.order_type)?;
    }
    store::update(tx, &mut order)?;
    leave(tx, actor, &before, &order)?;
    if before.dispatched_at.is_some() {
        tell_the_kitchen(tx, actor, &before, &order)?;
    }
    let entry = Entry::new("order.amend", "order", Some(id)).before(&shown(&before)).after(&shown(&order));
    audit::actions::record(tx, actor, entry)?;
    Ok(order)
}

/// Puts the order where it is to be: at another table, with the party there, or at none.
fn seat(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &mut OrderRecord,
    wanted: &Patch<Uuid>,
) -> Result<()> {
    let is_dine_in = order.order_type == OrderType::DineIn;
    let table = match wanted {
        Patch::Set(id) => Some(find(tx, actor, *id)?),
        Patch::Clear => None,
        Patch::Keep if !is_dine_in && order.table_session_id.is_some() => None,
        Patch::Keep => match order.table_id {
            Some(id) if is_dine_in && order.table_session_id.is_none() => Some(find(tx, actor, id)?),
            _ => return Ok(()),
        },
    };
    order.table_session_id = None;
    if let Some(table) = &table
        && is_dine_in
        && order.dispatched_at.is_some()
    {
        let today = outlet.business_date(tx.now());
        let session = tables::actions::join_session_of(tx, actor, table, order.guest_count, today)?;
        order.table_session_id = Some(session);
    }
    (order.table_id, order.table_number) = table.map(|table| (table.id, table.fields.number)).unzip();
    Ok(())
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Table> {
    match tables::store::find(tx, actor.outlet_id, id) {
        Err(TableError::NotFound("table")) => Err(OrderError::field("tableId", "is no table of this outlet")),
        found => Ok(found?),
    }
}

/// The party that the order has left may have nothing open any more.
fn leave(tx: &Tx<'_>, actor: &Actor, before: &OrderRecord, after: &OrderRecord) -> Result<()> {
    match before.table_session_id.filter(|session| Some(*session) != after.table_session_id) {
        Some(session) => Ok(tables::actions::leave_session(tx, actor, session).map(drop)?),
        None => Ok(()),
    }
}

fn tell_the_kitchen(tx: &Tx<'_>, actor: &Actor, before: &OrderRecord, after: &OrderRecord) -> Result<()> {
    if before.table_number != after.table_number {
        kitchen::actions::retable(tx, actor, after.id, after.table_number.as_deref())?;
    }
    if before.order_type != after.order_type || before.notes != after.notes {
        let note = after.notes.as_deref().unwrap_or("no note");
        let what = format!("Now {}: {note}", after.order_type);
        kitchen::actions::amend_order(tx, actor, &dispatch::ticket_order(after), &what)?;
    }
    if after.table_number.is_none() || !dispatch::may_hold(after.order_type, after.source, after.channel_id) {
        kitchen::actions::fire(tx, actor, after.id, None)?;
    }
    Ok(())
}

/// What the log shows; who the guest is stands nowhere but with the guest.
fn shown(order: &OrderRecord) -> serde_json::Value {
    serde_json::json!({
        "orderType": order.order_type, "table": order.table_number, "guestCount": order.guest_count,
        "notes": order.notes, "scheduledFor": order.scheduled_for,
    })
}
