//! One folder per group of the API. A resource may use those before it in this list, never after.

use crate::state::Routes;

/// All routes of the API, in the order of the specification's table of groups.
pub fn routes() -> Routes {
    Routes::all([])
}
