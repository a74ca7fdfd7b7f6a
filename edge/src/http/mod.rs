//! The HTTP frame: errors, extractors, paging, idempotency, limits, observation. Never knows a resource.

#[macro_use]
mod bodies;
pub mod client;
pub mod compress;
pub mod csv;
pub mod error;
pub mod etag;
pub mod extract;
pub mod finish;
pub mod host;
pub mod html;
pub mod idempotency;
pub mod intake;
pub mod language;
pub mod limit;
pub mod metrics;
pub mod observe;
pub mod page;
#[macro_use]
pub mod patch;
#[macro_use]
mod refusals;
pub mod reply;
pub mod schema;
mod several;
pub mod shutdown;
pub mod sse;
#[macro_use]
mod view;

pub use error::{Checks, Code, FieldError, Problem, Result, Stale};
pub use extract::{Id, Json, MaybeJson, Path, Query};
pub use page::{Page, Paging};
pub use patch::{Patch, Replace};
pub use refusals::Refused;
pub use reply::{Created, Data, Paged, Updated};
pub use several::several;
