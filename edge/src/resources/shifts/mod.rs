//! Shifts: who works when, published as the roster, swapped between colleagues. What holds always:
//!
//! - Two shifts of one employee never overlap in real time, daylight-saving changes included; a day off stands alone on its
//!   date. A shift whose end is not after its start ends the next day. It counts for the date it begins on.
//! - Nobody is planned on a date of their approved leave. Leave stands above shifts on the ladder and hands a function down.
//! - Drafts are the planners' own. A published shift stays published, and whoever works it is told of every change.
//! - Shifts change hands by a swap only once the colleague has accepted and a planner approved, and all of the above holds
//!   again at that moment. A shift that changes otherwise ends the swaps it was part of.
//!
//! Overtime and short rest are warnings, never refusals.

pub mod rules;
pub mod store;

pub use rules::{Absence, Shift};

use crate::state::Routes;

/// `/shifts` and `/workforce/roster` (contract section 9).
pub fn routes() -> Routes {
    Routes::group("shifts", [])
}
