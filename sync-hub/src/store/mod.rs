//! Where head office keeps what its outlets sent: a trait of units of work with two implementations, SQLite (one file for the
//! registry, one for each outlet) and PostgreSQL. The texts are the same for both (`edge::db::{Source, Sql}`); a store only says
//! what a transaction is. Blocking throughout: callers in the async runtime go through [`Stores`].

pub mod postgres;
pub mod sqlite;

use edge::db::{DbError, Source, Sql};
use std::sync::Arc;
use tiffin_common::Uuid;
use tiffin_common::frame::{Bucket, DecodeError, Op, Value};
use tiffin_common::registry::Table;
use tokio::sync::broadcast;

/// Why a unit of work failed. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store itself: full, busy, lost. Asking again may help.
    #[error(transparent)]
    Db(#[from] DbError),
    /// Head office holds nothing of such an outlet.
    #[error("no such outlet")]
    NoOutlet,
    /// The work refused, or was stopped; its own error tells more.
    #[error("the unit of work was given up")]
    GivenUp,
    /// What is stored cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Db(error.into())
    }
}

/// What changed, for whoever waits for it: in this process and, on PostgreSQL, in the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Rows of the outlet's log were applied.
    Pushed(Uuid),
    /// The outlet's feed has something new.
    Feed(Uuid),
    /// Of a transfer that the outlet sent or receives something came.
    Parcels(Uuid),
    /// Outlets, keys, users or publications changed.
    Registry,
}

/// How strictly the changes of one log row are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// An insert finds no such row, an update and a delete find one.
    Exact,
    /// As `Exact` where it can be, but an insert may find its row (then it is made equal) and an update or delete may find
    /// none (then nothing happens): after a box has lost a part of its log, until it has taken it back.
    Lenient,
    /// Each insert is a whole row, which is made exactly so whether it was there or not; a delete may find none.
    Images,
}

/// The changes of one log row, to be made as one: all of them or none.
#[derive(Debug)]
pub struct Replay<'a> {
    /// The changes, in their order.
    pub ops: &'a [Op<'a>],
    /// How strictly.
    pub strictness: Strictness,
}

/// Why the changes of a log row could not be made: for the quarantine, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unapplied(pub String);

/// The bytes of an id, or of any other blob.
fn bytes<'v>(value: &'v Value<'_>) -> Option<&'v [u8]> {
    match value {
        Value::Id(id) => Some(id.as_bytes()),
        Value::Blob(blob) => Some(blob),
        _ => None,
    }
}

