//! What a box that was left behind still had: readable row by row, and taken over by the outlet's box on somebody's word. Never changes an
//! outlet's row itself.

use super::chain::{covered, refused};
use super::guard::Cx;
use crate::hub::HubError;
use crate::merge::{self, Salvage};
use crate::registry::{RegistryError, audit};
use crate::store::StoreError;
use axum::http::StatusCode;
use axum::response::Response;
use edge::http::{Json, Page, Paged, Paging, Path, Problem, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tiffin_common::frame::OpKind;
use tiffin_common::{Millis, Uuid};

/// Which rows are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "SalvageFilter")]
enum Listed {
    /// Those that were not taken over.
    #[default]
    Open,
    /// All of them.
    All,
}

/// Filters of the list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListSalvage {
    /// OPEN unless it is named.
    #[serde(default)]
    state: Listed,
    /// Rows of this table alone, such as `payments`.
    table: Option<String>,
    /// Which page.
    #[serde(flatten)]
    paging: Paging,
}

/// A row that a box had changed which may not speak for the outlet any more.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SalvagedRow {
    /// Its table, such as `payments`.
    table: &'static str,
    /// Id of the row.
    row_id: Uuid,
    /// INSERT, UPDATE or DELETE: what that box did to it.
    change: &'static str,
    /// What that box's log says of it, by column; of a change only what changed.
    values: Map<String, Value>,
    /// Id of the box in whose log it stands.
    device_id: Uuid,
    /// The first row of its log that changed it.
    from_seq: i64,
    /// The last one.
    to_seq: i64,
    /// When it came.
    received_at: Millis,
    /// WAITING (nobody has decided), ORDERED (the outlet's box is to take it over) or TAKEN.
    state: &'static str,
}

pub(super) async fn list_salvage(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(filter): Query<ListSalvage>,
) -> Result<Paged<SalvagedRow>, Problem> {
    covered(&cx, id).await?;
    let read = cx.app.stores().run(move |stores| {
        stores.read_outlet_blocking(id, |from| -> Result<_, HubError> { merge::salvaged(from, id) })
    });
    let rows = match read.await {
        Err(HubError::Store(StoreError::NoOutlet)) => Vec::new(),
        rows => rows.map_err(refused)?,
    };
    let ListSalvage { state, table, paging } = filter;
    let is_meant = |row: &merge::Salvaged| {
        (state == Listed::All || row.state != Salvage::Taken)
            && table.as_ref().is_none_or(|table| row.table.name == table.as_str())
    };
    let rows: Vec<_> = rows.into_iter().filter(is_meant).collect();
    let total = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let page = rows.into_iter().skip(paging.offset as usize).take(paging.limit as usize);
    let items = page.map(|row| SalvagedRow {
        table: row.table.name,
        row_id: row.row,
        change: match row.kind {
            OpKind::Insert => "INSERT",
            OpKind::Update => "UPDATE",
            OpKind::Delete => "DELETE",
        },
        values: row.values,
        device_id: row.device,
        from_seq: row.seqs.0,
        to_seq: row.seqs.1,
        received_at: row.received,
        state: row.state.name(),
    });
    Ok(Paged::new(Page { items: items.collect(), total }, paging))
}

/// What is taken over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "SalvageTaking")]
pub(super) struct Taking {
    /// The ids of rows, which bring what belongs to them: a payment its order, an order all of its rows; absent: all of them.
    #[schemars(length(min = 1, max = 1000))]
    row_ids: Option<Vec<Uuid>>,
    /// For the audit log.
    #[schemars(length(max = 500))]
    note: Option<String>,
}

/// What the outlet's box was told to take over. It does within half a minute when it is connected, and the list says so then.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SalvageOrdered")]
pub(super) struct Ordered {
    /// How many rows.
    rows: usize,
}

pub(super) async fn take_salvage(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(taking): Json<Taking>,
) -> Result<Response, Problem> {
    covered(&cx, id).await?;
    let by = cx.actor().name;
    let ordered = match cx.app.hub.take_over(id, by, taking.row_ids.clone()).await {
        Err(HubError::NotFound(_) | HubError::Store(StoreError::NoOutlet)) => None,
        ordered => Some(ordered.map_err(refused)?),
    };
    // Asked again under the same key, nothing waits any more, and the answer is that of the first time.
    cx.change(StatusCode::OK, move |change, actor| {
        let Some(rows) = ordered else { return Err(RegistryError::NotFound("salvaged row that waits")) };
        let note = audit::Note::new("salvage.take", "outlet", Some(id)).at(Some(id));
        let detail = json!({"rows": rows, "rowIds": taking.row_ids, "note": taking.note});
        audit::record(change, actor, note.detail(detail))?;
        Ok(Ordered { rows })
    })
    .await
}
