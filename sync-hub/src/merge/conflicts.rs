//! Edits that lost against another: kept with both sides, shown, and brought back on demand. Never forgets one.

use super::contested::Winner;
use super::error::HubError;
use super::rows::{self, Cell, Image};
use super::{Desk, Edit, Edited};
use crate::store::OutletTx;
use edge::db::{Source, list, opt};
use edge::update;
use serde_json::{Map, Value};
use tiffin_common::frame::OpKind;
use tiffin_common::registry;
use tiffin_common::{Millis, Uuid, words};

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

words! {
    /// What is done about a conflict.
    pub enum Settled {
        /// The losing edit is brought back as a new one of head office.
        Restored = "RESTORED",
        /// Left as it was decided.
        Dismissed = "DISMISSED",
    }
}

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
    let found = list(from, LIST, (outlet, open, limit), |row| {
        let no: u16 = row.get("table_no")?;
        let ops = (row.get::<_, Vec<u8>>("master_op")?, row.get::<_, Vec<u8>>("branch_op")?);
        let conflict = Conflict {
            id: row.get("id")?,
            table: registry::table(no).map_or("", |table| table.name),
            row: row.get("row_id")?,
            group: row.get("column_group")?,
            policy: row.get("policy")?,
            head_office_won: row.get::<_, Winner>("winner")? == Winner::HeadOffice,
            head_office: None,
            branch: None,
            head_office_by: row.get("master_by")?,
            head_office_at: row.get("master_at")?,
            branch_by: row.get("branch_by")?,
            branch_at: row.get("branch_at")?,
            at: row.get("at")?,
            settled: match row.get("settled_at")? {
                Some(at) => Some((at, row.get("settled_by")?, row.get("settled_as")?)),
                None => None,
            },
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
    let found = opt(&*tx, FIND, (at.outlet, conflict), |row| {
        let loser = match row.get("winner")? {
            Winner::Branch => "master_op",
            Winner::HeadOffice => "branch_op",
        };
        Ok((row.get::<_, Vec<u8>>(loser)?, row.get::<_, Option<Millis>>("settled_at")?))
    })?;
    let (loser, settled) = found.ok_or(HubError::NotFound("conflict"))?;
    if settled.is_some() {
        return Err(HubError::Invalid("the conflict is settled already".to_owned()));
    }
    update!(
        &*tx,
        hub_conflicts { settled_at: at.now(), settled_by: by, settled_as: how }
            where { outlet_id: at.outlet, id: conflict }
    )?;
    if how == Settled::Dismissed {
        return Ok(Edited::default());
    }
    let restored = Edit { changes: loser, editor: by.to_owned(), ..Edit::default() };
    super::set_master::set_master(tx, at, &restored)
}
