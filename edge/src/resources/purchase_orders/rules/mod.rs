//! What purchasing may do. Pure: no HTTP, no SQL, no clock.

pub mod delivery;
pub mod invoices;
pub mod lines;
pub mod performance;
pub mod prices;
pub mod record;
pub mod returns;
pub mod shortage;
pub mod states;

pub use record::{Delivery, DeliveryLine, OrderLine, PurchaseOrder};
pub use states::{Mode, Status};

use crate::http::FieldError;
use crate::resources::inventory::rules::StockError;
use chrono::NaiveDate;

refusals! {
    /// Why purchasing refuses.
    #[derive(Debug, thiserror::Error)]
    pub enum PurchaseError {
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
        /// What comes is not what was ordered: a person has to confirm it, for each of these reasons.
        #[error("{} things want to be confirmed", .0.len())]
        Unconfirmed(Vec<FieldError>),
        /// An invoice of that number was entered before; says where.
        #[error("{0}")]
        Invoiced(String),
        /// The stock refused.
        #[error(transparent)]
        Stock(#[from] StockError),
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
