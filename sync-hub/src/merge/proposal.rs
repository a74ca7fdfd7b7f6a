//! A branch changed shared rows: head office takes each group of columns over, unless it changed it itself meanwhile; then the
//! rule decides and the loser is kept. What the branch then holds differently comes back to it through the feed. Never touches the
//! branch's own rows.

use super::Desk;
use super::contested::{self, New};
use super::error::HubError;
use super::master::{Master, Touch};
use super::rows::{self, Cell, Image};
use super::state::State;
use crate::store::OutletTx;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::conflict::{self, Group, Policy, ROW, Side};
use tiffin_common::frame::{Header, Op, OpKind, Value};
use tiffin_common::registry::{self, Owner, Table, table_named};
use tiffin_common::{Hlc, Millis, Uuid};

/// Shared rows whose two sides are to be compared at the end.
#[derive(Debug, Default)]
pub(super) struct Touched(BTreeSet<(u16, Uuid)>);

impl Touched {
    /// Takes in one row.
    pub(super) fn row(&mut self, table: &Table, id: Uuid) {
        self.0.insert((table.no, id));
    }

    /// Whether it is among them.
    pub(super) fn has(&self, table: &Table, id: Uuid) -> bool {
        self.0.contains(&(table.no, id))
    }

    /// Takes in the shared rows of `ops`.
    pub(super) fn of(&mut self, ops: &[Op<'_>]) {
        for op in ops {
            let shared = rows::table_of(op).is_some_and(|table| table.owner == Owner::Shared);
            if let Some(id) = op.row_id().filter(|_| shared) {
                self.0.insert((op.table, id));
            }
        }
    }
}

/// One action of the branch.
struct Proposal<'a> {
    header: &'a Header,
    /// The version of the feed that the branch had seen.
    base: i64,
    by: Option<&'a str>,
    /// When it came here.
    came_at: Millis,
}

impl Proposal<'_> {
    fn touch(&self) -> Touch {
        Touch::by_branch(self.header, self.by, self.came_at)
    }
}

/// Decides on the shared rows of one log row, whose changes are made in the branch's own rows already.
pub(super) fn propose(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    header: &Header,
    base: i64,
    ops: &[Op<'_>],
    touched: &mut Touched,
) -> Result<(), HubError> {
    let proposal = Proposal { header, base, by: actor(ops), came_at: at.now() };
    for op in ops {
        let Some(table) = rows::table_of(op).filter(|table| table.owner == Owner::Shared) else { continue };
        let Some(id) = op.row_id() else { continue };
        touched.0.insert((table.no, id));
        let Some(mut master) = Master::load(&*tx, at.outlet, table, id)? else {
            adopt(tx, state, table, id, proposal.touch())?;
            continue;
        };
        let is_gone = master.row.is_none();
        match op.kind {
            OpKind::Delete if is_gone => continue,
            OpKind::Delete => delete(tx, at, &mut master, &proposal)?,
            // The branch had seen that it was gone, and made it again.
            OpKind::Insert if is_gone && master.unseen(base).is_none() => {
                let feed = master.feed;
                master = Master::new(table, id, Image::of_op(table, op), proposal.touch());
                master.feed = feed;
            }
            _ if is_gone => {
                stays_deleted(tx, at, &master, op, &proposal)?;
                continue;
            }
            _ => update(tx, at, &mut master, &Image::of_op(table, op), &proposal)?,
        }
        master.save(&*tx, state)?;
    }
    Ok(())
}

/// Who did it, as far as the action's own entry in the audit log tells.
fn actor<'a>(ops: &[Op<'a>]) -> Option<&'a str> {
    let audit = table_named("audit_log")?;
    let name = audit.column("actor_name")?;
    let entry = ops.iter().find(|op| op.table == audit.no && op.kind == OpKind::Insert)?;
    entry.columns.iter().find_map(|(column, value)| match value {
        Value::Text(text) if *column == name => Some(*text),
        _ => None,
    })
}

/// A row that head office does not have becomes what the branch has.
fn adopt(
    tx: &mut dyn OutletTx,
    state: &State,
    table: &'static Table,
    id: Uuid,
    touch: Touch,
) -> Result<(), HubError> {
    match rows::replica(&*tx, table, id)? {
        Some(row) => Master::new(table, id, row, touch).save(&*tx, state),
        None => Ok(()),
    }
}

/// A delete stays one, whatever head office did with the row meanwhile; that is kept.
fn delete(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &mut Master,
    proposal: &Proposal<'_>,
) -> Result<(), HubError> {
    if let Some(unseen) = master.unseen(proposal.base).cloned() {
        let branch_op = rows::packed_delete(master.table, master.id);
        let group = Group { name: ROW, policy: Policy::Deleted };
        record(tx, at, master, group, true, (master.packed(), branch_op), &unseen, proposal)?;
    }
    master.row = None;
    master.touch_all(proposal.touch());
    Ok(())
}

/// What head office deleted stays deleted; the branch's edit is kept.
fn stays_deleted(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    op: &Op<'_>,
    proposal: &Proposal<'_>,
) -> Result<(), HubError> {
    let Some(unseen) = master.unseen(proposal.base).cloned() else { return Ok(()) };
    // To bring it back takes the whole row.
    let row = rows::replica(&*tx, master.table, master.id)?.unwrap_or_else(|| Image::of_op(master.table, op));
    let group = Group { name: ROW, policy: Policy::Deleted };
    record(tx, at, master, group, false, (master.packed(), row.packed(master.table)), &unseen, proposal)
}

