//! Edits that lost against another: kept with both sides, shown, and brought back on demand. Never forgets one.

use super::error::HubError;
use super::rows::{self, Cell, Image};
use super::{Desk, Edit, Edited};
use crate::store::OutletTx;
use edge::db::{Source, list, opt};
use serde_json::{Map, Value};
use tiffin_common::conflict::Policy;
use tiffin_common::frame::OpKind;
use tiffin_common::registry;
use tiffin_common::{Millis, Uuid};

/// Two edits of the same columns of one row that did not know of each other.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// The conflict.
    pub id: Uuid,
    /// The table.
    pub table: &'static str,
    /// The row.
    pub row: Uuid,
    /// Which of its columns; `ROW` where one side deleted it.
    pub group: String,
    /// The rule that decided: HQ_WINS, BRANCH_WINS, LATEST_HLC or DELETED_WINS.
    pub policy: String,
    /// Whether head office's side won; else the branch's.
    pub head_office_won: bool,
    /// Head office's values by column; null where it had deleted the row. Secrets are `true`.
    pub head_office: Option<Map<String, Value>>,
    /// The branch's, likewise.
    pub branch: Option<Map<String, Value>>,
    /// Who at head office, and when.
    pub head_office_by: Option<String>,
    /// See [`Conflict::head_office_by`].
    pub head_office_at: Option<Millis>,
    /// Who at the branch, as far as its log tells, and when by its clock.
    pub branch_by: Option<String>,
    /// See [`Conflict::branch_by`].
    pub branch_at: Millis,
    /// When it was decided here.
    pub at: Millis,
    /// When somebody settled it, who, and how.
    pub settled: Option<(Millis, String, Settled)>,
}

/// What is done about a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The losing edit is brought back as a new one of head office.
    Restored,
    /// Left as it was decided.
    Dismissed,
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
    const KEEP: &str =
        "INSERT INTO hub_conflicts (outlet_id, id, table_no, row_id, column_group, policy, winner,
        master_op, branch_op, master_by, master_at, branch_by, branch_at, seq, at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let now = at.now();
    let winner = if new.branch_won { BRANCH } else { HEAD_OFFICE };
    tx.execute(
        KEEP,
        &[
            &at.outlet,
            &at.env.ids.next(now),
            &i64::from(new.table),
            &new.row,
            &new.group,
            &new.policy.name(),
            &winner,
            &new.master_op,
            &new.branch_op,
            &new.master_by,
            &new.master_at,
            &new.branch_by,
            &new.branch_at,
            &new.seq,
            &now,
        ],
    )?;
    Ok(())
}

const BRANCH: &str = "BRANCH";
const HEAD_OFFICE: &str = "HEAD_OFFICE";

/// Columns whose values nobody needs to see.
const SECRETS: [&str; 2] = ["pin_hash", "password_hash"];

fn values(packed: &[u8]) -> Result<Option<Map<String, Value>>, HubError> {
    let op = rows::one_op(packed)?;
    let Some(table) = rows::table_of(&op).filter(|_| op.kind != OpKind::Delete) else { return Ok(None) };
    let shown = Image::of_op(table, &op).0.into_iter().filter_map(|(column, cell)| {
        let name = *table.columns.get(column)?;
        let value = if SECRETS.contains(&name) && cell != Cell::Null { true.into() } else { cell.json() };
        Some((name.to_owned(), value))
    });
    Ok(Some(shown.collect()))
}

/// The conflicts, newest first.
pub fn conflicts(from: &dyn Source, outlet: Uuid, open: bool, limit: u32) -> Result<Vec<Conflict>, HubError> {
    const LIST: &str =
        "SELECT id, table_no, row_id, column_group, policy, winner, master_op, branch_op, master_by,
        master_at, branch_by, branch_at, at, settled_at, settled_by, settled_as FROM hub_conflicts
        WHERE outlet_id = ?1 AND (?2 = 0 OR settled_at IS NULL) ORDER BY at DESC, id DESC LIMIT ?3";
    type Ops = (Vec<u8>, Vec<u8>);
    let found = list(from, LIST, (outlet, i64::from(open), i64::from(limit)), |row| {
        let no: u16 = row.get(1)?;
        let settled: (Option<Millis>, Option<String>, Option<String>) =
            (row.get(13)?, row.get(14)?, row.get(15)?);
        let how = |how: &str| if how == "RESTORED" { Settled::Restored } else { Settled::Dismissed };
        let ops: Ops = (row.get(6)?, row.get(7)?);
        let conflict = Conflict {
            id: row.get(0)?,
            table: registry::table(no).map_or("", |table| table.name),
            row: row.get(2)?,
            group: row.get(3)?,
            policy: row.get(4)?,
            head_office_won: row.get::<_, String>(5)? == HEAD_OFFICE,
            head_office: None,
            branch: None,
            head_office_by: row.get(8)?,
            head_office_at: row.get(9)?,
            branch_by: row.get(10)?,
            branch_at: row.get(11)?,
            at: row.get(12)?,
            settled: settled
                .0
                .map(|at| (at, settled.1.unwrap_or_default(), how(&settled.2.unwrap_or_default()))),
        };
        Ok((conflict, ops))
    })?;
    let shown = found.into_iter().map(|(conflict, (master, branch))| {
        Ok(Conflict { head_office: values(&master)?, branch: values(&branch)?, ..conflict })
    });
    shown.collect()
}

/// Settles one.
///
/// # Errors
/// See [`crate::hub::Hub::settle`].
pub fn settle(
    tx: &mut dyn OutletTx,
    at: &Desk,
    conflict: Uuid,
    by: &str,
    how: Settled,
) -> Result<Edited, HubError> {
    const FIND: &str =
        "SELECT winner, master_op, branch_op, settled_at FROM hub_conflicts WHERE outlet_id = ?1 AND id = ?2";
    const SETTLE: &str = "UPDATE hub_conflicts SET settled_at = ?3, settled_by = ?4, settled_as = ?5 WHERE outlet_id = ?1 AND id = ?2";
    let found = opt(&*tx, FIND, (at.outlet, conflict), |row| {
        let loser = if row.get::<_, String>(0)? == BRANCH { 1 } else { 2 };
        Ok((row.get::<_, Vec<u8>>(loser)?, row.get::<_, Option<Millis>>(3)?))
    })?;
    let (loser, settled) = found.ok_or(HubError::NotFound("conflict"))?;
    if settled.is_some() {
        return Err(HubError::Invalid("the conflict is settled already".to_owned()));
    }
    let name = if how == Settled::Restored { "RESTORED" } else { "DISMISSED" };
    tx.execute(SETTLE, &[&at.outlet, &conflict, &at.now(), &by, &name])?;
    if how == Settled::Dismissed {
        return Ok(Edited::default());
    }
    let restored = Edit { changes: loser, editor: by.to_owned(), ..Edit::default() };
    super::set_master::set_master(tx, at, &restored)
}
