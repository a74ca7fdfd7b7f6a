//! Head office's page and its files. Anybody who reaches head office may open it; what it shows, it asks the API for with the sign-in of
//! whoever stands before it. Never anything of the business by itself.

use crate::registry::users;
use crate::state::AppState;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use edge::http::Problem;
use edge::resources::auth::rules::SAMPLE_PASSWORD;
use edge::ui::{self, Bundle, Screen, Told};

/// Who administers the chain that a demonstration makes up. Nobody has mail there: the ending is reserved for tests.
const SAMPLE_ADMIN: &str = "admin@chain.test";

/// Head office's page.
const OFFICE: Screen = Screen { path: "/", folder: "hq", title: "Head office" };

/// The page and the files of all screens.
pub fn routes() -> Router<AppState> {
    // What head office's own files are made of, the branch lends.
    let bundle = Bundle::new(&[edge::screens!(), ui::branch()]);
    let files = ui::files(bundle.clone());
    let page = get(async move |State(app): State<AppState>| -> Result<_, Problem> {
        let admin = app.look(|from| Ok(users::find_by_email(from, SAMPLE_ADMIN)?)).await?;
        let told = Told { sample_password: admin.map(|_| SAMPLE_PASSWORD), meanwhile: None };
        Ok(ui::send(StatusCode::OK, OFFICE.page(&bundle, &told)))
    });
    files.route(OFFICE.path, page)
}
