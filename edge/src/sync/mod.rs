//! The branch's side of the exchange with head office: sends the change log up, brings shared rows down, and stays out of the way
//! of everything else. A branch that belongs to no head office never notices it.
//!
//! Three loops that never wait for each other: `push` (the log), `pull` (head office's rows) and `chores` (what has its own time:
//! digests, scheduled changes, the filling of a replaced box, letting go of old log). Each does one thing at a time and says when
//! it wants to be called again, so that there is no state without an armed timer. Their only input are tables; each is safe to
//! repeat from any point.

mod apply;
mod carrier;
mod chores;
mod client;
mod digest;
mod enrolment;
mod follow;
mod greeting;
mod mark;
mod notices;
mod pull;
mod push;
mod recovery;
pub mod restore;
mod retention;
mod retry;
pub mod reviews;
mod store;
#[cfg(test)]
mod tests;
mod trouble;

pub use carrier::{CarrierError, HttpCarrier, http_client};
pub use client::{Answer, Hub, HubClient, HubError, Reply, Request};
pub use enrolment::Enrolment;
pub(crate) use enrolment::write_whole;
pub use mark::{keep_numbers, last_number, leave_mark, watch_for_old_backup};
pub use store::{LogCheck, check_log, each_archived};

use crate::access::Revocations;
use crate::db::{Db, DbError, Source, Topic, Transaction};
use crate::http::sse::stopped;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Peer;
use tiffin_common::sync::{BucketCard, OutletCard};
use tiffin_common::{Millis, Uuid};
use tokio::sync::{Notify, watch};

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
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            coalesce: Duration::from_millis(150),
            poll: Duration::from_secs(25),
            digest_every: Duration::from_secs(3_600),
            keep_every: Duration::from_secs(1),
            keep_log: Duration::from_secs(35 * 86_400),
        }
    }
}

/// Known bugs, put back one at a time to prove that tests find them. Only tests can set one.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "each is named after what it breaks")]
pub struct Faults {
    pub no_retry_timer: bool,
    pub ack_deletes_log: bool,
    pub pull_past_pending: bool,
    pub pull_overwrites_pending: bool,
    pub recovery_overwrites: bool,
    pub cursor_before_write: bool,
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
    fn at_once() -> Next {
        Next { after: Duration::ZERO, nudge: false }
    }

    fn after(after: Duration) -> Next {
        Next { after, nudge: false }
    }
}

/// How often a box without head office looks whether it has got one.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What all loops share.
#[derive(Clone)]
struct Exchange(Arc<Inner>);

struct Inner {
    db: Db,
    folder: Option<PathBuf>,
    revocations: Revocations,
    settings: Settings,
    faults: Faults,
    hub: Mutex<Option<Hub>>,
    wake_push: Notify,
    wake_pull: Notify,
    wake_chores: Notify,
    bad: Mutex<Vec<BucketCard>>,
}

/// The sync worker of one box.
pub struct Worker {
    exchange: Exchange,
    push: push::Push,
    pull: pull::Pull,
    chores: chores::Chores,
}

impl Worker {
    /// A worker that takes its enrolment from the data directory `folder`, now or when there is one.
    pub fn new(db: Db, folder: PathBuf, revocations: Revocations, settings: Settings) -> Worker {
        Worker::made(db, Some(folder), revocations, settings, Faults::default(), None)
    }

    /// A worker that speaks through `client`; [`adopt`] says whom it belongs to. For tests and simulations.
    pub fn with_client(
        db: Db,
        folder: Option<PathBuf>,
        client: Arc<dyn HubClient>,
        settings: Settings,
        faults: Faults,
    ) -> Worker {
        Worker::made(db, folder, Revocations::default(), settings, faults, Some(Hub::new(client)))
    }

    fn made(
        db: Db,
        folder: Option<PathBuf>,
        revocations: Revocations,
        settings: Settings,
        faults: Faults,
        hub: Option<Hub>,
    ) -> Worker {
        let is_given = hub.is_some();
        let exchange = Exchange(Arc::new(Inner {
            db,
            folder,
            revocations,
            settings,
            faults,
            hub: Mutex::new(hub),
            wake_push: Notify::new(),
            wake_pull: Notify::new(),
            wake_chores: Notify::new(),
            bad: Mutex::new(Vec::new()),
        }));
        Worker {
            push: push::Push::new(exchange.clone()),
            pull: pull::Pull::new(exchange.clone()),
            chores: chores::Chores::new(exchange.clone(), !is_given),
            exchange,
        }
    }

    /// One thing of each loop, without waiting for head office to have something new; says when to go on.
    pub async fn step(&mut self) -> Next {
        let chores = self.chores.step().await;
        let push = self.push.step().await;
        let pull = self.pull.step(Duration::ZERO).await;
        let after = chores.after.min(push.after).min(pull.after);
        Next { after, nudge: push.nudge }
    }