fn update(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &mut Master,
    edit: &Image,
    proposal: &Proposal<'_>,
) -> Result<(), HubError> {
    let table = master.table;
    let mut groups: BTreeMap<&str, (Group, Image)> = BTreeMap::new();
    for (column, cell) in &edit.0 {
        let same = master.row.as_ref().is_some_and(|row| row.get(*column) == cell);
        let Some(group) = conflict::group(table, *column).filter(|_| !same) else { continue };
        let (_, image) = groups.entry(group.name).or_insert_with(|| (group, Image::default()));
        image.0.insert(*column, cell.clone());
    }
    for (group, edit) in groups.into_values() {
        let mut takes = true;
        if let Some(unseen) = unseen(master, group, &edit, proposal.base) {
            let present = master.row.clone().unwrap_or_default();
            takes = match at.bugs.wall_clock_wins() && group.policy == Policy::Latest {
                true => proposal.header.wall.get() > unseen.at,
                false => wins(group.policy, &present, &edit, &unseen, proposal),
            };
            let ours = Image(edit.0.keys().map(|column| (*column, present.get(*column).clone())).collect());
            let sides = (ours.packed_update(table, master.id), edit.packed_update(table, master.id));
            record(tx, at, master, group, takes, sides, &unseen, proposal)?;
        }
        if takes {
            edit.0.keys().for_each(|column| master.touch(*column, proposal.touch()));
            master.row.get_or_insert_default().0.extend(edit.0);
        }
    }
    Ok(())
}

/// The last change of head office to these columns that the branch did not know of. What only head office decides is one thing: a
/// change of any column of the group counts.
fn unseen(master: &Master, group: Group, edit: &Image, base: i64) -> Option<Touch> {
    let counts = |column: &usize| {
        edit.0.contains_key(column)
            || group.policy == Policy::HeadOffice
                && conflict::group(master.table, *column).is_some_and(|other| other.name == group.name)
    };
    let columns = (0..master.table.columns.len()).filter(counts);
    let touches = columns.filter_map(|column| master.touch_of(column)).filter(|touch| touch.feed > base);
    touches.max_by_key(|touch| touch.feed).cloned()
}

/// Whether the branch's edit stays.
fn wins(policy: Policy, present: &Image, edit: &Image, unseen: &Touch, proposal: &Proposal<'_>) -> bool {
    let deletes = |image: &Image| edit.0.keys().any(|column| *image.get(*column) != Cell::Null);
    let ours = Side { hlc: Hlc::new(unseen.hlc), deletes: deletes(present) };
    conflict::branch_wins(policy, ours, Side { hlc: proposal.header.hlc, deletes: deletes(edit) })
}

#[expect(clippy::too_many_arguments, reason = "a conflict has two sides, each with its circumstances")]
fn record(
    tx: &mut dyn OutletTx,
    at: &Desk,
    master: &Master,
    group: Group,
    branch_won: bool,
    (master_op, branch_op): (Vec<u8>, Vec<u8>),
    unseen: &Touch,
    proposal: &Proposal<'_>,
) -> Result<(), HubError> {
    let new = New {
        table: master.table.no,
        row: master.id,
        group: group.name,
        policy: group.policy,
        branch_won,
        master_op,
        branch_op,
        master_by: unseen.by.as_deref(),
        master_at: Millis::new(unseen.at),
        branch_by: proposal.by,
        branch_at: proposal.header.wall,
        seq: proposal.header.seq,
    };
    contested::record(tx, at, &new)
}

/// Compares the two sides of the rows: where the branch holds something else than head office decided, it comes to it through the
/// feed; where they agree, head office takes over the branch's version number, unless its own is on its way there.
pub(super) fn echo(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    touched: &Touched,
) -> Result<(), HubError> {
    for (no, id) in &touched.0 {
        let Some(table) = registry::table(*no) else { continue };
        let branch = rows::replica(&*tx, table, *id)?;
        let Some(mut master) = Master::load(&*tx, at.outlet, table, *id)? else {
            let touch = Touch::new(0, state.hlc, at.now(), None);
            adopt(tx, state, table, *id, touch)?;
            continue;
        };
        match (&mut master.row, branch) {
            (None, None) => continue,
            (Some(ours), Some(theirs)) if same(table, ours, &theirs) => {
                if *ours == theirs || master.feed > state.pulled {
                    continue;
                }
                *ours = theirs;
            }
            (ours, theirs) => {
                if let Some(ours) = ours {
                    let theirs = theirs.map_or(0, |theirs| theirs.integer(table, "version"));
                    let version = ours.integer(table, "version").max(theirs) + 1;
                    ours.put(table, "version", Cell::Integer(version));
                }
                master.bump(state.step(), state.pulled);
            }
        }
        master.save(&*tx, state)?;
    }
    Ok(())
}

/// Whether the rows say the same, bookkeeping aside.
pub(super) fn same(table: &Table, ours: &Image, theirs: &Image) -> bool {
    table.live_columns().all(|(column, name)| {
        matches!(name, "version" | "updated_at" | "created_at") || ours.get(column) == theirs.get(column)
    })
}
