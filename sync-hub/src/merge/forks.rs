//! Boxes that were left behind when another went on for their outlet.

use crate::hub::HubError;
use crate::store::OutletTx;
use tiffin_common::{Millis, Uuid};

/// Decides whether the box that showed `epoch` may come back.
///
/// # Errors
/// [`HubError::NotFound`]; the store's.
pub fn decide_fork(
    tx: &mut dyn OutletTx,
    outlet: Uuid,
    epoch: Uuid,
    accept: bool,
    now: Millis,
) -> Result<(), HubError> {
    const DECIDE: &str =
        "UPDATE hub_forks SET decision = ?3, decided_at = ?4 WHERE outlet_id = ?1 AND epoch = ?2";
    let decision = if accept { "ACCEPT" } else { "REFUSE" };
    match tx.execute(DECIDE, &[&outlet, &epoch, &decision, &now])? {
        0 => Err(HubError::NotFound("fork")),
        _ => Ok(()),
    }
}
