//! Analytics: figures of a period, defined once, computed exactly. Reads any table, writes only its own.

use crate::state::Routes;

/// `/analytics`.
pub fn routes() -> Routes {
    Routes::group("analytics", [])
}
