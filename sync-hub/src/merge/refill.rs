//! A head office that was put back takes from a branch's log what it had published since and has forgotten: the shared rows as they came
//! to the branch. Never overwrites what head office has changed since it was put back.

use super::contested::{self, New};
use super::error::HubError;
use super::master::{Master, Touch};
use super::proposal::Touched;
use super::rows::{self, Image};
use super::state::State;
use super::{Desk, lives};
use crate::store::OutletTx;
use edge::db::list;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::conflict::{self, Group, Policy, ROW};
use tiffin_common::frame::{Bucket, Header, Op, OpKind};
use tiffin_common::registry::{self, Owner};
use tiffin_common::{Millis, Uuid};

/// A version of the feed that this database has forgotten.
#[derive(Debug, Clone, Copy)]
pub(super) struct Forgotten {
    /// The version.
    pub(super) feed: i64,
    /// The last version that is known for certain: what head office changed after it may be newer than what was forgotten.
    pub(super) after: i64,
}

/// Takes in the shared rows of one log row that came with a forgotten version.
pub(super) fn refill(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    header: &Header,
    forgotten: Forgotten,
    ops: &[Op<'_>],
    touched: &mut Touched,
) -> Result<(), HubError> {
    touched.of(ops);
    let by = at.bugs.refill_is_an_edit().then_some("head office");
    let touch = Touch::new(forgotten.feed, header.hlc, header.wall, by);
    for op in ops {
        let Some(table) = rows::table_of(op).filter(|table| table.owner == Owner::Shared) else { continue };
        let Some(id) = op.row_id() else { continue };
        let image = (op.kind != OpKind::Delete).then(|| Image::of_op(table, op));
        let Some(mut master) = Master::load(&*tx, at.outlet, table, id)? else {
            if let Some(image) = image {
                Master::new(table, id, image, touch.clone()).save(&*tx, state)?;
            }
            continue;
        };
        let newer = master.edited_after(forgotten.after).cloned();
        match (&master.row, image, newer) {
            (None, None, _) => continue,
            (Some(_), Some(image), _) => take(tx, at, &mut master, &image, header, forgotten, &touch)?,
            // Made again, or deleted, in the life that was forgotten.
            (None, Some(image), None) => {
                let feed = master.feed;
                master = Master::new(table, id, image, touch.clone());
                master.feed = feed;
            }
            (Some(_), None, None) => {
                master.row = None;
                master.touch_all(touch.clone());
            }
            (_, image, Some(newer)) => {
                let theirs = match image {
                    Some(image) => image.packed(table),
                    None => rows::packed_delete(table, id),
                };
                let group = Group { name: ROW, policy: Policy::Deleted };
                record(tx, at, &master, group, (master.packed(), theirs), &newer, header)?;
                continue;
            }
        }
        master.save(&*tx, state)?;
    }
    Ok(())
}

/// A row that both have: each column as it came to the branch, but for those that head office has changed since.
fn take(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &mut Master,
    image: &Image,
    header: &Header,
    forgotten: Forgotten,
    touch: &Touch,
) -> Result<(), HubError> {
    let table = master.table;
    let mut ours = master.row.clone().unwrap_or_default();
    let mut kept: BTreeMap<&str, (Group, Touch, Vec<usize>)> = BTreeMap::new();
    for (column, _) in table.live_columns() {
        let theirs = image.get(column);
        if ours.get(column) == theirs {
            continue;
        }
        let group = conflict::group(table, column);
        let newer = master.touch_of(column).filter(|touch| touch.is_edit_after(forgotten.after)).cloned();
        match (group, newer) {
            (Some(group), Some(newer)) => {
                kept.entry(group.name).or_insert_with(|| (group, newer, Vec::new())).2.push(column);
            }
            (group, _) => {
                if group.is_some() {
                    master.touch(column, touch.clone());
                }
                ours.0.insert(column, theirs.clone());
            }
        }
    }
    master.row = Some(ours);
    for (group, newer, columns) in kept.into_values() {
        let side = |row: &Image| {
            let columns = columns.iter().map(|column| (*column, row.get(*column).clone()));
            Image(columns.collect()).packed_update(table, master.id)
        };
        let sides = (side(&master.row.clone().unwrap_or_default()), side(image));
        record(tx, at, master, group, sides, &newer, header)?;
    }
    Ok(())
}

/// After all rows of a table came from a branch that fills head office again: what head office has besides, and the branch had seen, was
/// deleted.
pub(super) fn drop_others(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    header: &Header,
    bucket: Bucket,
    ops: &[Op<'_>],
) -> Result<(), HubError> {
    const OTHERS: &str =
        "SELECT row_id FROM hub_master WHERE outlet_id = ?1 AND table_no = ?2 AND deleted = 0";
    let Some(table) = registry::table(bucket.table).filter(|table| table.owner == Owner::Shared) else {
        return Ok(());
    };
    let Some(after) = lives::known_before(&*tx, state, state.pulled)? else { return Ok(()) };
    let kept: BTreeSet<Uuid> = ops.iter().filter_map(Op::row_id).collect();
    let held: Vec<Uuid> = list(&*tx, OTHERS, (at.outlet, table.no), |row| row.get(0))?;
    for id in held.into_iter().filter(|id| !kept.contains(id)) {
        let Some(mut master) = Master::load(&*tx, at.outlet, table, id)? else { continue };
        if master.edited_after(after).is_none() {
            master.row = None;
            master.touch_all(Touch::new(state.pulled, header.hlc, header.wall, None));
            master.save(&*tx, state)?;
        }
    }
    Ok(())
}

/// Keeps what gives way to an edit that head office made since it was put back.
fn record(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    group: Group,
    (master_op, branch_op): (Vec<u8>, Vec<u8>),
    newer: &Touch,
    header: &Header,
) -> Result<(), HubError> {
    let new = New {
        table: master.table.no,
        row: master.id,
        group: group.name,
        policy: group.policy,
        branch_won: false,
        master_op,
        branch_op,
        master_by: newer.by.as_deref(),
        master_at: Millis::new(newer.at),
        branch_by: None,
        branch_at: header.wall,
        seq: header.seq,
    };
    contested::record(tx, at, &new)
}
