//! What dishes follow without a request: batches that expire with the business date, settings by hand that lapse, recipes that
//! came from elsewhere. And the ledger of finished dates is filed. It takes no input: it wakes, looks, does what is missing, and is
//! safe to repeat.

use super::{actions, store};
use crate::access::Actor;
use crate::db::{self, Db, Source};
use crate::http::sse::stopped;
use crate::resources::outlets;
use chrono::NaiveDate;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::watch;

/// How often it looks. Orders look for themselves: this is for what changes by the clock alone.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Watches until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    if let Err(error) = learn(&db).await {
        tracing::warn!(%error, "what the dishes take could not be worked out");
    }
    loop {
        if let Err(error) = look(&db).await {
            tracing::warn!(%error, "dishes could not follow the stock");
        }
        if let Err(error) = file(&db).await {
            tracing::warn!(%error, "the stock ledger could not be filed");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Works out what a portion of each dish takes, where that is not known: at the start.
pub async fn learn(db: &Db) -> db::Result<()> {
    let stale = db
        .read(|conn| -> db::Result<Vec<Uuid>> {
            let mut stale = Vec::new();
            for outlet in outlets::store::list(conn)? {
                if actions::needs_are_stale(conn, outlet.id)? {
                    stale.push(outlet.id);
                }
            }
            Ok(stale)
        })
        .await?;
    for outlet in stale {
        db.write(move |tx| actions::rebuild_needs(tx, &Actor::system(outlet))).await?;
    }
    Ok(())
}

/// Lets dishes follow what has changed by the clock. Looks on a reader first: mostly there is nothing to write.
pub async fn look(db: &Db) -> db::Result<()> {
    let now = db.env().clock.now();
    let due = db
        .read(move |conn| -> db::Result<Vec<Uuid>> {
            let mut due = Vec::new();
            for outlet in outlets::store::list(conn)? {
                if !actions::due(conn, &outlet, now, None)?.is_empty() {
                    due.push(outlet.id);
                }
            }
            Ok(due)
        })
        .await?;
    for outlet in due {
        db.write(move |tx| actions::follow_all(tx, &Actor::system(outlet))).await?;
    }
    Ok(())
}

/// Files the movements of finished dates by item, a date in a transaction.
pub async fn file(db: &Db) -> db::Result<()> {
    let now = db.env().clock.now();
    loop {
        let unfiled = move |conn: &dyn Source| -> db::Result<Option<(Uuid, NaiveDate)>> {
            for outlet in outlets::store::list(conn)? {
                if let Some(date) =
                    store::movements::find_unfiled(conn, outlet.id, outlet.business_date(now))?
                {
                    return Ok(Some((outlet.id, date)));
                }
            }
            Ok(None)
        };
        let Some((outlet, date)) = db.read(unfiled).await? else { return Ok(()) };
        db.write(move |tx| actions::file_movements(tx, outlet, date)).await?;
    }
}
