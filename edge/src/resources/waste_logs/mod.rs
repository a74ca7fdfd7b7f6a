//! Waste: what was thrown away, why, and what it cost.

use crate::state::Routes;

/// `/waste-logs`.
pub fn routes() -> Routes {
    Routes::group("waste-logs", [])
}
