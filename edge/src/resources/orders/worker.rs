//! Calls off guests' orders that nobody accepted. It takes no input: it wakes, looks, does what is missing, and is safe to repeat.

use super::rules::Result;
use super::{actions, store};
use crate::db::{self, Db};
use crate::http::sse::stopped;
use crate::resources::outlets;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::watch;

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// Watches until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    loop {
        if let Err(error) = look(&db).await {
            tracing::warn!(%error, "waiting orders could not be looked after");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Calls off what is late. Looks on a reader first: mostly there is nothing to write.
pub async fn look(db: &Db) -> Result<()> {
    let before = db.env().clock.now().after(-actions::qr::WAITS_MS);
    let late: Vec<Uuid> = db
        .read(move |conn| -> db::Result<_> {
            let mut late = Vec::new();
            for outlet in outlets::store::list(conn)? {
                if !store::list_waiting(conn, outlet.id, before)?.is_empty() {
                    late.push(outlet.id);
                }
            }
            Ok(late)
        })
        .await?;
    for outlet in late {
        db.write(move |tx| actions::qr::expire(tx, outlet).map(drop)).await?;
    }
    Ok(())
}
