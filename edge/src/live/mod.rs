//! One stream of what changes, for every screen: `GET /stream`, and the same for the guests at a table. It is read from the change log, so
//! that nothing that was committed is missed, also over a restart; an event is a row as its GET shows it to whoever follows. Never writes.

mod api;
mod changes;
mod hub;
mod position;
mod rows;

pub use api::routes;
pub use hub::{Live, LookAtStatus};
