//! What a box still hears that head office takes nothing from any more. Never tells it anything new of anybody.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `GET dismissed`: who of the staff may not sign in any more, for a box whose key has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dismissed {
    /// Each a change that takes a right away, packed and in base64: an account that is closed, somebody who has left, or an account
    /// that does not belong to the outlet any more.
    pub changes: Vec<String>,
}
