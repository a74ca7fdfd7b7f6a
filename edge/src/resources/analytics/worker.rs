//! Keeps the figures of finished days. A day is claimed, summed up beside the writer, and kept where nothing of it has changed since:
//! no order waits for sums. It takes no input: it wakes, looks for the newest day that is not kept, and is safe to repeat.

use super::rules::AnalyticsError;
use super::{actions, store};
use crate::db::Db;
use crate::exchange::is_filling;
use crate::http::sse::stopped;
use crate::resources::outlets;
use std::time::Duration;
use tokio::sync::watch;

/// How often it looks when nothing was missing. A day that is changed late is read from its rows until then.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How long it leaves the writer to the guests between two days.
const PAUSE: Duration = Duration::from_millis(50);

/// Works until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    loop {
        let wait = match keep_one(&db).await {
            Ok(true) => PAUSE,
            Ok(false) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "the figures of a finished day could not be kept");
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Keeps the newest finished day that is not kept; false when there was none, or it has changed meanwhile, and while rows of finished
/// days are still coming.
pub async fn keep_one(db: &Db) -> Result<bool, AnalyticsError> {
    let now = db.env().clock.now();
    let missing = db.read(move |conn| -> Result<_, AnalyticsError> {
        if is_filling(conn)? {
            return Ok(None);
        }
        for outlet in outlets::store::list(conn)? {
            if let Some(day) = store::find_missing(conn, outlet.id, outlet.business_date(now), 1)? {
                return Ok(Some((outlet.id, day)));
            }
        }
        Ok(None)
    });
    let Some((outlet, day)) = missing.await? else { return Ok(false) };
    db.write(move |tx| actions::claim(tx, outlet, day)).await?;
    let figures =
        db.read(move |conn| store::list_figures(conn, outlet, day).map_err(AnalyticsError::from)).await?;
    db.write(move |tx| actions::keep_claimed(tx, outlet, day, &figures)).await
}
