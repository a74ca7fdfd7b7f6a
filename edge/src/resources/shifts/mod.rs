//! Shifts: who works when, published as the roster, swapped between colleagues.

use crate::state::Routes;

/// `/shifts`.
pub fn routes() -> Routes {
    Routes::group("shifts", [])
}
