//! `POST /shifts/publish` and `/shifts/copy-week` over HTTP.

use super::super::{Absences, actions};
use crate::access::Cx;
use crate::http::{Json, Problem};
use axum::response::Response;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;

/// What to show to the staff.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishShifts {
    /// The first date.
    from: NaiveDate,
    /// The last date; at most 62 days in all.
    to: NaiveDate,
}

/// Shows drafts to the staff.
pub(in super::super) async fn publish_shifts(
    cx: Cx,
    Json(body): Json<PublishShifts>,
) -> Result<Response, Problem> {
    cx.update(move |tx, actor| actions::publish(tx, actor, body.from, body.to)).await
}

/// A week to copy.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CopyWeek {
    /// The Monday of the week that is copied.
    from_week_start: NaiveDate,
    /// The Monday of the week it becomes.
    to_week_start: NaiveDate,
    /// Take the drafts of the new week off first; what is published there stays.
    #[serde(default)]
    overwrite: bool,
}

/// Copies a week's shifts as drafts.
pub(in super::super) async fn copy_week(
    cx: Cx,
    Json(body): Json<CopyWeek>,
    absences: Absences,
) -> Result<Response, Problem> {
    let weeks = (body.from_week_start, body.to_week_start);
    cx.create(move |tx, actor| actions::copy_week(tx, actor, weeks, body.overwrite, absences)).await
}
