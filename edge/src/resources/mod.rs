//! One folder per group of the API. A resource may use those before it in this list, never after (audit reads the outlet's
//! days; outlets are recorded in the audit log: these two lean on each other).

pub mod audit;
pub mod auth;
pub mod cash;
pub mod employees;
pub mod inventory;
pub mod kitchen;
pub mod menu;
pub mod notifications;
pub mod orders;
pub mod outlets;
pub mod tables;

use crate::state::Routes;

/// All routes of the API, in the order of the specification's table of groups.
pub fn routes() -> Routes {
    Routes::all([
        orders::routes(),
        cash::routes(),
        kitchen::routes(orders::actions::follow_kitchen),
        inventory::routes(),
        outlets::routes(),
        notifications::routes(),
        audit::routes(),
        menu::routes(),
        tables::routes(),
        employees::routes(),
        auth::routes(),
    ])
}
