//! The close of a trading day.

use super::super::rules::page::{self, Of};
use super::super::rules::printed::{self, Reading};
use super::super::rules::report::ZReport;
use super::super::rules::{CashError, ClosedDay, Result};
use super::super::store::{self, Day};
use crate::access::Actor;
use crate::db::{Source, Tx};
use crate::exchange::wait_for_all;
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
/// An offending `businessDate` that has not begun, or was before the outlet's first; [`CashError::State`] when it is closed already, is not over and may not be closed early, or rows of it are still to come from head office; [`CashError::Blocked`] with
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
    // The outlet's row may be younger than what it traded: head office makes it anew.
    let made = outlet.business_day().date_of(outlet.created_at);
    let first = store::find_first_date(tx, outlet.id)?.map_or(made, |first| first.min(made));
    if date < first {
        let reason = format!("is before the outlet's first day, {first}");
        return Err(CashError::Invalid(vec![FieldError::new("businessDate", reason)]));
    }
    if let Some(closed) = store::find_close(tx, actor.outlet_id, date)? {
        let number = closed.z_number;
        return Err(CashError::State(format!("{date} has been closed already (number {number})")));
    }
    if let Some(why) = wait_for_all(tx, &format!("close {date}"))? {
        return Err(CashError::State(why));
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

/// The report of `date` and its moment: Z of a closed day, as it was kept, X of one that goes on.
fn read_day(
    conn: &dyn Source,
    outlet: &Outlet,
    date: NaiveDate,
    now: Millis,
) -> Result<(Reading, ZReport, Millis)> {
    match store::find_close(conn, outlet.id, date)? {
        Some(closed) => Ok((Reading::Z(closed.z_number), closed.report, closed.at)),
        None if date > outlet.business_date(now) => Err(CashError::NotFound("day")),
        None => {
            let blockers = store::list_blockers(conn, outlet.id, date)?;
            Ok((Reading::X, store::sum_day(conn, &day_of(outlet, date), blockers)?, now))
        }
    }
}

/// The report of `date` as a page: of a closed day, and at the branch of the one that goes on. `counts`: for somebody who counts drawers
/// and is not told what should be in them; `is_copy`: of a copy, which knows no day that goes on.
///
/// # Errors
/// [`CashError::NotFound`] for any other day.
pub fn day_page(
    conn: &dyn Source,
    outlet: Uuid,
    date: NaiveDate,
    now: Millis,
    (counts, is_copy): (bool, bool),
) -> Result<String> {
    let outlet = outlets::store::find(conn, outlet)?;
    let goes_on = date == outlet.business_date(now) && !is_copy;
    if !goes_on && store::find_close(conn, outlet.id, date)?.is_none() {
        return Err(CashError::NotFound("day close"));
    }
    let (reading, mut report, at) = read_day(conn, &outlet, date, now)?;
    if counts && outlet.blind_count {
        report.hide_open_drawers();
    }
    let at = at.to_utc().with_timezone(&outlet.timezone).format("%d-%m-%Y %H:%M").to_string();
    let currency = outlet.currency.to_string();
    let of = Of { house: &outlet.name, currency: &currency, date, reading, at: &at };
    Ok(page::page(&of, &report))
}

/// Queues the report of `date` for the printer that was named, or the first for reports: Z of a closed day, as it was kept, and every one
/// after the first says COPY n; X of one that goes on.
///
/// # Errors
/// [`CashError::NotFound`] for a day that has not begun; an offending `printerId`; a conflict where there is no printer for reports.
pub fn print_day(tx: &Tx<'_>, actor: &Actor, date: NaiveDate, wanted: Option<Uuid>) -> Result<Job> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let printer = printers::actions::choose(tx, outlet.id, wanted, PrinterRole::Report)?;
    let (reading, report, _) = read_day(tx, &outlet, date, tx.now())?;
    let copy_number = match store::find_close(tx, outlet.id, date)? {
        Some(closed) => printers::store::next_copy(tx, outlet.id, closed.id)?,
        None => 0,
    };
    let rows = printed::rows(&outlet.name, &outlet.currency.to_string(), date, reading, &report);
    let paper =
        Paper { kind: JobKind::Report, rows, language: None, ticket_id: None, order_id: None, copy_number };
    let job = printers::actions::print(tx, outlet.id, &printer.destination(), paper)?;
    let after = serde_json::json!({"businessDate": date, "printer": printer.fields.name});
    audit::actions::record(tx, actor, Entry::new("day.print", "day_close", None).after(&after))?;
    Ok(job)
}
