//! `/shifts` over HTTP. Drafts are shown to planners only.

use super::super::actions;
use super::super::rules::{Shift, ShiftDraft, ShiftError, ShiftStatus, ShiftType};
use super::super::store::{self, Absences};
use super::{Names, RosterWarning, name, seen};
use crate::access::{Cx, Permission};
use crate::db::{self, Source, TimeOfDay};
use crate::http::{Created, Data, Id, Json, Page, Paged, Paging, Patch, Query, Replace, Result, Updated};
use crate::resources::employees::store as staff;
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

view! {
    /// A planned shift of an employee.
    #[schemars(rename = "Shift")]
    pub struct ShiftView of shift: &Shift, outlet: &Outlet, names: &Names {
        id: Uuid,
        employee_id: Uuid,
        employee_name: String = name(names, shift.employee_id),
        /// The local date it begins on.
        date: NaiveDate,
        shift_type: ShiftType,
        /// `HH:MM` by the outlet's clock; absent for a day off.
        #[serde(skip_serializing_if = "Option::is_none")]
        start_time: Option<TimeOfDay>,
        /// `HH:MM`; the next day where it is not after `startTime`.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_time: Option<TimeOfDay>,
        /// The moment it begins.
        #[serde(skip_serializing_if = "Option::is_none")]
        starts_at: Option<Millis> = shift.span(outlet.timezone).map(|span| span.start),
        /// The moment it ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        ends_at: Option<Millis> = shift.span(outlet.timezone).map(|span| span.end),
        #[serde(skip_serializing_if = "Option::is_none")]
        station: Option<String> = shift.station.clone(),
        #[serde(skip_serializing_if = "Option::is_none")]
        notes: Option<String> = shift.notes.clone(),
        status: ShiftStatus,
        /// Why it was turned into a day off, and by whom.
        #[serde(skip_serializing_if = "Option::is_none")]
        off_reason: Option<String> = shift.off_reason.clone(),
        /// The leave that turned it into a day off.
        #[serde(skip_serializing_if = "Option::is_none")]
        leave_request_id: Option<Uuid>,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
    }
}

/// A shift as it was just planned, and what is unwise about it.
#[apply(answer!)]
pub struct PlannedShift {
    #[serde(flatten)]
    shift: ShiftView,
    /// Overtime and short rest; neither is refused.
    warnings: Vec<RosterWarning>,
}

/// What shifts are shown with.
fn surroundings(conn: &dyn Source, outlet: Uuid) -> db::Result<(Outlet, Names)> {
    Ok((outlets::store::find(conn, outlet)?, staff::list_names(conn, outlet)?))
}

fn shown(conn: &dyn Source, outlet: Uuid, shift: &Shift) -> Result<ShiftView, ShiftError> {
    let (outlet, names) = surroundings(conn, outlet)?;
    Ok(ShiftView::of(shift, &outlet, &names))
}

fn planned(conn: &dyn Source, outlet: Uuid, made: actions::Planned) -> Result<PlannedShift, ShiftError> {
    Ok(PlannedShift { shift: shown(conn, outlet, &made.shift)?, warnings: seen(made.warnings) })
}

/// Filters of the list.
#[apply(request!)]
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
pub async fn list_shifts(cx: Cx, Query(query): Query<ListShifts>) -> Result<Paged<ShiftView>> {
    let ListShifts { from, to, employee_id, status, paging } = query;
    let plans = cx.principal.holds(Permission::RosterWrite);
    if !plans && status == Some(ShiftStatus::Draft) {
        return Ok(Paged::new(Page { items: Vec::new(), total: 0 }, paging));
    }
    let status = if plans { status } else { Some(ShiftStatus::Published) };
    let filter = store::Filter { from, to, employee_id, status };
    cx.list(paging, move |conn, outlet| -> Result<_, ShiftError> {
        let page = store::list(conn, outlet, &filter, paging)?;
        let (outlet, names) = surroundings(conn, outlet)?;
        Ok(page.map(|shift| ShiftView::of(&shift, &outlet, &names)))
    })
    .await
}

/// One shift.
pub async fn get_shift(cx: Cx, Id(id): Id) -> Result<Data<ShiftView>> {
    let plans = cx.principal.holds(Permission::RosterWrite);
    cx.get(move |conn, outlet| -> Result<_, ShiftError> {
        let shift = store::find(conn, outlet, id)?
            .filter(|shift| plans || shift.status == ShiftStatus::Published)
            .ok_or(ShiftError::NotFound("shift"))?;
        shown(conn, outlet, &shift)
    })
    .await
}

/// A shift to plan.
#[apply(request!)]
pub struct CreateShift {
    employee_id: Uuid,
    /// The local date it begins on.
    date: NaiveDate,
    shift_type: ShiftType,
    /// `HH:MM`; the outlet's time for the type when absent. A day off has none.
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    start_time: Option<TimeOfDay>,
    /// `HH:MM`; the next day where it is not after `startTime`.
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    end_time: Option<TimeOfDay>,
    #[schemars(length(max = 80))]
    station: Option<String>,
    #[schemars(length(max = 500))]
    notes: Option<String>,
}

/// Plans a shift, as a draft.
pub async fn create_shift(
    cx: Cx,
    Json(body): Json<CreateShift>,
    absences: Absences,
) -> Result<Created<PlannedShift>> {
    let draft = ShiftDraft {
        employee_id: body.employee_id,
        date: body.date,
        shift_type: body.shift_type,
        start_time: body.start_time,
        end_time: body.end_time,
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
#[apply(request!)]
pub struct UpdateShift {
    #[serde(default)]
    employee_id: Replace<Uuid>,
    #[serde(default)]
    date: Replace<NaiveDate>,
    #[serde(default)]
    shift_type: Replace<ShiftType>,
    /// When it begins: `HH:MM` on the outlet's clock.
    #[serde(default)]
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    start_time: Patch<TimeOfDay>,
    /// When it ends: `HH:MM` on the outlet's clock.
    #[serde(default)]
    #[schemars(regex(pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    end_time: Patch<TimeOfDay>,
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
        let kept = |time: Option<TimeOfDay>| time.filter(|_| shift_type == current.shift_type);
        ShiftDraft {
            employee_id: self.employee_id.apply(current.employee_id),
            date: self.date.apply(current.date),
            shift_type,
            start_time: self.start_time.apply(kept(current.start_time)),
            end_time: self.end_time.apply(kept(current.end_time)),
            station: self.station.apply(current.station.clone()),
            notes: self.notes.apply(current.notes.clone()),
        }
    }
}

/// Changes a shift.
pub async fn update_shift(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateShift>,
    absences: Absences,
) -> Result<Updated<PlannedShift>> {
    cx.change(move |tx, actor, expected| {
        let change = |current: &Shift| body.over(current);
        let made = actions::change(tx, actor, id, expected, change, absences)?;
        planned(tx, actor.outlet_id, made)
    })
    .await
}

/// Takes a shift off the roster.
pub async fn delete_shift(cx: Cx, Id(id): Id) -> Result<Updated<ShiftView>> {
    cx.change(move |tx, actor, expected| -> Result<_, ShiftError> {
        let gone = actions::remove(tx, actor, id, expected)?;
        shown(tx, actor.outlet_id, &gone)
    })
    .await
}
