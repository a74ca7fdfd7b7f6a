//! What a recovery or head office's rows could not settle by themselves: both versions of a row, kept until a person has looked at
//! them. Settling one changes nothing but that: what is to be done with the row is done on its own screen.

use super::store;
use crate::access::Actor;
use crate::db::{self, Source, Transaction};
use crate::http::{Page, Paging};
use crate::resources::audit::{self, Entry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiffin_common::{Millis, Uuid};

/// A row whose two versions somebody has to look at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub(super) id: Uuid,
    /// The table, such as `invoices`.
    pub(super) table_name: String,
    pub(super) row_id: Uuid,
    /// NUMBER_TAKEN, CHANGED_SINCE, DELETED_SINCE, NAME_TAKEN, PAID_TWICE or REFUSED.
    pub(super) reason: String,
    /// The values that did not make it, by column.
    pub(super) lost: Value,
    /// The values that stand; null where there is no such row.
    pub(super) kept: Option<Value>,
    pub(super) at: Millis,
    pub(super) resolved_at: Option<Millis>,
    /// The account that settled it.
    pub(super) resolved_by: Option<Uuid>,
}

/// Which reviews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ReviewState {
    /// Those nobody has settled.
    #[default]
    Open,
    /// All.
    All,
}

/// Filters of the list.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListReviews {
    /// OPEN unless it is named.
    #[serde(default)]
    state: ReviewState,
    /// Which page.
    #[serde(flatten)]
    pub paging: Paging,
}

impl ListReviews {
    pub(super) fn only_open(&self) -> bool {
        self.state == ReviewState::Open
    }
}

/// The reviews of an outlet, newest first; of a branch or of head office's copy of one.
pub fn list(from: &dyn Source, outlet: Uuid, filter: &ListReviews) -> db::Result<Page<Review>> {
    store::reviews(from, outlet, filter)
}

/// Somebody has looked at it and leaves a note; settled once, it stays settled. None when there is no such one.
pub fn resolve(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    note: Option<&str>,
) -> db::Result<Option<Review>> {
    let Some(review) = store::find_review(tx, actor.outlet_id, id)? else { return Ok(None) };
    if store::set_resolved(tx, actor, Some(id))? > 0 {
        let entry = Entry::new("sync_review.resolve", "sync_review", Some(id)).after(&review);
        audit::actions::record(tx, actor, noted(entry, note))?;
    }
    store::find_review(tx, actor.outlet_id, id)
}

/// Settles all that are open; how many that were.
pub fn resolve_all(tx: &Transaction<'_>, actor: &Actor, note: Option<&str>) -> db::Result<usize> {
    let resolved = store::set_resolved(tx, actor, None)?;
    if resolved > 0 {
        let entry = Entry::new("sync_review.resolve_all", "sync_review", None);
        audit::actions::record(tx, actor, noted(entry.after(&resolved), note))?;
    }
    Ok(resolved)
}

fn noted(entry: Entry, note: Option<&str>) -> Entry {
    note.map_or(entry.clone(), |note| entry.reason(note))
}
