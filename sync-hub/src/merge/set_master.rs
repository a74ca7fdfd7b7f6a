//! An edit of head office's as a unit of work: what is due before it is made before it. Never decides what an edit means: `edit`
//! does.

use super::edit::{self, Edit, Edited};
use super::error::HubError;
use super::state::State;
use super::{Desk, schedule};
use crate::store::OutletTx;

/// Makes the changes.
///
/// # Errors
/// See [`crate::hub::Hub::set_master`].
pub fn set_master(tx: &mut dyn OutletTx, at: &Desk, edit: &Edit) -> Result<Edited, HubError> {
    let mut state = State::open(&*tx, at)?;
    schedule::make_due(tx, at, &mut state, at.now())?;
    let edited = edit::make(tx, at, &mut state, edit)?;
    if state.is_fed() || edited.changed > 0 {
        state.save(&*tx, &at.env)?;
    }
    Ok(edited)
}
