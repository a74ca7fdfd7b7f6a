//! `/leave-requests` over HTTP. The staff see their own leave, who decides sees everybody's.

use super::actions::{self, Decided};
use super::rules::{Balance, HalfDays, Leave, LeaveDays, LeaveError, LeaveStatus, LeaveType};
use super::store;
use crate::access::{Cx, Permission};
use crate::db::{self, Source};
use crate::http::{Code, Data, Json, Page, Paged, Paging, Path, Problem, Query};
use crate::resources::employees::store as staff;
use crate::resources::outlets::{self, rules::time_text};
use crate::resources::shifts::Shift;
use crate::resources::shifts::actions::Outcome;
use crate::resources::shifts::rules::ShiftType;
use axum::response::Response;
use chrono::{Datelike, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tiffin_common::{Millis, Quantity, Uuid};

impl From<LeaveError> for Problem {
    fn from(error: LeaveError) -> Self {
        match error {
            LeaveError::NotFound(what) => Problem::not_found(what),
            LeaveError::Invalid(fields) => Problem::invalid(fields),
            LeaveError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
            LeaveError::Transition(why) => Problem::new(Code::InvalidTransition).detail(why),
            LeaveError::Roster(error) => error.into(),
            LeaveError::Db(error) => error.into(),
        }
    }
}

/// A request for leave.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LeaveRequest")]
pub struct LeaveView {
    id: Uuid,
    employee_id: Uuid,
    employee_name: String,
    leave_type: LeaveType,
    from_date: NaiveDate,
    /// The last day of the leave, included.
    to_date: NaiveDate,
    half_day: bool,
    /// Calendar days; half a day is 0.5.
    days: Quantity,
    reason: String,
    status: LeaveStatus,
    /// Approved although the balance did not suffice.
    forced: bool,
    requested_at: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_reason: Option<String>,
    version: i64,
}

type Names = HashMap<Uuid, String>;

fn names(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    let everybody = staff::list_all(conn, outlet)?;
    Ok(everybody.into_iter().map(|person| (person.id, person.record.name)).collect())
}

impl LeaveView {
    fn of(leave: Leave, names: &Names) -> LeaveView {
        LeaveView {
            id: leave.id,
            employee_id: leave.employee_id,
            employee_name: names.get(&leave.employee_id).cloned().unwrap_or_default(),
            leave_type: leave.leave_type,
            from_date: leave.days.from,
            to_date: leave.days.to,
            half_day: leave.days.is_half,
            days: leave.days.total().days(),
            reason: leave.reason,
            status: leave.status,
            forced: leave.was_forced,
            requested_at: leave.requested_at,
            decided_at: leave.decided_at,
            decided_by: leave.decided_by_name,
            decision_reason: leave.decision_reason,
            version: leave.version,
        }
    }
}

/// A shift on days of leave, as it was, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClashingShift {
    id: Uuid,
    date: NaiveDate,
    shift_type: ShiftType,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    station: Option<String>,
    /// What the approval did to it.
    outcome: Outcome,
}

impl ClashingShift {
    fn of((shift, outcome): (Shift, Outcome)) -> ClashingShift {
        ClashingShift {
            id: shift.id,
            date: shift.date,
            shift_type: shift.shift_type,
            start_time: shift.start.map(time_text),
            end_time: shift.end.map(time_text),
            station: shift.station,
            outcome,
        }
    }
}

/// A request as it was decided, and what follows from it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecidedLeave {
    #[serde(flatten)]
    leave: LeaveView,
    /// The employee's shifts on these days. With an approval, each as it was before; after a cancellation, the days off that
    /// the leave had made and that stay.
    clashing_shifts: Vec<ClashingShift>,
}

/// Filters of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListLeave {
    /// Only requests of this status.
    status: Option<LeaveStatus>,
    /// For those who decide; the staff see their own.
    employee_id: Option<Uuid>,
    /// Not over before this date.
    from: Option<NaiveDate>,
    /// Begun by this date.
    to: Option<NaiveDate>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists requests, newest first.
