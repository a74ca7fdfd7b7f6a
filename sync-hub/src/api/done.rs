//! The answer of what has nothing to tell but that it is done.

use schemars::JsonSchema;
use serde::Serialize;

/// Nothing to tell but that it is done.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Done")]
pub(super) struct Done {}
