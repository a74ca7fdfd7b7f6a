//! Head office as the branches meet it, behind authentication: hello, push, pull, frames, snapshot, and the edits of head office's
//! own people. Knows no HTTP and no key: the outlet it is told is the outlet it serves. Cheap to clone.

mod apart;
mod dismissed;
mod parcels;

use crate::bugs::Bugs;
use crate::merge;
use crate::store::{Stores, Wake};
use bytes::Bytes;
use edge::db::Env;
use std::sync::Arc;
use tiffin_common::frame::Position;
use tiffin_common::sync::{
    Class, FramesQuery, Hello, HelloRequest, Pacing, PaperPart, PaperPlace, PapersLacking, PullQuery,
    PullReply, PushReply, SalvagePage, SnapshotPage, SnapshotQuery,
};
use tiffin_common::{Millis, Uuid};

pub use crate::merge::{Conflict, Edit, Edited, HubError, Scheduled, Settled, Standings};

/// Most bytes of a push that branches are asked for: some 400 orders of a backlog. One of 1 MB is eight times as much to write and
/// sync at once, and the fresh sales of others wait for the same disk.
const PUSHED: u32 = 128 << 10;

/// What may be sent at a time, and held.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// What branches are told.
    pub pacing: Pacing,
    /// Most bytes of a push's rows once decompressed. One action larger than this could never arrive.
    pub max_rows_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { pacing: Pacing { max_bytes: PUSHED, min_gap_ms: 0 }, max_rows_bytes: 128 << 20 }
    }
}

/// See the module.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    stores: Stores,
    env: Env,
    hub_epoch: Uuid,
    limits: Limits,
    bugs: Bugs,
}

