//! What a box takes that it has not, action by action, and how much of it at once. Never takes an action apart.

use crate::db::DbError;
use tiffin_common::frame::{Body, Kind, Op};
use tiffin_common::sync::batch::Frame;

/// Changes that are taken in one step: tills wait for it as for a large order.
pub(super) const STEP: u32 = 400;

/// Changes of one action that this box has not.
pub(super) trait Action: Send + Sync + 'static {
    /// How many there are.
    fn count(&self) -> u32;

    /// Them, and whether they are whole rows.
    fn read(&self) -> Result<(Vec<Op<'_>>, bool), DbError>;
}

impl Action for Frame {
    fn count(&self) -> u32 {
        self.header.count
    }

    fn read(&self) -> Result<(Vec<Op<'_>>, bool), DbError> {
        let is_whole = matches!(self.header.kind, Kind::Pulled | Kind::Recovered | Kind::Repair);
        Ok((decoded(self)?.ops().to_vec(), is_whole))
    }
}

/// What a row of a box's log says.
pub(super) fn decoded(frame: &Frame) -> Result<Body<'_>, DbError> {
    Body::decode(&frame.header, &frame.body).map_err(DbError::unavailable)
}

/// How many of the actions make the next step.
pub(super) fn next(actions: &[impl Action]) -> usize {
    let mut changes = 0u32;
    let fits = |action: &&_| {
        changes = changes.saturating_add(Action::count(*action).max(1));
        changes <= STEP
    };
    actions.iter().take_while(fits).count().max(1)
}
