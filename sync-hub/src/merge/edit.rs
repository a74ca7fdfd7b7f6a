//! Head office's own edits of an outlet's shared rows. Never touches what the branch holds: that comes back in its log.

use super::Desk;
use super::crossed::{self, Made};
use super::error::HubError;
use super::master::{Master, Touch};
use super::rows::{self, Cell, Image};
use super::state::State;
use crate::store::OutletTx;
use tiffin_common::conflict;
use tiffin_common::frame::{Op, OpKind, Ops};
use tiffin_common::registry::{KEY, Owner, Table};
use tiffin_common::{Millis, Uuid};

/// Changes of shared rows by head office.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// The changes, packed ([`tiffin_common::frame::Changes`]): inserts, updates of some columns, deletes. An insert of a row that
    /// is there counts as an update of the columns it names; what the branch deleted stays deleted, unless it is inserted; a delete
    /// of a row that is not there is nothing. `version` and `updated_at` are set here, whatever the changes say.
    pub changes: Vec<u8>,
    /// Who, for people to read.
    pub editor: String,
    /// The publication that brings it.
    pub publication: Option<Uuid>,
    /// When it was meant: now, or the moment of a scheduled change.
    pub at: Option<Millis>,
    /// When it was made, if that was before now: what came of the branch since it did not know.
    pub made_at: Option<Millis>,
}

impl Edit {
    fn made(&self) -> Made<'_> {
        Made { by: &self.editor, at: self.made_at }
    }
}

/// What came of an [`Edit`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Edited {
    /// The outlet's version of the feed that carries the last of it (or carried it already): arrived when the branch's log shows a
    /// `Pulled` of it or of a later one. 0 when the branch had it before head office did.
    pub feed: i64,
    /// Rows that it changed.
    pub changed: usize,
}

/// Makes the changes within a unit of work that saves the state.
pub(super) fn make(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    edit: &Edit,
) -> Result<Edited, HubError> {
    state.hlc = state.hlc.tick(at.now());
    let mut edited = Edited::default();
    for op in Ops::of(&edit.changes) {
        let op = op?;
        let (table, id) = check(at.outlet, &op)?;
        let (feed, changed) = one(tx, at, state, edit, &op, (table, id))?;
        edited.feed = edited.feed.max(feed);
        edited.changed += usize::from(changed);
    }
    Ok(edited)
}

/// Table and row of a change that head office may make.
pub(super) fn check(outlet: Uuid, op: &Op<'_>) -> Result<(&'static Table, Uuid), HubError> {
    let invalid = |reason: String| Err(HubError::Invalid(reason));
    let Some(table) = rows::table_of(op) else { return invalid(format!("there is no table {}", op.table)) };
    if table.owner != Owner::Shared {
        return invalid(format!("{} belongs to the branch", table.name));
    }
    let Some(id) = op.row_id() else { return invalid(format!("a row of {} without its id", table.name)) };
    let image = Image::of_op(table, op);
    let owner = if table.column("outlet_id").is_some() { "outlet_id" } else { KEY };
    let owned = table.column(owner).and_then(|column| image.0.get(&column));
    if owned.is_some_and(|owned| *owned != Cell::Id(outlet)) || (op.kind == OpKind::Insert && owned.is_none())
    {
        return invalid(format!("a row of {} that belongs to another outlet", table.name));
    }
    Ok((table, id))
}

/// Takes over a row that only the branch has so far.
pub(super) fn adopt(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    table: &'static Table,
    id: Uuid,
) -> Result<(), HubError> {
    if Master::load(&*tx, at.outlet, table, id)?.is_none()
        && let Some(row) = rows::replica(&*tx, table, id)?
    {
        let touch = Touch::new(0, state.hlc, at.now(), None);
        Master::new(table, id, row, touch).save(&*tx, state)?;
    }
    Ok(())
}

