//! Notices damage in answers: the first one that failed for it shuts the store for all that follow, and says on the console what to
//! do. Never touches an answer.

use crate::backup;
use crate::db::Db;
use crate::http::error::{Code, ProblemBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Watches every answer.
pub async fn watch(State(db): State<Db>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_damaged =
        response.extensions().get::<ProblemBody>().is_some_and(|body| body.code == Code::Damaged);
    if is_damaged {
        report(&db, "SQLite found a damaged page while a request was answered");
    }
    response
}

/// Whether it was said what to do.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Shuts the store, unless somebody else has, and says what to do, once.
pub(super) fn report(db: &Db, what: &str) {
    if db.is_copy() {
        return;
    }
    db.damage().note(what);
    if TOLD.swap(true, Ordering::SeqCst) {
        return;
    }
    let what = db.damage().found().unwrap_or(what);
    let data = db.path().parent().unwrap_or(Path::new("."));
    let words = super::advice(data, backup::newest(&backup::folder(data)).as_ref());
    tracing::error!("THE DATABASE IS DAMAGED ({what}) and is not served any more. {words}");
}
