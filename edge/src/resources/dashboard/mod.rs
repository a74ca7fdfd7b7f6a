//! The dashboard: a manager's screen in one call. Reads only.

use crate::state::Routes;

/// `/dashboard`.
pub fn routes() -> Routes {
    Routes::group("dashboard", [])
}
