//! Orders for later: what they wait for, and how they go to the kitchen when their moment comes. A promise is kept: what the kitchen
//! was to cook it gets, whatever has become of the stock since.

use super::super::rules::{Draft, LineRequest, OrderError, OrderRecord, OrderType, Result, schedule};
use super::super::store;
use super::dispatch;
use super::place::{self, Wanted};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use crate::resources::tables::TableError;
use crate::resources::{outlets, tables};
use tiffin_common::{Millis, Uuid};

/// More lines of an order for later, against the menu of the moment it is wanted.
pub(super) fn resolve_more(
    tx: &Tx<'_>,
    outlet: &Outlet,
    order: &OrderRecord,
    requests: &[LineRequest],
    wanted: Wanted<'_>,
) -> Result<Vec<Draft>> {
    let at = order.scheduled_for.filter(|wanted| *wanted > tx.now());
    Ok(place::resolve(tx, outlet, tx.now(), requests, Wanted { at, ..wanted })?.drafts)
}

/// Works out anew when an order for later goes to the kitchen: its lines or its time have changed. Does nothing to any other order.
/// A moment that has passed by now is the next look's.
///
/// # Errors
/// An offending `scheduledFor`.
pub(super) fn plan_anew(tx: &Tx<'_>, outlet: &Outlet, order: &mut OrderRecord) -> Result<()> {
    if !order.waits_for_its_time() {
        return Ok(());
    }
    let hints = store::list_kitchen_hints(tx, order.id)?;
    let is_wanted = |id: Uuid| order.line(id).is_some_and(|line| line.quantity > 0);
    let longest =
        hints.iter().filter(|hint| is_wanted(hint.order_item_id)).filter_map(|hint| hint.minutes).max();
    let wanted = order.scheduled_for.filter(|wanted| *wanted > tx.now());
    let release = schedule::release_at(wanted, longest, outlet.schedule_lead_minutes, tx.now())
        .map_err(|field| OrderError::Invalid(vec![field]))?
        .unwrap_or_else(|| tx.now());
    order.release_at = Some(release);
    order.business_date = outlet.business_date(release);
    Ok(())
}

/// Another time for an order that the kitchen does not have; none: now.
///
/// # Errors
/// An offending `scheduledFor`; [`OrderError::State`] when the kitchen has it.
pub(super) fn reschedule(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &mut OrderRecord,
    wanted: Option<Millis>,
) -> Result<()> {
    if !order.waits_for_its_time() {
        let why = "The kitchen has the order: it can no longer be for later";
        return Err(OrderError::State(why.into()));
    }
    schedule::release_at(wanted, None, 0, tx.now()).map_err(|field| OrderError::Invalid(vec![field]))?;
    order.scheduled_for = wanted;
    plan_anew(tx, outlet, order)?;
    if order.release_at.is_none_or(|moment| moment <= tx.now()) {
        release(tx, actor, order, true)?;
    }
    Ok(())
}

/// Sends an order for later to the kitchen, now: takes its stock and portions, seats its party, and gives it the present trading day.
/// Without `for_the_kitchen` it is handed over at once and nothing is left to cook. The caller writes the order.
pub(super) fn release(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    for_the_kitchen: bool,
) -> Result<()> {
    let mut outlet = outlets::store::find(tx, actor.outlet_id)?;
    outlet.row.settings.stock_policy = StockPolicy::AllowNegative;
    order.business_date = outlet.business_date(tx.now());
    seat(tx, actor, order)?;
    dispatch::take_promised(tx, actor, &outlet, order)?;
    order.dispatched_at = Some(tx.now());
    if for_the_kitchen {
        dispatch::send_all(tx, actor, &outlet, order)?;
    }
    Ok(())
}

/// Seats the party at the order's table, where it has one that can be used.
fn seat(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord) -> Result<()> {
    let (OrderType::DineIn, Some(table)) = (order.order_type, order.table_id) else { return Ok(()) };
    match tables::actions::join_session(tx, actor, table, order.guest_count, order.business_date) {
        Ok(session) => order.table_session_id = Some(session),
        Err(TableError::Db(error)) => return Err(error.into()),
        // Gone or blocked since: the order is cooked all the same.
        Err(_) => {}
    }
    Ok(())
}

/// Sends an order for later to the kitchen when its moment has come; says so where the box was off then.
///
/// # Errors
/// [`OrderError::NotFound`].
pub fn release_due(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> Result<()> {
    let actor = Actor::system(outlet);
    let mut order = store::find(tx, outlet, id)?;
    if !order.waits_for_its_time() || order.release_at.is_some_and(|moment| moment > tx.now()) {
        return Ok(());
    }
    release(tx, &actor, &mut order, true)?;
    store::update(tx, &mut order)?;
    let entry = Entry::new("order.release", "order", Some(id))
        .after(&serde_json::json!({"scheduledFor": order.scheduled_for, "isLate": order.is_released_late()}));
    audit::actions::record(tx, &actor, entry)?;
    if order.is_released_late() {
        notifications::actions::notify(tx, outlet, late(&order))?;
    }
    Ok(())
}

fn late(order: &OrderRecord) -> Notice {
    let wanted = order.scheduled_for.map(|at| at.to_string()).unwrap_or_default();
    Notice {
        kind: "SCHEDULED_ORDER_LATE",
        severity: Severity::Warning,
        title: format!("{} went to the kitchen late", order.order_number),
        body: format!("It is wanted at {wanted}; this machine was off when the kitchen had to begin."),
        audience: Audience::Staff,
        entity: Some(("order", order.id)),
        dedupe_key: format!("SCHEDULED_ORDER_LATE:{}", order.id),
    }
}
