//! What is unwise and was done all the same: said beside the answer, never a refusal.

use tiffin_common::words;

words! {
    /// What a warning is about.
    pub enum WarningCode {
        /// The books say that the stock has run out; it was sold all the same.
        OutOfStock = "OUT_OF_STOCK",
        /// A dish has no tax category: it is sold without tax.
        NoTaxCategory = "NO_TAX_CATEGORY",
    }
}

/// Something that is unwise, and was done all the same.
#[apply(answer!)]
#[derive(Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub code: WarningCode,
    /// Where in the request, such as `items[0].menuItemId`.
    pub path: String,
    /// For a person.
    pub message: String,
}
