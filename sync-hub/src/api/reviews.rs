//! What somebody has to look at of an outlet's exchange: log rows that could not be applied, and what a recovery could not put back.

use super::chain::{covered, refused};
use super::done::Done;
use super::guard::Cx;
use crate::hub::HubError;
use crate::registry::{RegistryError, audit};
use crate::store::StoreError;
use axum::http::StatusCode;
use axum::response::Response;
use edge::db::{list as rows, one};
use edge::http::{Json, Page, Paged, Paging, Path, Problem, Query};
use edge::sync::reviews::{self, ListReviews, Review};
use rusqlite::params;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tiffin_common::{Millis, Uuid};

/// A log row whose changes could not be made.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Quarantined {
    epoch: Uuid,
    seq: i64,
    /// Why its changes could not be made.
    reason: String,
    at: Millis,
}

pub(super) async fn list_quarantine(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(paging): Query<Paging>,
) -> Result<Paged<Quarantined>, Problem> {
    covered(&cx, id).await?;
    let read = cx.app.stores().run(move |stores| {
        stores.read_outlet_blocking(id, |from| -> Result<_, StoreError> {
            let total = one(from, "SELECT count(*) FROM hub_quarantine WHERE outlet_id = ?1", [id], |row| {
                row.get(0)
            })?;
            let sql = "SELECT epoch, seq, reason, at FROM hub_quarantine WHERE outlet_id = ?1
                ORDER BY at DESC, seq DESC LIMIT ?2 OFFSET ?3";
            let items = rows(from, sql, params![id, paging.limit, paging.offset], |row| {
                Ok(Quarantined {
                    epoch: row.get("epoch")?,
                    seq: row.get("seq")?,
                    reason: row.get("reason")?,
                    at: row.get("at")?,
                })
            })?;
            Ok(Page { items, total })
        })
    });
    Ok(Paged::new(read.await.map_err(crate::registry::store_problem)?, paging))
}

/// What was done about it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "QuarantineDismissal")]
pub(super) struct Dismissal {
    /// For the audit log.
    #[schemars(length(max = 500))]
    note: Option<String>,
}

pub(super) async fn dismiss_quarantined(
    cx: Cx,
    Path((id, epoch, seq)): Path<(Uuid, Uuid, i64)>,
    Json(dismissal): Json<Dismissal>,
) -> Result<Response, Problem> {
    covered(&cx, id).await?;
    let reason = match cx.app.hub.dismiss(id, epoch, seq).await {
        Err(HubError::Store(StoreError::NoOutlet)) => None,
        dismissed => dismissed.map_err(refused)?,
    };
    // Asked again under the same key, it is gone, and the answer is that of the first time.
    cx.change(StatusCode::OK, move |change, actor| {
        let Some(reason) = reason else { return Err(RegistryError::NotFound("quarantined log row")) };
        let note = audit::Note::new("quarantine.dismiss", "log_row", Some(epoch)).at(Some(id));
        let detail = json!({"seq": seq, "reason": reason, "note": dismissal.note});
        audit::record(change, actor, note.detail(detail))?;
        Ok(Done {})
    })
    .await
}

pub(super) async fn list_reviews(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(filter): Query<ListReviews>,
) -> Result<Paged<Review>, Problem> {
    covered(&cx, id).await?;
    let paging = filter.paging;
    let read = cx.app.stores().run(move |stores| {
        stores.read_outlet_blocking(id, |from| -> Result<_, StoreError> {
            Ok(reviews::list(from, id, &filter)?)
        })
    });
    Ok(Paged::new(read.await.map_err(crate::registry::store_problem)?, paging))
}
