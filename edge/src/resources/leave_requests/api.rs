//! `/leave-requests` over HTTP. The staff see their own leave, who decides sees everybody's.

use super::actions::{self, Decided};
use super::rules::{
    Balance, Calendar, HalfDays, Holiday, Leave, LeaveDays, LeaveError, LeaveStatus, LeaveType,
};
use super::store::{self, Worked};
use crate::access::{Actor, Cx, Permission};
use crate::db::{Source, TimeOfDay, Tx};
use crate::http::{Code, Created, Data, Id, Json, Paged, Paging, Problem, Query, Result, Updated};
use crate::resources::employees::store as staff;
use crate::resources::outlets;
use crate::resources::shifts::rules::{Outcome, Shift, ShiftType};
use chrono::{Datelike, NaiveDate};
use std::collections::HashMap;
use tiffin_common::{Millis, Quantity, Uuid};

answered! {
    LeaveError of "leave request" {
        LeaveError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
        LeaveError::Transition(why) => Problem::new(Code::InvalidTransition).detail(why),
        LeaveError::Roster(error) => error.into(),
    }
}

view! {
    /// A request for leave.
    #[schemars(rename = "LeaveRequest")]
    pub struct LeaveView of leave: Leave, names: &HashMap<Uuid, String>, calendar: &Calendar {
        id: Uuid,
        employee_id: Uuid,
        employee_name: String = names.get(&leave.employee_id).cloned().unwrap_or_default(),
        leave_type: LeaveType,
        from_date: NaiveDate = leave.days.from,
        /// The last day of the leave, included.
        to_date: NaiveDate = leave.days.to,
        half_day: bool = leave.days.is_half,
        /// The days it takes: neither days of rest, days off by the roster, nor holidays; half a day is 0.5.
        days: Quantity = calendar.sum(leave.employee_id, leave.days, |_| true).days(),
        reason: String,
        status: LeaveStatus,
        /// Approved although the balance did not suffice, or work was done on its days.
        forced: bool = leave.was_forced,
        requested_at: Millis,
        #[serde(skip_serializing_if = "Option::is_none")]
        decided_at: Option<Millis>,
        #[serde(skip_serializing_if = "Option::is_none")]
        decided_by: Option<String> = leave.decided_by_name,
        #[serde(skip_serializing_if = "Option::is_none")]
        decision_reason: Option<String>,
        version: i64,
    }
}

fn shown(conn: &dyn Source, outlet: Uuid, leave: Leave) -> Result<LeaveView, LeaveError> {
    let (settings, of) = (outlets::store::find(conn, outlet)?, Some(leave.employee_id));
    let calendar = store::find_calendar(conn, &settings, of, leave.days.from, leave.days.to)?;
    Ok(LeaveView::of(leave, &staff::list_names(conn, outlet)?, &calendar))
}

view! {
    /// A shift on days of leave, as it was, and what became of it.
    pub struct ClashingShift of shift: &Shift, became: Outcome {
        id: Uuid,
        date: NaiveDate,
        shift_type: ShiftType,
        #[serde(skip_serializing_if = "Option::is_none")]
        start_time: Option<TimeOfDay>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_time: Option<TimeOfDay>,
        #[serde(skip_serializing_if = "Option::is_none")]
        station: Option<String> = shift.station.clone(),
        /// What the approval did to it.
        outcome: Outcome = became,
    }
}

/// A request as it was decided, and what follows from it.
#[apply(answer!)]
pub struct DecidedLeave {
    #[serde(flatten)]
    leave: LeaveView,
    /// The employee's shifts on these days. With an approval, each as it was before; after a cancellation, the days off that
    /// the leave had made and that stay.
    clashing_shifts: Vec<ClashingShift>,
}

