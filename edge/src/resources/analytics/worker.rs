//! Keeps the figures of finished days, a day per action so that the writer is never held up long. It takes no input: it wakes,
//! looks for the newest day that is not kept, keeps it, and is safe to repeat.

use super::rules::AnalyticsError;
use super::{actions, store};
use crate::db::Db;
use crate::http::sse::stopped;
use crate::resources::outlets;
use std::time::Duration;
use tiffin_common::Uuid;
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

/// Keeps the newest finished day that is not kept; whether there was one.
pub async fn keep_one(db: &Db) -> Result<bool, AnalyticsError> {
    let now = db.env().clock.now();
    let missing = db.read(move |conn| -> Result<Option<Uuid>, AnalyticsError> {
        for outlet in outlets::store::list(conn)? {
            if store::find_missing(conn, outlet.id, outlet.business_date(now), 1)?.is_some() {
                return Ok(Some(outlet.id));
            }
        }
        Ok(None)
    });
    let Some(outlet) = missing.await? else { return Ok(false) };
    let kept = db.write(move |tx| actions::keep_missing(tx, outlet, tx.now(), 1)).await?;
    Ok(kept.is_some())
}
