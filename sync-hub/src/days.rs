//! Keeps the figures of the outlets' finished business days, a few days per unit of work so that an outlet's box never waits long.
//! It takes no input: it wakes, looks for the newest days that are not kept, keeps them, and is safe to repeat, in as many
//! processes as there are. Never drops a day: the store does, in the transaction that changes one of its rows.

use crate::registry::{RegistryError, outlets};
use crate::state::AppState;
use crate::store::{StoreError, Stores, Wake};
use chrono::NaiveDate;
use edge::http::sse::stopped;
use edge::resources::analytics::actions;
use edge::resources::analytics::rules::{AnalyticsError, Range};
use edge::resources::analytics::store::find_missing;
use edge::resources::outlets as branch;
use edge::resources::outlets::rules::Outlet;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tiffin_common::{Millis, Uuid};
use tokio::sync::broadcast::{self, error::TryRecvError};

/// How often it looks when nothing was missing. A day that is changed late is read from its rows until then.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How long it leaves the store to the boxes between two units of work.
const PAUSE: Duration = Duration::from_millis(50);

/// Days of one unit of work.
const MOST: usize = 7;

/// Why the figures of an outlet's days could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum DaysError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A sum left its range, or the store failed within.
    #[error(transparent)]
    Analytics(#[from] AnalyticsError),
}

impl From<edge::db::DbError> for DaysError {
    fn from(error: edge::db::DbError) -> Self {
        DaysError::Store(error.into())
    }
}

/// What was found of an outlet.
#[derive(Debug)]
pub enum Found {
    /// Head office does not hold its rows yet.
    Nothing,
    /// All days before this business date are kept.
    All(Box<Outlet>, NaiveDate),
    /// These were missing, and are kept now.
    Missing(Range),
}

/// Keeps the newest days of `outlet` that are not kept, if there are any. Blocking.
///
/// # Errors
/// See [`DaysError`].
pub fn keep_some(stores: &Stores, outlet: Uuid, now: Millis) -> Result<Found, DaysError> {
    // The outlet's lock is taken only when there is something to do.
    let seen = stores.read_outlet_blocking(outlet, |from| -> Result<_, DaysError> {
        let Some(own) = branch::store::list(from)?.into_iter().find(|own| own.id == outlet) else {
            return Ok(Found::Nothing);
        };
        let today = own.business_date(now);
        let missing = find_missing(from, outlet, today, MOST)?;
        Ok(missing.map_or_else(|| Found::All(Box::new(own), today), Found::Missing))
    });
    match seen {
        Ok(Found::Missing(seen)) => {
            let kept = stores.outlet_blocking(outlet, |tx| -> Result<_, DaysError> {
                Ok(actions::keep_missing(&*tx, outlet, now, MOST)?)
            })?;
            // Another process may have been faster.
            Ok(Found::Missing(kept.unwrap_or(seen)))
        }
        Err(DaysError::Store(StoreError::NoOutlet)) => Ok(Found::Nothing),
        seen => seen,
    }
}

/// The outlets that need no look, as far as is known here.
#[derive(Default)]
struct Settled {
    /// All days before this business date are kept.
    kept: BTreeMap<Uuid, (Outlet, NaiveDate)>,
    /// Those that failed: until the next round after a wait.
    failed: BTreeSet<Uuid>,
}

impl Settled {
    /// Forgets what has changed since.
    fn hear(&mut self, wakes: &mut broadcast::Receiver<Wake>) {
        loop {
            match wakes.try_recv() {
                Ok(Wake::Pushed(outlet)) => drop(self.kept.remove(&outlet)),
                Ok(Wake::Feed(_) | Wake::Parcels(_) | Wake::Registry) => {}
                Err(TryRecvError::Lagged(_)) => self.kept.clear(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn is(&self, outlet: Uuid, now: Millis) -> bool {
        let is_kept = |(own, today): &(Outlet, NaiveDate)| own.business_date(now) == *today;
        self.failed.contains(&outlet) || self.kept.get(&outlet).is_some_and(is_kept)
    }
}

/// Works until the server stops.
pub async fn run(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    let mut wakes = app.stores().store().wakes();
    let mut settled = Settled::default();
    loop {
        settled.hear(&mut wakes);
        let kept = tokio::select! {
            () = stopped(&mut stopping) => return,
            kept = look(&app, &mut settled) => kept,
        };
        let wait = match kept {
            Ok(true) => PAUSE,
            Ok(false) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "the outlets could not be listed");
                LOOK_EVERY
            }
        };
        if wait == LOOK_EVERY {
            settled.failed.clear();
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Looks at every outlet of which something may be missing; whether something was.
async fn look(app: &AppState, settled: &mut Settled) -> Result<bool, RegistryError> {
    let all = app.look(|from| Ok(outlets::list(from)?)).await?;
    let mut missed = false;
    for outlet in all.into_iter().map(|outlet| outlet.card.id) {
        let now = app.env().clock.now();
        if settled.is(outlet, now) {
            continue;
        }
        match app.stores().run(move |stores| keep_some(stores, outlet, now)).await {
            Ok(Found::Nothing) => {}
            Ok(Found::All(own, today)) => drop(settled.kept.insert(outlet, (*own, today))),
            Ok(Found::Missing(_)) => {
                missed = true;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => {
                tracing::warn!(%error, %outlet, "the figures of finished days could not be kept");
                settled.failed.insert(outlet);
            }
        }
    }
    Ok(missed)
}
