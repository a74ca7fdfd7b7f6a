//! What cooks do with tickets, and how the order follows.

use super::{find_seen, sight, station_in};
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::http::Stale;
use crate::resources::kitchen::rules::{Progress, Result, Ticket, Verb};
use crate::resources::kitchen::store;
use tiffin_common::Uuid;

/// How the order follows the kitchen. The kitchen stands below orders and may not call them: it is handed this.
pub type Follow = fn(&Tx<'_>, &Actor, Uuid, Progress) -> db::Result<()>;

/// Does `verb` to the whole ticket. A second tap changes nothing and answers the same.
///
/// # Errors
/// `KitchenError::NotFound`, `KitchenError::Transition`, the store's.
pub fn act(tx: &Tx<'_>, actor: &Actor, id: Uuid, verb: Verb, follow: Follow) -> Result<Ticket> {
    change(tx, actor, id, follow, |ticket| ticket.act(verb, tx.now()))
}

/// Acknowledges whatever nobody has acknowledged at a station; answers how many tickets that were, at most 500.
///
/// # Errors
/// `KitchenError::NotFound`, the store's.
pub fn ack_all(tx: &Tx<'_>, actor: &Actor, station: Uuid) -> Result<usize> {
    let sight = sight(tx, actor.outlet_id, actor.role, actor.account_id)?;
    station_in(tx, actor.outlet_id, sight, Some(station))?;
    let waiting = store::list_unacked_at(tx, actor.outlet_id, station)?;
    for before in &waiting {
        let mut ticket = before.clone();
        if ticket.act(Verb::Ack, tx.now())? {
            store::update_ticket(tx, before, &mut ticket)?;
        }
    }
    Ok(waiting.len())
}

/// Starts or finishes one item of the ticket.
///
/// # Errors
/// As [`act`].
pub fn act_on_item(
    tx: &Tx<'_>,
    actor: &Actor,
    (id, item): (Uuid, Uuid),
    verb: Verb,
    follow: Follow,
) -> Result<Ticket> {
    change(tx, actor, id, follow, |ticket| ticket.act_on_item(item, verb, tx.now()))
}

/// Puts the ticket before those of a lower priority. The order does not care.
///
/// # Errors
/// `KitchenError::NotFound`, `KitchenError::Stale`, the store's.
pub fn set_priority(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    priority: i64,
) -> Result<Ticket> {
    let before = find_seen(tx, actor, id)?;
    Stale::check(expected, before.version)?;
    let mut ticket = Ticket { priority, ..before.clone() };
    if ticket != before {
        store::update_ticket(tx, &before, &mut ticket)?;
    }
    Ok(ticket)
}

fn change(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    follow: Follow,
    verb: impl FnOnce(&mut Ticket) -> Result<bool>,
) -> Result<Ticket> {
    let before = find_seen(tx, actor, id)?;
    let mut ticket = before.clone();
    if verb(&mut ticket)? {
        store::update_ticket(tx, &before, &mut ticket)?;
        tell_orders(tx, actor, &before, &ticket, follow)?;
    }
    Ok(ticket)
}

/// Tells every order whose items were begun or finished by this change.
fn tell_orders(tx: &Tx<'_>, actor: &Actor, before: &Ticket, after: &Ticket, follow: Follow) -> Result<()> {
    if !after.kind.is_cooked() {
        return Ok(());
    }
    let mut notified: Vec<Uuid> = Vec::new();
    for (old, new) in before.items.iter().zip(&after.items) {
        let order = new.order_id;
        if old.status == new.status || notified.contains(&order) {
            continue;
        }
        notified.push(order);
        let Some(progress) = store::find_progress(tx, order)? else { continue };
        let begun = |ticket: &Ticket| {
            ticket.items.iter().any(|item| item.order_id == order && item.started_at.is_some())
        };
        if !begun(before) && begun(after) {
            follow(tx, actor, order, Progress::Started)?;
        }
        if progress == Progress::AllReady {
            follow(tx, actor, order, Progress::AllReady)?;
        }
    }
    Ok(())
}
