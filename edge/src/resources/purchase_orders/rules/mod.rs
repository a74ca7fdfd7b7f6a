//! What purchasing may do. Pure: no HTTP, no SQL, no clock.

pub mod delivery;
pub mod lines;
pub mod performance;
pub mod record;
pub mod shortage;
pub mod states;

pub use record::{Delivery, DeliveryLine, OrderLine, PurchaseOrder};
pub use states::{Mode, Status};

use crate::db::DbError;
use crate::http::{FieldError, Stale};
use crate::resources::inventory::rules::StockError;
use chrono::NaiveDate;

/// Why purchasing refuses.
#[derive(Debug, thiserror::Error)]
pub enum PurchaseError {
    /// No such record of the outlet; the kind is named.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The record has changed since the client read it.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Offending fields.
    #[error("{} fields are invalid", .0.len())]
    Invalid(Vec<FieldError>),
    /// The state may not follow.
    #[error("a purchase order that is {from} cannot become {to}")]
    Transition {
        /// Where it is.
        from: Status,
        /// Where it was to go.
        to: Status,
    },
    /// The state does not allow it; says why and what to do.
    #[error("{0}")]
    State(String),
    /// The stock refused.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// The store.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What purchasing answers, or a refusal.
pub type Result<T, E = PurchaseError> = std::result::Result<T, E>;

crate::store_errors!(PurchaseError);

impl PurchaseError {
    /// One offending field.
    pub fn field(name: impl Into<String>, reason: impl Into<String>) -> PurchaseError {
        PurchaseError::Invalid(vec![FieldError::new(name, reason)])
    }
}

impl From<Vec<FieldError>> for PurchaseError {
    fn from(fields: Vec<FieldError>) -> Self {
        PurchaseError::Invalid(fields)
    }
}

/// `PO-{outletCode}-{yymmdd}-{nnn}`; past 999 the last part grows.
pub fn po_number(outlet_code: &str, date: NaiveDate, serial: i64) -> String {
    format!("PO-{outlet_code}-{}-{serial:03}", date.format("%y%m%d"))
}

/// The counter that purchase orders of `date` are numbered from.
pub fn po_series(date: NaiveDate) -> String {
    format!("PURCHASE_ORDER:{date}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_names_outlet_day_and_serial() {
        let date: NaiveDate = "2026-11-05".parse().unwrap();
        assert_eq!(po_number("BLR1", date, 7), "PO-BLR1-261105-007");
        assert_eq!(po_number("BLR1", date, 1234), "PO-BLR1-261105-1234");
        assert_eq!(po_series(date), "PURCHASE_ORDER:2026-11-05");
    }
}
