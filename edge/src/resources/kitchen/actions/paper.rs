//! Paper: rows of a printer's queue, and what became of them. Never waits for a printer: a worker prints after the commit.

use super::{announce, find};
use crate::db::{self, Topic, Tx};
use crate::resources::kitchen::escpos;
use crate::resources::kitchen::rules::{Job, JobStatus, Result, Ticket};
use crate::resources::kitchen::store;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets;
use tiffin_common::{Millis, Uuid};

/// How long paper is worth printing: the night's backlog must not come out in the morning.
pub(super) const EXPIRY_MS: i64 = 10 * 60_000;

/// Queues `payload` (ESC/POS) for the printer at `address`. It expires after 10 minutes.
pub fn print(
    tx: &Tx<'_>,
    outlet: Uuid,
    address: &str,
    ticket: Option<Uuid>,
    payload: Vec<u8>,
) -> db::Result<()> {
    let job = Job {
        id: tx.new_id(),
        outlet_id: outlet,
        printer_address: address.to_owned(),
        ticket_id: ticket,
        payload,
        created_at: tx.now(),
        expires_at: tx.now().after(EXPIRY_MS),
        attempts: 0,
        next_attempt_at: tx.now(),
        status: JobStatus::Queued,
        last_error: None,
    };
    store::insert_job(tx, &job)?;
    tx.signal(Topic::Printing);
    Ok(())
}

/// Queues a ticket for the printer at `address`.
pub fn send_to_paper(tx: &Tx<'_>, ticket: &Ticket, address: &str) -> db::Result<()> {
    let zone = outlets::store::find(tx, ticket.outlet_id)?.timezone;
    let moment = ticket.fired_at.unwrap_or(ticket.created_at);
    let time = moment.to_utc().with_timezone(&zone).format("%H:%M").to_string();
    print(tx, ticket.outlet_id, address, Some(ticket.id), escpos::ticket(ticket, &time))
}

/// The printer took it. At a station that works on paper that is the ticket's acknowledgement.
pub fn paper_came_out(tx: &Tx<'_>, job: &Job) -> Result<()> {
    store::set_job_status(tx, job.id, JobStatus::Printed)?;
    if let Some(id) = job.ticket_id
        && store::set_paper_acked(tx, id)?
    {
        announce(tx, &find(tx, job.outlet_id, id)?, "ticket.updated")?;
    }
    Ok(())
}

/// The printer did not take it: told at the first failure, tried again at `next_attempt_at`.
pub fn paper_failed(tx: &Tx<'_>, job: &Job, sent: bool, error: &str, next_attempt_at: Millis) -> Result<()> {
    store::set_job_failed(tx, job.id, sent, error, next_attempt_at)?;
    if job.attempts == 0 {
        let body = format!("{error}. It is tried again until the paper would be too old.");
        tell(tx, job, "PRINTER_DOWN", "does not print", body)?;
    }
    Ok(())
}

/// Nobody wants it on paper any more.
pub fn paper_expired(tx: &Tx<'_>, job: &Job) -> Result<()> {
    store::set_job_status(tx, job.id, JobStatus::Expired)?;
    let body = "It waited too long and will not come out late.".to_owned();
    tell(tx, job, "PRINT_EXPIRED", "did not print in time", body)
}

fn tell(tx: &Tx<'_>, job: &Job, kind: &'static str, what: &str, body: String) -> Result<()> {
    let notice = Notice {
        kind,
        severity: Severity::Critical,
        title: format!("The printer {} {what}", job.printer_address),
        body,
        audience: Audience::Staff,
        entity: job.ticket_id.map(|id| ("kitchen_ticket", id)),
        dedupe_key: format!("{kind}:{}", job.printer_address),
    };
    Ok(notifications::actions::notify(tx, job.outlet_id, notice)?)
}

/// Forgets what was printed for an order, as printers were sent it.
pub fn forget_printed(tx: &Tx<'_>, outlet: Uuid, order: Uuid) -> db::Result<()> {
    store::delete_printed(tx, outlet, order)
}