    /// One thing of the push loop.
    pub async fn push_step(&mut self) -> Next {
        self.push.step().await
    }

    /// One thing of the pull loop: asks once, without waiting there.
    pub async fn pull_step(&mut self) -> Next {
        self.pull.step(Duration::ZERO).await
    }

    /// One thing of the chores.
    pub async fn chores_step(&mut self) -> Next {
        self.chores.step().await
    }
}

/// Works until `stopping`.
pub async fn run(worker: Worker, stopping: watch::Receiver<bool>) {
    let Worker { exchange, mut push, mut pull, mut chores } = worker;
    let commits = exchange.0.db.changes(Topic::Sync);
    let inner = &exchange.0;
    let push_loop = async {
        let (mut stopping, mut commits) = (stopping.clone(), commits);
        loop {
            let next = tokio::select! {
                () = stopped(&mut stopping) => return,
                next = push.step() => next,
            };
            let wait = push.rest(next, &mut commits);
            tokio::select! {
                () = stopped(&mut stopping) => return,
                () = wait => {}
                () = inner.wake_push.notified() => {}
            }
        }
    };
    let pull_loop = async {
        let mut stopping = stopping.clone();
        loop {
            let next = tokio::select! {
                () = stopped(&mut stopping) => return,
                next = pull.step(inner.settings.poll) => next,
            };
            rest(next, &inner.wake_pull, &mut stopping).await;
            if *stopping.borrow() {
                return;
            }
        }
    };
    let chores_loop = async {
        let mut stopping = stopping.clone();
        loop {
            let next = tokio::select! {
                () = stopped(&mut stopping) => return,
                next = chores.step() => next,
            };
            rest(next, &inner.wake_chores, &mut stopping).await;
            if *stopping.borrow() {
                return;
            }
        }
    };
    tokio::join!(push_loop, pull_loop, chores_loop);
}

async fn rest(next: Next, wake: &Notify, stopping: &mut watch::Receiver<bool>) {
    tokio::select! {
        () = stopped(stopping) => {}
        () = tokio::time::sleep(next.after) => {}
        () = wake.notified() => {}
    }
}

impl Exchange {
    fn db(&self) -> &Db {
        &self.0.db
    }

    fn now(&self) -> Millis {
        self.0.db.env().clock.now()
    }

    fn hub(&self) -> Option<Hub> {
        lock(&self.0.hub).clone()
    }

    fn set_hub(&self, hub: Option<Hub>) {
        *lock(&self.0.hub) = hub;
    }

    /// Head office and how the exchange stands; none while the box belongs to none.
    async fn open(&self) -> Result<Option<(Hub, Peer)>, DbError> {
        let Some(hub) = self.hub() else { return Ok(None) };
        let peer = self.db().read(|from| store::peer(from).map_err(DbError::from)).await?;
        Ok(peer.map(|peer| (hub, peer)))
    }

    /// Sets the standing and tells the managers, once per change.
    async fn stand(&self, standing: &'static str) -> Result<(), DbError> {
        self.db()
            .write(move |tx| -> Result<(), DbError> {
                let Some(peer) = store::peer(tx)? else { return Ok(()) };
                if peer.standing != standing {
                    tracing::warn!(from = peer.standing, to = standing, "the exchange with head office");
                    store::set_standing(tx, standing)?;
                    notices::standing(tx, outlet(tx)?, standing)?;
                }
                Ok(())
            })
            .await
    }

    /// Keeps who answered last, for the screens.
    async fn reached(&self, error: Option<&HubError>) {
        let reach = match error {
            Some(HubError::Offline(_)) => store::Reach { hub: false, internet: None },
            Some(HubError::NotOurs(_)) => store::Reach { hub: false, internet: Some(false) },
            _ => store::Reach { hub: true, internet: Some(true) },
        };
        let saved = self.db().write(move |tx| store::save_reach(tx, reach).map_err(DbError::from)).await;
        if let Err(error) = saved {
            tracing::warn!(%error, "how head office was reached could not be kept");
        }
    }
}

/// The outlet this box stands for.
fn outlet(from: &dyn Source) -> Result<Uuid, DbError> {
    let card = store::outlet_card(from)?;
    card.map(|card| card.id).ok_or_else(|| DbError::Unavailable("there is no outlet".into()))
}

/// The outlet a box stands for, as head office is told of it; none before it is made.
pub fn outlet_of(from: &dyn Source) -> Result<Option<OutletCard>, DbError> {
    Ok(store::outlet_card(from)?)
}

/// This box belongs to head office at `url` from now on, as the device `device`.
pub fn adopt(tx: &Transaction<'_>, device: Uuid, url: &str, hub_epoch: Uuid) -> Result<(), DbError> {
    Ok(store::adopt(tx, device, url, hub_epoch, None, None)?)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
