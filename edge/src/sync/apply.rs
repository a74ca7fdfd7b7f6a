//! Writes head office's rows here, in one action: parents before children, without ever being stopped by one row. What has to
//! give way, or cannot be written, is put on record for a person. Never decides between two edits: head office has.

use super::bugs::Bugs;
use super::review::Reason;
use super::store::{self, Later, NewReview};
use crate::db::{DbError, Tx};
use crate::log::{RowKey, Touched, Whole};
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::frame::{Op, OpKind, Ops, Value};
use tiffin_common::registry::{self, Owner, TABLES, Table};
use tiffin_common::{Millis, Uuid};

/// One packed change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Packed(pub(super) Vec<u8>);

impl Packed {
    /// The change; none when it cannot be read or is of a table this version does not know.
    pub(super) fn op(&self) -> Option<(Op<'_>, &'static Table, Uuid)> {
        let op = Ops::of(&self.0).next()?.ok()?;
        let table = registry::table(op.table)?;
        let id = op.row_id()?;
        Some((op, table, id))
    }
}

/// One row of the feed.
#[derive(Debug, Clone)]
pub(super) struct Fed {
    /// The version that brings it.
    pub(super) feed: i64,
    pub(super) row: Packed,
}

/// What head office sent.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    pub(super) hub_epoch: Uuid,
    /// Whether these are all its rows.
    pub(super) reset: bool,
    pub(super) decided_to: i64,
    /// In the order of the feed, but for all its rows.
    pub(super) rows: Vec<Fed>,
    pub(super) scheduled: Vec<Later>,
    pub(super) feed: i64,
    pub(super) mark: String,
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Applied {
    /// Whether all of it was written: the box then has this version of the feed.
    pub(super) complete: bool,
    /// Whether rows changed.
    pub(super) changed: bool,
    /// Sessions that ended, accounts and employees that changed: their access tokens are void.
    pub(super) signed_out: Vec<Uuid>,
}

/// Writes what head office sent. Where it comes to a row with own edits that head office has not decided on it stops: the box then has
/// the version of the last row before it.
pub(super) fn apply(tx: &Tx<'_>, feed: &Feed, bugs: Bugs) -> Result<Applied, DbError> {
    let peer = store::find_peer(tx)?.ok_or_else(|| DbError::Unavailable("no head office".into()))?;
    if feed.reset && feed.decided_to < store::find_last_told(tx)? && !bugs.reset_before_told() {
        // It does not know all of ours yet: what it does not list may be what it has not heard of, or has forgotten.
        return Ok(Applied::default());
    }
    let pending: BTreeSet<RowKey> = match bugs.pull_overwrites_pending() {
        true => BTreeSet::new(),
        false => store::list_pending(tx, feed.decided_to)?.into_iter().collect(),
    };
    let is_pending = |row: &Packed| row.op().is_some_and(|(op, _, id)| pending.contains(&(op.table, id)));
    let stop = feed.rows.iter().position(|fed| is_pending(&fed.row)).filter(|_| !bugs.pull_past_pending());
    let mut writer = Writer::new(tx);
    let version = match stop {
        Some(stop) if feed.reset || stop == 0 => peer.feed,
        Some(stop) => writer.write_beginning(feed.rows.get(..stop).unwrap_or_default())?.max(peer.feed),
        None => {
            writer.write(feed.rows.iter().map(|fed| &fed.row).filter(|row| !is_pending(row)))?;
            feed.feed
        }
    };
    let complete = stop.is_none();
    if complete && feed.reset {
        writer.drop_others(&feed.rows, &pending)?;
    }
    let signed_out = writer.doubtful_accounts()?;
    let is_next = version != peer.feed && (complete || !bugs.part_of_no_version());
    // With it head office knows what it has forgotten, should it be put back.
    let touched = writer.record(if is_next { version } else { peer.feed }, is_next)?;
    writer.settle()?;
    if complete || is_next {
        let schema = tiffin_migrations::edge_schema_version();
        store::set_feed(tx, feed.hub_epoch, version, &feed.mark, schema)?;
    }
    if complete {
        store::set_scheduled(tx, &feed.scheduled)?;
    }
    store::delete_settled(tx, feed.decided_to)?;
    super::follow::follow(tx, &touched)?;
    let signed_out = super::follow::sign_out(tx, &touched, signed_out)?;
    Ok(Applied { complete, changed: !touched.is_empty(), signed_out })
}

