//! What can happen to printers and to paper. Paper is rows of a queue: nobody here waits for a printer, a worker prints after the commit.

use super::rules::{
    CEILING, Destination, Job, JobKind, JobStatus, LayoutFields, MOST_PRINTERS, Paper, Printer, PrinterError,
    PrinterFields, PrinterRole, Result, whole,
};
use super::store;
use crate::access::Actor;
use crate::config::Printers;
use crate::db::{self, Source, Topic, Tx};
use crate::http::Stale;
use crate::paper::Row;
use crate::resources::audit::{self, Entry};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use serde_json::json;
use tiffin_common::{Millis, Uuid};

/// Makes a printer.
///
/// # Errors
/// Offending fields; a name that is taken; too many printers.
pub fn create(tx: &Tx<'_>, actor: &Actor, fields: PrinterFields, reach: &Printers) -> Result<Printer> {
    let others = store::list_all(tx, actor.outlet_id)?;
    if others.len() >= MOST_PRINTERS {
        return Err(PrinterError::Conflict(format!("An outlet has at most {MOST_PRINTERS} printers")));
    }
    let fields = fields.checked(&others, &store::list_stations(tx, actor.outlet_id)?, reach)?;
    let id = tx.new_id();
    store::insert(tx, actor.outlet_id, id, &fields)?;
    let printer = store::find(tx, actor.outlet_id, id)?;
    audit::actions::record(tx, actor, Entry::new("printer.create", "printer", Some(id)).after(&printer))?;
    Ok(printer)
}