pub(super) async fn list_leave(cx: Cx, Query(query): Query<ListLeave>) -> Result<Paged<LeaveView>, Problem> {
    let ListLeave { status, employee_id, from, to, paging } = query;
    let decides = cx.principal.role.holds(Permission::LeaveApprove);
    // An account of no employee has none of its own.
    let own = Some(cx.principal.employee_id.unwrap_or_default());
    let filter = store::Filter { employee_id: if decides { employee_id } else { own }, status, from, to };
    let page = cx
        .read(move |conn, outlet| -> Result<_, LeaveError> {
            let page = store::list(conn, outlet, &filter, paging)?;
            let names = names(conn, outlet)?;
            let items = page.items.into_iter().map(|leave| LeaveView::of(leave, &names)).collect();
            Ok(Page { items, total: page.total })
        })
        .await?;
    Ok(Paged::new(page, paging))
}

/// One request.
pub(super) async fn get_leave(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<LeaveView>, Problem> {
    let actor = cx.actor();
    let found = cx
        .read(move |conn, outlet| -> Result<_, LeaveError> {
            let leave = store::find(conn, outlet, id)?
                .filter(|leave| {
                    actor.may(Permission::LeaveApprove) || actor.employee_id == Some(leave.employee_id)
                })
                .ok_or(LeaveError::NotFound("leave request"))?;
            Ok(LeaveView::of(leave, &names(conn, outlet)?))
        })
        .await?;
    Ok(Data::new(found))
}

/// Leave to ask for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLeave {
    leave_type: LeaveType,
    from_date: NaiveDate,
    /// The last day of the leave, included.
    to_date: NaiveDate,
    /// Half of the one date.
    #[serde(default)]
    half_day: bool,
    #[schemars(length(min = 1, max = 500))]
    reason: String,
    /// For whom, for those who decide; oneself when absent.
    employee_id: Option<Uuid>,
}

/// Asks for leave.
pub(super) async fn create_leave(cx: Cx, Json(body): Json<CreateLeave>) -> Result<Response, Problem> {
    let wish = actions::LeaveRequest {
        employee_id: body.employee_id,
        leave_type: body.leave_type,
        days: LeaveDays { from: body.from_date, to: body.to_date, is_half: body.half_day },
        reason: body.reason,
    };
    cx.create(move |tx, actor| -> Result<_, LeaveError> {
        let leave = actions::request(tx, actor, wish)?;
        Ok(LeaveView::of(leave, &names(tx, actor.outlet_id)?))
    })
    .await
}

/// Why, and whether in spite of the balance.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApproveLeave {
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Approve more than is left.
    #[serde(default)]
    force: bool,
}

/// Why leave is not granted, or is taken back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndLeave {
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

fn shown(conn: &dyn Source, outlet: Uuid, done: Decided) -> Result<DecidedLeave, LeaveError> {
    Ok(DecidedLeave {
        leave: LeaveView::of(done.leave, &names(conn, outlet)?),
        clashing_shifts: done.shifts.into_iter().map(ClashingShift::of).collect(),
    })
}

/// Grants leave.
pub(super) async fn approve_leave(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<ApproveLeave>,
) -> Result<Response, Problem> {
    cx.update(move |tx, actor| {
        let done = actions::approve(tx, actor, id, body.reason.as_deref(), body.force)?;
        shown(tx, actor.outlet_id, done)
    })
    .await
}

/// Does not grant leave.
pub(super) async fn reject_leave(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<EndLeave>,
) -> Result<Response, Problem> {
    cx.update(move |tx, actor| {
        let done = actions::reject(tx, actor, id, body.reason.as_deref())?;
        shown(tx, actor.outlet_id, done)
    })
    .await
}

