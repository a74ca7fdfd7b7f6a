//! Rows that another program keeps, as [`Db`](super::Db) reads them: head office answers a branch's questions from its copy of the
//! branch. Never written to.

use super::{DbError, Source};
use std::sync::Arc;
use tiffin_common::Uuid;
use tokio::sync::watch;

/// What is done with a snapshot.
pub type Look<'l> = dyn FnMut(&dyn Source) -> Result<(), DbError> + 'l;

/// Copies of branches.
pub trait Elsewhere: Send + Sync + 'static {
    /// Runs `look` on one snapshot of the rows of `outlet`, which may block.
    ///
    /// # Errors
    /// The look's own; [`DbError::NoOutlet`] when nothing is held of that outlet.
    fn read(&self, outlet: Uuid, look: &mut Look<'_>) -> Result<(), DbError>;
}

/// The copies, and whose rows are meant.
#[derive(Clone)]
pub(super) struct Copies {
    held: Arc<dyn Elsewhere>,
    outlet: Option<Uuid>,
    /// Never sent to; held, because a receiver whose sender is gone is at its end.
    pub(super) quiet: Arc<watch::Sender<u64>>,
}

impl Copies {
    pub(super) fn new(held: Arc<dyn Elsewhere>) -> Copies {
        Copies { held, outlet: None, quiet: Arc::new(watch::Sender::new(0)) }
    }

    pub(super) fn of(&self, outlet: Uuid) -> Copies {
        Copies { outlet: Some(outlet), ..self.clone() }
    }

    pub(super) fn visit(&self, look: &mut Look<'_>) -> Result<(), DbError> {
        self.held.read(self.outlet.ok_or(DbError::NoOutlet)?, look)
    }
}
