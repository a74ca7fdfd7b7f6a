//! Outlets: the branches of the business and their settings. An outlet's code never changes: its numbers carry it.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

use crate::access::{Actor, Cx, Permission, get, patch, post};
use crate::db::{DbError, Transaction};
use crate::http::{Json, Path};
use crate::state::Routes;
use tiffin_common::Uuid;

/// What follows a change of an outlet's settings, in the same transaction. Outlets stand below what their settings govern
/// and may not call it: they are handed this.
pub type Follow = fn(&Transaction<'_>, &Actor, &rules::Outlet) -> Result<(), DbError>;

/// `/outlets` (contract section 3).
pub fn routes(follow: Follow) -> Routes {
    let update = move |cx: Cx, Path(id): Path<Uuid>, Json(body): Json<api::UpdateOutlet>| async move {
        api::update_outlet(cx, id, body, follow).await
    };
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
            patch("/outlets/{id}", Permission::OutletsWrite, update)
                .summary("Change an outlet's settings")
                .takes::<api::UpdateOutlet>()
                .returns::<api::OutletView>(),
        ],
    )
}
