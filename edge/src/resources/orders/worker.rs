//! Calls off guests' orders that nobody accepted, and sends orders for later to the kitchen when their moment has come. It takes no input: it wakes, looks, does what is missing, and is safe to repeat.

use super::rules::Result;
use super::{actions, store};
use crate::db::{self, Db};
use crate::http::sse::stopped;
use crate::resources::outlets;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::watch;

/// How often it looks; the kitchen gets an order for later at most so late.
const LOOK_EVERY: Duration = Duration::from_secs(5);

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

/// Looks once: calls off what waits too long, and sends what is due.
pub async fn look(db: &Db) -> Result<()> {
    release(db).await?;
    call_off(db).await
}

/// Sends what is due, each in its own transaction: one that fails keeps no other waiting.
async fn release(db: &Db) -> Result<()> {
    let now = db.env().clock.now();
    let due: Vec<(Uuid, Uuid)> = db
        .read(move |conn| -> db::Result<_> {
            let mut due = Vec::new();
            for outlet in outlets::store::list(conn)? {
                let ids = store::list_due(conn, outlet.id, now)?;
                due.extend(ids.into_iter().map(|id| (outlet.id, id)));
            }
            Ok(due)
        })
        .await?;
    for (outlet, id) in due {
        if let Err(error) = db.write(move |tx| actions::schedule::release_due(tx, outlet, id)).await {
            tracing::error!(%error, order = %id, "an order for later could not be sent to the kitchen");
        }
    }
    Ok(())
}

/// Calls off what is late. Looks on a reader first: mostly there is nothing to write.
async fn call_off(db: &Db) -> Result<()> {
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