/// Applies the scheduled changes whose time has come: it is `now` at head office.
pub(super) fn apply_due(tx: &Tx<'_>, now: Millis) -> Result<Applied, DbError> {
    let due = store::list_due(tx, now)?;
    let (ids, changes): (Vec<_>, Vec<_>) =
        due.into_iter().map(|(id, _, packed)| (id, Packed(packed))).unzip();
    let applied = apply_changes(tx, &changes)?;
    ids.into_iter().try_for_each(|id| store::set_applied(tx, id))?;
    Ok(applied)
}

/// Applies changes of head office that no version of the feed brings.
pub(super) fn apply_changes(tx: &Tx<'_>, changes: &[Packed]) -> Result<Applied, DbError> {
    let Some(peer) = store::find_peer(tx)? else { return Ok(Applied::default()) };
    let mut writer = Writer::new(tx);
    for packed in changes {
        match packed.op() {
            Some((op, table, row)) if op.kind == OpKind::Update => writer.change(table, row, &op.columns)?,
            Some(_) => writer.write([packed].into_iter())?,
            None => {}
        }
    }
    let accounts = writer.doubtful_accounts()?;
    let touched = writer.record(peer.feed, false)?;
    writer.settle()?;
    super::follow::follow(tx, &touched)?;
    let signed_out = super::follow::sign_out(tx, &touched, accounts)?;
    Ok(Applied { complete: true, changed: !touched.is_empty(), signed_out })
}

/// A text that had to give way to a unique one: written once the rows themselves are recorded, as an edit of this branch.
struct Renamed {
    table: &'static Table,
    id: Uuid,
    column: &'static str,
    name: String,
}

struct Writer<'t, 'c> {
    tx: &'t Tx<'c>,
    renamed: Vec<Renamed>,
    /// Accounts that a link named before it was changed.
    accounts: BTreeSet<Uuid>,
    /// Rows that are to go and cannot, because others name them.
    kept: Vec<(&'static Table, Uuid)>,
}

type Image<'a> = (Op<'a>, &'static Table, Uuid);

impl<'t, 'c> Writer<'t, 'c> {
    fn new(tx: &'t Tx<'c>) -> Self {
        Writer { tx, renamed: Vec::new(), accounts: BTreeSet::new(), kept: Vec::new() }
    }

    /// Writes whole rows and deletes.
    fn write<'p>(&mut self, rows: impl Iterator<Item = &'p Packed>) -> Result<(), DbError> {
        // The newest of a row counts. Tables are numbered parents first.
        let mut images: BTreeMap<RowKey, Image<'p>> = BTreeMap::new();
        for image in rows.filter_map(Packed::op) {
            if image.1.owner == Owner::Shared {
                images.insert((image.1.no, image.2), image);
            }
        }
        self.note_accounts(images.values())?;
        let (gone, mut waiting): (Vec<_>, Vec<_>) =
            images.into_values().partition(|(op, ..)| op.kind == OpKind::Delete);
        for (_, table, id) in gone.iter().rev() {
            self.delete(table, *id)?;
        }
        for parked in [false, true] {
            // As long as one more can be written, the others may follow: names that are swapped, children of later parents.
            loop {
                let before = waiting.len();
                let mut left = Vec::new();
                for image in waiting {
                    if !self.set(&image, &image.0.columns)? {
                        left.push(image);
                    }
                }
                waiting = left;
                if waiting.is_empty() || waiting.len() == before {
                    break;
                }
            }
            if !parked {
                self.park(&waiting)?;
            }
        }
        for image in &waiting {
            self.give_way(image)?;
        }
        // What could not go before its children were changed.
        for (table, id) in std::mem::take(&mut self.kept) {
            self.delete(table, id)?;
        }
        Ok(())
    }

