//! Head office over HTTP. Every route stands in the tables here with who may call it; the exchange with the boxes, which has
//! keys of its own, is beside. Never SQL.

mod analytics;
mod audit;
mod auth;
mod chain;
mod credentials;
mod daily;
mod dates;
mod done;
mod enrolments;
pub mod exchange;
pub mod exports;
pub mod guard;
pub mod live;
mod losses;
mod merged;
mod outlets;
mod reconcile;
mod reviews;
mod salvage;
mod sellers;
mod stock;
pub mod system;
mod transfers;
mod unusual;
mod users;

use crate::desk::Desk;
use crate::state::Routes;

/// Every route for head office's people, relative to its prefix: what is served, listed and documented.
pub fn routes() -> Routes {
    Routes::all([
        auth::routes(),
        credentials::routes(),
        users::routes(),
        outlets::routes(),
        enrolments::routes(),
        analytics::routes(),
        losses::routes(),
        unusual::routes(),
        sellers::routes(),
        stock::routes(),
        transfers::routes(),
        live::routes(),
        audit::routes(),
    ])
}

/// [`routes`] and those of the desk.
pub fn all_routes(desk: &Desk) -> Routes {
    Routes::all([routes(), desk.routes()])
}
