//! Why a step of the exchange brought nothing. Never says what to do about it: push, pull and recovery each know.

use super::HubError;
use crate::db::DbError;

/// Why a step brought nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error(transparent)]
    Hub(#[from] HubError),
    #[error(transparent)]
    Db(#[from] DbError),
    #[error("head office needs rows that are no longer kept")]
    Gone,
    #[error("head office's answer makes no sense: {0}")]
    Nonsense(&'static str),
}
