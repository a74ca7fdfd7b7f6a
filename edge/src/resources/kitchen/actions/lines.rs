//! Lines that are not wanted any more, or otherwise than they were.

use super::slips::{Slip, slip};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::kitchen::rules::{
    ItemStatus, Progress, Result, Ticket, TicketItem, TicketStatus, TicketType,
};
use crate::resources::kitchen::store;
use tiffin_common::{Quantity, Uuid};

/// An order's line as it is wanted now.
#[derive(Debug, Clone, Default)]
pub struct Amended {
    /// How many portions.
    pub quantity: i64,
    /// What it weighs, where it is sold by weight.
    pub weight: Option<Quantity>,
    /// Other notes; none keeps them, `Some(None)` clears them.
    pub notes: Option<Option<String>>,
}

/// Another quantity, weight or note of a line that is not begun (the caller asks [`started`](super::started) first). Cooks who
/// may have seen it get a MODIFICATION slip.
pub fn amend_line(tx: &Tx<'_>, actor: &Actor, order_item: Uuid, amended: Amended) -> Result<()> {
    let Amended { quantity, weight, notes } = amended;
    let tickets = store::list_of_order_item(tx, actor.outlet_id, order_item)?;
    let live = |item: &TicketItem| item.order_item_id == order_item && item.is_live();
    let open = || tickets.iter().filter(|ticket| ticket.is_open());
    let Some(before) = open().find(|ticket| ticket.items.iter().any(live)) else { return Ok(()) };
    // A merge can have put the line on several tickets: only the difference is told.
    let there: i64 =
        open().flat_map(|ticket| &ticket.items).filter(|item| live(item)).map(|i| i.quantity).sum();
    let mut ticket = before.clone();
    let Some(item) = ticket.items.iter_mut().find(|item| live(item)) else { return Ok(()) };
    let (was, weighed) = (item.quantity, item.weight);
    let now = was.saturating_add(quantity).saturating_sub(there);
    if now < 1 {
        let fewer = there.saturating_sub(quantity);
        let unwanted =
            Unwanted { order_item, quantity: fewer, left: quantity, was_made: false, is_handed_over: false };
        return cancel_line(tx, actor, unwanted, "Fewer are wanted").map(drop);
    }
    item.quantity = now;
    item.weight = weight.or(weighed);
    if let Some(notes) = notes {
        item.notes = notes;
    }
    let item = item.clone();
    if ticket == *before {
        return Ok(());
    }
    store::update_ticket(tx, before, &mut ticket)?;
    let notes = match item.weight_unit.zip(weighed).zip(item.weight) {
        Some(((unit, was), now)) if was != now => {
            Some(format!("Was {}, now {}", unit.said(was), unit.said(now)))
        }
        _ => (was != now).then(|| format!("Was {was}, now {now}")),
    };
    tell(tx, before, TicketType::Modification, vec![item], notes)
}

/// Portions of an order's line that nobody wants any more.
#[derive(Debug, Clone, Copy)]
pub struct Unwanted {
    /// The order's line.
    pub order_item: Uuid,
    /// How many.
    pub quantity: i64,
    /// How many of the line are wanted after that.
    pub left: i64,
    /// They count as made: some of them may have gone out.
    pub was_made: bool,
    /// Somebody said that the order is with its guests: what is held is all that is still to come.
    pub is_handed_over: bool,
}

/// Takes portions of an order's line off its tickets, begun or not: of those that were not made what is not begun first; of those that
/// were, what is furthest, and no more than leaves the cooks with what is still wanted. What has gone out stays. Where
/// the cooks may know of it they get a CANCELLATION slip; where not, it just disappears. Returns
/// [`Progress::AllReady`] when what is left of the order is ready now: the caller moves the order on.
pub fn cancel_line(tx: &Tx<'_>, actor: &Actor, unwanted: Unwanted, reason: &str) -> Result<Option<Progress>> {
    let mut tickets = store::list_of_order_item(tx, actor.outlet_id, unwanted.order_item)?;
    // What is furthest from the plate goes first: the latest ticket, and items nobody has begun.
    tickets.reverse();
    tickets.sort_by_key(|ticket| (ticket.started_at.is_some(), ticket.is_seen()));
    let theirs = |item: &&TicketItem| item.order_item_id == unwanted.order_item && item.is_live();
    let mut left = unwanted.quantity;
    if unwanted.is_handed_over {
        tickets.retain(|ticket| ticket.status == TicketStatus::Held);
    } else if unwanted.was_made {
        tickets.reverse();
        let open = tickets.iter().filter(|ticket| ticket.is_open()).flat_map(|ticket| &ticket.items);
        let open: i64 = open.filter(theirs).map(|item| item.quantity).sum();
        left = left.min(open.saturating_sub(unwanted.left));
    }
    let mut order = None;
    for ticket in tickets {
        let mut picks = Vec::new();
        for item in ticket.items.iter().filter(theirs) {
            order = Some(item.order_id);
            if left > 0 {
                picks.push((item.id, left));
                left = left.saturating_sub(item.quantity).max(0);
            }
        }
        // What has gone out was not taken off: it still counts against other tickets.
        left = left.saturating_add(take_off(tx, ticket, &picks, reason)?);
    }
    progress_after(tx, order)
}

/// Takes everything of the order off its tickets.
pub fn cancel_order(tx: &Tx<'_>, actor: &Actor, order: Uuid) -> Result<()> {
    for ticket in store::list_of_order(tx, actor.outlet_id, order)? {
        let wanted = |item: &&TicketItem| item.order_id == order && item.is_live();
        let picks: Vec<_> = ticket.items.iter().filter(wanted).map(|item| (item.id, item.quantity)).collect();
        take_off(tx, ticket, &picks, "Order cancelled")?;
    }
    Ok(())
}

fn progress_after(tx: &Tx<'_>, order: Option<Uuid>) -> Result<Option<Progress>> {
    let Some(order) = order else { return Ok(None) };
    Ok(store::find_progress(tx, order)?.filter(|progress| *progress == Progress::AllReady))
}

/// Takes `picks` (item, portions) off a ticket; returns the portions that could not be.
fn take_off(tx: &Tx<'_>, before: Ticket, picks: &[(Uuid, i64)], reason: &str) -> Result<i64> {
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
    store::update_ticket(tx, &before, &mut ticket)?;
    tell(tx, &before, TicketType::Cancellation, taken, Some(reason.to_owned()))?;
    Ok(missed)
}

/// A slip for the cooks where they may know of the ticket.
fn tell(
    tx: &Tx<'_>,
    about: &Ticket,
    kind: TicketType,
    items: Vec<TicketItem>,
    notes: Option<String>,
) -> Result<()> {
    let station = store::find_station(tx, about.outlet_id, about.station_id)?;
    let on_paper =
        about.fired_at.is_some() && station.as_ref().is_some_and(|station| station.fields.print_tickets);
    if about.is_seen() || on_paper {
        slip(tx, about, Slip { kind, items, notes, copy_number: 0 })?;
    }
    Ok(())
}
