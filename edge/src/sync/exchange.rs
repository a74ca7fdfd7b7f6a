//! What the loops of the exchange share: head office as it is known now, how it stands, and what wakes whom. Never sends or
//! applies anything.

use super::bugs::Bugs;
use super::client::{Hub, HubError};
use super::notices;
use super::store::{self, Peer};
use crate::access::Revocations;
use crate::db::{Db, DbError, Source, Tx};
use crate::exchange::Footing;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tiffin_common::sync::BucketCard;
use tiffin_common::{Millis, Uuid};
use tokio::sync::Notify;

/// How the loops go about it.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// How long a commit waits for others before it is sent. Payments are sent at once.
    pub coalesce: Duration,
    /// How long head office may hold an answer to a pull back until there is something new.
    pub poll: Duration,
    /// How often the open day's changed rows are summed up.
    pub digest_every: Duration,
    /// How often what head office has confirmed is kept here, at most: it costs a commit.
    pub keep_every: Duration,
    /// How long the log is kept after head office has confirmed it; what it has not confirmed by then is packed.
    pub keep_log: Duration,
    /// How often old log is looked for.
    pub tidy_every: Duration,
    /// Known bugs that are put back.
    pub bugs: Bugs,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            coalesce: Duration::from_millis(150),
            poll: Duration::from_secs(25),
            digest_every: Duration::from_secs(3_600),
            keep_every: Duration::from_secs(1),
            keep_log: Duration::from_secs(35 * 86_400),
            tidy_every: Duration::from_secs(3_600),
            bugs: Default::default(),
        }
    }
}

/// When to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// At the latest after this.
    pub after: Duration,
    /// Whether a commit is a reason to go on sooner.
    pub nudge: bool,
}

impl Next {
    pub(super) fn at_once() -> Next {
        Next { after: Duration::ZERO, nudge: false }
    }

    pub(super) fn after(after: Duration) -> Next {
        Next { after, nudge: false }
    }
}

/// How often a box without head office looks whether it has got one.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What all loops share.
#[derive(Clone)]
pub(super) struct Exchange(pub(super) Arc<Inner>);

/// What is behind it.
pub(super) struct Inner {
    pub(super) db: Db,
    pub(super) folder: Option<PathBuf>,
    pub(super) revocations: Revocations,
    pub(super) settings: Settings,
    pub(super) hub: Mutex<Option<Hub>>,
    pub(super) wake_push: Notify,
    pub(super) wake_pull: Notify,
    pub(super) wake_chores: Notify,
    pub(super) bad: Mutex<Vec<BucketCard>>,
    /// Whether head office is not where the push left it, and has to be greeted again.
    pub(super) greet: AtomicBool,
    /// How often head office was greeted since the start.
    pub(super) greetings: AtomicU64,
    /// What head office's clock said last, and what had passed here then.
    pub(super) hub_time: Mutex<Option<(Millis, i64)>>,
    /// Whether head office has something to be taken over.
    pub(super) salvage: AtomicBool,
}

impl Exchange {
    pub(super) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(super) fn now(&self) -> Millis {
        self.0.db.env().clock.now()
    }

    /// A loop ended with this error: where the database is damaged nothing of it is served any more, whoever found it.
    pub(super) fn heed(&self, error: &DbError) {
        if let DbError::Damaged(what) = error
            && self.db().damage().note(what)
        {
            tracing::error!(what, "the exchange found that the database is damaged");
        }
    }

    /// Head office's clock said `wall` a moment ago.
    pub(super) fn hear_time(&self, wall: Millis) {
        if let Some(watch) = &self.db().env().watch {
            *lock(&self.0.hub_time) = Some((wall, watch.passed()));
        }
    }

    /// Head office's time as this box knows it, never later than it is: by what has passed since head office said it, however this
    /// box's clock was set meanwhile; after a start by the difference that was found last.
    pub(super) fn hub_now(&self, offset: Option<i64>) -> Millis {
        let heard = *lock(&self.0.hub_time);
        match (heard, &self.db().env().watch) {
            _ if self.0.settings.bugs.own_clock() => self.now(),
            (Some((wall, then)), Some(watch)) => wall.after(watch.passed().saturating_sub(then).max(0)),
            _ => self.now().after(offset.unwrap_or(0)),
        }
    }

    /// A moment that has come by this box's clock and by head office's: either may have jumped. None while this box's is in doubt, and
    /// before head office has told the time since the start.
    pub(super) fn sure_now(&self, offset: Option<i64>) -> Option<Millis> {
        let env = self.db().env();
        if self.0.settings.bugs.prunes_by_own_clock() {
            return Some(self.now());
        }
        let is_told = env.watch.is_none() || lock(&self.0.hub_time).is_some();
        let is_sure = is_told && env.clock_doubt().is_none();
        is_sure.then(|| self.now().min(self.hub_now(offset)))
    }

    /// Has head office greeted again, soon.
    pub(super) fn greet_again(&self) {
        self.0.greet.store(true, Ordering::SeqCst);
        self.0.wake_push.notify_one();
    }

    /// Whether head office has to be greeted again; asked once.
    pub(super) fn is_to_greet(&self) -> bool {
        self.0.greet.swap(false, Ordering::SeqCst)
    }

    pub(super) fn hub(&self) -> Option<Hub> {
        lock(&self.0.hub).clone()
    }

    pub(super) fn set_hub(&self, hub: Option<Hub>) {
        *lock(&self.0.hub) = hub;
    }

    /// Head office and how the exchange stands; none while the box belongs to none.
    pub(super) async fn open(&self) -> Result<Option<(Hub, Peer)>, DbError> {
        let Some(hub) = self.hub() else { return Ok(None) };
        let peer = self.db().read(|from| store::find_peer(from)).await?;
        Ok(peer.map(|peer| (hub, peer)))
    }

    /// Sets the standing and tells the managers, once per change.
    pub(super) async fn stand(&self, standing: Footing) -> Result<(), DbError> {
        let stand = move |tx: &Tx<'_>| -> Result<bool, DbError> {
            let Some(peer) = store::find_peer(tx)?.filter(|peer| peer.standing != standing) else {
                return Ok(false);
            };
            tracing::warn!(from = %peer.standing, to = %standing, "the exchange with head office");
            store::set_standing(tx, standing)?;
            notices::standing(tx, outlet(tx)?, standing)?;
            Ok(true)
        };
        if self.db().write(stand).await? {
            // What it asks head office for depends on it.
            self.0.wake_pull.notify_one();
        }
        Ok(())
    }

    /// Keeps who answered last, for the screens.
    pub(super) async fn reached(&self, error: Option<&HubError>) {
        let reach = match error {
            Some(HubError::Offline(_)) => store::Reach { hub: false, internet: None },
            Some(HubError::NotOurs(_)) => store::Reach { hub: false, internet: Some(false) },
            _ => store::Reach { hub: true, internet: Some(true) },
        };
        let saved = self.db().write(move |tx| store::set_reach(tx, reach)).await;
        if let Err(error) = saved {
            tracing::warn!(%error, "how head office was reached could not be kept");
        }
    }
}

/// The outlet this box stands for.
pub(super) fn outlet(from: &dyn Source) -> Result<Uuid, DbError> {
    let card = store::find_outlet_card(from)?;
    card.map(|card| card.id).ok_or_else(|| DbError::Unavailable("there is no outlet".into()))
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
