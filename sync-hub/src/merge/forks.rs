//! Boxes that were left behind when another went on for their outlet: noted for an alarm, until somebody decides.

use super::Desk;
use super::error::HubError;
use crate::store::OutletTx;
use edge::db::{Source, Sql, opt};
use tiffin_common::{Millis, Uuid};

/// Notes that a box which was left behind shows rows nobody has seen.
pub(super) fn note(sql: &dyn Sql, at: &Desk, device: Uuid, epoch: Uuid, head: i64) -> edge::db::Result<()> {
    const NOTE: &str = "INSERT INTO hub_forks (outlet_id, epoch, device_id, head_seq, seen_at)
        VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (outlet_id, epoch) DO UPDATE SET
        head_seq = excluded.head_seq, seen_at = excluded.seen_at";
    sql.execute(NOTE, &[&at.outlet, &epoch, &device, &head, &at.now()]).map(drop)
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
    const DECIDE: &str =
        "UPDATE hub_forks SET decision = ?3, decided_at = ?4 WHERE outlet_id = ?1 AND epoch = ?2";
    let decision = if accept { "ACCEPT" } else { "REFUSE" };
    match tx.execute(DECIDE, &[&outlet, &epoch, &decision, &now])? {
        0 => Err(HubError::NotFound("fork")),
        _ => Ok(()),
    }
}
