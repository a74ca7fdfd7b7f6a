//! Head office's edits that come into an outlet's feed later than they were made: of what the branch's log brought in between neither side
//! knew. The rule decides as it does the other way round, and the loser is kept. Never decides on what head office had seen.

use super::Desk;
use super::contested::{self, New};
use super::error::HubError;
use super::master::{Master, Touch};
use super::rows::{self, Cell, Image};
use crate::store::OutletTx;
use std::collections::BTreeMap;
use tiffin_common::conflict::{self, Group, Policy, ROW, Side};
use tiffin_common::{Hlc, Millis};

/// Who made an edit, and when, if that was before now.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    /// Who.
    pub(super) by: &'a str,
    /// See [`super::Edit::made_at`].
    pub(super) at: Option<Millis>,
}

/// Which of `changed` head office's edit still gives the row: the others stay as the branch has them.
pub(super) fn decide(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    edit: &Made<'_>,
    changed: Vec<(usize, Cell)>,
) -> Result<Vec<(usize, Cell)>, HubError> {
    let (Some(made_at), Some(present)) = (edit.at, &master.row) else { return Ok(changed) };
    let (table, id) = (master.table, master.id);
    let mut groups: BTreeMap<&str, (Group, Image, &Touch)> = BTreeMap::new();
    let mut given = Vec::new();
    for (column, cell) in changed {
        let crossed = master.touch_of(column).filter(|touch| touch.came_after(made_at));
        let Some((group, touch)) = conflict::group(table, column).zip(crossed) else {
            given.push((column, cell));
            continue;
        };
        let (_, ours, last) = groups.entry(group.name).or_insert_with(|| (group, Image::default(), touch));
        ours.0.insert(column, cell);
        if touch.seq > last.seq {
            *last = touch;
        }
    }
    for (group, ours, touch) in groups.into_values() {
        let theirs = Image(ours.0.keys().map(|column| (*column, present.get(*column).clone())).collect());
        let deletes = |image: &Image| image.0.values().any(|cell| *cell != Cell::Null);
        let branch_won = conflict::branch_wins(
            group.policy,
            Side { hlc: Hlc::ZERO.tick(made_at), deletes: deletes(&ours) },
            Side { hlc: Hlc::new(touch.hlc), deletes: deletes(&theirs) },
        );
        let sides = (ours.packed_update(table, id), theirs.packed_update(table, id));
        record(tx, at, master, group, branch_won, sides, edit, touch)?;
        if !branch_won {
            given.extend(ours.0);
        }
    }
    Ok(given)
}

/// What head office deletes stays deleted; what the branch made of it meanwhile is kept.
pub(super) fn deleted(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    edit: &Made<'_>,
) -> Result<(), HubError> {
    let Some(touch) = edit.at.and_then(|made_at| master.crossed(made_at)) else { return Ok(()) };
    let sides = (rows::packed_delete(master.table, master.id), master.packed());
    record(tx, at, master, WHOLE, false, sides, edit, touch)
}

/// What the branch deleted meanwhile stays deleted; head office's edit `ours` is kept.
pub(super) fn stays_deleted(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    edit: &Made<'_>,
    ours: &Image,
) -> Result<(), HubError> {
    let Some(touch) = edit.at.and_then(|made_at| master.crossed(made_at)) else { return Ok(()) };
    let sides = (ours.packed_update(master.table, master.id), master.packed());
    record(tx, at, master, WHOLE, true, sides, edit, touch)
}

/// The row as a whole.
const WHOLE: Group = Group { name: ROW, policy: Policy::Deleted };

#[expect(clippy::too_many_arguments, reason = "a conflict has two sides, each with its circumstances")]
fn record(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    group: Group,
    branch_won: bool,
    (master_op, branch_op): (Vec<u8>, Vec<u8>),
    edit: &Made<'_>,
    touch: &Touch,
) -> Result<(), HubError> {
    let new = New {
        table: master.table.no,
        row: master.id,
        group: group.name,
        policy: group.policy,
        branch_won,
        master_op,
        branch_op,
        master_by: Some(edit.by),
        master_at: edit.at.unwrap_or_else(|| at.now()),
        branch_by: touch.by.as_deref(),
        branch_at: Millis::new(touch.at),
        seq: touch.seq,
    };
    contested::record(tx, at, &new)
}