/// Filters of the list.
#[apply(request!)]
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
pub async fn list_leave(cx: Cx, Query(query): Query<ListLeave>) -> Result<Paged<LeaveView>> {
    let ListLeave { status, employee_id, from, to, paging } = query;
    let decides = cx.principal.holds(Permission::LeaveApprove);
    // An account of no employee has none of its own.
    let own = Some(cx.principal.employee_id.unwrap_or_default());
    let filter = store::Filter { employee_id: if decides { employee_id } else { own }, status, from, to };
    cx.list(paging, move |conn, outlet| -> Result<_, LeaveError> {
        let page = store::list(conn, outlet, &filter, paging)?;
        let names = staff::list_names(conn, outlet)?;
        let settings = outlets::store::find(conn, outlet)?;
        let dates = |pick: fn(&Leave) -> NaiveDate| page.items.iter().map(pick);
        let stretch = dates(|leave| leave.days.from).min().zip(dates(|leave| leave.days.to).max());
        let calendar = match stretch {
            Some((from, to)) => store::find_calendar(conn, &settings, None, from, to)?,
            None => Calendar::default(),
        };
        Ok(page.map(|leave| LeaveView::of(leave, &names, &calendar)))
    })
    .await
}

/// One request.
pub async fn get_leave(cx: Cx, Id(id): Id) -> Result<Data<LeaveView>> {
    let actor = cx.actor();
    cx.get(move |conn, outlet| -> Result<_, LeaveError> {
        shown(conn, outlet, actions::find(conn, &actor, id)?)
    })
    .await
}

/// Leave to ask for.
#[apply(request!)]
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
pub async fn create_leave(cx: Cx, Json(body): Json<CreateLeave>) -> Result<Created<LeaveView>> {
    let wish = actions::LeaveRequest {
        employee_id: body.employee_id,
        leave_type: body.leave_type,
        days: LeaveDays { from: body.from_date, to: body.to_date, is_half: body.half_day },
        reason: body.reason,
    };
    cx.create(move |tx, actor| -> Result<_, LeaveError> {
        shown(tx, actor.outlet_id, actions::request(tx, actor, wish)?)
    })
    .await
}

/// Why, and whether in spite of the balance, or of work that was done.
#[apply(request!)]
pub struct ApproveLeave {
    #[schemars(length(max = 500))]
    reason: Option<String>,
    /// Approve more than is left, and days on which work was done.
    #[serde(default)]
    force: bool,
}

/// Why leave is not granted, or is taken back.
#[apply(request!)]
pub struct EndLeave {
    #[schemars(length(max = 500))]
    reason: Option<String>,
}

