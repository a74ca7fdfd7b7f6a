//! An outlet's rows for a box that replaces another.

use crate::hub::HubError;
use crate::store::StoreError;
use edge::db::Source;
use tiffin_common::Uuid;
use tiffin_common::sync::{SnapshotPage, SnapshotQuery};

/// One page.
///
/// # Errors
/// See [`crate::hub::Hub::snapshot`].
pub fn snapshot(_from: &dyn Source, _outlet: Uuid, _query: &SnapshotQuery) -> Result<SnapshotPage, HubError> {
    Err(StoreError::GivenUp.into())
}
