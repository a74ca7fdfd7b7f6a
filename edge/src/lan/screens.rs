//! The pages of the branch's screens: till, kitchen, clock, manager. Anybody in the network may open one; what it shows, it asks the API for
//! with the sign-in of whoever stands before it. Never anything of the business by itself.

use crate::db::{Db, Source};
use crate::http::Result;
use crate::resources::auth;
use crate::ui::{self, Bundle, Screen, Told};
use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;

/// The till.
pub const POS: Screen = Screen { path: "/pos", folder: "pos", title: "Till" };
/// The kitchen's display, the pass, and the board for guests.
pub const KITCHEN: Screen = Screen { path: "/kitchen", folder: "kitchen", title: "Kitchen" };
/// Where people clock in and out.
pub const CLOCK: Screen = Screen { path: "/clock", folder: "clock", title: "Clock" };
/// Where the branch is managed.
pub const MANAGE: Screen = Screen { path: "/manage", folder: "manage", title: "Manage" };
/// The page behind a table's code.
pub const GUEST: Screen = Screen { path: "/t/{token}", folder: "guest", title: "Menu" };

/// The screens that staff open, in the order in which the branch's first page names them, and what one does there.
pub const STAFFS: [(Screen, &str); 4] = [
    (POS, "Tables, orders, bills and payments"),
    (KITCHEN, "Tickets, the pass, and the board for guests"),
    (CLOCK, "In, out and breaks by PIN"),
    (MANAGE, "Menu, stock, people, reports and settings"),
];

/// Their pages and their files.
pub fn routes<S: Clone + Send + Sync + 'static>(db: &Db, bundle: &Bundle) -> Router<S> {
    let files = ui::files(bundle.clone()).merge(ui::worker(bundle.clone()));
    STAFFS.into_iter().fold(files, |router, (screen, _)| {
        let (db, bundle) = (db.clone(), bundle.clone());
        let page = get(async move || -> Result<_> {
            let told = Told { sample_password: db.read(sample_password).await?, meanwhile: None };
            Ok(ui::send(StatusCode::OK, screen.page(&bundle, &told)))
        });
        router.route(screen.path, page)
    })
}

/// The password of the sample accounts, where there are some.
fn sample_password(conn: &dyn Source) -> Result<Option<&'static str>> {
    let owner = auth::store::find_by_email(conn, "owner@sample.test")?;
    Ok(owner.map(|_| auth::rules::SAMPLE_PASSWORD))
}
