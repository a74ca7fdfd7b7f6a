//! The dashboard: a manager's screen in one call. Reads any table, writes none. What holds always:
//!
//! - One answer is read from one snapshot, with a fixed number of statements however much there is.
//! - Sales are the analytics' gross revenue: lines without tax, before discounts, of orders that are not CANCELLED and that staff
//!   have accepted, on their own business date.
//! - Lists show the first ten and how many there are in all.

mod api;
mod rules;
mod store;

pub use rules::Oddity;
pub use store::list_oddities;

use crate::access::{Permission, get};
use crate::state::Routes;

/// `/dashboard` (contract section 10).
pub fn routes() -> Routes {
    Routes::group(
        "dashboard",
        [get("/dashboard", Permission::AnalyticsRead, api::get_dashboard)
            .summary("How the outlet stands right now: sales, kitchen, tables, stock, staff, what waits for a decision")],
    )
}
