//! The reports, each from its rows of sums: what its columns are, how its rows are named and ordered. What was summed in
//! millionths of a cent is rounded so that the rows add up to their total. Never reads anything.

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
