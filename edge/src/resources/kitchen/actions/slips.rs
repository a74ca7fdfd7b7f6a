//! Slips: what the kitchen is told without cooking anything, and lines that change hands.

use super::paper::{on_paper, printer_of, send_to_paper};
use super::{find, find_seen};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::kitchen::rules::{
    Move, Result, Ticket, TicketItem, TicketOrder, TicketStatus, TicketType,
};
use crate::resources::kitchen::store;
use tiffin_common::Uuid;

/// What a slip says.
pub(super) struct Slip {
    pub(super) kind: TicketType,
    pub(super) items: Vec<TicketItem>,
    pub(super) notes: Option<String>,
    pub(super) copy_number: i64,
}

/// Makes a slip about `about` for the same station, on paper too where the station works on paper.
pub(super) fn slip(tx: &Tx<'_>, about: &Ticket, say: Slip) -> Result<Ticket> {
    let ticket = make_slip(tx, about, say)?;
    let station = store::find_station(tx, about.outlet_id, about.station_id)?;
    if let Some(station) = &station {
        on_paper(tx, &ticket, station)?;
    }
    Ok(ticket)
}

fn make_slip(tx: &Tx<'_>, about: &Ticket, say: Slip) -> Result<Ticket> {
    let items = say.items.into_iter().map(|item| TicketItem { id: tx.new_id(), ..item }).collect();
    let mut ticket = Ticket {
        id: tx.new_id(),
        kind: say.kind,
        status: TicketStatus::Queued,
        notes: say.notes,
        copy_number: say.copy_number,
        refers_to_id: Some(about.id),
        created_at: tx.now(),
        updated_at: tx.now(),
        fired_at: Some(tx.now()),
        started_at: None,
        ready_at: None,
        served_at: None,
        cancelled_at: None,
        target_ready_at: None,
        acked_at: None,
        escalated_at: None,
        escalated_to_id: None,
        recalled_count: 0,
        version: 1,
        items,
        ..about.clone()
    };
    store::insert_ticket(tx, &mut ticket)?;
    Ok(ticket)
}

