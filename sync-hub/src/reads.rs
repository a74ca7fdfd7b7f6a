//! The reading half of a branch's API, answered by the branch's own handlers from head office's copies of the outlets. Never
//! writes, and never answers for an outlet that the caller's account does not have.

use crate::store::{StoreError, Stores};
use axum::Router;
use axum::extract::FromRef;
use axum::http::Method;
use edge::access::{Access, Revocations, Routes, Tokens};
use edge::db::{Db, DbError, Elsewhere, Env, Look};
use edge::http::limit::Limits;
use edge::resources;
use edge::state::Reading;
use std::sync::Arc;
use tiffin_common::Uuid;

/// The GET routes of a branch that head office does not answer, and why. May only shrink.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("/auth/me", "head office has accounts of its own"),
    ("/auth/sessions", "a branch's sessions stay at the branch"),
    ("/devices", "a branch's devices are known at the branch alone"),
    ("/devices/own", "a branch's devices are known at the branch alone"),
    ("/employees/{id}/account", "what it tells of sign-ins is known at the branch alone"),
    ("/employees/{id}/documents/{documentId}", "papers stay where they were filed"),
    ("/ai/suggestions", "the assistant answers at the branch"),
    ("/ai/conversations", "the assistant answers at the branch"),
    ("/ai/conversations/{id}", "the assistant answers at the branch"),
    ("/print-jobs", "paper waits at the branch, and what became of it is not copied"),
    ("/print-jobs/{id}", "paper waits at the branch, and what became of it is not copied"),
    ("/inventory/transfers/outlets", "the list of outlets is head office's own"),
    ("/outlets", "the list of outlets is head office's own"),
    ("/tables/qr-sheet", "the codes name the branch's address"),
    ("/tables/{id}/qr", "the codes name the branch's address"),
];

/// The routes: what reads replicated rows for a signed-in account. `S` is the state of whoever mounts them; all they need of it is
/// [`Reading`].
pub fn routes<S>() -> Routes<S, Reading> {
    let routes = resources::routes();
    let answered = |(method, path, access): &(Method, &str, _)| {
        *method == Method::GET
            && *access != Access::Public
            && LEFT_OUT.iter().all(|(left_out, _)| left_out != path)
    };
    let paths: Vec<_> = routes.listing().into_iter().filter(answered).map(|(_, path, _)| path).collect();
    routes.reads(&paths)
}

/// What the routes are mounted with: the rows, and who may ask for them. Nothing that only a branch has.
#[derive(Clone, FromRef)]
pub struct Mount {
    /// What the handlers may ask for.
    pub rows: Reading,
    /// Access tokens.
    pub tokens: Tokens,
    /// Voided access tokens.
    pub revocations: Revocations,
    /// Rate limits.
    pub limits: Limits,
}

impl FromRef<Mount> for Db {
    fn from_ref(mount: &Mount) -> Self {
        mount.rows.db.clone()
    }
}

/// [`routes`] behind the branch's own guard, relative to their prefix.
pub fn router(mount: Mount) -> Router {
    routes().into_router(&mount).with_state(mount)
}

/// The copies in `stores`, as the branch's handlers read them.
pub fn db(stores: Stores, env: Env) -> Db {
    Db::elsewhere(Arc::new(Copies(stores)), env)
}

struct Copies(Stores);

impl Elsewhere for Copies {
    fn read(&self, outlet: Uuid, look: &mut Look<'_>) -> Result<(), DbError> {
        let seen = self.0.store().read_reports(outlet, &mut |from| look(from).map_err(StoreError::Db));
        seen.map_err(|error| match error {
            StoreError::Db(error) => error,
            StoreError::NoOutlet => DbError::NoOutlet,
            other => DbError::Unavailable(other.to_string()),
        })
    }
}
