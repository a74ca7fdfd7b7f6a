//! Tickets on paper: where they go, and what their coming out means. Never waits for a printer: paper is a row of the transaction.

use super::wording::worded;
use crate::db::{self, Source, Tx};
use crate::resources::kitchen::rules::{Station, Ticket};
use crate::resources::kitchen::store;
use crate::resources::printers::rules::{Destination, Job, JobKind, Paper};
use crate::resources::{outlets, printers};
use tiffin_common::{Millis, Uuid};

/// Where the tickets of the station go on paper, if anywhere: to the printer that names it, else to its own `printerAddress`.
pub(super) fn printer_of(
    conn: &dyn Source,
    outlet: Uuid,
    station: &Station,
) -> db::Result<Option<Destination>> {
    let address = station.fields.printer_address.as_deref();
    printers::actions::printer_of_station(conn, outlet, station.id, address)
}

/// Queues a ticket for the printer of its station, where the station works from paper.
pub(super) fn on_paper(tx: &Tx<'_>, ticket: &Ticket, station: &Station) -> db::Result<()> {
    if !station.fields.print_tickets {
        return Ok(());
    }
    match printer_of(tx, ticket.outlet_id, station)? {
        Some(printer) => send_to_paper(tx, ticket, &printer, Some(station)),
        None => Ok(()),
    }
}

/// Queues a ticket for a printer, in the language of the station that gets it, else in its printer's: the fixed words, and everything
/// as it is called in it now.
pub(super) fn send_to_paper(
    tx: &Tx<'_>,
    ticket: &Ticket,
    to: &Destination,
    station: Option<&Station>,
) -> db::Result<()> {
    let zone = outlets::store::find(tx, ticket.outlet_id)?.timezone;
    let local = |moment: Millis| moment.to_utc().with_timezone(&zone).format("%H:%M").to_string();
    // What its order says, and what is in the dishes, is read with it.
    let written = store::find_ticket(tx, ticket.outlet_id, ticket.id)?;
    let ticket = written.unwrap_or_else(|| ticket.clone());
    let language = station.and_then(|station| station.fields.language.clone());
    let spoken = match (&language, to.printer_id) {
        (None, Some(id)) => printers::store::find_language(tx, ticket.outlet_id, id)?,
        _ => language.clone(),
    };
    let ticket = worded(tx, ticket.outlet_id, spoken.as_deref(), ticket)?;
    let paper = Paper {
        kind: JobKind::Kitchen,
        rows: ticket.paper(local),
        language,
        ticket_id: Some(ticket.id),
        order_id: Some(ticket.order_id),
        copy_number: 0,
    };
    printers::actions::print(tx, ticket.outlet_id, to, paper).map(drop)
}

/// A printer took it. At a station that works on paper that is the ticket's acknowledgement.
pub fn paper_came_out(tx: &Tx<'_>, job: &Job) -> db::Result<()> {
    job.ticket_id.map_or(Ok(()), |id| store::set_paper_acked(tx, id))
}
