//! Paging of lists: `limit` and `offset` (contract section 1). Never unbounded.

pub use crate::db::Page;
use serde::Deserialize;

/// The `limit` and `offset` of a list request. Flatten it into a list's query type.
#[derive(Debug, Clone, Copy, Deserialize, schemars::JsonSchema)]
pub struct Paging {
    /// Rows on a page.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u32,
    /// Rows to skip.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000_000))]
    pub offset: u32,
}

fn default_limit() -> u32 {
    20
}

impl From<Paging> for (u32, u32) {
    fn from(paging: Paging) -> Self {
        (paging.limit, paging.offset)
    }
}

impl Default for Paging {
    fn default() -> Self {
        Paging { limit: default_limit(), offset: 0 }
    }
}
