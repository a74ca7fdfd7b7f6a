//! Boxes that were left behind when another went on for their outlet: noted for an alarm, until somebody decides.

use super::Desk;
use super::error::HubError;
use crate::store::OutletTx;
use edge::db::{Source, Sql, opt};
use edge::{insert, updated};
use tiffin_common::{Millis, Uuid, words};

words! {
    /// What somebody decided about a box that was left behind.
    pub(super) enum Decision {
        /// It may come back, and takes the other's rows in first.
        Accept = "ACCEPT",
        /// What it still has is only kept for review.
        Refuse = "REFUSE",
    }
}

/// Notes that a box which was left behind shows rows nobody has seen.
pub(super) fn note(sql: &dyn Sql, at: &Desk, device: Uuid, epoch: Uuid, head: i64) -> edge::db::Result<()> {
    insert!(
        sql,
        hub_forks { outlet_id: at.outlet, epoch: epoch, device_id: device, head_seq: head, seen_at: at.now() },
        "ON CONFLICT (outlet_id, epoch) DO UPDATE SET head_seq = excluded.head_seq, seen_at = excluded.seen_at"
    )
    .map(drop)
}

/// Whether somebody decided that a box with one of these process starts may come back.
pub(super) fn is_accepted(
    from: &dyn Source,
    outlet: Uuid,
    epochs: impl Iterator<Item = Uuid>,
) -> edge::db::Result<bool> {
    const ACCEPTED: &str =
        "SELECT 1 FROM hub_forks WHERE outlet_id = ?1 AND epoch = ?2 AND decision = 'ACCEPT'";
    for epoch in epochs {
        if opt(from, ACCEPTED, (outlet, epoch), |_| Ok(()))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Decides whether the box that showed `epoch` may come back.
///
/// # Errors
/// [`HubError::NotFound`].
pub fn decide_fork(
    tx: &mut dyn OutletTx,
    outlet: Uuid,
    epoch: Uuid,
    accept: bool,
    now: Millis,
) -> Result<(), HubError> {
    let decision = if accept { Decision::Accept } else { Decision::Refuse };
    let decided = updated!(
        &*tx,
        hub_forks { decision: decision, decided_at: now } where { outlet_id: outlet, epoch: epoch }
    )?;
    match decided {
        0 => Err(HubError::NotFound("fork")),
        _ => Ok(()),
    }
}
