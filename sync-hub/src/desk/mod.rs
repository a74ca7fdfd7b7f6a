//! Head office's master data: the catalogue of menu, stock items, recipes, suppliers and people, which is an outlet of its own (`HQ`),
//! edited by the branch's own handlers; what of it was published to which outlet and when it takes effect; and what became
//! of edits that were made at both ends. Nothing is authoritative in the process: a desk that was overtaken is filled anew
//! from the store.

mod api;
mod bench;
pub mod catalogue;
mod conflicts;
mod deliver;
mod edit;
pub mod groups;
mod import;
pub mod mapping;
pub mod parts;
mod place;
mod post;
pub mod publications;
pub mod rows;
mod settings;

pub use bench::{BenchError, HQ, HQ_CODE};

use crate::hub::{Hub, HubError};
use crate::store::StoreError;
use bench::Bench;
use edge::db::DbError;
use edge::http::{Code, Problem};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tiffin_common::Uuid;
use tiffin_common::frame::{DecodeError, Position};
use tokio::sync::OnceCell;

/// Why something at the desk was not done.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// Another process of head office was first.
    #[error("another process edited the catalogue first")]
    Overtaken,
    /// What was asked for is not there.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// A refusal, as the client is told.
    #[error("refused: {}", .0.code().name())]
    Refused(Box<Problem>),
    /// The bench cannot be made.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// Head office.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<DbError> for DeskError {
    fn from(error: DbError) -> Self {
        DeskError::Store(error.into())
    }
}

impl From<DecodeError> for DeskError {
    fn from(error: DecodeError) -> Self {
        DeskError::Store(error.into())
    }
}

impl From<Problem> for DeskError {
    fn from(problem: Problem) -> Self {
        DeskError::Refused(Box::new(problem))
    }
}

impl From<DeskError> for Problem {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Overtaken => Problem::new(Code::Unavailable)
                .detail("The catalogue is being edited elsewhere; try again")
                .retry_after(1),
            DeskError::NotFound(what) => Problem::not_found(what),
            DeskError::Refused(problem) => *problem,
            DeskError::Bench(error) => {
                tracing::error!(%error, "the catalogue cannot be edited here");
                Problem::new(Code::Unavailable).retry_after(5)
            }
            DeskError::Hub(HubError::NotFound(what)) => Problem::not_found(what),
            DeskError::Hub(HubError::Invalid(why)) => Problem::new(Code::PayloadValidation).detail(why),
            DeskError::Hub(HubError::Store(error)) | DeskError::Store(error) => store(error),
            DeskError::Hub(error) => {
                tracing::error!(%error, "head office did not take its own edit");
                Problem::new(Code::Internal)
            }
        }
    }
}

fn store(error: StoreError) -> Problem {
    match error {
        StoreError::Db(error) => error.into(),
        StoreError::NoOutlet => Problem::not_found("outlet"),
        StoreError::GivenUp => Problem::new(Code::Unavailable).retry_after(1),
        StoreError::Decode(error) => {
            tracing::error!(%error, "a stored change cannot be read");
            Problem::new(Code::Internal)
        }
    }
}

/// Head office's desk. Cheap to clone; one per process.
#[derive(Clone)]
pub struct Desk {
    inner: Arc<Inner>,
}

struct Inner {
    hub: Hub,
    /// Stands for this process as a box does for a branch.
    device: Uuid,
    bench: OnceCell<Bench>,
    /// One edit at a time in this process; across processes the end of the log decides.
    state: tokio::sync::Mutex<State>,
    /// Outlets that have publications under way.
    awaited: Mutex<HashSet<Uuid>>,
}

/// What the bench stands for.
struct State {
    /// The end of the log that its rows are of; none when they are not to be trusted.
    filled: Option<Option<Position>>,
    /// The row of the bench's own log up to which everything is in the store.
    written_to: i64,
    /// The process start in whose name rows are written.
    epoch: Uuid,
}

impl Desk {
    /// A desk over `hub`. Nothing is made before the first use.
    pub fn new(hub: Hub) -> Desk {
        let id = || Uuid::from_bytes(hub.env().random_bytes());
        let state = State { filled: None, written_to: 0, epoch: id() };
        let inner = Inner {
            device: id(),
            bench: OnceCell::new(),
            state: tokio::sync::Mutex::new(state),
            awaited: Mutex::default(),
            hub,
        };
        Desk { inner: Arc::new(inner) }
    }

    fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    /// Whether an outlet has publications under way.
    fn is_awaited(&self, outlet: Uuid) -> bool {
        self.inner.awaited.lock().unwrap_or_else(PoisonError::into_inner).contains(&outlet)
    }

    /// Notes which outlets have publications under way: of all, or whether the one has.
    fn await_outlets(&self, only: Option<Uuid>, outlets: impl Iterator<Item = Uuid>) {
        let mut awaited = self.inner.awaited.lock().unwrap_or_else(PoisonError::into_inner);
        match only {
            None => awaited.clear(),
            Some(outlet) => drop(awaited.remove(&outlet)),
        }
        awaited.extend(outlets);
    }
}
