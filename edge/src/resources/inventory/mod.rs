//! Inventory: stock items in batches, the ledger of every change with its cost, recipes and suppliers.
//!
//! Invariants: an item's `on_hand` is the sum of its movements; what is left of a batch is the sum of its movements and never
//! less than nothing; a deficit is the negative sum of the movements without a batch; a movement that takes something back
//! names the one it takes from, and never more comes back than was taken.

pub mod actions;
pub mod rules;
pub mod store;
