//! What stock may be and do. Pure: no HTTP, no SQL, no clock.

pub mod adjust;
pub mod drafts;
pub mod pick;
pub mod portions;
pub mod purchasing;
pub mod recipe;
pub mod stocktakes;
pub mod transfers;
pub mod units;
pub mod waste;

pub use adjust::{Adjustment, Amount, BatchSource, Cause, Kind, Portions, Receipt, Use};
pub use drafts::{IngredientDraft, ItemDraft, RecipeDraft, StockItem, Supplier, SupplierDraft};
pub use pick::{OpenBatch, Rotation, Taking};
pub use purchasing::{BatchDelivery, SupplierPerformance};
pub use units::UnitConversion;
pub use waste::{MadeDish, Waste, WasteLog, WasteReason, Wasted};

use crate::db::DbError;
use crate::http::{FieldError, Stale};

/// A line of an order that stock does not suffice for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortage {
    /// The line's index in the request.
    pub index: usize,
    /// The names of the stock items that are missing.
    pub missing: Vec<String>,
}

impl Shortage {
    /// What to tell the client about it.
    pub fn reason(&self) -> String {
        format!("not enough stock: {}", self.missing.join(", "))
    }
}

/// Why an inventory action was refused.
#[derive(Debug, thiserror::Error)]
pub enum StockError {
    /// No such record of the outlet; the kind is named.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The record has changed since the client read it.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Offending fields.
    #[error("invalid fields")]
    Invalid(Vec<FieldError>),
    /// What is there does not allow it.
    #[error("{0}")]
    Conflict(String),
    /// The outlet refuses to sell what it does not have (stock policy BLOCK). All lines concerned.
    #[error("not enough stock")]
    Short(Vec<Shortage>),
    /// The store.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What the stock answers, or a refusal.
pub type Result<T, E = StockError> = std::result::Result<T, E>;

impl StockError {
    /// One offending field.
    pub fn field(name: impl Into<String>, reason: impl Into<String>) -> StockError {
        StockError::Invalid(vec![FieldError::new(name, reason)])
    }
}

crate::store_errors!(StockError);

impl From<Vec<FieldError>> for StockError {
    fn from(fields: Vec<FieldError>) -> Self {
        StockError::Invalid(fields)
    }
}