/// Takes leave back.
pub(super) async fn cancel_leave(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<EndLeave>,
) -> Result<Response, Problem> {
    cx.update(move |tx, actor| {
        let done = actions::cancel(tx, actor, id, body.reason.as_deref())?;
        shown(tx, actor.outlet_id, done)
    })
    .await
}

/// What an employee has of one type in the year.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LeaveBalance")]
pub struct BalanceView {
    leave_type: LeaveType,
    /// Null where there is no limit.
    entitled_days: Option<Quantity>,
    /// Approved, taken or to come.
    used_days: Quantity,
    /// Asked for and not decided.
    pending_days: Quantity,
    /// Entitled − used; less than nothing where an approval was forced. Null where there is no limit.
    remaining_days: Option<Quantity>,
}

impl From<Balance> for BalanceView {
    fn from(balance: Balance) -> Self {
        BalanceView {
            leave_type: balance.leave_type,
            entitled_days: balance.entitled.map(HalfDays::days),
            used_days: balance.used.days(),
            pending_days: balance.pending.days(),
            remaining_days: balance.left().map(HalfDays::days),
        }
    }
}

/// What an employee has in a year.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaveBalances {
    employee_id: Uuid,
    /// A calendar year.
    year: i32,
    balances: Vec<BalanceView>,
}

/// Whose balances, of which year.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetBalances {
    /// For those who decide; oneself when absent.
    employee_id: Option<Uuid>,
    /// The present calendar year when absent.
    #[schemars(range(min = 2000, max = 2999))]
    year: Option<i32>,
}

/// What is left of an employee's leave.
pub(super) async fn get_balances(
    cx: Cx,
    Query(query): Query<GetBalances>,
) -> Result<Data<LeaveBalances>, Problem> {
    let own = cx.principal.employee_id;
    let Some(employee_id) = query.employee_id.or(own) else {
        let reason = "is required: this account belongs to no employee";
        return Err(Problem::new(Code::BadRequest)
            .detail(format!("employeeId {reason}"))
            .with_field("employeeId", reason));
    };
    if own != Some(employee_id) {
        cx.demand(Permission::LeaveApprove)?;
    }
    let now = cx.db.env().clock.now();
    let found = cx
        .read(move |conn, outlet| -> Result<_, LeaveError> {
            staff::find(conn, outlet, employee_id)?.ok_or(LeaveError::NotFound("employee"))?;
            let today = outlets::store::find(conn, outlet)?.business_date(now);
            let year = query.year.unwrap_or(today.year());
            let balances = actions::balances(conn, outlet, employee_id, year)?;
            let balances = balances.into_iter().map(BalanceView::from).collect();
            Ok(LeaveBalances { employee_id, year, balances })
        })
        .await?;
    Ok(Data::new(found))
}

/// An employee's own entitlement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetEntitlement {
    /// A calendar year.
    #[schemars(range(min = 2000, max = 2999))]
    year: i32,
    /// ANNUAL, SICK or CASUAL; the others have no limit.
    leave_type: LeaveType,
    /// Whole or half days.
    #[schemars(range(min = 0, max = 366))]
    entitled_days: Quantity,
}

/// Gives an employee an entitlement of their own.
pub(super) async fn set_entitlement(
    cx: Cx,
    Path(employee_id): Path<Uuid>,
    Json(body): Json<SetEntitlement>,
) -> Result<Response, Problem> {
    let SetEntitlement { year, leave_type, entitled_days } = body;
    let entitled = HalfDays::of_days(entitled_days)
        .ok_or_else(|| Problem::field("entitledDays", "must be whole or half days"))?;
    cx.update(move |tx, actor| -> Result<_, LeaveError> {
        let balances = actions::set_entitlement(tx, actor, employee_id, year, leave_type, entitled)?;
        let balances = balances.into_iter().map(BalanceView::from).collect();
        Ok(LeaveBalances { employee_id, year, balances })
    })
    .await
}
