//! What a branch and head office must agree on: ids, money, quantities, clocks, business dates, the table
//! registry and the frames of the change log. Never does I/O, never reads a clock by itself, never logs.
//!
//! A type is admitted only if both binaries serialise it, store it, or compute the same answer with it.

pub mod business_date;
pub mod clock;
pub mod conflict;
pub mod currency;
pub mod digest;
pub mod frame;
pub mod hlc;
pub mod ids;
pub mod money;
pub mod older;
pub mod quantity;
pub mod registry;
pub mod sync;
pub mod text;
pub mod words;

pub use business_date::BusinessDay;
pub use clock::{Clock, Millis};
pub use hlc::Hlc;
pub use ids::{Ids, id_of_hash};
pub use money::{Bps, Cents};
pub use quantity::{Quantity, UnitCost};
pub use uuid::Uuid;

/// A sum or product left the range of the type. Callers map it to a refusal of the request; nothing wraps around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the number is too large")]
pub struct Overflow;

/// Implements the conversions of a newtype over `i64` to and from SQLite integers.
#[cfg(feature = "sqlite")]
macro_rules! sqlite_integer {
    ($type:ty, $make:expr) => {
        impl rusqlite::types::ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.get().into())
            }
        }
        impl rusqlite::types::FromSql for $type {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                i64::column_result(value).map($make)
            }
        }
    };
}
#[cfg(feature = "sqlite")]
pub(crate) use sqlite_integer;