/// Changes a printer. What waits for it waits where it is now.
///
/// # Errors
/// No such one; a stale version; offending fields; a name that is taken.
pub fn update(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(PrinterFields) -> PrinterFields,
    reach: &Printers,
) -> Result<Printer> {
    let before = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let mut others = store::list_all(tx, actor.outlet_id)?;
    others.retain(|printer| printer.id != id);
    let stations = store::list_stations(tx, actor.outlet_id)?;
    let fields = change(before.fields.clone()).checked(&others, &stations, reach)?;
    if fields == before.fields {
        return Ok(before);
    }
    store::update(tx, id, &fields)?;
    if fields.address != before.fields.address {
        store::set_queue_moved(tx, id, &fields.address)?;
        tx.signal(Topic::Printing);
    }
    let after = store::find(tx, actor.outlet_id, id)?;
    let entry = Entry::new("printer.update", "printer", Some(id)).before(&before).after(&after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}

/// Archives a printer for which nothing waits.
///
/// # Errors
/// No such one; a stale version; paper that waits for it.
pub fn archive(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Printer> {
    let printer = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, printer.version)?;
    if store::count_open(tx, &printer.fields.address)? > 0 {
        return Err(PrinterError::Conflict("Paper still waits for the printer".into()));
    }
    store::set_archived(tx, actor.outlet_id, id)?;
    audit::actions::record(tx, actor, Entry::new("printer.archive", "printer", Some(id)).before(&printer))?;
    Ok(printer)
}

/// The paper of a station comes out elsewhere from now on: so do its tickets that wait.
pub fn move_tickets(tx: &Tx<'_>, station: Uuid, from: &Destination, to: &Destination) -> db::Result<()> {
    if from.address != to.address {
        store::set_tickets_moved(tx, station, &from.address, to)?;
        tx.signal(Topic::Printing);
    }
    Ok(())
}

/// A station is no more: no printer names it any longer.
pub fn forget_station(tx: &Tx<'_>, actor: &Actor, station: Uuid) -> db::Result<()> {
    for printer in store::list_all(tx, actor.outlet_id)? {
        let mut fields = printer.fields.clone();
        fields.station_ids.retain(|id| *id != station);
        if fields != printer.fields {
            store::update(tx, printer.id, &fields)?;
            let entry = Entry::new("printer.update", "printer", Some(printer.id));
            audit::actions::record(tx, actor, entry.before(&printer.fields).after(&fields))?;
        }
    }
    Ok(())
}

/// Says what stands on the outlet's receipts.
///
/// # Errors
/// Offending fields.
pub fn set_layout(
    tx: &Tx<'_>,
    actor: &Actor,
    change: impl FnOnce(LayoutFields) -> LayoutFields,
) -> Result<LayoutFields> {
    let before = store::find_layout(tx, actor.outlet_id)?.map(|layout| layout.fields).unwrap_or_default();
    let fields = change(before.clone()).checked()?;
    if fields != before {
        store::update_layout(tx, actor.outlet_id, &fields)?;
        let entry =
            Entry::new("print_layout.update", "outlet", Some(actor.outlet_id)).before(&before).after(&fields);
        audit::actions::record(tx, actor, entry)?;
    }
    Ok(fields)
}

/// The printer that somebody named, else the first that is there for `role`.
///
/// # Errors
/// An offending `printerId`; a conflict where there is none.
pub fn choose(conn: &dyn Source, outlet: Uuid, wanted: Option<Uuid>, role: PrinterRole) -> Result<Printer> {
    let printers = store::list_all(conn, outlet)?;
    match wanted {
        Some(id) => printers
            .into_iter()
            .find(|printer| printer.id == id)
            .ok_or_else(|| PrinterError::field("printerId", "is not a printer of this outlet")),
        None => printers
            .into_iter()
            .find(|printer| printer.is_for(role))
            .ok_or_else(|| PrinterError::Conflict(format!("No printer has the role {}", role.name()))),
    }
}

/// Where the tickets of a station go on paper: the printer that names it, else the address that it names itself.
pub fn printer_of_station(
    conn: &dyn Source,
    outlet: Uuid,
    station: Uuid,
    address: Option<&str>,
) -> db::Result<Option<Destination>> {
    let printers = store::list_all(conn, outlet)?;
    let named = printers.iter().find(|printer| printer.fields.station_ids.contains(&station));
    let address = address.map(whole);
    let at_address = || printers.iter().find(|printer| Some(&printer.fields.address) == address.as_ref());
    if let Some(printer) = named.or_else(at_address) {
        return Ok(Some(printer.destination()));
    }
    Ok(address.map(|address| Destination { printer_id: None, address, expires_minutes: None }))
}

/// Queues `paper`. Where too much waits already it fails at once, and is told of: an order never waits for a printer.
pub fn print(tx: &Tx<'_>, outlet: Uuid, to: &Destination, paper: Paper) -> db::Result<Job> {
    let is_full = store::count_open(tx, &to.address)? >= CEILING;
    let minutes = match paper.kind {
        JobKind::Drawer => paper.kind.worth_minutes(),
        kind => to.expires_minutes.unwrap_or_else(|| kind.worth_minutes()),
    };
    let job = Job {
        id: tx.new_id(),
        outlet_id: outlet,
        printer_id: to.printer_id,
        printer_address: to.address.clone(),
        kind: paper.kind,
        ticket_id: paper.ticket_id,
        order_id: paper.order_id,
        rows: paper.rows,
        language: paper.language,
        copy_number: paper.copy_number,
        created_at: tx.now(),
        expires_at: tx.now().after(minutes.saturating_mul(60_000)),
        attempts: 0,
        sends: 0,
        next_attempt_at: tx.now(),
        status: if is_full { JobStatus::Failed } else { JobStatus::Queued },
        confirmed: None,
        cuts_before: None,
        fell_back_from: None,
        last_error: is_full.then(|| "Too much paper waits for this printer".to_owned()),
        done_at: None,
    };
    store::insert_job(tx, &job)?;
    if is_full {
        let body = format!("{CEILING} pieces of paper wait for it. What comes now is not printed.");
        tell(tx, &job, "PRINT_QUEUE_FULL", "takes no more paper", body)?;
    }
    tx.signal(Topic::Printing);
    Ok(job)
}

/// A try of a printer: what it can write, and what is drawn.
///
/// # Errors
/// No such printer.
pub fn test(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Job> {
    let printer = store::find(tx, actor.outlet_id, id)?;
    let rows = test_rows(&printer.fields.name);
    let paper =
        Paper { kind: JobKind::Test, rows, language: None, ticket_id: None, order_id: None, copy_number: 0 };
    let job = print(tx, actor.outlet_id, &printer.destination(), paper)?;
    audit::actions::record(tx, actor, Entry::new("printer.test", "printer", Some(id)))?;
    Ok(job)
}

/// What a try prints.
pub fn test_rows(name: &str) -> Vec<Row> {
    vec![
        Row::Title("Tiffin".into()),
        Row::Centre(name.to_owned()),
        Row::Rule,
        Row::Plain("Crème brûlée, jalapeño".into()),
        Row::Pair("Price".into(), "₹ 250.00".into()),
        Row::Plain("नमस्ते".into()),
        Row::Plain("வணக்கம்".into()),
        Row::Plain("مرحبا".into()),
        Row::Reverse("Reverse".into()),
        Row::Qr("https://tiffin.example/test".into()),
    ]
}

/// Opens the drawer that is wired to `printer`, once: what may have opened it is never sent again. On record.
pub fn open_drawer(tx: &Tx<'_>, actor: &Actor, printer: &Printer, order: Option<Uuid>) -> db::Result<Job> {
    let paper = Paper {
        kind: JobKind::Drawer,
        rows: Vec::new(),
        language: None,
        ticket_id: None,
        order_id: order,
        copy_number: 0,
    };
    let job = print(tx, actor.outlet_id, &printer.destination(), paper)?;
    let after = json!({"printer": printer.fields.name, "orderId": order});
    let entry = Entry::new("drawer.kick", "printer", Some(printer.id)).after(&after);
    audit::actions::record(tx, actor, entry)?;
    Ok(job)
}

/// The printer did not take it: told at the first failure, tried again at `next_attempt_at`.
pub fn failed(tx: &Tx<'_>, job: &Job, error: &str, next_attempt_at: Millis) -> Result<()> {
    store::set_job_failed(tx, job.id, error, next_attempt_at)?;
    if job.attempts == 0 {
        let body = format!("{error}. It is tried again until the paper would be too old.");
        tell(tx, job, "PRINTER_DOWN", "does not print", body)?;
    }
    Ok(())
}

/// Another printer prints it instead, once; whether there is room in its queue.
pub fn moved(tx: &Tx<'_>, job: &Job, to: &Printer, from: &str) -> Result<bool> {
    if store::count_open(tx, &to.fields.address)? >= CEILING {
        return Ok(false);
    }
    store::set_job_moved(tx, job.id, &to.destination(), from)?;
    tx.signal(Topic::Printing);
    Ok(true)
}

/// Nobody wants it on paper any more. What may have come out was not late: it is unknown, and says so.
pub fn expired(tx: &Tx<'_>, job: &Job) -> Result<()> {
    if job.may_be_printed() {
        return given_up(tx, job, "It may have come out: the printer never said so");
    }
    store::set_job_expired(tx, job.id)?;
    let body = "It waited too long and will not come out late.".to_owned();
    Ok(tell(tx, job, "PRINT_EXPIRED", "did not print in time", body)?)
}

/// It is tried no more.
pub fn given_up(tx: &Tx<'_>, job: &Job, why: &str) -> Result<()> {
    store::set_job_given_up(tx, job.id, why)?;
    Ok(tell(tx, job, "PRINT_FAILED", "may not have printed", format!("{why}."))?)
}

fn tell(tx: &Tx<'_>, job: &Job, kind: &'static str, what: &str, body: String) -> db::Result<()> {
    let printer = match job.printer_id {
        Some(id) => store::list_all(tx, job.outlet_id)?.into_iter().find(|printer| printer.id == id),
        None => None,
    };
    let name = printer.map_or_else(|| job.printer_address.clone(), |printer| printer.fields.name);
    let notice = Notice {
        kind,
        severity: Severity::Critical,
        title: format!("The printer {name} {what}"),
        body,
        audience: Audience::Staff,
        entity: job.ticket_id.map(|id| ("kitchen_ticket", id)).or(job.order_id.map(|id| ("order", id))),
        dedupe_key: format!("{kind}:{}", job.printer_address),
    };
    notifications::actions::notify(tx, job.outlet_id, notice)
}

/// Forgets what was printed for an order, as printers were sent it.
pub fn forget_printed(tx: &Tx<'_>, outlet: Uuid, order: Uuid) -> db::Result<()> {
    store::delete_printed(tx, outlet, order)
}

/// Forgets paper that was made before `before`.
pub fn forget(tx: &Tx<'_>, before: Millis) -> db::Result<usize> {
    store::delete_jobs(tx, before)
}
