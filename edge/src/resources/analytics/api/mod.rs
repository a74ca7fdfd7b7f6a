//! `/analytics` over HTTP. Never computes: it asks the store for sums and the rules for figures.

pub mod dishes;
pub mod losses;
pub mod reports;
pub mod summary;
pub mod times;

use super::rules::{AnalyticsError, Range};
use super::store::Question;
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Code, FieldError, Problem, Result};
use crate::resources::outlets;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::Millis;

impl From<AnalyticsError> for Problem {
    fn from(error: AnalyticsError) -> Self {
        match error {
            AnalyticsError::Invalid(fields) => invalid(fields),
            AnalyticsError::Db(error) => error.into(),
        }
    }
}

fn invalid(fields: Vec<FieldError>) -> Problem {
    Problem::new(Code::BadRequest).detail("A query parameter is invalid").with_fields(fields)
}

/// A range of business dates, both included.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub struct Dates {
    /// The first date; `to` alone where it is absent.
    #[serde(default)]
    from: Option<NaiveDate>,
    /// The last date, at most 400 days on; the present one where it is absent.
    #[serde(default)]
    to: Option<NaiveDate>,
}

/// How fresh figures are.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Freshness {
    /// The moment they are of.
    generated_at: Millis,
    /// Orders of these dates that are neither completed nor cancelled: the figures may still change.
    open_orders: i64,
}

impl Freshness {
    fn of(conn: &dyn Source, question: &Question) -> Result<Freshness, AnalyticsError> {
        Ok(Freshness { generated_at: question.now, open_orders: question.count_open_orders(conn)? })
    }
}

/// Answers a question about a range of dates from one snapshot.
async fn answer<T, F>(cx: &Cx, dates: Dates, look: F) -> Result<T>
where
    F: FnOnce(&dyn Source, &Question) -> Result<T, AnalyticsError> + Send + 'static,
    T: Send + 'static,
{
    let now = cx.db.env().clock.now();
    cx.read(move |conn, outlet| -> Result<T, AnalyticsError> {
        let outlet = outlets::store::find(conn, outlet)?;
        let range =
            Range::of(dates.from, dates.to, outlet.business_date(now)).map_err(AnalyticsError::Invalid)?;
        look(conn, &Question::find(conn, &outlet, range, now)?)
    })
    .await
}
