//! Watches over the box's clock: says in the log and to the managers when the machine's clock is not followed, and lets a time server or
//! head office settle it. Never sets it.

use crate::db::{ClockDoubt, Db, DbError, Tx};
use crate::http::sse::stopped;
use crate::resources::notifications::actions::notify;
use crate::resources::notifications::{Audience, Notice, Severity};
use crate::resources::outlets;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Millis};
use tokio::sync::watch;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(60);

/// systemd's time service touches this each time a server on the network has told it the time.
const SYNCHRONISED: &str = "/run/systemd/timesync/synchronized";

/// How old that may be.
const FRESH_MS: i64 = 24 * 3_600_000;

/// What the machine's clock says, where a time server has set it right within a day.
pub fn kept_right() -> Option<Millis> {
    let now = SystemClock.now();
    let touched = Path::new(SYNCHRONISED).metadata().ok()?.mtime().checked_mul(1_000)?;
    (0..FRESH_MS).contains(&now.since(Millis::new(touched))).then_some(now)
}

/// Looks every minute until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    let mut known = None;
    loop {
        look(&db, &mut known).await;
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

async fn look(db: &Db, known: &mut Option<ClockDoubt>) {
    let Some(watch) = &db.env().watch else { return };
    if watch.doubt().is_some()
        && let Some(moment) = kept_right()
    {
        watch.hear(moment);
    }
    let doubt = watch.doubt();
    match (doubt, known.is_some()) {
        (Some(doubt), false) => {
            let (fault, machine, since) = (doubt.fault.name(), doubt.machine, doubt.since);
            tracing::error!(fault, %machine, going_on_from = %since, "THE CLOCK OF THIS MACHINE IS WRONG and is not followed");
            if let Err(error) = tell(db, doubt).await {
                tracing::warn!(%error, "the managers could not be told that the clock is wrong");
            }
        }
        (None, true) => tracing::info!(now = %db.env().clock.now(), "the clock is right again"),
        _ => {}
    }
    *known = doubt;
}

async fn tell(db: &Db, doubt: ClockDoubt) -> Result<(), DbError> {
    db.write(move |tx: &Tx<'_>| -> Result<(), DbError> {
        let Some(id) = outlets::store::find_box_outlet(tx)? else { return Ok(()) };
        let date = outlets::store::find(tx, id)?.business_date(tx.now());
        let notice = Notice {
            kind: "CLOCK_SUSPECT",
            severity: Severity::Critical,
            title: "The clock of this box is wrong".into(),
            body: format!("{doubt} Set the machine's clock, or say what time it is: POST /status/clock."),
            audience: Audience::Managers,
            entity: None,
            dedupe_key: format!("clock-wrong:{date}"),
        };
        notify(tx, id, notice)
    })
    .await
}
