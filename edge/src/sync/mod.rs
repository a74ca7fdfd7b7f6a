//! The branch's side of the exchange with head office: sends the change log up, brings shared rows down, and stays out of the way
//! of everything else. A branch that belongs to no head office never notices it.
//!
//! Three loops that never wait for each other: `push` (the log), `pull` (head office's rows) and `chores` (what has its own time:
//! digests, scheduled changes, the filling of a replaced box, letting go of old log). Each does one thing at a time and says when
//! it wants to be called again, so that there is no state without an armed timer. Their only input are tables; each is safe to
//! repeat from any point.

mod adoption;
mod apply;
mod bugs;
mod carrier;
mod chores;
mod client;
mod derived;
mod digest;
mod dismissed;
mod enrolment;
mod exchange;
mod follow;
mod greeting;
pub mod joining;
mod life;
mod lost;
mod mark;
mod notices;
mod own;
mod papers;
mod pull;
mod push;
mod recovery;
mod reseed;
pub mod restore;
mod resumed;
mod retention;
mod retry;
mod review;
mod review_lane;
pub mod reviews;
mod salvage;
mod steps;
mod store;
#[cfg(test)]
mod tests;
mod trouble;
mod twice;

pub use bugs::Bugs;
pub use carrier::{CarrierError, HttpCarrier, Way, http_client};
pub use client::{Answer, Hub, HubClient, HubError, Reply, Request};
pub use enrolment::Enrolment;
pub(crate) use enrolment::write_whole;
pub use exchange::{Next, Settings};
pub use life::begin_life;
pub use mark::{keep_numbers, last_number, leave_mark, watch_for_old_backup};
pub use store::{LogCheck, check_log, each_archived};

use crate::access::Revocations;
use crate::db::{Db, DbError, Source, Topic};
use crate::http::sse::stopped;
use exchange::{Exchange, Inner};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tiffin_common::sync::OutletCard;
use tokio::sync::{Notify, watch};

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
        Worker::by(Box::new(|found| Ok(Arc::new(HttpCarrier::of(found)?))), db, folder, revocations, settings)
    }

    /// A worker that reaches head office by `way`.
    pub fn by(way: Way, db: Db, folder: PathBuf, revocations: Revocations, settings: Settings) -> Worker {
        Worker::made(db, Some(folder), revocations, settings, Some(way))
    }

    /// A worker that speaks with `hub`, whose box it is already.
    #[cfg(test)]
    fn with_hub(db: Db, hub: Arc<dyn HubClient>, settings: Settings) -> Worker {
        let worker = Worker::made(db, None, Revocations::default(), settings, None);
        worker.exchange.set_hub(Some(Hub::new(hub)));
        worker
    }

    fn made(
        db: Db,
        folder: Option<PathBuf>,
        revocations: Revocations,
        settings: Settings,
        way: Option<Way>,
    ) -> Worker {
        let exchange = Exchange(Arc::new(Inner {
            db,
            folder,
            revocations,
            settings,
            hub: Mutex::default(),
            wake_push: Notify::new(),
            wake_pull: Notify::new(),
            wake_chores: Notify::new(),
            bad: Mutex::new(Vec::new()),
            greet: AtomicBool::default(),
            greetings: AtomicU64::default(),
            hub_time: Mutex::default(),
            salvage: AtomicBool::default(),
        }));
        Worker {
            push: push::Push::new(exchange.clone()),
            pull: pull::Pull::new(exchange.clone()),
            chores: chores::Chores::new(exchange.clone(), way),
            exchange,
        }
    }

    /// Asks head office where it stands: to be done once, before anything that has a number is written after a start. Whoever calls says
    /// how long it may take, and goes on without an answer.
    pub async fn ask(&mut self) {
        if let Err(error) = self.chores.look_for_enrolment().await {
            tracing::warn!(%error, "head office could not be asked");
        }
        if let Err(trouble) = life::ask(&self.exchange).await {
            tracing::info!(%trouble, "head office did not say where it stands");
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

/// The outlet a box stands for, as head office is told of it; none before it is made.
pub fn outlet_of(from: &dyn Source) -> Result<Option<OutletCard>, DbError> {
    store::find_outlet_card(from)
}
