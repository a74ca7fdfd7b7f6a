//! Attendance: punches by PIN, their status, corrections and the timesheets made of them.

use crate::state::Routes;

/// `/attendance`.
pub fn routes() -> Routes {
    Routes::group("attendance", [])
}
