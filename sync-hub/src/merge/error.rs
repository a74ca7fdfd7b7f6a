//! Why head office did not do what a branch or a person asked. Never says what that is over HTTP: `api` does.

use crate::store::StoreError;
use tiffin_common::frame::DecodeError;
use tiffin_common::sync::Refused;

/// Why head office did not do it.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The store; see [`StoreError`]: busy and full pass, asking again may help.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bytes cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The rows do not follow from what head office holds: 409.
    #[error("the rows do not follow: {:?}", .0.reason)]
    Refused(Refused),
    /// What was asked for is not there: 404.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The change cannot be made: 422 with this reason.
    #[error("{0}")]
    Invalid(String),
}

impl From<edge::db::DbError> for HubError {
    fn from(error: edge::db::DbError) -> Self {
        HubError::Store(error.into())
    }
}
