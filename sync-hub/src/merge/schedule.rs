//! Changes of head office that take effect later: the branch has them early and makes them by its own clock; here they are made
//! before anything that would tell the difference. Never made twice.

use super::{Desk, Edited};
use crate::hub::HubError;
use crate::store::{OutletTx, StoreError};
use tiffin_common::{Millis, Uuid};

/// One change that takes effect later.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// Its own id: an entry that is there already is left as it is.
    pub id: Uuid,
    /// When.
    pub effective_at: Millis,
    /// One change, packed, as in [`super::Edit::changes`].
    pub change: Vec<u8>,
    /// Who, for people to read.
    pub editor: String,
    /// The publication that brings it.
    pub publication: Option<Uuid>,
}

/// Puts entries on the list.
///
/// # Errors
/// See [`crate::hub::Hub::schedule`].
pub fn schedule(_tx: &mut dyn OutletTx, _at: &Desk, _entries: &[Scheduled]) -> Result<Edited, HubError> {
    Err(StoreError::GivenUp.into())
}

/// Takes entries off the list.
///
/// # Errors
/// The store's.
pub fn unschedule(_tx: &mut dyn OutletTx, _at: &Desk, _entries: &[Uuid]) -> Result<Edited, HubError> {
    Err(StoreError::GivenUp.into())
}

/// Makes the changes whose time has come.
///
/// # Errors
/// The store's.
pub fn run_due(_tx: &mut dyn OutletTx, _at: &Desk, _now: Millis) -> Result<usize, HubError> {
    Err(StoreError::GivenUp.into())
}
