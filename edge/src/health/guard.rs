//! Notices damage while a branch is open, in answers and by looking on: what is found first shuts the store for all that follow, and says on
//! the console what to do. Never touches an answer.

use super::{BRIEFLY, is_damage, verdict};
use crate::backup::{self, BackupError, copying};
use crate::db::Db;
use crate::http::error::{Code, ProblemBody};
use crate::http::sse::stopped;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// How often a look is told to end that does not: one that had not begun did not notice.
const AGAIN: Duration = Duration::from_millis(20);

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
fn report(db: &Db, what: &str) {
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

/// Looks at the pages while the branch `db` is open, for half a second: what the start did not wait for. Damage shuts the store, as where a
/// request meets it. Ends with `stopping`.
pub async fn look_on(db: Db, mut stopping: watch::Receiver<bool>) {
    let Ok(conn) = copying::reading(db.path()) else { return };
    let stop = conn.get_interrupt_handle();
    let mut look = tokio::task::spawn_blocking(move || verdict(&conn));
    let found = tokio::select! {
        found = &mut look => found,
        _ = tokio::time::timeout(BRIEFLY, stopped(&mut stopping)) => loop {
            stop.interrupt();
            if let Ok(found) = tokio::time::timeout(AGAIN, &mut look).await {
                break found;
            }
        }
    };
    match found {
        Ok(Err(BackupError::Damaged(what))) => report(&db, &what),
        Ok(Err(BackupError::Sqlite(error))) if is_damage(&error) => report(&db, &error.to_string()),
        _ => {}
    }
}
