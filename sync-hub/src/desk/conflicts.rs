//! Edits that were made at both ends: what head office wrote, what the branch wrote, which of them holds, and how the other is brought
//! back. The decision itself was made when the branch's log came (`merge`); nothing is decided here.

use super::edit::Known;
use super::mapping::Lookup;
use super::place::At;
use super::rows::Held;
use super::{Desk, DeskError};
use crate::hub::{Conflict, HubError, Settled};
use crate::merge;
use crate::store::{StoreError, Stores};
use edge::access::Principal;
use edge::db::one;
use futures_util::{StreamExt, TryStreamExt, pin_mut, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiffin_common::registry::table_named;
use tiffin_common::{Millis, Uuid};

/// Outlets that are read at once.
const AT_ONCE: usize = 4;

/// Which conflicts are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ConflictState {
    /// Those nobody has settled.
    #[default]
    Open,
    /// All of them.
    All,
}

/// Two edits of the same columns of one row that did not know of each other.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Conflict")]
pub struct ConflictView {
    id: Uuid,
    outlet_id: Uuid,
    outlet_code: String,
    /// The table of the row, as in the change log.
    table: String,
    row_id: Uuid,
    /// What people call the row.
    name: Option<String>,
    /// Which of its columns; ROW where one side removed it.
    columns: String,
    /// The rule that decided.
    policy: String,
    /// HEAD_OFFICE or BRANCH.
    winner: String,
    /// The edit at head office.
    head_office: Side,
    /// The edit at the branch.
    branch: Side,
    /// When it was decided.
    at: Millis,
    /// When somebody settled it.
    settled_at: Option<Millis>,
    settled_by: Option<String>,
    /// RESTORED or DISMISSED.
    settled_as: Option<String>,
}

/// One side of a conflict.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConflictSide")]
pub struct Side {
    /// Its values by column; null where it removed the row.
    values: Option<Value>,
    /// Who wrote them, as far as is known.
    by: Option<String>,
    /// When it was edited there.
    at: Option<Millis>,
}

impl ConflictView {
    fn of(outlet: &Known, conflict: Conflict, name: Option<String>) -> ConflictView {
        let (settled_at, settled_by, settled_as) = match conflict.settled {
            None => (None, None, None),
            Some((at, by, how)) => {
                let how = if how == Settled::Restored { "RESTORED" } else { "DISMISSED" };
                (Some(at), Some(by), Some(how.to_owned()))
            }
        };
        ConflictView {
            id: conflict.id,
            outlet_id: outlet.id,
            outlet_code: outlet.code.clone(),
            table: conflict.table.to_owned(),
            row_id: conflict.row,
            name,
            columns: conflict.group,
            policy: conflict.policy,
            winner: if conflict.head_office_won { "HEAD_OFFICE" } else { "BRANCH" }.to_owned(),
            head_office: Side {
                values: conflict.head_office.map(Value::Object),
                by: conflict.head_office_by,
                at: conflict.head_office_at,
            },
            branch: Side {
                values: conflict.branch.map(Value::Object),
                by: conflict.branch_by,
                at: Some(conflict.branch_at),
            },
            at: conflict.at,
            settled_at,
            settled_by,
            settled_as,
        }
    }
}

