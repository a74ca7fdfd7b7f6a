//! The application: every route behind its guard, under both prefixes, inside the layers that all requests pass. Never
//! listens: that is `serve`.

use crate::http::{Code, Problem, finish};
use crate::resources;
use crate::state::AppState;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use std::sync::Arc;

/// The largest body of an ordinary request.
const BODY_LIMIT: usize = 1024 * 1024;

/// The whole application.
pub fn router(state: AppState) -> Router {
    let api = resources::routes().into_router(&state);
    let public_url: Arc<str> = Arc::clone(&state.public_url.0);
    Router::new()
        .nest("/api/v1", api.clone())
        .nest("/v1", api)
        .fallback(async || Problem::new(Code::NotFound).detail("No such route"))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(public_url, finish::write_problems))
        .with_state(state)
}
