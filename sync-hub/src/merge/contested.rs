//! An edit that loses is written down with both sides, whichever way it was found. Never reads one: `conflicts` shows them and brings them back.

use super::Desk;
use super::error::HubError;
use crate::store::OutletTx;
use edge::insert;
use tiffin_common::conflict::Policy;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// Whose edit holds.
    pub(super) enum Winner {
        /// Head office's.
        HeadOffice = "HEAD_OFFICE",
        /// The branch's.
        Branch = "BRANCH",
    }
}

/// A conflict as it is decided.
pub(super) struct New<'a> {
    pub(super) table: u16,
    pub(super) row: Uuid,
    pub(super) group: &'a str,
    pub(super) policy: Policy,
    pub(super) branch_won: bool,
    pub(super) master_op: Vec<u8>,
    pub(super) branch_op: Vec<u8>,
    pub(super) master_by: Option<&'a str>,
    pub(super) master_at: Millis,
    pub(super) branch_by: Option<&'a str>,
    pub(super) branch_at: Millis,
    pub(super) seq: i64,
}

/// Keeps one.
pub(super) fn record(tx: &mut dyn OutletTx, at: &Desk, new: &New<'_>) -> Result<(), HubError> {
    let now = at.now();
    insert!(
        &*tx,
        hub_conflicts {
            outlet_id: at.outlet,
            id: at.env.ids.next(now),
            table_no: new.table,
            row_id: new.row,
            column_group: new.group,
            policy: new.policy.name(),
            winner: if new.branch_won { Winner::Branch } else { Winner::HeadOffice },
            master_op: new.master_op,
            branch_op: new.branch_op,
            master_by: new.master_by,
            master_at: new.master_at,
            branch_by: new.branch_by,
            branch_at: new.branch_at,
            seq: new.seq,
            at: now,
        }
    )?;
    Ok(())
}