/// A copy of a ticket, marked COPY n, for the station's display and printer. A copy is never cooked.
///
/// # Errors
/// No such ticket, the store's.
pub fn reprint(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Ticket> {
    let mut before = find_seen(tx, actor, id)?;
    // A copy of a copy is a copy of the ticket.
    if let (TicketType::Reprint, Some(original)) = (before.kind, before.refers_to_id) {
        before = find(tx, actor.outlet_id, original)?;
    }
    let copy_number = before.copy_number.saturating_add(1);
    let mut original = Ticket { copy_number, ..before.clone() };
    store::update_ticket(tx, &before, &mut original)?;
    let notes = [Some(format!("Copy of ticket {}", original.ticket_number)), original.notes.clone()];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let items = original.items.iter().filter(|item| item.is_live()).cloned().collect();
    let say = Slip { kind: TicketType::Reprint, items, notes: Some(notes), copy_number };
    let copy = make_slip(tx, &original, say)?;
    let station = store::find_station(tx, actor.outlet_id, copy.station_id)?;
    if let Some(station) = &station
        && let Some(printer) = printer_of(tx, actor.outlet_id, station)?
    {
        send_to_paper(tx, &copy, &printer, Some(station))?;
    }
    Ok(copy)
}

/// The order sits at another table: its open tickets say so, and stations that may have seen one get a TRANSFER slip.
pub fn retable(tx: &Tx<'_>, actor: &Actor, order: Uuid, new_table: Option<&str>) -> Result<()> {
    let mut notified = Vec::new();
    for before in store::list_of_order(tx, actor.outlet_id, order)? {
        if !before.is_open() || before.table_number.as_deref() == new_table {
            continue;
        }
        let mut ticket = Ticket { table_number: new_table.map(str::to_owned), ..before.clone() };
        store::update_ticket(tx, &before, &mut ticket)?;
        tell_of_move(tx, &before, &ticket, &mut notified)?;
    }
    Ok(())
}

/// What the order says of itself has changed, `what` in words: its open tickets say so, and stations that may have seen one get a
/// MODIFICATION slip.
pub fn amend_order(tx: &Tx<'_>, actor: &Actor, order: &TicketOrder<'_>, what: &str) -> Result<()> {
    let mut notified: Vec<Uuid> = Vec::new();
    for before in store::list_of_order(tx, actor.outlet_id, order.order_id)? {
        if !before.is_open() {
            continue;
        }
        let mut ticket = Ticket {
            order_type: order.order_type.to_owned(),
            notes: order.notes.map(str::to_owned),
            ..before.clone()
        };
        store::update_ticket(tx, &before, &mut ticket)?;
        if before.is_seen() && !notified.contains(&before.station_id) {
            notified.push(before.station_id);
            let items = ticket.items.iter().filter(|item| item.is_live()).cloned().collect();
            let notes = Some(what.to_owned());
            slip(tx, &ticket, Slip { kind: TicketType::Modification, items, notes, copy_number: 0 })?;
        }
    }
    Ok(())
}

/// A TRANSFER slip for a station that has not got one yet.
fn tell_of_move(tx: &Tx<'_>, before: &Ticket, after: &Ticket, notified: &mut Vec<Uuid>) -> Result<()> {
    if !before.is_seen() || notified.contains(&before.station_id) {
        return Ok(());
    }
    notified.push(before.station_id);
    let name = |ticket: &Ticket| ticket.table_number.clone().unwrap_or_else(|| "no table".into());
    let notes = Some(format!("Table {} -> {}", name(before), name(after)));
    let items = after.items.iter().filter(|item| item.is_live()).cloned().collect();
    slip(tx, after, Slip { kind: TicketType::Transfer, items, notes, copy_number: 0 }).map(drop)
}

/// Portions that belong to another order's lines now (split and merge): the tickets stay as they are, cooked or not, and a
/// ticket that is `to`'s alone now carries its number and table. Nothing is cooked twice.
pub fn move_lines(tx: &Tx<'_>, actor: &Actor, to: &TicketOrder<'_>, moves: &[Move]) -> Result<()> {
    let mut notified = Vec::new();
    for step in moves {
        let mut left = step.quantity;
        for before in store::list_of_order_item(tx, actor.outlet_id, step.from)? {
            let mut ticket = before.clone();
            left = hand_over(tx, &mut ticket, to.order_id, step, left);
            if ticket == before {
                continue;
            }
            let is_theirs = |item: &TicketItem| item.order_id == to.order_id || !item.is_live();
            if ticket.items.iter().all(is_theirs) {
                ticket.order_id = to.order_id;
                ticket.order_number = to.order_number.to_owned();
                ticket.token_number = to.token_number;
                ticket.table_number = to.table_number.map(str::to_owned);
            }
            store::update_ticket(tx, &before, &mut ticket)?;
            if ticket.is_open() && ticket.table_number != before.table_number {
                tell_of_move(tx, &before, &ticket, &mut notified)?;
            }
        }
    }
    Ok(())
}

/// Hands up to `left` portions of `step.from` on the ticket to `step.to`; returns how many are left to hand over.
fn hand_over(tx: &Tx<'_>, ticket: &mut Ticket, order: Uuid, step: &Move, mut left: i64) -> i64 {
    let mut split = Vec::new();
    for item in ticket.items.iter_mut().filter(|item| item.order_item_id == step.from && item.is_live()) {
        let quantity = left.min(item.quantity);
        if quantity <= 0 {
            continue;
        }
        left = left.saturating_sub(quantity);
        if quantity == item.quantity {
            item.order_id = order;
            item.order_item_id = step.to;
        } else {
            item.quantity = item.quantity.saturating_sub(quantity);
            split.push(TicketItem {
                id: tx.new_id(),
                order_id: order,
                order_item_id: step.to,
                quantity,
                ..item.clone()
            });
        }
    }
    ticket.items.extend(split);
    left
}
