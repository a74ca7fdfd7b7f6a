//! Outlets: the branches of the business and their settings. An outlet's code never changes: its numbers carry it.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

use crate::access::{Permission, get, patch, post};
use crate::state::Routes;

/// `/outlets` (contract section 3).
pub fn routes() -> Routes {
    Routes::group(
        "outlets",
        [
            get("/outlets", Permission::OutletsRead, api::list_outlets)
                .summary("The outlets of the account")
                .query::<crate::http::Paging>()
                .lists::<api::OutletView>(),
            post("/outlets", Permission::OutletsCreate, api::create_outlet)
                .summary("Make a new outlet")
                .takes::<api::CreateOutlet>()
                .creates::<api::OutletView>(),
            get("/outlets/{id}", Permission::OutletsRead, api::get_outlet)
                .summary("One outlet")
                .returns::<api::OutletView>(),
            patch("/outlets/{id}", Permission::OutletsWrite, api::update_outlet)
                .summary("Change an outlet's settings")
                .takes::<api::UpdateOutlet>()
                .returns::<api::OutletView>(),
        ],
    )
}
