//! Head office over HTTP. Every route stands in the tables here with who may call it; the exchange with the boxes, which has
//! keys of its own, is beside. Never SQL.

mod analytics;
mod audit;
mod auth;
mod chain;
mod daily;
mod enrolments;
pub mod exchange;
pub mod guard;
pub mod live;
mod outlets;
mod reconcile;
mod reviews;
mod sellers;
mod stock;
pub mod system;
mod users;

pub use guard::Cx;

use crate::app::App;
use crate::desk::Desk;
use schemars::JsonSchema;
use serde::Serialize;

/// The routes of this application.
pub type Routes = edge::access::Routes<App>;

/// Every route for head office's people, relative to its prefix: what is served, listed and documented.
pub fn routes() -> Routes {
    Routes::all([
        auth::routes(),
        users::routes(),
        outlets::routes(),
        enrolments::routes(),
        analytics::routes(),
        sellers::routes(),
        stock::routes(),
        live::routes(),
        audit::routes(),
    ])
}

/// [`routes`] and those of the desk.
pub fn all_routes(desk: &Desk) -> Routes {
    Routes::all([routes(), desk.routes()])
}

/// Nothing to tell but that it is done.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Done")]
pub struct Done {}
