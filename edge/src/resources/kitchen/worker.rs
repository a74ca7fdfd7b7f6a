//! The kitchen's watchman: escalates tickets nobody has acknowledged, tells of stations whose last display went, and forgets paper
//! that nobody will ask for any more. It takes no input: it wakes, looks, does what is missing, and is safe to repeat.

use super::displays::watched;
use super::rules::turn;
use super::{actions, store};
use crate::db::Db;
use crate::http::sse::stopped;
use crate::resources::kitchen::rules::{Result, StationWatch};
use crate::resources::printers;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often it looks. A ticket comes due seconds after it was fired, so nothing needs to wake it; and one batch a look
/// leaves the writer to the guests' orders, however many tickets a dead display leaves behind.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often old paper is forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(3_600);

/// How long paper that is done is kept.
const KEEP_MS: i64 = 2 * 24 * 3_600_000;

/// Watches until `stopping`. A ticket may stay unacknowledged for `ack_timeout`.
pub async fn run(db: Db, ack_timeout: Duration, mut stopping: watch::Receiver<bool>) {
    let timeout_ms = i64::try_from(ack_timeout.as_millis()).unwrap_or(i64::MAX);
    let mut forget_at = Instant::now();
    let started = db.env().clock.now();
    loop {
        if Instant::now() >= forget_at {
            forget_at = Instant::now() + FORGET_EVERY;
            if let Err(error) = forget(&db).await {
                tracing::warn!(%error, "old paper could not be forgotten");
            }
        }
        if let Err(error) = look(&db, timeout_ms).await {
            tracing::warn!(%error, "unacknowledged tickets could not be looked after");
        }
        if let Err(error) = follow_displays(&db, started).await {
            tracing::warn!(%error, "displays could not be looked after");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Escalates what is due, one batch of it. Looks on a reader first: mostly there is nothing to write.
async fn look(db: &Db, timeout_ms: i64) -> Result<()> {
    let oldest = db.read(|conn| store::find_oldest_unacked(conn)).await?;
    if oldest.is_some_and(|fired_at| fired_at.after(timeout_ms) <= db.env().clock.now()) {
        db.write(move |tx| actions::escalate_unacked(tx, timeout_ms)).await?;
    }
    Ok(())
}

/// Notes which stations have a display and which have none any more, as this process saw it since `started`.
async fn follow_displays(db: &Db, started: Millis) -> Result<()> {
    let now = db.env().clock.now();
    let turns = db
        .read(move |conn| -> Result<Vec<_>> {
            let changed = |watch: StationWatch| {
                let (displays, last) = watched(watch.outlet, watch.station, now);
                turn(watch.known(), displays > 0, last.unwrap_or(started), now).map(|turn| (watch, turn))
            };
            Ok(store::list_watches(conn)?.into_iter().filter_map(changed).collect())
        })
        .await?;
    if turns.is_empty() {
        return Ok(());
    }
    db.write(move |tx| turns.iter().try_for_each(|(watch, turn)| actions::station_turned(tx, watch, *turn)))
        .await
}

async fn forget(db: &Db) -> Result<()> {
    let before: Millis = db.env().clock.now().after(-KEEP_MS);
    db.write(move |tx| printers::actions::forget(tx, before)).await?;
    Ok(())
}
