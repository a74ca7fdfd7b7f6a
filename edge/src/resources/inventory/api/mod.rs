//! `/inventory` over HTTP, one file per kind of record.

pub(super) mod adjustments;
pub(super) mod batches;
pub(super) mod files;
pub(super) mod items;
pub(super) mod portions;
pub(super) mod preparations;
pub(super) mod recipes;
pub(super) mod stocktakes;
pub(super) mod suppliers;
pub(super) mod transfers;

use super::rules::StockError;
use crate::access::Cx;
use crate::db::{self, Source};
use crate::http::{Code, FieldError, Problem};
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

answered! {
    StockError of "record" {
        StockError::Conflict(detail) => Problem::new(Code::Conflict).detail(detail),
        StockError::Short(short) => {
            let fields =
                short.iter().map(|s| FieldError::new(format!("items[{}].quantity", s.index), s.reason()));
            Problem::invalid(fields.collect())
        }
    }
}

/// The outlet's business date at `now`.
fn today(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<NaiveDate> {
    Ok(outlets::store::find(conn, outlet)?.business_date(now))
}

/// The moment of a request that only reads.
fn now(cx: &Cx) -> Millis {
    cx.db.env().clock.now()
}
