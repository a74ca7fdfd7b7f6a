//! `GET /employees/{id}/checkout`: what who served sold, took and is owed. Everybody sees their own.

use super::super::rules::CashError;
use super::super::rules::sums::MethodSum;
use super::super::store;
use crate::access::{Cx, Permission};
use crate::http::{Data, Id, Query, Result};
use crate::resources::{employees, outlets};
use chrono::NaiveDate;
use tiffin_common::{Cents, Uuid};

/// Of which date.
#[apply(filters!)]
pub struct GetCheckout {
    /// The present business date when absent.
    business_date: Option<NaiveDate>,
}

/// A waiter's checkout.
#[apply(answer!)]
pub struct EmployeeCheckout {
    employee_id: Uuid,
    employee_name: String,
    /// The business date.
    business_date: NaiveDate,
    /// Orders they served that were billed on the date.
    orders_count: i64,
    /// Guests of these orders, where they were counted.
    covers_count: i64,
    /// What these orders came to, with tax, service charge and rounding.
    sales_cents: Cents,
    /// What credit notes of the date took back of orders they served.
    refund_cents: Cents,
    /// Orders they serve that are not completed.
    open_orders_count: i64,
    /// What is due on these.
    open_due_cents: Cents,
    /// What they took themselves, by method, with what they gave back.
    tenders: Vec<MethodSum>,
    /// Tips on the orders they served, whoever took them.
    tips_cents: Cents,
    /// Of tips paid out to them on the date.
    tips_paid_out_cents: Cents,
    /// The cash they took (with tips, less what they gave back), less the tips they are still owed: what they hand over. Less than nothing:
    /// what the house owes them.
    cash_owed_cents: Cents,
}

/// The checkout of an employee.
pub async fn get_checkout(
    cx: Cx,
    Id(employee_id): Id,
    Query(query): Query<GetCheckout>,
) -> Result<Data<EmployeeCheckout>> {
    // A colleague's is not there for who may not see it.
    if cx.principal.employee_id != Some(employee_id) && !cx.principal.role.holds(Permission::PaymentsRead) {
        return Err(CashError::NotFound("employee").into());
    }
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, CashError> {
        let employee = employees::store::find(conn, outlet, employee_id)?;
        let employee = employee.ok_or(CashError::NotFound("employee"))?;
        let today = outlets::store::find(conn, outlet)?.business_date(now);
        let business_date = query.business_date.unwrap_or(today);
        let of = store::checkout::find_checkout(conn, outlet, business_date, employee_id)?;
        Ok(EmployeeCheckout {
            employee_id,
            employee_name: employee.record.name,
            business_date,
            orders_count: of.orders,
            covers_count: of.covers,
            sales_cents: of.sales,
            refund_cents: of.refunds,
            open_orders_count: of.open_orders,
            open_due_cents: of.open_due,
            tips_cents: of.tips,
            tips_paid_out_cents: of.tips_paid,
            cash_owed_cents: of.cash_owed()?,
            tenders: of.tenders,
        })
    })
    .await
}
