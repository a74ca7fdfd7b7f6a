//! The keys by which the sample data names things, and what was made of each.

use super::failure::{Result, SampleError};
use std::collections::BTreeMap;
use tiffin_common::Uuid;

/// Ids by the keys of the data.
pub(super) type Keys = BTreeMap<String, Uuid>;

/// The id of `key`.
pub(super) fn known(keys: &Keys, key: &str) -> Result<Uuid> {
    keys.get(key).copied().ok_or_else(|| SampleError(format!("{key} is not in the sample data")))
}