async fn decide<F>(cx: Cx, action: F) -> Result<Updated<DecidedLeave>>
where
    F: FnOnce(&Tx<'_>, &Actor) -> Result<Decided, LeaveError> + Send + 'static,
{
    cx.update(move |tx, actor| -> Result<_, LeaveError> {
        let Decided { leave, shifts } = action(tx, actor)?;
        let clashing_shifts = shifts.iter().map(|(shift, outcome)| ClashingShift::of(shift, *outcome));
        let clashing_shifts = clashing_shifts.collect();
        Ok(DecidedLeave { leave: shown(tx, actor.outlet_id, leave)?, clashing_shifts })
    })
    .await
}

/// Grants leave.
pub async fn approve_leave(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<ApproveLeave>,
    worked: Worked,
) -> Result<Updated<DecidedLeave>> {
    let said = (body.force, worked);
    decide(cx, move |tx, actor| actions::approve(tx, actor, id, body.reason.as_deref(), said)).await
}

/// Does not grant leave.
pub async fn reject_leave(cx: Cx, Id(id): Id, Json(body): Json<EndLeave>) -> Result<Updated<DecidedLeave>> {
    decide(cx, move |tx, actor| actions::reject(tx, actor, id, body.reason.as_deref())).await
}

/// Takes leave back.
pub async fn cancel_leave(cx: Cx, Id(id): Id, Json(body): Json<EndLeave>) -> Result<Updated<DecidedLeave>> {
    decide(cx, move |tx, actor| actions::cancel(tx, actor, id, body.reason.as_deref())).await
}

view! {
    /// What an employee has of one type in the year.
    #[schemars(rename = "LeaveBalance")]
    pub struct BalanceView of balance: Balance {
        leave_type: LeaveType,
        /// Null where there is no limit.
        entitled_days: Option<Quantity> = balance.entitled.map(HalfDays::days),
        /// Left of the year before, as far as the outlet carries it over.
        carried_over_days: Quantity = balance.carried.days(),
        /// What of the year's may be taken by now.
        accrued_days: Option<Quantity> = balance.entitled.map(|_| balance.accrued.days()),
        /// Approved, taken or to come.
        used_days: Quantity = balance.used.days(),
        /// Asked for and not decided.
        pending_days: Quantity = balance.pending.days(),
        /// Carried over + accrued − used; less than nothing where an approval was forced. Null where there is no limit.
        remaining_days: Option<Quantity> = balance.left().map(HalfDays::days),
    }
}

view! {
    /// What an employee has in a year.
    pub struct LeaveBalances of all: Vec<Balance>, of: Uuid, in_year: i32 {
        employee_id: Uuid = of,
        /// A calendar year.
        year: i32 = in_year,
        balances: Vec<BalanceView> = all.into_iter().map(Into::into).collect(),
    }
}

/// Whose balances, of which year.
#[apply(request!)]
pub struct GetBalances {
    /// For those who decide; oneself when absent.
    employee_id: Option<Uuid>,
    /// The present calendar year when absent.
    #[schemars(range(min = 2000, max = 2999))]
    year: Option<i32>,
}

/// What is left of an employee's leave.
pub async fn get_balances(cx: Cx, Query(query): Query<GetBalances>) -> Result<Data<LeaveBalances>> {
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
    cx.get(move |conn, outlet| -> Result<_, LeaveError> {
        staff::find(conn, outlet, employee_id)?.ok_or(LeaveError::NotFound("employee"))?;
        let today = outlets::store::find(conn, outlet)?.business_date(now);
        let year = query.year.unwrap_or(today.year());
        Ok(LeaveBalances::of(actions::balances(conn, outlet, employee_id, year, today)?, employee_id, year))
    })
    .await
}

/// An employee's own entitlement.
#[apply(request!)]
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
pub async fn set_entitlement(
    cx: Cx,
    Id(employee_id): Id,
    Json(body): Json<SetEntitlement>,
) -> Result<Updated<LeaveBalances>> {
    let SetEntitlement { year, leave_type, entitled_days } = body;
    let entitled = HalfDays::of_days(entitled_days)
        .ok_or_else(|| Problem::field("entitledDays", "must be whole or half days"))?;
    cx.update(move |tx, actor| -> Result<_, LeaveError> {
        let balances = actions::set_entitlement(tx, actor, employee_id, year, leave_type, entitled)?;
        Ok(LeaveBalances::of(balances, employee_id, year))
    })
    .await
}

view! {
    /// A day on which nobody has to work.
    #[schemars(rename = "Holiday")]
    pub struct HolidayView of holiday: Holiday {
        id: Uuid,
        /// The date, once in the outlet.
        date: NaiveDate,
        /// What it is called.
        name: String,
        created_at: Millis,
    }
}

/// Which holidays.
#[apply(filters!)]
pub struct ListHolidays {
    /// Not before this date.
    from: Option<NaiveDate>,
    /// Not after this date.
    to: Option<NaiveDate>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists holidays by date.
pub async fn list_holidays(cx: Cx, Query(query): Query<ListHolidays>) -> Result<Paged<HolidayView>> {
    let ListHolidays { from, to, paging } = query;
    cx.list(paging, move |conn, outlet| store::list_holidays(conn, outlet, (from, to), paging)).await
}

/// A day on which nobody has to work.
#[apply(request!)]
pub struct CreateHoliday {
    /// Within two years of today.
    date: NaiveDate,
    #[schemars(length(min = 1, max = 120))]
    name: String,
}

/// Makes a date a holiday.
pub async fn create_holiday(cx: Cx, Json(body): Json<CreateHoliday>) -> Result<Created<HolidayView>> {
    cx.create(move |tx, actor| actions::add_holiday(tx, actor, body.date, body.name)).await
}

/// Makes a holiday an ordinary day.
pub async fn delete_holiday(cx: Cx, Id(id): Id) -> Result<Updated<HolidayView>> {
    cx.update(move |tx, actor| actions::remove_holiday(tx, actor, id)).await
}
