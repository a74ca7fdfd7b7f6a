//! The raw log.

use crate::hub::HubError;
use crate::store::StoreError;
use edge::db::Source;
use tiffin_common::Uuid;
use tiffin_common::sync::FramesQuery;

/// Rows of the log as the body of a push.
///
/// # Errors
/// See [`crate::hub::Hub::frames`].
pub fn frames(
    _from: &dyn Source,
    _outlet: Uuid,
    _query: &FramesQuery,
    _most: usize,
) -> Result<Vec<u8>, HubError> {
    Err(StoreError::GivenUp.into())
}
