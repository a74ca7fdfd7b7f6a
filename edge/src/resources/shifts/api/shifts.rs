//! `/shifts` over HTTP. Drafts are shown to planners only.

use super::super::rules::plan::Warning;
use super::super::rules::{Shift, ShiftDraft, ShiftError, ShiftStatus, ShiftType};
use super::super::{Absences, actions, store};
use super::{Staff, time};
use crate::access::{Cx, Permission};
use crate::db::{self, Source};
use crate::http::{Change, Data, Json, Page, Paged, Paging, Patch, Path, Problem, Query};
use crate::resources::outlets;
use crate::resources::outlets::rules::{Outlet, parse_time, time_text};
use axum::response::Response;
use chrono::{NaiveDate, NaiveTime};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// A planned shift of an employee.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Shift")]
pub struct ShiftView {
    id: Uuid,
    employee_id: Uuid,
    employee_name: String,
    /// The local date it begins on.
    date: NaiveDate,
    shift_type: ShiftType,
    /// `HH:MM` by the outlet's clock; absent for a day off.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    /// `HH:MM`; the next day where it is not after `startTime`.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    /// The moment it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    starts_at: Option<Millis>,
    /// The moment it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_at: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    station: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<String>,
    status: ShiftStatus,
    /// Why it was turned into a day off, and by whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    off_reason: Option<String>,
    /// The leave that turned it into a day off.
    #[serde(skip_serializing_if = "Option::is_none")]
    leave_request_id: Option<Uuid>,
    version: i64,
    created_at: Millis,
    updated_at: Millis,
}

impl ShiftView {
    fn of(shift: Shift, outlet: &Outlet, staff: &Staff) -> ShiftView {
        ShiftView {
            id: shift.id,
            employee_id: shift.employee_id,
            employee_name: staff.name(shift.employee_id),
            date: shift.date,
            shift_type: shift.shift_type,
            start_time: shift.start.map(time_text),
            end_time: shift.end.map(time_text),
            starts_at: shift.starts_at(outlet),
            ends_at: shift.ends_at(outlet),
            station: shift.station,
            notes: shift.notes,
            status: shift.status,
            off_reason: shift.off_reason,
            leave_request_id: shift.leave_request_id,
            version: shift.version,
            created_at: shift.created_at,
            updated_at: shift.updated_at,
        }
    }
}

/// A shift as it was just planned, and what is unwise about it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedShift {
    #[serde(flatten)]
    shift: ShiftView,
    /// Overtime and short rest; neither is refused.
    warnings: Vec<Warning>,
}

/// What shifts are shown with.
fn surroundings(conn: &dyn Source, outlet: Uuid) -> db::Result<(Outlet, Staff)> {
    Ok((outlets::store::find(conn, outlet)?, Staff::of(conn, outlet)?))
}

fn planned(conn: &dyn Source, outlet: Uuid, made: actions::Planned) -> Result<PlannedShift, ShiftError> {
    let (outlet, staff) = surroundings(conn, outlet)?;
    Ok(PlannedShift { shift: ShiftView::of(made.shift, &outlet, &staff), warnings: made.warnings })
}

/// Filters of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListShifts {
    /// Not before this date.
    from: Option<NaiveDate>,
    /// Not after this date.
    to: Option<NaiveDate>,
    /// Only shifts of this employee.
    employee_id: Option<Uuid>,
    /// Only drafts, or only published ones.
    status: Option<ShiftStatus>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists shifts by date; who does not plan sees the published ones.
pub(in super::super) async fn list_shifts(
    cx: Cx,
    Query(query): Query<ListShifts>,
) -> Result<Paged<ShiftView>, Problem> {
    let ListShifts { from, to, employee_id, status, paging } = query;
    let plans = cx.principal.role.holds(Permission::RosterWrite);
    if !plans && status == Some(ShiftStatus::Draft) {
        return Ok(Paged::new(Page { items: Vec::new(), total: 0 }, paging));
    }
    let status = if plans { status } else { Some(ShiftStatus::Published) };
    let filter = store::Filter { from, to, employee_id, status };
    let page = cx
        .read(move |conn, outlet| -> Result<_, ShiftError> {
            let page = store::list(conn, outlet, &filter, paging)?;
            let (outlet, staff) = surroundings(conn, outlet)?;
            let items = page.items.into_iter().map(|shift| ShiftView::of(shift, &outlet, &staff));
            Ok(Page { items: items.collect(), total: page.total })
        })
        .await?;
    Ok(Paged::new(page, paging))
}

