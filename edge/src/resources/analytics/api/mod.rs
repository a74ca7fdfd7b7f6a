//! `/analytics` over HTTP. Never computes: it asks the store for sums and the rules for figures.

pub mod books;
pub mod dishes;
pub mod losses;
pub mod report_name;
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
use tiffin_common::{Cents, Millis};

impl From<AnalyticsError> for Problem {
    fn from(error: AnalyticsError) -> Self {
        match error {
            AnalyticsError::Invalid(fields) => invalid(fields),
            AnalyticsError::Refused(reason) => Problem::new(Code::Conflict).detail(reason),
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
    /// Orders without a bill: they are in the figures of the outlet's present date, where that is one of these dates, and may still
    /// change them.
    open_orders: i64,
    /// What they put into the gross.
    open_orders_gross_cents: Cents,
    /// What they put into the tax; `reports/tax` is of bills alone.
    open_orders_tax_cents: Cents,
}

impl Freshness {
    fn of(conn: &dyn Source, question: &Question) -> Result<Freshness, AnalyticsError> {
        let open = question.sum_open(conn)?;
        Ok(Freshness {
            generated_at: question.now,
            open_orders: open.orders,
            open_orders_gross_cents: open.gross,
            open_orders_tax_cents: open.tax,
        })
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
