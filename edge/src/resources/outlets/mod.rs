//! Outlets: the branches of the business and their settings. An outlet's code never changes: its numbers carry it.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

pub use api::{OutletView, UpdateOutlet, decimals};

use crate::access::{Cx, Permission, get, patch, post};
use crate::http::{Json, Path};
use crate::state::Routes;
use actions::Follow;
use tiffin_common::Uuid;

/// `/outlets` (contract section 3).
pub fn routes(follow: Follow) -> Routes {
    let update = move |cx: Cx, Path(id): Path<Uuid>, Json(body): Json<api::UpdateOutlet>| async move {
        api::update_outlet(cx, id, body, follow).await
    };
    Routes::group(
        "outlets",
        [
            get("/outlets", Permission::OutletsRead, api::list_outlets).summary("The outlets of the account"),
            post("/outlets", Permission::OutletsCreate, api::create_outlet).summary("Make a new outlet"),
            get("/outlets/{id}", Permission::OutletsRead, api::get_outlet).summary("One outlet"),
            patch("/outlets/{id}", Permission::OutletsWrite, update).summary("Change an outlet's settings"),
        ],
    )
}
