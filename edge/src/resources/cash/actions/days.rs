//! The close of a trading day.

use super::super::rules::printed::{self, Reading};
use super::super::rules::{CashError, ClosedDay, Result};
use super::super::store::{self, Day};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets::rules::Outlet;
use crate::resources::printers::rules::{Job, JobKind, Paper, PrinterRole};
use crate::resources::{outlets, printers};
use chrono::{Datelike, NaiveDate};
use tiffin_common::{Millis, Uuid};

/// Closes `date` and keeps its report. What is still open goes on under `carry_over`; the present date is closed under `early` alone,
/// and the next one begins at once.
///
/// # Errors
/// An offending `businessDate` that has not begun; [`CashError::State`] when it is closed already, or it is not over and may not be closed early; [`CashError::Blocked`] with
/// everything that is open.
pub fn close_day(
    tx: &Tx<'_>,
    actor: &Actor,
    date: NaiveDate,
    (carry_over, early): (bool, bool),
) -> Result<ClosedDay> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let today = outlet.business_date(tx.now());
    if date > today {
        let reason = format!("has not begun: today is {today}");
        return Err(CashError::Invalid(vec![FieldError::new("businessDate", reason)]));
    }
    if let Some(closed) = store::find_close(tx, actor.outlet_id, date)? {
        let number = closed.z_number;
        return Err(CashError::State(format!("{date} has been closed already (number {number})")));
    }
    let is_early = date == today;
    if is_early {
        check_early(&outlet, date, tx.now(), early)?;
    }
    let blockers = store::list_blockers(tx, actor.outlet_id, date)?;
    if !blockers.is_empty() && !carry_over {
        return Err(CashError::Blocked(Box::new(blockers)));
    }
    let report = store::sum_day(tx, &day_of(&outlet, date), blockers)?;
    let closed = ClosedDay {
        id: tx.new_id(),
        business_date: date,
        z_number: store::next_close(tx, actor.outlet_id)?,
        carried_over: report.carried_over(),
        report,
        at: tx.now(),
        by_id: actor.account_id,
        clock_suspect: tx.is_clock_doubtful(),
        early: is_early,
    };
    store::insert_close(tx, actor.outlet_id, &closed)?;
    let entry = Entry::new("day.close", "day_close", None).after(&serde_json::json!({
        "businessDate": date, "zNumber": closed.z_number, "totalCents": closed.report.sales.total_cents,
        "carriedOver": closed.carried_over,
    }));
    audit::actions::record(tx, actor, entry)?;
    Ok(closed)
}

/// Refuses to close `date`, the present one, before it ends: unasked, twice in a row, or into another month than the local one.
fn check_early(outlet: &Outlet, date: NaiveDate, now: Millis, early: bool) -> Result<()> {
    let refuse = |why: String| Err(CashError::State(why));
    if !early {
        return refuse(format!("{date} is not over: close it early, and the next date begins at once"));
    }
    if date > outlet.business_day().date_of(now) {
        return refuse(format!("{date} has itself been begun early: it is closed once it is over"));
    }
    let local = now.to_utc().with_timezone(&outlet.timezone).date_naive();
    let is_same_month = |next: NaiveDate| (next.year(), next.month()) == (local.year(), local.month());
    if !date.succ_opt().is_some_and(is_same_month) {
        return refuse(format!(
            "The date after {date} is of another month than {local}: close it once it is over"
        ));
    }
    Ok(())
}

fn day_of(outlet: &Outlet, date: NaiveDate) -> Day {
    let business_day = outlet.business_day();
    // A date that another one's early close began starts with it.
    let begun = outlet.closed_early.filter(|(closed, _)| closed.succ_opt() == Some(date));
    let start = begun.map_or_else(|| business_day.start(date), |(_, at)| at);
    Day { outlet: outlet.id, date, start, end: business_day.end(date) }
}

/// Queues the report of `date` for the printer that was named, or the first for reports: Z of a closed day, as it was kept, and every one
/// after the first says COPY n; X of one that goes on.
///
/// # Errors
/// [`CashError::NotFound`] for a day that has not begun; an offending `printerId`; a conflict where there is no printer for reports.
pub fn print_day(tx: &Tx<'_>, actor: &Actor, date: NaiveDate, wanted: Option<Uuid>) -> Result<Job> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let printer = printers::actions::choose(tx, outlet.id, wanted, PrinterRole::Report)?;
    let mut copy_number = 0;
    let (reading, report) = match store::find_close(tx, outlet.id, date)? {
        Some(closed) => {
            copy_number = printers::store::next_copy(tx, outlet.id, closed.id)?;
            (Reading::Z(closed.z_number), closed.report)
        }
        None if date > outlet.business_date(tx.now()) => return Err(CashError::NotFound("day")),
        None => {
            let blockers = store::list_blockers(tx, outlet.id, date)?;
            (Reading::X, store::sum_day(tx, &day_of(&outlet, date), blockers)?)
        }
    };
    let rows = printed::rows(&outlet.name, &outlet.currency.to_string(), date, reading, &report);
    let paper =
        Paper { kind: JobKind::Report, rows, language: None, ticket_id: None, order_id: None, copy_number };
    let job = printers::actions::print(tx, outlet.id, &printer.destination(), paper)?;
    let after = serde_json::json!({"businessDate": date, "printer": printer.fields.name});
    audit::actions::record(tx, actor, Entry::new("day.print", "day_close", None).after(&after))?;
    Ok(job)
}
