//! Sums of waste over HTTP.

use super::super::rules::{self, WasteSummary};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Code, Data, Problem, Query, Result};
use crate::resources::inventory::rules::StockError;
use crate::resources::inventory::store::waste;
use crate::resources::{kitchen, outlets};
use chrono::{Datelike, Days, NaiveDate};

/// The most business dates one summary covers.
const LONGEST: u64 = 400;

/// Which business dates, both included.
#[apply(request!)]
pub struct WasteSummaryQuery {
    /// The first; that of `to`'s month where absent.
    from: Option<NaiveDate>,
    /// The last; today where absent.
    to: Option<NaiveDate>,
}

/// What waste cost.
pub async fn get_waste_summary(cx: Cx, Query(query): Query<WasteSummaryQuery>) -> Result<Data<WasteSummary>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_> {
        let today = outlets::store::find(conn, outlet).map_err(StockError::from)?.business_date(now);
        let period = period(&query, today)?;
        Ok(summed(conn, outlet, period)?)
    })
    .await
}

fn period(query: &WasteSummaryQuery, today: NaiveDate) -> Result<(NaiveDate, NaiveDate)> {
    let to = query.to.unwrap_or(today);
    let from = query.from.unwrap_or(to.with_day(1).unwrap_or(to));
    let latest = from.checked_add_days(Days::new(LONGEST)).unwrap_or(from);
    let refuse = |reason: &str| {
        Err(Problem::new(Code::BadRequest).detail(format!("to {reason}")).with_field("to", reason))
    };
    if to < from {
        return refuse("must not be before from");
    }
    if to > latest {
        return refuse("must be at most 400 days after from");
    }
    Ok((from, to))
}

fn summed(
    conn: &dyn Source,
    outlet: tiffin_common::Uuid,
    (from, to): (NaiveDate, NaiveDate),
) -> Result<WasteSummary, StockError> {
    let parts = waste::list_sums(conn, outlet, from, to)?;
    let counts = waste::count_by_reason(conn, outlet, from, to)?;
    let stations = kitchen::actions::station_names(conn, outlet)?;
    Ok(rules::summary((from, to), &parts, &counts, &stations)?)
}
