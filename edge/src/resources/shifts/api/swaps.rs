//! `/shifts/swaps` over HTTP. The staff see the swaps they have to do with, planners all.

use super::super::rules::plan::Warning;
use super::super::rules::swap::{Swap, SwapKind, SwapShift, SwapStatus};
use super::super::rules::{ShiftError, ShiftType};
use super::super::{Absences, actions, store};
use super::Staff;
use crate::access::{Actor, Cx, Permission};
use crate::db::Transaction;
use crate::http::{Data, Json, Page, Paged, Paging, Path, Problem, Query};
use crate::resources::outlets::rules::time_text;
use axum::response::Response;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// A shift of a swap, as it is now.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SwapShift")]
pub struct SwapShiftView {
    id: Uuid,
    date: NaiveDate,
    shift_type: ShiftType,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    station: Option<String>,
}

impl From<SwapShift> for SwapShiftView {
    fn from(shift: SwapShift) -> Self {
        SwapShiftView {
            id: shift.id,
            date: shift.date,
            shift_type: shift.shift_type,
            start_time: shift.start.map(time_text),
            end_time: shift.end.map(time_text),
            station: shift.station,
        }
    }
}

/// A swap between two colleagues.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ShiftSwap")]
pub struct SwapView {
    id: Uuid,
    /// SWAP against another shift, or GIVE_AWAY for nothing.
    kind: SwapKind,
    status: SwapStatus,
    from_shift_id: Uuid,
    /// The shift that is offered.
    from_shift: SwapShiftView,
    from_employee_id: Uuid,
    from_employee_name: String,
    to_employee_id: Uuid,
    to_employee_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_shift_id: Option<Uuid>,
    /// The shift that is wanted for it; null when it is given away.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_shift: Option<SwapShiftView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    requested_at: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_at: Option<Millis>,
    /// When it was approved, rejected or cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<Millis>,
    /// Who approved or rejected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_reason: Option<String>,
    version: i64,
}

impl SwapView {
    fn of(swap: Swap, staff: &Staff) -> SwapView {
        SwapView {
            id: swap.id,
            kind: swap.kind,
            status: swap.status,
            from_shift_id: swap.from_shift.id,
            from_shift: swap.from_shift.into(),
            from_employee_id: swap.from_employee_id,
            from_employee_name: staff.name(swap.from_employee_id),
            to_employee_id: swap.to_employee_id,
            to_employee_name: staff.name(swap.to_employee_id),
            to_shift_id: swap.to_shift.as_ref().map(|shift| shift.id),
            to_shift: swap.to_shift.map(Into::into),
            note: swap.note,
            requested_at: swap.requested_at,
            accepted_at: swap.accepted_at,
            decided_at: swap.decided_at,
            decided_by: swap.decided_by_name,
            decision_reason: swap.decision_reason,
            version: swap.version,
        }
    }
}

/// A swap as it was just approved, and what is unwise about it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovedSwap {
    #[serde(flatten)]
    swap: SwapView,
    /// Overtime and short rest of the shifts that changed hands.
    warnings: Vec<Warning>,
}

/// Filters of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListSwaps {
    /// Only swaps of this status.
    status: Option<SwapStatus>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists swaps, newest first.
pub(in super::super) async fn list_swaps(
    cx: Cx,
    Query(ListSwaps { status, paging }): Query<ListSwaps>,
) -> Result<Paged<SwapView>, Problem> {
    let plans = cx.principal.role.holds(Permission::RosterWrite);
    // An account of no employee has to do with none.
    let of = if plans { None } else { Some(cx.principal.employee_id.unwrap_or_default()) };
    let page = cx
        .read(move |conn, outlet| -> Result<_, ShiftError> {
            let page = store::swaps::list(conn, outlet, status, of, paging)?;
            let staff = Staff::of(conn, outlet)?;
            let items = page.items.into_iter().map(|swap| SwapView::of(swap, &staff)).collect();
            Ok(Page { items, total: page.total })
        })
        .await?;
    Ok(Paged::new(page, paging))
}

/// One swap.
pub(in super::super) async fn get_swap(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<SwapView>, Problem> {
    let actor = cx.actor();
    let found = cx
        .read(move |conn, outlet| -> Result<_, ShiftError> {
            let swap = store::swaps::find(conn, outlet, id)?
                .filter(|swap| actor.may(Permission::RosterWrite) || swap.involves(actor.employee_id))
                .ok_or(ShiftError::NotFound("swap"))?;
            Ok(SwapView::of(swap, &Staff::of(conn, outlet)?))
        })
        .await?;
    Ok(Data::new(found))
}

/// What to ask a colleague for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateSwap {
    /// One's own published shift; planners may offer anybody's.
    from_shift_id: Uuid,
    /// The colleague who is asked.
    to_employee_id: Uuid,
    /// Their published shift or day off, for a SWAP.
    to_shift_id: Option<Uuid>,
    /// SWAP against another shift, or GIVE_AWAY for nothing.
    kind: SwapKind,
    /// A word to the colleague.
    #[schemars(length(max = 300))]
    note: Option<String>,
}

/// Offers a shift to a colleague.
pub(in super::super) async fn create_swap(
    cx: Cx,
    Json(body): Json<CreateSwap>,
    absences: Absences,
) -> Result<Response, Problem> {
    let wish = actions::SwapRequest {
        kind: body.kind,
        from_shift_id: body.from_shift_id,
        to_employee_id: body.to_employee_id,
        to_shift_id: body.to_shift_id,
        note: body.note,
    };
    cx.create(move |tx, actor| -> Result<_, ShiftError> {
        let swap = actions::request(tx, actor, wish, absences)?;
        Ok(SwapView::of(swap, &Staff::of(tx, actor.outlet_id)?))
    })
    .await
}

async fn act<F>(cx: Cx, action: F) -> Result<Response, Problem>
where
    F: FnOnce(&Transaction<'_>, &Actor) -> Result<Swap, ShiftError> + Send + 'static,
{
    cx.update(move |tx, actor| -> Result<_, ShiftError> {
        let swap = action(tx, actor)?;
        Ok(SwapView::of(swap, &Staff::of(tx, actor.outlet_id)?))
    })
    .await
}

/// The colleague agrees.
pub(in super::super) async fn accept_swap(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    act(cx, move |tx, actor| actions::accept(tx, actor, id)).await
}

/// The shifts change hands.
pub(in super::super) async fn approve_swap(
    cx: Cx,
    Path(id): Path<Uuid>,
    absences: Absences,
) -> Result<Response, Problem> {
    cx.update(move |tx, actor| -> Result<_, ShiftError> {
        let (swap, warnings) = actions::approve(tx, actor, id, absences)?;
        Ok(ApprovedSwap { swap: SwapView::of(swap, &Staff::of(tx, actor.outlet_id)?), warnings })
    })
    .await
}

/// Why a swap is turned down, or is taken back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndSwap {
    #[schemars(length(max = 300))]
    reason: Option<String>,
}

/// The colleague or a planner says no.
pub(in super::super) async fn reject_swap(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<EndSwap>,
) -> Result<Response, Problem> {
    act(cx, move |tx, actor| actions::reject(tx, actor, id, body.reason.as_deref())).await
}

/// Whoever asked takes it back.
pub(in super::super) async fn cancel_swap(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<EndSwap>,
) -> Result<Response, Problem> {
    act(cx, move |tx, actor| actions::cancel(tx, actor, id, body.reason.as_deref())).await
}
