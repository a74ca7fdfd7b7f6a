//! The kitchen's watchman: escalates tickets nobody has acknowledged, and forgets events that no display will ask for any
//! more. It takes no input: it wakes, looks, does what is missing, and is safe to repeat.

use super::{actions, store};
use crate::db::{Db, DbError, Topic};
use crate::http::sse::stopped;
use crate::resources::kitchen::rules::KitchenError;
use crate::resources::notifications;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::watch;
use tokio::time::Instant;

/// The longest pause: a net under the wake-ups, and under clocks that were set.
const POLL: Duration = Duration::from_secs(5);

/// How often old events are forgotten.
const FORGET_EVERY: Duration = Duration::from_secs(3_600);

/// How long events are kept for displays that were away.
const KEEP_MS: i64 = 2 * 24 * 3_600_000;

/// Watches until `stopping`. A ticket may stay unacknowledged for `ack_timeout`.
pub async fn run(db: Db, ack_timeout: Duration, mut stopping: watch::Receiver<bool>) {
    let timeout_ms = i64::try_from(ack_timeout.as_millis()).unwrap_or(i64::MAX);
    let mut changes = db.changes(Topic::Kitchen);
    let mut forget_at = Instant::now();
    loop {
        changes.borrow_and_update();
        if Instant::now() >= forget_at {
            forget_at = Instant::now() + FORGET_EVERY;
            if let Err(error) = forget(&db).await {
                tracing::warn!(%error, "old events could not be forgotten");
            }
        }
        let wait = match look(&db, timeout_ms).await {
            Ok(wait) => wait,
            Err(error) => {
                tracing::warn!(%error, "unacknowledged tickets could not be looked after");
                POLL
            }
        };
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(wait) => {}
            Ok(()) = changes.changed() => {}
        }
    }
}

/// Escalates what is due; how long until the next can be due.
async fn look(db: &Db, timeout_ms: i64) -> Result<Duration, KitchenError> {
    loop {
        let oldest = db.read(|conn| store::next_unacked(conn).map_err(DbError::from)).await?;
        let Some(fired_at) = oldest else { return Ok(POLL) };
        let left = fired_at.after(timeout_ms).since(db.env().clock.now());
        if left > 0 {
            return Ok(Duration::from_millis(left.unsigned_abs()).min(POLL));
        }
        let escalated = db.write(move |tx| actions::escalate_unacked(tx, timeout_ms)).await?;
        if escalated == 0 {
            return Ok(POLL);
        }
    }
}

async fn forget(db: &Db) -> Result<(), KitchenError> {
    let before: Millis = db.env().clock.now().after(-KEEP_MS);
    db.write(move |tx| {
        actions::forget(tx, before)?;
        notifications::actions::forget_events(tx, before)?;
        Ok(())
    })
    .await
}
