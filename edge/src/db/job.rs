//! An action on its way through the writer, with whoever waits for it. Never answers before its commit is on disk.

use super::{DbError, Tx};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;

/// A queued action with its reply.
pub(super) trait Job: Send {
    /// Whether it may take of the room that is kept back.
    fn is_vital(&self) -> bool;
    /// Runs the closure; true when it wants to be committed.
    fn run(&mut self, tx: &Tx<'_>) -> bool;
    /// Answers the caller: with the closure's outcome, or with the reason the commit failed.
    fn settle(&mut self, committed: Result<(), DbError>);
}

pub(super) struct Task<F, T, E> {
    change: Option<F>,
    outcome: Option<Result<T, E>>,
    reply: Option<oneshot::Sender<Result<T, E>>>,
    is_vital: bool,
}

impl<F, T, E> Task<F, T, E> {
    pub(super) fn new(change: F, reply: oneshot::Sender<Result<T, E>>, is_vital: bool) -> Self {
        Task { change: Some(change), outcome: None, reply: Some(reply), is_vital }
    }
}

impl<F, T, E> Job for Task<F, T, E>
where
    F: FnOnce(&Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<DbError> + Send,
{
    fn is_vital(&self) -> bool {
        self.is_vital
    }

    fn run(&mut self, tx: &Tx<'_>) -> bool {
        let Some(change) = self.change.take() else { return false };
        let outcome = catch_unwind(AssertUnwindSafe(|| change(tx)))
            .unwrap_or_else(|_| Err(E::from(DbError::Unavailable("an action panicked".into()))));
        self.outcome.insert(outcome).is_ok()
    }

    fn settle(&mut self, committed: Result<(), DbError>) {
        let outcome = match (committed, self.outcome.take()) {
            (Ok(()), Some(outcome)) | (Err(_), Some(outcome @ Err(_))) => outcome,
            (Err(error), _) => Err(E::from(error)),
            (Ok(()), None) => Err(E::from(DbError::Unavailable("the action did not run".into()))),
        };
        if let Some(reply) = self.reply.take() {
            // A caller that has hung up is no reason to undo what is committed.
            let _gone = reply.send(outcome);
        }
    }
}
