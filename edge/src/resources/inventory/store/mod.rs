//! The only SQL that writes stock items, batches, their levels, movements, recipes, suppliers, stocktakes, transfers and
//! waste. Every query is scoped by outlet.

pub mod batches;
pub mod items;
pub mod levels;
pub mod makings;
pub mod movements;
pub mod portions;
pub mod recipes;
pub mod stocktakes;
pub mod suppliers;
pub mod transfers;
pub mod waste;

use crate::db::{self, Source};
use tiffin_common::Uuid;

/// The numbers of the purchase orders of an outlet that are open for an item.
pub type OpenOrders = fn(&dyn Source, Uuid, Uuid) -> db::Result<Vec<String>>;

/// A `LIKE` pattern that finds `text` anywhere.
pub(super) fn like(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
