//! Tickets that no display has acknowledged: the alarm, and another way to the cooks, once.

use super::paper::{printer_of, send_to_paper};
use crate::db::Tx;
use crate::resources::kitchen::rules::{Result, Station, Ticket};
use crate::resources::kitchen::store;
use crate::resources::notifications::{self, Audience, Notice, Severity};

/// How long a ticket is worth sending elsewhere.
const EXPIRY_MS: i64 = 15 * 60_000;

/// Escalates what was fired more than `timeout_ms` ago and is not acknowledged: TICKET_UNACKED, and the ticket goes to the
/// station's printer or, where there is none or it has just failed, to the fallback station's display and printer. Each
/// ticket once. What is too old for paper (the box was off) is only told of. Returns how many there were; at most 50 a
/// call.
pub fn escalate_unacked(tx: &Tx<'_>, timeout_ms: i64) -> Result<usize> {
    let late = store::list_unacked(tx, tx.now().after(timeout_ms.saturating_neg()))?;
    let count = late.len();
    for before in late {
        let is_fresh =
            before.fired_at.is_some_and(|at| tx.now().since(at) < timeout_ms.saturating_add(EXPIRY_MS));
        escalate(tx, before, is_fresh)?;
    }
    Ok(count)
}

fn escalate(tx: &Tx<'_>, before: Ticket, is_fresh: bool) -> Result<()> {
    let stations = store::list_all_stations(tx, before.outlet_id)?;
    let find = |id| stations.iter().find(|station| station.id == id);
    let own = find(before.station_id);
    let way_out = own.filter(|_| is_fresh);
    // A station that works on paper had its paper queued when the ticket was fired: it did not come out.
    let printer_at = |station: Option<&Station>| match station {
        Some(station) => printer_of(tx, before.outlet_id, station),
        None => Ok(None),
    };
    let printer = printer_at(way_out.filter(|station| !station.fields.print_tickets))?;
    let fallback = match &printer {
        Some(_) => None,
        None => way_out.and_then(|s| s.fields.fallback_station_id).and_then(find),
    };
    let mut ticket = before.clone();
    ticket.escalated_at = Some(tx.now());
    ticket.escalated_to_id = fallback.map(|station| station.id);
    store::update_ticket(tx, &before, &mut ticket)?;
    let elsewhere = printer_at(fallback)?;
    if let Some(to) = printer.as_ref().or(elsewhere.as_ref()) {
        send_to_paper(tx, &ticket, to, fallback.or(way_out))?;
    }
    let way = match (&printer, fallback) {
        (Some(_), _) => "It was sent to the station's printer.".to_owned(),
        (None, Some(station)) => format!("It was sent to {}.", station.fields.name),
        (None, None) if !is_fresh => {
            "It is too old to be sent elsewhere: look whether it was cooked.".to_owned()
        }
        (None, None) => "There is no printer and no fallback station: tell the cooks.".to_owned(),
    };
    tell(tx, &ticket, own, &way)
}

fn tell(tx: &Tx<'_>, ticket: &Ticket, station: Option<&Station>, way: &str) -> Result<()> {
    let name = station.map_or(ticket.station_name.as_str(), |station| station.fields.name.as_str());
    let table = ticket.table_number.as_ref().map(|table| format!(", table {table}")).unwrap_or_default();
    let notice = Notice {
        kind: "TICKET_UNACKED",
        severity: Severity::Critical,
        title: format!("No display at {name} has seen ticket {}", ticket.ticket_number),
        body: format!("Order {}{table}. {way}", ticket.order_number),
        audience: Audience::Staff,
        entity: Some(("kitchen_ticket", ticket.id)),
        // A display that is off would raise one for every ticket: they are counted on one row.
        dedupe_key: format!("ticket-unacked:{}", ticket.station_id),
    };
    Ok(notifications::actions::notify(tx, ticket.outlet_id, notice)?)
}
