//! `POST /shifts/publish` and `/shifts/copy-week` over HTTP.

use super::super::actions::{self, Copied, Published, Skipped};
use super::super::store::Absences;
use super::{RosterWarning, seen};
use crate::access::Cx;
use crate::http::{Created, Json, Result, Updated};
use chrono::NaiveDate;
use tiffin_common::Uuid;

/// What to show to the staff.
#[apply(request!)]
pub struct PublishShifts {
    /// The first date.
    from: NaiveDate,
    /// The last date; at most 62 days in all.
    to: NaiveDate,
}

view! {
    /// What was shown to the staff.
    pub struct PublishedRoster of done: Published {
        /// The first date.
        from: NaiveDate,
        /// The last date.
        to: NaiveDate,
        /// Drafts that everybody sees now.
        published: usize,
        /// Shifts that everybody saw before.
        already_published: usize,
        /// Employees with shifts among those published now.
        employees: usize,
    }
}

/// Shows drafts to the staff.
pub async fn publish_shifts(cx: Cx, Json(body): Json<PublishShifts>) -> Result<Updated<PublishedRoster>> {
    cx.update(move |tx, actor| actions::publish(tx, actor, body.from, body.to)).await
}

/// A week to copy.
#[apply(request!)]
pub struct CopyWeek {
    /// The Monday of the week that is copied.
    from_week_start: NaiveDate,
    /// The Monday of the week it becomes.
    to_week_start: NaiveDate,
    /// Take the drafts of the new week off first; what is published there stays.
    #[serde(default)]
    overwrite: bool,
}

view! {
    /// A shift that was not copied.
    pub struct SkippedShift of skipped: Skipped {
        /// The shift of the old week.
        shift_id: Uuid,
        /// The employee who was to work it.
        employee_id: Uuid,
        /// Name of the employee who was to work it.
        employee_name: String,
        /// Where it would have gone.
        date: NaiveDate,
        /// Why it did not.
        reason: String,
    }
}

view! {
    /// What a copied week came to.
    pub struct CopiedWeek of done: Copied {
        /// How many new drafts were made.
        copied: usize,
        /// Drafts of the new week that had to go, under `overwrite`.
        removed: usize,
        /// What was left out, and why.
        skipped: Vec<SkippedShift> = done.skipped.into_iter().map(Into::into).collect(),
        /// Overtime and short rest of the new drafts.
        warnings: Vec<RosterWarning> = seen(done.warnings),
    }
}

/// Copies a week's shifts as drafts.
pub async fn copy_week(
    cx: Cx,
    Json(body): Json<CopyWeek>,
    absences: Absences,
) -> Result<Created<CopiedWeek>> {
    let weeks = (body.from_week_start, body.to_week_start);
    cx.create(move |tx, actor| actions::copy_week(tx, actor, weeks, body.overwrite, absences)).await
}
