//! Purchase orders: what is ordered from suppliers, what came of it, and how they keep their word.

use crate::state::Routes;

/// `/purchase-orders`.
pub fn routes() -> Routes {
    Routes::group("purchase-orders", [])
}
