//! Watches for purchase orders that did not come when they were promised. It takes no input: it wakes, looks, does what is
//! missing, and is safe to repeat.

use super::rules::Result;
use super::{actions, store};
use crate::db::{self, Db};
use crate::http::sse::stopped;
use crate::resources::outlets;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::watch;

/// How often it looks. An order is late from the beginning of a business day: a minute more does not matter.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Watches until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    loop {
        if let Err(error) = look(&db).await {
            tracing::warn!(%error, "late purchase orders could not be looked after");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Tells of what is late. Looks on a reader first: mostly there is nothing to write.
async fn look(db: &Db) -> Result<()> {
    let now = db.env().clock.now();
    let late: Vec<Uuid> = db
        .read(move |conn| -> db::Result<_> {
            let mut late = Vec::new();
            for outlet in outlets::store::list(conn)? {
                if !store::list_untold_overdue(conn, outlet.id, outlet.business_date(now))?.is_empty() {
                    late.push(outlet.id);
                }
            }
            Ok(late)
        })
        .await?;
    for outlet in late {
        db.write(move |tx| actions::tell_overdue(tx, outlet).map(drop)).await?;
    }
    Ok(())
}
