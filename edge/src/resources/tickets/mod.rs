//! Tickets: queries of the staff and feedback of guests.

use crate::state::Routes;

/// `/tickets`.
pub fn routes() -> Routes {
    Routes::group("tickets", [])
}
