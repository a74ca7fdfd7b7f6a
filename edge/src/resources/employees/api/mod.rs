//! `/employees` over HTTP.

pub mod documents;
pub mod files;
pub mod wages;

use super::rules::{Employee, EmployeeError, EmployeeRecord, EmployeeStatus, EmploymentType, PayBasis, Pin};
use super::{actions, store};
use crate::access::{Cx, Revocations, Role};
use crate::db::Db;
use crate::http::{
    Code, Created, Data, Id, Json, Paged, Paging, Patch, Problem, Query, Replace, Result, Updated,
};
use axum::extract::State;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// An employee. The PIN is never shown.
    #[schemars(rename = "Employee")]
    pub struct EmployeeView of employee: Employee {
        id: Uuid,
        employee_code: String = employee.record.employee_code,
        name: String = employee.record.name,
        phone: Option<String> = employee.record.phone,
        email: Option<String> = employee.record.email,
        job_title: String = employee.record.job_title,
        station: Option<String> = employee.record.station,
        /// The wage of an hour; of who is paid by the month that of overtime alone, 0: it is in the salary.
        hourly_rate_cents: Cents = employee.record.hourly_rate,
        /// By what they are paid.
        pay_basis: PayBasis = employee.record.pay_basis,
        /// The salary of a calendar month.
        monthly_salary_cents: Cents = employee.record.monthly_salary,
        /// Minutes that a day of paid leave or a holiday pays; null: the outlet's `leave.dayMinutes`.
        day_minutes: Option<i64> = employee.record.day_minutes,
        employment_type: EmploymentType = employee.record.employment_type,
        hired_on: Option<NaiveDate> = employee.record.hired_on,
        ended_on: Option<NaiveDate> = employee.record.ended_on,
        status: EmployeeStatus = employee.record.status,
        /// What their PIN opens at the till; null: what their account does, where they have one.
        till_role: Option<Role> = employee.record.till_role,
        /// Whether a PIN was set.
        has_pin: bool,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
    }
}

answered! {
    EmployeeError of "employee" {
        EmployeeError::NoDocument => Problem::not_found("document"),
        EmployeeError::NoContent => Problem::new(Code::Unavailable)
            .detail("The document's content is not here yet: this box has its records from head office, and fetches it there")
            .retry_after(60),
        EmployeeError::PinTaken => Problem::field("pin", Pin::EASY),
        EmployeeError::NotBelow => {
            Problem::new(Code::Forbidden).detail("Only somebody above them may change this")
        }
    }
}

/// Filters of the staff list.
#[apply(request!)]
pub struct ListEmployees {
    /// Only employees of this status.
    status: Option<EmployeeStatus>,
    /// Found in name, code, phone or job.
    #[schemars(length(max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists the staff.
pub async fn list_employees(cx: Cx, Query(filter): Query<ListEmployees>) -> Result<Paged<EmployeeView>> {
    let paging = filter.paging;
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, filter.status, filter.q.as_deref(), paging))
        .await
}

/// One employee.
pub async fn get_employee(cx: Cx, Id(id): Id) -> Result<Data<EmployeeView>> {
    let found = cx.read(move |conn, outlet| store::find(conn, outlet, id)).await?;
    let employee = found.ok_or(EmployeeError::NotFound("employee"))?;
    Ok(Data::new(EmployeeView::from(employee)))
}

/// Somebody who begins to work at the outlet.
#[apply(request!)]
pub struct CreateEmployee {
    /// Unique in the outlet; the next free one when absent.
    #[serde(default)]
    #[schemars(length(max = 20))]
    employee_code: String,
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[schemars(length(max = 40))]
    phone: Option<String>,
    #[schemars(email, length(max = 254))]
    email: Option<String>,
    #[schemars(length(min = 1, max = 80))]
    job_title: String,
    #[schemars(length(max = 80))]
    station: Option<String>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000_000))]
    hourly_rate_cents: Cents,
    /// By what they are paid.
    #[serde(default)]
    pay_basis: PayBasis,
    /// Needed of who is paid by the month.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000_000_000i64))]
    monthly_salary_cents: Cents,
    /// Minutes of their ordinary day; the outlet's when absent.
    #[schemars(range(min = 1, max = 1_440))]
    day_minutes: Option<i64>,
    #[serde(default)]
    employment_type: EmploymentType,
    hired_on: Option<NaiveDate>,
    ended_on: Option<NaiveDate>,
    #[serde(default)]
    status: EmployeeStatus,
    /// What their PIN opens at the till, with an account or without: OWNER to STOREKEEPER, up to one's own role.
    till_role: Option<Role>,
}

