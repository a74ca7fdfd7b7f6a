//! The branch that trades: what every step of a simulated day needs to know, and never changes.

use crate::cli::sample::data::Restaurant;
use crate::cli::sample::seed::Seeded;
use std::sync::Arc;

/// What every step needs to know, and never changes.
pub(super) struct Branch {
    pub(super) restaurant: Arc<Restaurant>,
    pub(super) seeded: Seeded,
    pub(super) seed: u64,
}
