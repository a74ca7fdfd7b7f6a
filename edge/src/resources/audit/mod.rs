//! The audit log: who did what, when, on which device, and what changed. Append-only: nothing here updates or deletes.

pub mod actions;
mod api;
mod rules;
mod store;

pub use rules::Entry;

use crate::access::{Permission, get};
use crate::state::Routes;

/// `/audit-log` (contract section 2).
pub fn routes() -> Routes {
    Routes::group(
        "audit-log",
        [get("/audit-log", Permission::AuditRead, api::list_audit_log).summary("Who did what, newest first")],
    )
}
