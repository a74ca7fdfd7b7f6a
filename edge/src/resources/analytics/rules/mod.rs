//! What the figures of a period are and how they follow from sums of rows. Pure: no HTTP, no SQL, no clock.

pub mod books;
pub mod documents;
pub mod engineering;
pub mod figures;
pub mod hours;
pub mod losses;
pub mod money;
pub mod period;
pub mod report;
pub mod reports;
pub mod rows;

pub use figures::{Growth, Headline, ProfitAndLoss, Sums};
pub use money::{Hundredths, cents_of_micros, parts_of_micros, percent};
pub use period::{Period, Range};
pub use rows::Plus;

use crate::db::DbError;
use crate::http::FieldError;

/// Why figures could not be given.
#[derive(Debug, thiserror::Error)]
pub enum AnalyticsError {
    /// Offending parameters.
    #[error("invalid parameters")]
    Invalid(Vec<FieldError>),
    /// The outlet has no such report; says why.
    #[error("{0}")]
    Refused(String),
    /// The store.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<tiffin_common::Overflow> for AnalyticsError {
    fn from(error: tiffin_common::Overflow) -> Self {
        AnalyticsError::Db(error.into())
    }
}
