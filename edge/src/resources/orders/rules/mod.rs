//! Decisions about orders: prices, states, numbers, what a line may hold. Pure: no store, no clock, no HTTP.

pub mod bill;
pub mod buyer;
pub mod combos;
pub mod corrections;
mod countdown;
pub mod credits;
pub mod discounts;
pub mod drafts;
pub mod entries;
pub mod error;
pub mod invoices;
pub mod kinds;
pub mod ledgers;
pub mod lines;
pub mod numbers;
pub mod payments;
pub mod price;
mod reading;
pub mod receipt;
pub mod record;
pub mod refunds;
pub mod schedule;
pub mod signing;
pub mod slips;
pub mod split;
pub mod states;
pub mod supplies;
pub mod verify;
pub mod voids;
mod weighed;

pub use crate::resources::menu::rules::Warning;
pub use buyer::Buyer;
pub use drafts::{ComponentRequest, Draft, LineRequest, ModifierRequest, Overridden, Selling};
pub use error::{OrderError, Result};
pub use kinds::{DiscountKind, OrderStatus, OrderType, PaymentMethod, Source};
pub use ledgers::{
    CorrectionKind, CorrectionRow, History, PaymentRow, RefundItemRow, RefundRow, TaxRow, VoidRow,
    WriteOffRow,
};
pub use price::{PriceLine, Priced, PricedLine, Reduction, TaxLine, Terms};
pub use record::{DiscountRecord, Guest, LineRecord, ModifierRecord, OrderRecord};