/// The row comes to the branch again, as head office has it; one that head office does not have is to go.
pub(super) fn send_again(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    table: &'static Table,
    id: Uuid,
) -> Result<(), HubError> {
    let held = rows::replica(&*tx, table, id)?.map_or(0, |row| row.integer(table, "version"));
    let mut master = Master::load(&*tx, at.outlet, table, id)?.unwrap_or_else(|| {
        let mut none = Master::new(table, id, Image::default(), Touch::new(0, state.hlc, at.now(), None));
        none.row = None;
        none
    });
    if let Some(row) = &mut master.row {
        let version = row.integer(table, "version").max(held) + 1;
        row.put(table, "version", Cell::Integer(version));
    }
    master.bump(state.step(), state.pulled);
    master.save(&*tx, state)
}

/// One change: the version of the feed that carries it, and whether it changed anything.
fn one(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    edit: &Edit,
    op: &Op<'_>,
    (table, id): (&'static Table, Uuid),
) -> Result<(i64, bool), HubError> {
    let branch = rows::replica(&*tx, table, id)?;
    let found = Master::load(&*tx, at.outlet, table, id)?;
    let now = edit.at.unwrap_or_else(|| at.now());
    let touch = |feed| Touch::new(feed, state.hlc, now, Some(&edit.editor));
    let mut master = match (found, &branch, op.kind) {
        (Some(master), _, _) if master.row.is_some() || op.kind == OpKind::Insert => master,
        // Deleted stays deleted, and what was never there is not to be deleted.
        (Some(master), _, kind) => {
            if kind == OpKind::Update {
                crossed::stays_deleted(tx, at, &master, &edit.made(), &Image::of_op(table, op))?;
            }
            return Ok((master.feed, false));
        }
        (None, Some(row), _) => Master::new(table, id, row.clone(), touch(0)),
        (None, None, OpKind::Insert) => {
            let mut new = Master::new(table, id, Image::default(), touch(0));
            new.row = None;
            new
        }
        (None, None, OpKind::Delete) => return Ok((0, false)),
        (None, None, OpKind::Update) => {
            return Err(HubError::Invalid(format!("there is no such row of {}", table.name)));
        }
    };
    let before = master.row.clone();
    if op.kind == OpKind::Delete {
        crossed::deleted(tx, at, &master, &edit.made())?;
        let feed = state.step();
        master.row = None;
        master.touch_all(Touch::new(feed, state.hlc, now, Some(&edit.editor)));
        master.feed = feed;
        master.save(&*tx, state)?;
        return Ok((feed, true));
    }
    let image = Image::of_op(table, op);
    let mut row = before.clone().unwrap_or_default();
    let bookkeeping = |column: usize| conflict::group(table, column).is_none();
    let differs = |(column, cell): &(&usize, &Cell)| {
        before.is_none() || (!bookkeeping(**column) && row.get(**column) != *cell)
    };
    let changed: Vec<(usize, Cell)> =
        image.0.iter().filter(differs).map(|(column, cell)| (*column, cell.clone())).collect();
    let changed = crossed::decide(tx, at, &master, &edit.made(), changed)?;
    if changed.is_empty() {
        return Ok((master.feed, false));
    }
    let feed = state.step();
    let touch = Touch::new(feed, state.hlc, now, Some(&edit.editor));
    if before.is_none() {
        master.touch_all(touch.clone());
    }
    for (column, cell) in changed {
        if !bookkeeping(column) {
            master.touch(column, touch.clone());
        }
        row.0.insert(column, cell);
    }
    let held = branch.map_or(0, |branch| branch.integer(table, "version"));
    let had = before.as_ref().map_or(0, |before| before.integer(table, "version"));
    row.put(table, "version", Cell::Integer(had.max(held) + 1));
    row.put(table, "updated_at", Cell::Integer(now.get()));
    master.row = Some(row);
    master.bump(feed, state.pulled);
    master.save(&*tx, state)?;
    Ok((feed, true))
}
