//! Decisions about orders: prices, states, numbers, what a line may hold. Pure: no store, no clock, no HTTP.

pub mod discounts;
pub mod error;
pub mod kinds;
pub mod lines;
pub mod numbers;
pub mod price;
pub mod record;
pub mod states;

pub use error::OrderError;
pub use kinds::{DiscountKind, OrderStatus, OrderType, PaymentMethod, Source};
pub use lines::{Draft, LineRequest, ModifierRequest};
pub use price::{PriceLine, Priced, PricedLine, Reduction, TaxLine, Terms};
pub use record::{DiscountRecord, LineRecord, ModifierRecord, OrderRecord};
