//! Why the sample restaurant could not be made. Never more than a text: whoever asked for it can only be told.

use crate::db::DbError;
use std::fmt::Debug;

/// Why the sample restaurant could not be made: what was being made, and why it was refused.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SampleError(pub String);

/// What making the sample restaurant answers, or why it could not be made.
pub type Result<T, E = SampleError> = std::result::Result<T, E>;

impl From<DbError> for SampleError {
    fn from(error: DbError) -> Self {
        SampleError(error.to_string())
    }
}

impl From<tiffin_common::Overflow> for SampleError {
    fn from(error: tiffin_common::Overflow) -> Self {
        SampleError(error.to_string())
    }
}

/// Turns a refusal of an action into the failure to make `what`.
pub(in crate::cli::sample) fn making<E: Debug>(what: &str) -> impl FnOnce(E) -> SampleError {
    move |error| SampleError(format!("{what}: {error:?}"))
}