    /// Writes the first of the rows one by one, in the order of the feed, until one has to wait for what comes after it; answers the
    /// version that was reached, 0 for none.
    fn write_beginning(&mut self, rows: &[Fed]) -> Result<i64, DbError> {
        let mut reached = 0;
        for Fed { feed, row } in rows {
            let image = row.op().filter(|(_, table, _)| table.owner == Owner::Shared);
            self.note_accounts(image.iter())?;
            let is_written = match &image {
                Some((op, table, id)) if op.kind == OpKind::Delete => self.try_delete(table, *id)?,
                Some(image) => self.set(image, &image.0.columns)?,
                None => true,
            };
            if !is_written {
                break;
            }
            reached = *feed;
        }
        Ok(reached)
    }

    /// Whether the row could be written.
    fn set(&self, (_, table, id): &Image<'_>, columns: &[(usize, Value<'_>)]) -> Result<bool, DbError> {
        match store::set_row(self.tx, table, *id, columns) {
            Ok(_) => Ok(true),
            Err(error) if is_constraint(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Some columns of a row, as far as it is there.
    fn change(
        &mut self,
        table: &'static Table,
        id: Uuid,
        columns: &[(usize, Value<'_>)],
    ) -> Result<(), DbError> {
        let named: Vec<_> = columns
            .iter()
            .filter_map(|(column, value)| Some((*table.columns.get(*column)?, *value)))
            .filter(|(name, _)| !name.starts_with(registry::RETIRED))
            .collect();
        if named.is_empty() {
            return Ok(());
        }
        match store::set_columns(self.tx, table, id, &named) {
            Ok(()) => Ok(()),
            Err(error) if is_constraint(&error) => self.refuse(table, id, columns, Reason::Refused),
            Err(error) => Err(error),
        }
    }

    fn delete(&mut self, table: &'static Table, id: Uuid) -> Result<(), DbError> {
        if !self.try_delete(table, id)? {
            self.kept.push((table, id));
        }
        Ok(())
    }

    /// Whether the row could go.
    fn try_delete(&self, table: &'static Table, id: Uuid) -> Result<bool, DbError> {
        match store::delete_row(self.tx, table, id) {
            Ok(_) => Ok(true),
            Err(error) if is_constraint(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Gives rows that stand in each other's way a name nobody else has, until each is written with its own.
    fn park(&self, waiting: &[Image<'_>]) -> Result<(), DbError> {
        for (_, table, id) in waiting {
            for column in UNIQUE_TEXTS {
                if table.columns.contains(column) && store::find_text(self.tx, table, *id, column)?.is_some()
                {
                    let text = id.simple().to_string();
                    store::set_columns(self.tx, table, *id, &[(column, Value::Text(&text))])?;
                }
            }
        }
        Ok(())
    }

    /// A row that another row keeps out: its unique text gives way, or (where it has none) the whole row.
    fn give_way(&mut self, image: &Image<'_>) -> Result<(), DbError> {
        let (op, table, id) = image;
        let rival = store::find_rival(self.tx, table, *id, &op.columns)?;
        let parts = rival.map(|(_, parts)| parts).unwrap_or_default();
        let column = UNIQUE_TEXTS.iter().find(|column| parts.iter().any(|part| part == *column));
        if let Some((column, no)) = column.and_then(|column| Some((*column, table.column(column)?))) {
            let parked = id.simple().to_string();
            let wanted = op.value(table, column);
            let replaced: Vec<_> = op
                .columns
                .iter()
                .map(|(given, value)| (*given, if *given == no { Value::Text(&parked) } else { *value }))
                .collect();
            if self.set(image, &replaced)? {
                if let Some(Value::Text(text)) = wanted {
                    self.renamed.push(Renamed { table, id: *id, column, name: text.to_owned() });
                }
                return self.refuse(table, *id, &op.columns, Reason::NameTaken);
            }
        }
        if let Some(no) = table.column("pin_hash").filter(|_| parts.iter().any(|part| part == "pin_hash")) {
            let without: Vec<_> = op.columns.iter().filter(|(given, _)| *given != no).copied().collect();
            if self.set(image, &without)? {
                return self.refuse(table, *id, &op.columns, Reason::NameTaken);
            }
        }
        self.refuse(table, *id, &op.columns, Reason::Refused)
    }

    /// After a reset: what head office does not list is gone.
    fn drop_others(&mut self, listed: &[Fed], pending: &BTreeSet<RowKey>) -> Result<(), DbError> {
        let listed: BTreeSet<RowKey> =
            listed.iter().filter_map(|fed| fed.row.op().map(|(op, _, id)| (op.table, id))).collect();
        let outlets: Vec<Uuid> = listed.iter().filter(|(no, _)| *no == OUTLETS).map(|(_, id)| *id).collect();
        // A list without the outlet itself is no list: head office has lost it.
        for outlet in outlets {
            for table in TABLES.iter().rev().filter(|table| table.owner == Owner::Shared) {
                for id in store::list_ids(self.tx, table, outlet)? {
                    if !listed.contains(&(table.no, id)) && !pending.contains(&(table.no, id)) {
                        self.delete(table, id)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn note_accounts<'p>(&mut self, images: impl Iterator<Item = &'p Image<'p>>) -> Result<(), DbError> {
        for (_, _, id) in images.filter(|(_, table, _)| table.name == "account_outlets") {
            self.accounts.extend(store::find_account(self.tx, *id)?);
        }
        Ok(())
    }

    fn doubtful_accounts(&self) -> Result<Vec<Uuid>, DbError> {
        Ok(self.accounts.iter().copied().collect())
    }

    /// Records what was written, whole, as head office's; `always` even when nothing was.
    fn record(&self, feed: i64, always: bool) -> Result<Vec<Touched>, DbError> {
        let touched = self.tx.take_touched()?;
        let rows: Vec<RowKey> = touched.iter().map(|touched| touched.row).collect();
        if always || !rows.is_empty() {
            self.tx.record_whole(Whole::Pulled(feed), &rows)?;
        }
        Ok(touched)
    }

    /// What this branch makes of what head office sent: names that had to give way, rows that must stay.
    fn settle(&self) -> Result<(), DbError> {
        for Renamed { table, id, column, name } in &self.renamed {
            for n in 2..1_000 {
                let name = format!("{name} ({n})");
                match store::set_columns(self.tx, table, *id, &[(column, Value::Text(&name))]) {
                    Ok(()) => break,
                    Err(error) if is_constraint(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        for (table, id) in &self.kept {
            if table.columns.contains(&"archived_at") {
                store::set_archived(self.tx, table, *id)?;
            }
        }
        Ok(())
    }

    fn refuse(
        &self,
        table: &'static Table,
        row: Uuid,
        lost: &[(usize, Value<'_>)],
        reason: Reason,
    ) -> Result<(), DbError> {
        let outlet = super::exchange::outlet(self.tx)?;
        store::insert_review(self.tx, &NewReview { outlet, table, row, reason, lost, kept: None })?;
        super::notices::review(self.tx, outlet, table)?;
        Ok(())
    }
}

/// Unique texts that may give way to another row's.
const UNIQUE_TEXTS: &[&str] = &["name", "sku", "employee_code", "code", "email"];

/// The table of outlets.
const OUTLETS: u16 = 1;

/// Whether a row, not the store, is at fault.
pub(super) fn is_constraint(error: &DbError) -> bool {
    matches!(error, DbError::Taken { .. } | DbError::Refused(_))
}