/// One outlet's rows within one transaction, under the outlet's lock: nobody else writes them meanwhile.
///
/// As a [`Sql`] it answers texts over the branch's own tables (those of this outlet alone) and the `hub_…` tables of the outlet
/// (whose texts name `outlet_id`).
pub trait OutletTx: Sql {
    /// Makes the changes of `rows`, one after the other; each outcome tells whether that log row's changes were made.
    ///
    /// # Errors
    /// When the store fails: the transaction must then be given up.
    fn apply(&mut self, rows: &[Replay<'_>]) -> Result<Vec<Result<(), Unapplied>>, StoreError>;

    /// Deletes the rows of `bucket` whose ids are not in `keep`; answers how many.
    ///
    /// # Errors
    /// When the store fails.
    fn prune(&mut self, table: &'static Table, bucket: Bucket, keep: &[Uuid]) -> Result<u64, StoreError>;
}

/// Head office's store.
pub trait Store: Send + Sync + 'static {
    /// Runs `work` on the registry, in one transaction; an error of it undoes everything.
    ///
    /// # Errors
    /// The work's own, or the store's: after a failed commit it may or may not have been made.
    fn registry(&self, work: &mut dyn FnMut(&dyn Sql) -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Looks at the registry, in one snapshot.
    fn read_registry(
        &self,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Makes room for an outlet; does nothing when there is one.
    fn create_outlet(&self, outlet: Uuid) -> Result<(), StoreError>;

    /// Runs `work` on one outlet's rows, in one transaction under the outlet's lock.
    ///
    /// # Errors
    /// As [`registry`](Store::registry); [`StoreError::NoOutlet`].
    fn outlet(
        &self,
        outlet: Uuid,
        work: &mut dyn FnMut(&mut dyn OutletTx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Looks at one outlet's rows, in one snapshot. Never waits for a writer.
    ///
    /// # Errors
    /// The look's own, or the store's; [`StoreError::NoOutlet`].
    fn read_outlet(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// As [`read_outlet`](Store::read_outlet), for looks at more than memory holds: rows come a few at a time.
    fn walk_outlet(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read_outlet(outlet, look)
    }

    /// As [`read_outlet`](Store::read_outlet), for what may be a little behind: answered by a replica where there is one.
    fn read_reports(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read_outlet(outlet, look)
    }

    /// How far behind the replica that answers reports is, in milliseconds; none when there is none or it does not answer (then
    /// they are answered as everything else is).
    fn reports_behind_ms(&self) -> Option<i64> {
        None
    }

    /// What tells this database from a copy of it, in words that mean nothing else; none where nothing does, or it may not be asked.
    fn place(&self) -> Option<String> {
        None
    }

    /// Makes this process the one that may take the nightly backup, until what is answered is dropped, or the process ends; none
    /// while another one is that.
    fn alone(&self) -> Result<Option<Box<dyn Send>>, StoreError> {
        // Whoever has opened it is alone already.
        Ok(Some(Box::new(())))
    }

    /// Tells everybody who waits, in this and other processes. To be called after the commit.
    fn wake(&self, wake: Wake);

    /// Hears of every [`wake`](Store::wake). Look at the rows after subscribing, and again whenever some were missed.
    fn wakes(&self) -> broadcast::Receiver<Wake>;
}

/// The store as its callers use it: with results of their own, in the async runtime or outside. Cheap to clone.
#[derive(Clone)]
pub struct Stores {
    store: Arc<dyn Store>,
    /// Whether work is run on its caller's thread: slower, but a simulation with one thread then repeats exactly.
    inline: bool,
}

impl Stores {
    /// Around `store`.
    pub fn new(store: impl Store) -> Stores {
        Stores { store: Arc::new(store), inline: false }
    }

    /// The store itself.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The same, with the work of [`run`](Stores::run) on its caller's thread.
    #[must_use]
    pub fn inline(self) -> Stores {
        Stores { inline: true, ..self }
    }

    /// [`Store::registry`], blocking.
    pub fn registry_blocking<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&dyn Sql) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut unit = Unit::of(work);
        let ran = self.store.registry(&mut |sql| unit.run(|work| work(sql)));
        unit.settle(ran)
    }

    /// [`Store::read_registry`], blocking.
    pub fn read_registry_blocking<T, E: From<StoreError>>(
        &self,
        look: impl FnOnce(&dyn Source) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut unit = Unit::of(look);
        let ran = self.store.read_registry(&mut |from| unit.run(|look| look(from)));
        unit.settle(ran)
    }

    /// [`Store::outlet`], blocking.
    pub fn outlet_blocking<T, E: From<StoreError>>(
        &self,
        outlet: Uuid,
        work: impl FnOnce(&mut dyn OutletTx) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut unit = Unit::of(work);
        let ran = self.store.outlet(outlet, &mut |tx| unit.run(|work| work(tx)));
        unit.settle(ran)
    }

    /// [`Store::read_reports`], blocking.
    pub fn read_reports_blocking<T, E: From<StoreError>>(
        &self,
        outlet: Uuid,
        look: impl FnOnce(&dyn Source) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut unit = Unit::of(look);
        let ran = self.store.read_reports(outlet, &mut |from| unit.run(|look| look(from)));
        unit.settle(ran)
    }

    /// [`Store::read_outlet`], blocking.
    pub fn read_outlet_blocking<T, E: From<StoreError>>(
        &self,
        outlet: Uuid,
        look: impl FnOnce(&dyn Source) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut unit = Unit::of(look);
        let ran = self.store.read_outlet(outlet, &mut |from| unit.run(|look| look(from)));
        unit.settle(ran)
    }

    /// [`Store::walk_outlet`], blocking.
    pub fn walk_outlet_blocking<T, E: From<StoreError>>(
        &self,
        outlet: Uuid,
        look: impl FnOnce(&dyn Source) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut unit = Unit::of(look);
        let ran = self.store.walk_outlet(outlet, &mut |from| unit.run(|look| look(from)));
        unit.settle(ran)
    }

    /// Runs `work`, which calls the blocking methods, off the async threads.
    ///
    /// # Errors
    /// The work's own; the store's when the work was stopped.
    pub async fn run<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(&Stores) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        if self.inline {
            return work(self);
        }
        let stores = self.clone();
        let ran = tokio::task::spawn_blocking(move || work(&stores)).await;
        ran.map_err(|_| E::from(StoreError::GivenUp))?
    }
}

/// A unit of work that runs once, and what came of it.
struct Unit<F, T, E> {
    work: Option<F>,
    outcome: Option<Result<T, E>>,
}

impl<F, T, E: From<StoreError>> Unit<F, T, E> {
    fn of(work: F) -> Self {
        Unit { work: Some(work), outcome: None }
    }

    /// Runs it; an error makes the store undo everything.
    fn run(&mut self, with: impl FnOnce(F) -> Result<T, E>) -> Result<(), StoreError> {
        let work = self.work.take().ok_or(StoreError::GivenUp)?;
        if self.outcome.insert(with(work)).is_ok() { Ok(()) } else { Err(StoreError::GivenUp) }
    }

    fn settle(self, ran: Result<(), StoreError>) -> Result<T, E> {
        match (ran, self.outcome) {
            (_, Some(Err(error))) => Err(error),
            (Err(error), _) => Err(error.into()),
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(StoreError::GivenUp.into()),
        }
    }
}