/// One shift.
pub(in super::super) async fn get_shift(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<ShiftView>, Problem> {
    let plans = cx.principal.role.holds(Permission::RosterWrite);
    let found = cx
        .read(move |conn, outlet| -> Result<_, ShiftError> {
            let shift = store::find(conn, outlet, id)?
                .filter(|shift| plans || shift.status == ShiftStatus::Published)
                .ok_or(ShiftError::NotFound("shift"))?;
            let (outlet, staff) = surroundings(conn, outlet)?;
            Ok(ShiftView::of(shift, &outlet, &staff))
        })
        .await?;
    Ok(Data::new(found))
}

/// A shift to plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateShift {
    employee_id: Uuid,
    /// The local date it begins on.
    date: NaiveDate,
    shift_type: ShiftType,
    /// `HH:MM`; the outlet's time for the type when absent. A day off has none.
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    start_time: Option<String>,
    /// `HH:MM`; the next day where it is not after `startTime`.
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    end_time: Option<String>,
    #[schemars(length(max = 80))]
    station: Option<String>,
    #[schemars(length(max = 500))]
    notes: Option<String>,
}

/// Plans a shift, as a draft.
pub(in super::super) async fn create_shift(
    cx: Cx,
    Json(body): Json<CreateShift>,
    absences: Absences,
) -> Result<Response, Problem> {
    let draft = ShiftDraft {
        employee_id: body.employee_id,
        date: body.date,
        shift_type: body.shift_type,
        start: time(body.start_time),
        end: time(body.end_time),
        station: body.station,
        notes: body.notes,
    };
    cx.create(move |tx, actor| {
        let made = actions::create(tx, actor, draft, absences)?;
        planned(tx, actor.outlet_id, made)
    })
    .await
}

/// A change of a shift. A new type brings its usual times unless others are given; so does null for a time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateShift {
    #[serde(default)]
    employee_id: Change<Uuid>,
    #[serde(default)]
    date: Change<NaiveDate>,
    #[serde(default)]
    shift_type: Change<ShiftType>,
    /// When it begins: `HH:MM` on the outlet's clock.
    #[serde(default)]
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    start_time: Patch<String>,
    /// When it ends: `HH:MM` on the outlet's clock.
    #[serde(default)]
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    end_time: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 80))]
    station: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 500))]
    notes: Patch<String>,
}

impl UpdateShift {
    fn over(self, current: &Shift) -> ShiftDraft {
        let shift_type = self.shift_type.apply(current.shift_type);
        let kept = |time: Option<NaiveTime>| time.filter(|_| shift_type == current.shift_type);
        let patched = |patch: Patch<String>, current: Option<NaiveTime>| match patch {
            Patch::Keep => kept(current),
            Patch::Clear => None,
            Patch::Set(text) => parse_time(&text),
        };
        ShiftDraft {
            employee_id: self.employee_id.apply(current.employee_id),
            date: self.date.apply(current.date),
            shift_type,
            start: patched(self.start_time, current.start),
            end: patched(self.end_time, current.end),
            station: self.station.apply(current.station.clone()),
            notes: self.notes.apply(current.notes.clone()),
        }
    }
}

/// Changes a shift.
pub(in super::super) async fn update_shift(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<UpdateShift>,
    absences: Absences,
) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| {
        let change = |current: &Shift| body.over(current);
        let made = actions::change(tx, actor, id, expected, change, absences)?;
        planned(tx, actor.outlet_id, made)
    })
    .await
}

/// Takes a shift off the roster.
pub(in super::super) async fn delete_shift(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| -> Result<_, ShiftError> {
        let gone = actions::remove(tx, actor, id, expected)?;
        let (outlet, staff) = surroundings(tx, actor.outlet_id)?;
        Ok(ShiftView::of(gone, &outlet, &staff))
    })
    .await
}