impl Desk {
    /// Conflicts of the user's outlets, or of one of them, the newest first, and how many there are.
    ///
    /// # Errors
    /// No such outlet.
    pub(super) async fn conflicts(
        &self,
        who: &Principal,
        outlet: Option<Uuid>,
        state: ConflictState,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<ConflictView>, i64), DeskError> {
        let mut outlets = self.outlets(who).await?;
        outlets.retain(|known| outlet.is_none_or(|id| known.id == id));
        if outlet.is_some() && outlets.is_empty() {
            return Err(DeskError::NotFound("outlet"));
        }
        let most = limit.saturating_add(offset);
        let reads = stream::iter(outlets).map(|known| self.of_outlet(known, state, most)).buffered(AT_ONCE);
        pin_mut!(reads);
        let (mut found, mut total) = (Vec::new(), 0);
        while let Some((known, count, conflicts)) = reads.try_next().await? {
            total += count;
            found.extend(conflicts.into_iter().map(|conflict| (known.clone(), conflict)));
        }
        found.sort_by_key(|(_, conflict)| (std::cmp::Reverse(conflict.at), conflict.id));
        let mut views = Vec::new();
        for (outlet, conflict) in found.into_iter().skip(offset as usize).take(limit as usize) {
            let name = self.name(outlet.id, &conflict).await?;
            views.push(ConflictView::of(&outlet, conflict, name));
        }
        Ok((views, total))
    }

    /// An outlet's newest conflicts and how many there are, in one snapshot.
    async fn of_outlet(
        &self,
        known: Known,
        state: ConflictState,
        most: u32,
    ) -> Result<(Known, i64, Vec<Conflict>), DeskError> {
        const COUNT: &str =
            "SELECT count(*) FROM hub_conflicts WHERE outlet_id = ?1 AND (?2 = 0 OR settled_at IS NULL)";
        let (outlet, open) = (known.id, state == ConflictState::Open);
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| -> Result<_, DeskError> {
                let count: i64 = one(from, COUNT, (outlet, i64::from(open)), |row| row.get(0))?;
                let newest = if count > 0 { merge::conflicts(from, outlet, open, most)? } else { Vec::new() };
                Ok((count, newest))
            })
        };
        match self.hub().stores().run(look).await {
            Err(DeskError::Store(StoreError::NoOutlet)) => Ok((known, 0, Vec::new())),
            read => read.map(|(count, newest)| (known, count, newest)),
        }
    }

    async fn name(&self, outlet: Uuid, conflict: &Conflict) -> Result<Option<String>, DeskError> {
        let (Some(table), id) = (table_named(conflict.table), conflict.row) else { return Ok(None) };
        let Some(named) = table.column("name") else { return Ok(None) };
        let look = move |stores: &Stores| {
            stores.read_outlet_blocking(outlet, |from| -> Result<_, DeskError> {
                Ok(At { outlet, from }.row(table, id)?)
            })
        };
        let row = self.hub().stores().run(look).await?;
        Ok(row.and_then(|columns| match columns.get(&named) {
            Some(Held::Text(name)) => Some(name.clone()),
            _ => None,
        }))
    }

    /// Settles a conflict of the user's outlets.
    ///
    /// # Errors
    /// No such conflict; 409 when it is settled.
    pub(super) async fn settle(
        &self,
        who: &Principal,
        outlet: Option<Uuid>,
        conflict: Uuid,
        how: Settled,
    ) -> Result<ConflictView, DeskError> {
        for known in self.outlets(who).await? {
            if outlet.is_some_and(|id| known.id != id) {
                continue;
            }
            match self.hub().settle(known.id, conflict, who.name.clone(), how).await {
                Ok(_) => return self.settled(&known, conflict).await,
                Err(HubError::NotFound(_) | HubError::Store(StoreError::NoOutlet)) => {}
                Err(HubError::Invalid(why)) => {
                    return Err(edge::http::Problem::new(edge::http::Code::InvalidTransition)
                        .detail(why)
                        .into());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(DeskError::NotFound("conflict"))
    }

    async fn settled(&self, outlet: &Known, id: Uuid) -> Result<ConflictView, DeskError> {
        let all = self.hub().conflicts(outlet.id, false, u32::MAX >> 1).await?;
        let conflict = all.into_iter().find(|conflict| conflict.id == id);
        let conflict = conflict.ok_or(DeskError::NotFound("conflict"))?;
        let name = self.name(outlet.id, &conflict).await?;
        Ok(ConflictView::of(outlet, conflict, name))
    }
}
