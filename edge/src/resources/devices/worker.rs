//! Hears which displays fell silent. It takes no input: it wakes, looks, does what is missing, and is safe to repeat.

use super::rules::{Device, Result};
use super::{actions, store};
use crate::db::Db;
use crate::http::sse::stopped;
use crate::resources::kitchen::{heard_of, rules::turn};
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::watch;

/// How often it looks. Silence is told after minutes.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Listens until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    let started = db.env().clock.now();
    loop {
        if let Err(error) = look(&db, started).await {
            tracing::warn!(%error, "displays could not be looked after");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Notes what changed since `started`. Looks on a reader first: mostly there is nothing to write.
async fn look(db: &Db, started: Millis) -> Result<()> {
    let now = db.env().clock.now();
    let turns = db
        .read(move |conn| -> Result<Vec<_>> {
            let changed = |device: Device| {
                let (is_there, last) = heard_of(device.account_id, now);
                turn(device.known(), is_there, last.unwrap_or(started), now).map(|turn| (device, turn))
            };
            Ok(store::list_all(conn, now)?.into_iter().filter_map(changed).collect())
        })
        .await?;
    if turns.is_empty() {
        return Ok(());
    }
    db.write(move |tx| turns.iter().try_for_each(|(device, turn)| actions::turned(tx, device, *turn))).await
}
