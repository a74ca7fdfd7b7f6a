//! Log rows whose changes could not be made: put aside with the reason, so that they hold up nothing, until somebody has seen to it.
//! Never makes their changes: the comparison of digests brings the rows right.

use super::Desk;
use super::error::HubError;
use crate::store::OutletTx;
use edge::db::opt;
use edge::insert;
use tiffin_common::Uuid;
use tiffin_common::frame::Header;

/// Puts a log row aside.
pub(super) fn put_aside(
    tx: &mut dyn OutletTx,
    at: &Desk,
    header: &Header,
    reason: &str,
) -> Result<(), HubError> {
    tracing::warn!(outlet = %at.outlet, seq = header.seq, reason, "a log row is quarantined");
    insert!(
        &*tx,
        hub_quarantine {
            outlet_id: at.outlet,
            epoch: header.epoch,
            seq: header.seq,
            kind: header.kind as i64,
            reason: reason,
            at: at.now(),
        },
        "ON CONFLICT (outlet_id, epoch, seq) DO NOTHING"
    )?;
    Ok(())
}

/// Takes a log row off the list, and with it the alarm; answers why it was there, or none when it was not.
pub fn dismiss(
    tx: &mut dyn OutletTx,
    outlet: Uuid,
    epoch: Uuid,
    seq: i64,
) -> Result<Option<String>, HubError> {
    const LOOK: &str = "SELECT reason FROM hub_quarantine WHERE outlet_id = ?1 AND epoch = ?2 AND seq = ?3";
    const DROP: &str = "DELETE FROM hub_quarantine WHERE outlet_id = ?1 AND epoch = ?2 AND seq = ?3";
    let reason = opt(&*tx, LOOK, (outlet, epoch, seq), |row| row.get(0))?;
    if reason.is_some() {
        tx.execute(DROP, &[&outlet, &epoch, &seq])?;
    }
    Ok(reason)
}
