//! What a box and head office say first.

use super::Desk;
use crate::hub::HubError;
use crate::store::{OutletTx, StoreError};
use tiffin_common::sync::{Hello, HelloRequest, Pacing};

/// Decides how a box's log and head office's copy of it stand to each other.
///
/// # Errors
/// The store's.
pub fn hello(
    _tx: &mut dyn OutletTx,
    _at: &Desk,
    _request: &HelloRequest,
    _pacing: Pacing,
) -> Result<Hello, HubError> {
    Err(StoreError::GivenUp.into())
}
