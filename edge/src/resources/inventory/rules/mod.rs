//! What stock may be and do. Pure: no HTTP, no SQL, no clock.

pub mod adjust;
pub mod drafts;
pub mod files;
pub mod making;
pub mod pick;
pub mod portions;
pub mod purchasing;
pub mod recipe;
pub mod recipe_files;
pub mod stocktakes;
pub mod transfers;
pub mod units;
pub mod waste;

pub use adjust::{Adjustment, Amount, BatchSource, Cause, Kind, Portions, Receipt, Use};
pub use drafts::{AgreedPrice, IngredientDraft, ItemDraft, RecipeDraft, StockItem, Supplier, SupplierDraft};
pub use pick::{OpenBatch, Rotation, Taking};
pub use purchasing::{BatchDelivery, SupplierPerformance};
pub use units::UnitConversion;
pub use waste::{MadeDish, Waste, WasteLog, WasteReason, Wasted};

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

refusals! {
    /// Why an inventory action was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum StockError {
        /// What is there does not allow it.
        #[error("{0}")]
        Conflict(String),
        /// The outlet refuses to sell what it does not have (stock policy BLOCK). All lines concerned.
        #[error("not enough stock")]
        Short(Vec<Shortage>),
    }
}
