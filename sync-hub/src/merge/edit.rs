//! Head office's own edits of an outlet's shared rows. Never touches what the branch holds: that comes back in its log.

use super::Desk;
use crate::hub::HubError;
use crate::store::{OutletTx, StoreError};
use tiffin_common::{Millis, Uuid};

/// Changes of shared rows by head office.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// The changes, packed ([`tiffin_common::frame::Changes`]): inserts, updates of some columns, deletes. An insert of a row that
    /// is there counts as an update of all its columns; a delete of one that is not there as nothing. `version` and `updated_at`
    /// are set here, whatever the changes say.
    pub changes: Vec<u8>,
    /// Who, for people to read.
    pub editor: String,
    /// The publication that brings it.
    pub publication: Option<Uuid>,
    /// When it was meant: now, or the moment of a scheduled change.
    pub at: Option<Millis>,
    /// The version of the feed that was drawn already (see `Faults::sequence_feed`).
    #[doc(hidden)]
    pub drawn: Option<i64>,
}

/// What came of an [`Edit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edited {
    /// The outlet's version of the feed that carries the last of it (or carried it already): arrived when the branch's log shows a
    /// `Pulled` of it or of a later one.
    pub feed: i64,
    /// Rows that it changed.
    pub changed: usize,
}

/// Makes the changes.
///
/// # Errors
/// See [`crate::hub::Hub::set_master`].
pub fn edit(_tx: &mut dyn OutletTx, _at: &Desk, _edit: &Edit) -> Result<Edited, HubError> {
    Err(StoreError::GivenUp.into())
}

/// A mistake put in: draws the version of the feed in a transaction of its own.
///
/// # Errors
/// The store's.
pub fn draw_feed(_tx: &mut dyn OutletTx, _at: &Desk, edit: Edit) -> Result<Edit, HubError> {
    Ok(edit)
}
