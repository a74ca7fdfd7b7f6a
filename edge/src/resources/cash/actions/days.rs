//! The close of a trading day.

use super::super::rules::CashError;
use super::super::store::{self, CloseRow, Day};
use crate::access::Actor;
use crate::db::Transaction;
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use chrono::NaiveDate;

/// Closes `date` and keeps its report. What is still open goes on under `carry_over`.
///
/// # Errors
/// An offending `businessDate` that has not begun; [`CashError::State`] when it is closed already; [`CashError::Blocked`] with
/// everything that is open.
pub fn close_day(
    tx: &Transaction<'_>,
    actor: &Actor,
    date: NaiveDate,
    carry_over: bool,
) -> Result<CloseRow, CashError> {
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
    let blockers = store::blockers(tx, actor.outlet_id, date)?;
    if !blockers.is_empty() && !carry_over {
        return Err(CashError::Blocked(Box::new(blockers)));
    }
    let business_day = outlet.business_day();
    let day = Day {
        outlet: outlet.id,
        date: date.to_string(),
        start: business_day.start(date),
        end: business_day.end(date),
    };
    let report = store::read_day(tx, &day, blockers)?;
    let carried_over = report.carried_over();
    let text = serde_json::to_string(&report).map_err(|error| {
        tracing::error!(%error, "a day's report cannot be written");
        CashError::State("The report could not be written".into())
    })?;
    let number = store::insert_close(tx, actor, date, &text, carried_over)?;
    let entry = Entry::new("day.close", "day_close", None).after(&serde_json::json!({
        "businessDate": date, "zNumber": number, "totalCents": report.sales.total_cents, "carriedOver": carried_over,
    }));
    audit::actions::record(tx, actor, entry)?;
    store::find_close(tx, actor.outlet_id, date)?.ok_or(CashError::NotFound("day close"))
}