impl Hub {
    /// Head office over `stores`; `hub_epoch` is the registry's, which changes when it was restored from a backup.
    pub fn new(stores: Stores, env: Env, hub_epoch: Uuid) -> Hub {
        let inner = Inner { stores, env, hub_epoch, limits: Limits::default(), bugs: Bugs::default() };
        Hub { inner: Arc::new(inner) }
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Hub {
        Hub { inner: Arc::new(Inner { limits, ..(*self.inner).clone() }) }
    }

    /// The same with known bugs put back: for tests that must find them.
    #[must_use]
    pub fn with_bugs(self, bugs: Bugs) -> Hub {
        Hub { inner: Arc::new(Inner { bugs, ..(*self.inner).clone() }) }
    }

    /// Where everything is kept.
    pub fn stores(&self) -> &Stores {
        &self.inner.stores
    }

    /// Clock, ids and randomness.
    pub fn env(&self) -> &Env {
        &self.inner.env
    }

    /// The life of head office: it changes when the database was restored from a backup, and when it lies elsewhere than before.
    pub fn hub_epoch(&self) -> Uuid {
        let Inner { stores, hub_epoch, .. } = &*self.inner;
        let Some(place) = stores.store().place() else { return *hub_epoch };
        let life = blake3::Hasher::new().update(hub_epoch.as_bytes()).update(place.as_bytes()).finalize();
        life.as_bytes().first_chunk().map_or(*hub_epoch, |bytes| Uuid::from_bytes(*bytes))
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.inner.limits
    }

    /// Makes room for an outlet; does nothing when there is one.
    pub async fn create_outlet(&self, outlet: Uuid) -> Result<(), HubError> {
        self.inner.stores.run(move |stores| Ok(stores.store().create_outlet(outlet)?)).await
    }

    /// Where the outlet's log stands, for an enrolment; none before its first row.
    pub async fn cursor(&self, outlet: Uuid) -> Result<Option<Position>, HubError> {
        Ok(self.standings(outlet).await?.cursor)
    }

    /// The outlet's box is about to send all its rows again.
    pub async fn expect_all(&self, outlet: Uuid) -> Result<(), HubError> {
        let at = self.desk(outlet);
        self.run(outlet, move |tx| merge::expect_all(tx, &at)).await
    }

    /// What a box says first. Decides how its log and head office's stand to each other.
    pub async fn hello(&self, outlet: Uuid, request: HelloRequest) -> Result<Hello, HubError> {
        let (at, pacing) = (self.desk(outlet), self.inner.limits.pacing);
        self.run(outlet, move |tx| merge::hello(tx, &at, &request, pacing)).await
    }

    /// Takes rows of the outlet's log: all of them or none, and only then answers.
    ///
    /// # Errors
    /// [`HubError::Refused`] when they do not follow, [`HubError::Decode`] when not even the first can be read, the store's.
    pub async fn push(
        &self,
        outlet: Uuid,
        device: Uuid,
        class: Class,
        body: Bytes,
    ) -> Result<PushReply, HubError> {
        let (at, limits) = (self.desk(outlet), self.inner.limits);
        // Not on the threads that answer everybody: a backlog's takes as long to unpack as fresh sales take as a whole.
        let unpack = move || -> Result<merge::Push, HubError> {
            let batch = merge::read(&body, limits.max_rows_bytes)?;
            Ok(merge::Push::new(at, device, class, body, batch, limits.pacing))
        };
        let pushed = match self.is_pushed_apart(class) {
            true => self.push_apart(unpack()?).await?,
            false => {
                let take = move |stores: &Stores| {
                    let push = unpack()?;
                    stores.outlet_blocking(outlet, |tx| merge::push(tx, &push))
                };
                self.inner.stores.run(take).await?
            }
        };
        let store = self.inner.stores.store();
        if pushed.moved {
            store.wake(Wake::Pushed(outlet));
        }
        if pushed.fed {
            store.wake(Wake::Feed(outlet));
        }
        if pushed.parcels {
            store.wake(Wake::Parcels(outlet));
        }
        Ok(pushed.reply)
    }

    /// What is new in the outlet's feed. Never waits for it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pull(&self, outlet: Uuid, query: PullQuery) -> Result<PullReply, HubError> {
        let at = self.desk(outlet);
        let (desk, asked) = (at.clone(), query.clone());
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::pull(from, &desk, &asked))
        };
        match self.inner.stores.run(look).await? {
            merge::Pulled::Reply(reply) => Ok(reply),
            // Something has to be written first: a change that is due, or a feed that must not go back.
            merge::Pulled::First => {
                let (desk, now, asked) = (at.clone(), self.inner.env.clock.now(), query.clone());
                self.run(outlet, move |tx| merge::before_pull(tx, &desk, now, &asked)).await?;
                let look = move |stores: &Stores| {
                    stores.read_outlet_blocking(outlet, |from| merge::pull_now(from, &at, &query))
                };
                self.inner.stores.run(look).await
            }
        }
    }

    /// Rows of the outlet's own log, as head office holds them: the body of a push.
    ///
    /// # Errors
    /// [`HubError::NotFound`] when there is no such row.
    pub async fn frames(&self, outlet: Uuid, query: FramesQuery) -> Result<Bytes, HubError> {
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::frames(from, outlet, &query))
        };
        self.inner.stores.run(look).await.map(Bytes::from)
    }

    /// A page of the outlet's rows, for a box that replaces another.
    ///
    /// # Errors
    /// [`HubError::Invalid`] for an `after` that no page gave.
    pub async fn snapshot(&self, outlet: Uuid, query: SnapshotQuery) -> Result<SnapshotPage, HubError> {
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::snapshot(from, outlet, &query))
        };
        self.inner.stores.run(look).await
    }

    /// What the outlet's box is to take over next of what another had.
    pub async fn salvage(&self, outlet: Uuid) -> Result<SalvagePage, HubError> {
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::salvage_page(from, outlet))
        };
        self.inner.stores.run(look).await
    }

    /// What head office lacks of the papers that the outlet's rows name.
    pub async fn lacking_papers(&self, outlet: Uuid) -> Result<PapersLacking, HubError> {
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::lacking_papers(from, outlet))
        };
        self.inner.stores.run(look).await
    }

    /// Takes a part of a paper; answers where to go on. Refuses papers that no row names, and what is no part of one.
    pub async fn take_paper(&self, outlet: Uuid, part: PaperPart) -> Result<PaperPlace, HubError> {
        self.run(outlet, move |tx| merge::take_paper(&*tx, outlet, &part)).await
    }

    /// A part of a paper that is whole here.
    ///
    /// # Errors
    /// [`HubError::NotFound`] where it is not, or no part begins there.
    pub async fn paper_part(&self, outlet: Uuid, place: PaperPlace) -> Result<PaperPart, HubError> {
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::paper_part(from, outlet, place))
        };
        self.inner.stores.run(look).await
    }

    /// Orders the outlet's box to take over `rows` of what boxes left behind had, or all of it; answers how many rows.
    ///
    /// # Errors
    /// [`HubError::NotFound`] when none of them waits.
    pub async fn take_over(
        &self,
        outlet: Uuid,
        by: String,
        rows: Option<Vec<Uuid>>,
    ) -> Result<usize, HubError> {
        let at = self.desk(outlet);
        let ordered = self.run(outlet, move |tx| merge::take_over(tx, &at, &by, rows)).await?;
        self.inner.stores.store().wake(Wake::Feed(outlet));
        Ok(ordered)
    }

    /// Changes shared rows of one outlet as head office: all the changes or none. What is there already changes nothing.
    ///
    /// # Errors
    /// [`HubError::Invalid`] for a change of a table that is not shared or of another outlet's row.
    pub async fn set_master(&self, outlet: Uuid, edit: Edit) -> Result<Edited, HubError> {
        let at = self.desk(outlet);
        let edited = match self.edit_apart(&at, &edit).await? {
            Some(edited) => edited,
            None => self.run(outlet, move |tx| merge::set_master(tx, &at, &edit)).await?,
        };
        if edited.changed > 0 {
            self.inner.stores.store().wake(Wake::Feed(outlet));
        }
        Ok(edited)
    }

    /// Puts changes on the outlet's list that take effect later, at the branch by its own clock. The version of the feed it answers is
    /// the one that brings the list.
    ///
    /// # Errors
    /// As [`set_master`](Hub::set_master).
    pub async fn schedule(&self, outlet: Uuid, entries: Vec<Scheduled>) -> Result<Edited, HubError> {
        let at = self.desk(outlet);
        let edited = self.run(outlet, move |tx| merge::schedule(tx, &at, &entries)).await?;
        self.inner.stores.store().wake(Wake::Feed(outlet));
        Ok(edited)
    }

    /// Takes entries off the list again; `changed` says how many had not taken effect.
    pub async fn unschedule(&self, outlet: Uuid, entries: Vec<Uuid>) -> Result<Edited, HubError> {
        let at = self.desk(outlet);
        let taken = self.run(outlet, move |tx| merge::unschedule(tx, &at, &entries)).await?;
        self.inner.stores.store().wake(Wake::Feed(outlet));
        Ok(taken)
    }

    /// Makes the changes of one outlet whose time has come; answers how many. They are made anyway before anything that would
    /// tell the difference; this is for screens.
    pub async fn run_scheduled(&self, outlet: Uuid, now: Millis) -> Result<usize, HubError> {
        let at = self.desk(outlet);
        let ran = self.run(outlet, move |tx| merge::run_due(tx, &at, now)).await?;
        if ran > 0 {
            self.inner.stores.store().wake(Wake::Feed(outlet));
        }
        Ok(ran)
    }

    /// Edits of one outlet that lost, newest first; only those nobody has settled when `open`.
    pub async fn conflicts(&self, outlet: Uuid, open: bool, limit: u32) -> Result<Vec<Conflict>, HubError> {
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| merge::conflicts(from, outlet, open, limit))
        };
        self.inner.stores.run(look).await
    }

    /// Settles a conflict: brings the losing edit back as a new one of head office, or leaves it at that.
    ///
    /// # Errors
    /// [`HubError::NotFound`], [`HubError::Invalid`] when it is settled already.
    pub async fn settle(
        &self,
        outlet: Uuid,
        conflict: Uuid,
        by: String,
        how: Settled,
    ) -> Result<Edited, HubError> {
        let at = self.desk(outlet);
        let edited = self.run(outlet, move |tx| merge::settle(tx, &at, conflict, &by, how)).await?;
        if edited.changed > 0 {
            self.inner.stores.store().wake(Wake::Feed(outlet));
        }
        Ok(edited)
    }

    /// Decides on a fork: whether the box that showed `epoch` may come back (it then takes the other's rows in first).
    ///
    /// # Errors
    /// [`HubError::NotFound`].
    pub async fn decide_fork(&self, outlet: Uuid, epoch: Uuid, accept: bool) -> Result<(), HubError> {
        let now = self.inner.env.clock.now();
        self.run(outlet, move |tx| merge::decide_fork(tx, outlet, epoch, accept, now)).await
    }

    /// Takes a log row out of quarantine; answers why it was there, or none when it was not.
    pub async fn dismiss(&self, outlet: Uuid, epoch: Uuid, seq: i64) -> Result<Option<String>, HubError> {
        self.run(outlet, move |tx| merge::dismiss(tx, outlet, epoch, seq)).await
    }

    /// How the outlet's log, rows, feed and digests stand.
    pub async fn standings(&self, outlet: Uuid) -> Result<Standings, HubError> {
        let look =
            move |stores: &Stores| stores.read_outlet_blocking(outlet, |from| merge::standings(from, outlet));
        self.inner.stores.run(look).await
    }

    /// Applies what a branch newer than head office had sent, after head office was upgraded; answers how many log rows.
    pub async fn catch_up(&self, outlet: Uuid) -> Result<u64, HubError> {
        let at = self.desk(outlet);
        let applied = self.run(outlet, move |tx| merge::catch_up(tx, &at)).await?;
        if applied > 0 {
            self.inner.stores.store().wake(Wake::Pushed(outlet));
        }
        Ok(applied)
    }

    /// Lets go of some of the outlet's raw log that came before `before`; answers how many chunks went.
    pub async fn let_go(&self, outlet: Uuid, before: Millis) -> Result<u64, HubError> {
        self.run(outlet, move |tx| merge::let_go(&*tx, outlet, before)).await
    }

    /// What a unit of work at `outlet` is told.
    pub(crate) fn at(&self, outlet: Uuid) -> merge::Desk {
        self.desk(outlet)
    }

    fn desk(&self, outlet: Uuid) -> merge::Desk {
        let Inner { env, bugs, .. } = &*self.inner;
        merge::Desk { outlet, env: env.clone(), hub_epoch: self.hub_epoch(), bugs: *bugs }
    }

    async fn run<T, F>(&self, outlet: Uuid, work: F) -> Result<T, HubError>
    where
        F: FnOnce(&mut dyn crate::store::OutletTx) -> Result<T, HubError> + Send + 'static,
        T: Send + 'static,
    {
        self.inner.stores.run(move |stores| stores.outlet_blocking(outlet, work)).await
    }
}
