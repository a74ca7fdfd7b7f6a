//! Change capture: what makes every committed change of a captured table appear, once, in `sync_log`. The only code that
//! writes the sync tables. Never decides what a change means, never talks to the network, never changes another table.
//!
//! How it works:
//! - Every captured table has three row triggers (`triggers`) that call the SQL function `tiffin_capture` with the values.
//!   Cascades, UPSERT and REPLACE fire them like any other change.
//! - Only the writer's connection has that function. A write by anything else (the sqlite3 shell, a script) fails with
//!   "no such function": a change that could not be captured cannot be made.
//! - The function encodes the change into a buffer in memory; [`Capture::seal`] turns the buffer into one log row within
//!   the action's savepoint, so the change and its record commit or vanish together.
//! - SQLite takes rows back on ROLLBACK TO and on a failed statement without telling the function: the writer marks the
//!   buffer before and cuts it after.
//!
//! Triggers and not SQLite's preupdate hook: the hook's binding needs libclang on every machine that builds.

mod capture;
mod keep;
mod record;
#[cfg(test)]
mod tests;
mod triggers;
mod whole;

pub use capture::{Capture, Mark};
pub use keep::Job;
pub use triggers::make_way_for_migrations;
pub use whole::{RowKey, Touched, Whole, select, values, with_row};