/// Hires somebody.
pub async fn create_employee(cx: Cx, Json(body): Json<CreateEmployee>) -> Result<Created<EmployeeView>> {
    let record = EmployeeRecord {
        employee_code: body.employee_code,
        name: body.name,
        phone: body.phone,
        email: body.email,
        job_title: body.job_title,
        station: body.station,
        hourly_rate: body.hourly_rate_cents,
        pay_basis: body.pay_basis,
        monthly_salary: body.monthly_salary_cents,
        day_minutes: body.day_minutes,
        employment_type: body.employment_type,
        hired_on: body.hired_on,
        ended_on: body.ended_on,
        status: body.status,
        till_role: body.till_role,
    };
    cx.create(move |tx, actor| actions::hire(tx, actor, record)).await
}

patch! {
    /// A change of an employee's record.
    pub struct UpdateEmployee of EmployeeRecord {
        #[schemars(length(min = 1, max = 20))]
        employee_code: Replace<String>,
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        #[schemars(length(max = 40))]
        phone: Patch<String>,
        #[schemars(email, length(max = 254))]
        email: Patch<String>,
        #[schemars(length(min = 1, max = 80))]
        job_title: Replace<String>,
        #[schemars(length(max = 80))]
        station: Patch<String>,
        #[schemars(range(min = 0, max = 100_000_000))]
        hourly_rate_cents: Replace<Cents> => hourly_rate,
        /// By what they are paid from now on.
        pay_basis: Replace<PayBasis>,
        /// The salary of a calendar month.
        #[schemars(range(min = 0, max = 10_000_000_000i64))]
        monthly_salary_cents: Replace<Cents> => monthly_salary,
        /// Minutes of their ordinary day; null: the outlet's.
        #[schemars(range(min = 1, max = 1_440))]
        day_minutes: Patch<i64>,
        employment_type: Replace<EmploymentType>,
        hired_on: Patch<NaiveDate>,
        ended_on: Patch<NaiveDate>,
        status: Replace<EmployeeStatus>,
        /// What their PIN opens at the till, with an account or without; a turn that was begun with another one ends.
        till_role: Patch<Role>,
    }
}

/// Changes an employee's record.
pub async fn update_employee(
    cx: Cx,
    State(revocations): State<Revocations>,
    Id(id): Id,
    Json(body): Json<UpdateEmployee>,
    ended: actions::Ended,
) -> Result<Updated<EmployeeView>> {
    let (db, expected) = (cx.db.clone(), cx.expected_version());
    let ends = body.status.0 == Some(EmployeeStatus::Ended) || body.till_role != Patch::Keep;
    let response = cx
        .update(move |tx, actor| {
            let change = |record| body.over(record);
            actions::change(tx, actor, id, expected, change, ended)
        })
        .await?;
    if ends {
        void_tokens(&db, &revocations, id).await?;
    }
    Ok(response)
}

/// Lets an employee go.
pub async fn delete_employee(
    cx: Cx,
    State(revocations): State<Revocations>,
    Id(id): Id,
    ended: actions::Ended,
) -> Result<Updated<EmployeeView>> {
    let (db, expected) = (cx.db.clone(), cx.expected_version());
    let response = cx.update(move |tx, actor| actions::archive(tx, actor, id, expected, ended)).await?;
    void_tokens(&db, &revocations, id).await?;
    Ok(response)
}

/// Ends what somebody can still do with the token in hand: of their account, or of their PIN alone.
async fn void_tokens(db: &Db, revocations: &Revocations, employee: Uuid) -> Result<()> {
    let account = db.read(move |conn| store::find_account(conn, employee).map_err(Problem::from)).await?;
    revocations.revoke_all(account.map(|(id, _)| id).into_iter().chain([employee]), db.env().clock.now());
    Ok(())
}
