//! Leave: requests, balances, and what an approval does to the roster.

use crate::state::Routes;

/// `/leave-requests`.
pub fn routes() -> Routes {
    Routes::group("leave-requests", [])
}
