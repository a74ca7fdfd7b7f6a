//! How somebody stands, as it is told before they punch. Plain data.

use super::State;
use super::record::Planned;
use tiffin_common::Millis;

/// How somebody stands at a moment.
#[derive(Debug, Clone)]
pub struct Look {
    /// Where they are.
    pub state: State,
    /// When they clocked in.
    pub since: Option<Millis>,
    /// The shift they are in, or would clock in to.
    pub shift: Option<Planned>,
    /// Minutes worked, without breaks.
    pub worked_minutes: i64,
    /// Minutes of breaks.
    pub break_minutes: i64,
}
