//! One folder per group of the API. Each leans on those below it on the ladder that edge/README.md draws, never on one above.

pub mod ai;
pub mod analytics;
pub mod attendance;
pub mod audit;
pub mod auth;
pub mod cash;
pub mod channels;
pub mod dashboard;
pub mod devices;
pub mod employees;
pub mod inventory;
pub mod kitchen;
pub mod leave_requests;
pub mod menu;
pub mod notifications;
pub mod orders;
pub mod outlets;
pub mod printers;
pub mod privacy;
pub mod purchase_orders;
pub mod shifts;
pub mod tables;
pub mod tickets;
pub mod waste_logs;

use crate::state::Routes;

/// All routes of the API, in the order of the specification's table of groups.
pub fn routes() -> Routes {
    Routes::all([
        orders::routes(),
        cash::routes(),
        kitchen::routes(orders::actions::follow_kitchen),
        printers::routes(),
        channels::routes(),
        inventory::routes(inventory::Purchasing {
            performance: purchase_orders::store::find_performance,
            deliveries: purchase_orders::store::list_deliveries_of_batch,
            open_orders: purchase_orders::store::list_numbers_with,
        }),
        purchase_orders::routes(),
        waste_logs::routes(),
        shifts::routes(leave_requests::store::list_absences),
        attendance::routes(),
        leave_requests::routes(attendance::store::list_worked_dates),
        analytics::routes(),
        dashboard::routes(),
        ai::routes(),
        privacy::routes(),
        tickets::routes(),
        outlets::routes(inventory::actions::settings_changed),
        notifications::routes(),
        audit::routes(),
        menu::routes(inventory::actions::rebuild_needs),
        tables::routes(),
        employees::routes(shifts::actions::employee_ended),
        auth::routes(),
        devices::routes(),
    ])
}
