//! `/analytics/hourly`.

use super::{Dates, Freshness, answer};
use crate::access::Cx;
use crate::http::{Data, Query, Result};
use crate::resources::analytics::rules::hours::{Hourly, by_hour};
use crate::resources::analytics::store::reports;
use chrono::{NaiveDate, Timelike};

/// Sales of a range by local hour and weekday.
#[apply(answer!)]
pub struct HourlySales {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// By the hour orders were taken in.
    #[serde(flatten)]
    sales: Hourly,
    /// How fresh all of it is.
    #[serde(flatten)]
    freshness: Freshness,
}

/// Sales by local hour and weekday.
pub async fn get_hourly(cx: Cx, Query(dates): Query<Dates>) -> Result<Data<HourlySales>> {
    let hourly = answer(&cx, dates, |conn, question| {
        let quarters = reports::list_quarters(conn, question)?;
        let first = question.outlet.business_day_starts_at.hour();
        let days = question.outlet.business_day();
        Ok(HourlySales {
            from: question.range.from,
            to: question.range.to,
            sales: by_hour(&quarters, question.range.dates(), days, first)?,
            freshness: Freshness::of(conn, question)?,
        })
    });
    Ok(Data::new(hourly.await?))
}
