//! The reports, each from its rows of sums: what its columns are, how its rows are named and ordered. What was summed in
//! millionths of a cent is rounded so that the rows add up to their total. Never reads anything.

use super::report::Cell;
use crate::resources::menu::rules::WeightUnit;
use crate::resources::menu::rules::weights::Weights;
use tiffin_common::{Overflow, Quantity};

pub mod combos;
mod invoices;
mod labor;
mod money;
mod prices;
mod stock;

pub use combos::combos;
pub use invoices::supplier_invoices;
pub use labor::labor;
pub use money::{discounts, payments, pnl, sales, tax, voids};
pub use prices::{Received, price_variance};
pub use stock::{StockNames, inventory, purchases, variance, waste};

/// What something weighs together in its own unit, else in the system it was sold in, and that unit; nothing where nothing was weighed.
///
/// # Errors
/// [`Overflow`].
fn weight_cells(weights: Weights, unit: Option<WeightUnit>) -> Result<[Cell; 2], Overflow> {
    if weights == Weights::default() {
        return Ok([Cell::Nothing, Cell::from("")]);
    }
    let unit = unit.unwrap_or(match weights.grams == Quantity::ZERO {
        true => WeightUnit::Lb,
        false => WeightUnit::Kg,
    });
    Ok([Cell::from(weights.within(unit)?), Cell::from(unit.name())])
}
