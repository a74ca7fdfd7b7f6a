//! `/sync-reviews` over HTTP: what the exchange with head office left for a person to look at. Never a row's own screen.

use crate::access::{Cx, Permission, get, post};
use crate::http::{Json, Paged, Path, Problem, Query, Result, Updated};
use crate::state::Routes;
use crate::sync::reviews::{self, ListReviews, Review};
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::Uuid;

/// Who answers for the day's books settles what was doubtful in them.
const SETTLE: Permission = Permission::DayClose;

pub(super) fn routes() -> Routes {
    Routes::group(
        "sync-reviews",
        [
            get("/sync-reviews", Permission::AuditRead, list_reviews)
                .summary("Rows of which two versions came together: what stands and what was lost"),
            post("/sync-reviews/{id}/resolve", SETTLE, resolve_review)
                .summary("Say that somebody has looked at it"),
            post("/sync-reviews/resolve-all", SETTLE, resolve_all_reviews)
                .summary("Say that somebody has looked at all of them"),
        ],
    )
}

/// What was done about it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResolveReview {
    /// For the audit log.
    #[schemars(length(max = 500))]
    note: Option<String>,
}

/// How many were settled.
#[apply(answer!)]
#[schemars(rename = "ReviewsResolved")]
struct ResolvedAll {
    /// Reviews settled by this call.
    resolved: usize,
}

async fn list_reviews(cx: Cx, Query(filter): Query<ListReviews>) -> Result<Paged<Review>> {
    let paging = filter.paging;
    cx.list(paging, move |from, outlet| reviews::list(from, outlet, &filter)).await
}

async fn resolve_review(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<ResolveReview>,
) -> Result<Updated<Review>> {
    cx.update(move |tx, actor| -> Result<_> {
        let resolved = reviews::resolve(tx, actor, id, body.note.as_deref())?;
        resolved.ok_or_else(|| Problem::not_found("review"))
    })
    .await
}

async fn resolve_all_reviews(cx: Cx, Json(body): Json<ResolveReview>) -> Result<Updated<ResolvedAll>> {
    cx.update(move |tx, actor| {
        reviews::resolve_all(tx, actor, body.note.as_deref()).map(|resolved| ResolvedAll { resolved })
    })
    .await
}
