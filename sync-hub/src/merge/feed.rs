//! What head office has for a branch: the shared rows, by the version of the feed.

use super::Desk;
use crate::hub::HubError;
use crate::store::{OutletTx, StoreError};
use edge::db::Source;
use tiffin_common::Millis;
use tiffin_common::sync::{PullQuery, PullReply};

/// What a look at the feed gave.
#[derive(Debug)]
pub enum Pulled {
    /// The answer.
    Reply(PullReply),
    /// Something has to be written first ([`before_pull`]).
    First,
}

/// What is new in the feed.
///
/// # Errors
/// The store's.
pub fn pull(_from: &dyn Source, _at: &Desk, _query: &PullQuery) -> Result<Pulled, HubError> {
    Err(StoreError::GivenUp.into())
}

/// What is new in the feed, whatever is due.
///
/// # Errors
/// The store's.
pub fn pull_now(_from: &dyn Source, _at: &Desk, _query: &PullQuery) -> Result<PullReply, HubError> {
    Err(StoreError::GivenUp.into())
}

/// Makes the changes that are due, and takes care that the feed is beyond `ahead`.
///
/// # Errors
/// The store's.
pub fn before_pull(_tx: &mut dyn OutletTx, _at: &Desk, _now: Millis, _ahead: i64) -> Result<(), HubError> {
    Err(StoreError::GivenUp.into())
}
