//! Edits that lost against another: kept with both sides, shown, and brought back on demand. Never forgets one.

use super::{Desk, Edited};
use crate::hub::HubError;
use crate::store::{OutletTx, StoreError};
use edge::db::Source;
use serde_json::{Map, Value};
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
    /// The rule that decided: HQ_WINS, BRANCH_WINS, LATEST or DELETED_WINS.
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

/// The conflicts, newest first.
///
/// # Errors
/// The store's.
pub fn conflicts(
    _from: &dyn Source,
    _outlet: Uuid,
    _open: bool,
    _limit: u32,
) -> Result<Vec<Conflict>, HubError> {
    Err(StoreError::GivenUp.into())
}

/// Settles one.
///
/// # Errors
/// See [`crate::hub::Hub::settle`].
pub fn settle(
    _tx: &mut dyn OutletTx,
    _at: &Desk,
    _conflict: Uuid,
    _by: &str,
    _how: Settled,
) -> Result<Edited, HubError> {
    Err(StoreError::GivenUp.into())
}
