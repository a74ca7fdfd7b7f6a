//! The close of a trading day.

use super::super::rules::{CashError, ClosedDay, Result};
use super::super::store::{self, Day};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use chrono::NaiveDate;

/// Closes `date` and keeps its report. What is still open goes on under `carry_over`.
///
/// # Errors
/// An offending `businessDate` that has not begun; [`CashError::State`] when it is closed already; [`CashError::Blocked`] with
/// everything that is open.
pub fn close_day(tx: &Tx<'_>, actor: &Actor, date: NaiveDate, carry_over: bool) -> Result<ClosedDay> {
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
    let blockers = store::list_blockers(tx, actor.outlet_id, date)?;
    if !blockers.is_empty() && !carry_over {
        return Err(CashError::Blocked(Box::new(blockers)));
    }
    let business_day = outlet.business_day();
    let day = Day { outlet: outlet.id, date, start: business_day.start(date), end: business_day.end(date) };
    let report = store::sum_day(tx, &day, blockers)?;
    let closed = ClosedDay {
        id: tx.new_id(),
        business_date: date,
        z_number: store::next_close(tx, actor.outlet_id)?,
        carried_over: report.carried_over(),
        report,
        at: tx.now(),
        by_id: actor.account_id,
        clock_suspect: tx.is_clock_doubtful(),
    };
    store::insert_close(tx, actor.outlet_id, &closed)?;
    let entry = Entry::new("day.close", "day_close", None).after(&serde_json::json!({
        "businessDate": date, "zNumber": closed.z_number, "totalCents": closed.report.sales.total_cents,
        "carriedOver": closed.carried_over,
    }));
    audit::actions::record(tx, actor, entry)?;
    Ok(closed)
}
