//! Lines that are not wanted any more.

use super::save;
use super::slips::{Slip, slip};
use crate::access::Actor;
use crate::db::Transaction;
use crate::resources::kitchen::rules::{
    ItemStatus, KitchenError, Progress, Station, Ticket, TicketItem, TicketType,
};
use crate::resources::kitchen::store;
use tiffin_common::Uuid;

/// Takes `quantity` portions of the order's line off its tickets, what is not begun first; what has gone out stays. Where
/// the cooks may know of it they get a CANCELLATION slip; where not, it just disappears. Returns
/// [`Progress::AllReady`] when what is left of the order is ready now: the caller moves the order on.
pub fn cancel_line(
    tx: &Transaction<'_>,
    actor: &Actor,
    order_item: Uuid,
    quantity: i64,
    reason: &str,
) -> Result<Option<Progress>, KitchenError> {
    let mut tickets = store::list_of_order_item(tx, actor.outlet_id, order_item)?;
    // What is furthest from the plate goes first: the latest ticket, and items nobody has begun.
    tickets.reverse();
    tickets.sort_by_key(|ticket| (ticket.started_at.is_some(), ticket.is_seen()));
    let mut left = quantity;
    let mut order = None;
    for ticket in tickets {
        let mut picks = Vec::new();
        for item in ticket.items.iter().filter(|item| item.order_item_id == order_item && item.is_live()) {
            order = Some(item.order_id);
            if left > 0 {
                picks.push((item.id, left));
                left = left.saturating_sub(item.quantity);
            }
        }
        // What has gone out was not taken off: it still counts against other tickets.
        left = left.saturating_add(take_off(tx, actor, ticket, &picks, reason)?);
    }
    progress_after(tx, order)
}

/// Takes everything of the order off its tickets.
pub fn cancel_order(tx: &Transaction<'_>, actor: &Actor, order: Uuid) -> Result<(), KitchenError> {
    for ticket in store::list_of_order(tx, actor.outlet_id, order)? {
        let wanted = |item: &&TicketItem| item.order_id == order && item.is_live();
        let picks: Vec<_> = ticket.items.iter().filter(wanted).map(|item| (item.id, item.quantity)).collect();
        take_off(tx, actor, ticket, &picks, "Order cancelled")?;
    }
    Ok(())
}

fn progress_after(tx: &Transaction<'_>, order: Option<Uuid>) -> Result<Option<Progress>, KitchenError> {
    let Some(order) = order else { return Ok(None) };
    Ok(store::find_progress(tx, order)?.filter(|progress| *progress == Progress::AllReady))
}

/// Takes `picks` (item, portions) off a ticket; returns the portions that could not be.
fn take_off(
    tx: &Transaction<'_>,
    actor: &Actor,
    before: Ticket,
    picks: &[(Uuid, i64)],
    reason: &str,
) -> Result<i64, KitchenError> {
    let mut ticket = before.clone();
    let (mut taken, mut missed) = (Vec::new(), 0i64);
    for (item, quantity) in picks {
        let there = before.items.iter().find(|i| i.id == *item).map_or(0, |i| i.quantity);
        match ticket.take_off(*item, *quantity, tx.now()) {
            Some(item) => taken.push(TicketItem { status: ItemStatus::Cancelled, ..item }),
            None => missed = missed.saturating_add(there.min(*quantity)),
        }
    }
    if taken.is_empty() {
        return Ok(missed);
    }
    save(tx, &before, &mut ticket)?;
    let station = store::find_station(tx, actor.outlet_id, before.station_id)?;
    let on_paper = before.fired_at.is_some() && station.as_ref().and_then(Station::paper).is_some();
    if before.is_seen() || on_paper {
        let notes = Some(reason.to_owned());
        slip(tx, &before, Slip { kind: TicketType::Cancellation, items: taken, notes, copy_number: 0 })?;
    }
    Ok(missed)
}
