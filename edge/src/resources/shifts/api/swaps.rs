//! `/shifts/swaps` over HTTP. The staff see the swaps they have to do with, planners all.

use super::super::actions;
use super::super::rules::swap::{Swap, SwapKind, SwapStatus};
use super::super::rules::{Shift, ShiftError, ShiftType};
use super::super::store::{self, Absences};
use super::{Names, RosterWarning, name, seen};
use crate::access::{Actor, Cx, Permission};
use crate::db::{Source, TimeOfDay, Tx};
use crate::http::{Created, Data, Id, Json, Paged, Paging, Query, Result, Updated};
use crate::resources::employees::store as staff;
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

view! {
    /// A shift of a swap, as it is now.
    #[schemars(rename = "SwapShift")]
    pub struct SwapShiftView of shift: &Shift {
        id: Uuid,
        date: NaiveDate,
        shift_type: ShiftType,
        #[serde(skip_serializing_if = "Option::is_none")]
        start_time: Option<TimeOfDay>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_time: Option<TimeOfDay>,
        #[serde(skip_serializing_if = "Option::is_none")]
        station: Option<String> = shift.station.clone(),
    }
}

view! {
    /// A swap between two colleagues.
    #[schemars(rename = "ShiftSwap")]
    pub struct SwapView of swap: Swap, from: SwapShiftView, to: Option<SwapShiftView>, names: &Names {
        id: Uuid,
        /// SWAP against another shift, or GIVE_AWAY for nothing.
        kind: SwapKind,
        status: SwapStatus,
        from_shift_id: Uuid,
        /// The shift that is offered.
        from_shift: SwapShiftView = from,
        from_employee_id: Uuid,
        from_employee_name: String = name(names, swap.from_employee_id),
        to_employee_id: Uuid,
        to_employee_name: String = name(names, swap.to_employee_id),
        #[serde(skip_serializing_if = "Option::is_none")]
        to_shift_id: Option<Uuid>,
        /// The shift that is wanted for it; null when it is given away.
        #[serde(skip_serializing_if = "Option::is_none")]
        to_shift: Option<SwapShiftView> = to,
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
        decided_by: Option<String> = swap.decided_by_name,
        #[serde(skip_serializing_if = "Option::is_none")]
        decision_reason: Option<String>,
        version: i64,
    }
}

fn shown(conn: &dyn Source, swap: Swap, names: &Names) -> Result<SwapView, ShiftError> {
    let shift = |id| store::swaps::find_shift(conn, id).map(|shift| SwapShiftView::from(&shift));
    let (from, to) = (shift(swap.from_shift_id)?, swap.to_shift_id.map(shift).transpose()?);
    Ok(SwapView::of(swap, from, to, names))
}

/// A swap as it was just approved, and what is unwise about it.
#[apply(answer!)]
pub struct ApprovedSwap {
    #[serde(flatten)]
    swap: SwapView,
    /// Overtime and short rest of the shifts that changed hands.
    warnings: Vec<RosterWarning>,
}

/// Filters of the list.
#[apply(request!)]
pub struct ListSwaps {
    /// Only swaps of this status.
    status: Option<SwapStatus>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists swaps, newest first.
pub async fn list_swaps(
    cx: Cx,
    Query(ListSwaps { status, paging }): Query<ListSwaps>,
) -> Result<Paged<SwapView>> {
    let plans = cx.principal.holds(Permission::RosterWrite);
    // An account of no employee has to do with none.
    let of = if plans { None } else { Some(cx.principal.employee_id.unwrap_or_default()) };
    cx.list(paging, move |conn, outlet| -> Result<_, ShiftError> {
        let page = store::swaps::list(conn, outlet, status, of, paging)?;
        let names = staff::list_names(conn, outlet)?;
        page.try_map(|swap| shown(conn, swap, &names))
    })
    .await
}

/// One swap.
pub async fn get_swap(cx: Cx, Id(id): Id) -> Result<Data<SwapView>> {
    let actor = cx.actor();
    cx.get(move |conn, outlet| -> Result<_, ShiftError> {
        shown(conn, actions::find_swap(conn, &actor, id)?, &staff::list_names(conn, outlet)?)
    })
    .await
}

/// What to ask a colleague for.
#[apply(request!)]
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
pub async fn create_swap(
    cx: Cx,
    Json(body): Json<CreateSwap>,
    absences: Absences,
) -> Result<Created<SwapView>> {
    let wish = actions::SwapRequest {
        kind: body.kind,
        from_shift_id: body.from_shift_id,
        to_employee_id: body.to_employee_id,
        to_shift_id: body.to_shift_id,
        note: body.note,
    };
    cx.create(move |tx, actor| -> Result<_, ShiftError> {
        let swap = actions::request(tx, actor, wish, absences)?;
        shown(tx, swap, &staff::list_names(tx, actor.outlet_id)?)
    })
    .await
}

async fn act<F>(cx: Cx, action: F) -> Result<Updated<SwapView>>
where
    F: FnOnce(&Tx<'_>, &Actor) -> Result<Swap, ShiftError> + Send + 'static,
{
    cx.update(move |tx, actor| -> Result<_, ShiftError> {
        shown(tx, action(tx, actor)?, &staff::list_names(tx, actor.outlet_id)?)
    })
    .await
}

/// The colleague agrees.
pub async fn accept_swap(cx: Cx, Id(id): Id) -> Result<Updated<SwapView>> {
    act(cx, move |tx, actor| actions::accept(tx, actor, id)).await
}

/// The shifts change hands.
pub async fn approve_swap(cx: Cx, Id(id): Id, absences: Absences) -> Result<Updated<ApprovedSwap>> {
    cx.update(move |tx, actor| -> Result<_, ShiftError> {
        let (swap, warnings) = actions::approve(tx, actor, id, absences)?;
        let swap = shown(tx, swap, &staff::list_names(tx, actor.outlet_id)?)?;
        Ok(ApprovedSwap { swap, warnings: seen(warnings) })
    })
    .await
}

/// Why a swap is turned down, or is taken back.
#[apply(request!)]
pub struct EndSwap {
    #[schemars(length(max = 300))]
    reason: Option<String>,
}

/// The colleague or a planner says no.
pub async fn reject_swap(cx: Cx, Id(id): Id, Json(body): Json<EndSwap>) -> Result<Updated<SwapView>> {
    act(cx, move |tx, actor| actions::reject(tx, actor, id, body.reason.as_deref())).await
}

/// Whoever asked takes it back.
pub async fn cancel_swap(cx: Cx, Id(id): Id, Json(body): Json<EndSwap>) -> Result<Updated<SwapView>> {
    act(cx, move |tx, actor| actions::cancel(tx, actor, id, body.reason.as_deref())).await
}
