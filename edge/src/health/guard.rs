//! Notices damage in answers: the first one that failed for it shuts the store for all that follow, and says on the console what to
//! do. Never touches an answer.

use crate::backup;
use crate::db::Db;
use crate::http::error::{Code, ProblemBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use std::path::Path;

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

/// Shuts the store and says what to do, once.
pub(super) fn report(db: &Db, what: &str) {
    if db.is_copy() || !db.damage().note(what) {
        return;
    }
    let data = db.path().parent().unwrap_or(Path::new("."));
    let words = super::advice(data, backup::newest(&backup::folder(data)).as_ref());
    tracing::error!("THE DATABASE IS DAMAGED ({what}) and is not served any more. {words}");
}
