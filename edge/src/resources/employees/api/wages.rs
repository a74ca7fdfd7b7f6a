//! The wages an employee had, over HTTP.

use crate::access::Cx;
use crate::http::{Id, Paged, Paging, Query, Result};
use crate::resources::employees::rules::{EmployeeError, PayBasis};
use crate::resources::employees::store::{self, Wage};
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// A wage and since when it holds.
    pub struct EmployeeWage of wage: Wage {
        id: Uuid,
        /// The wage of an hour.
        hourly_rate_cents: Cents = wage.pay.hourly,
        /// By what they are paid.
        pay_basis: PayBasis = wage.pay.basis,
        /// The salary of a calendar month.
        monthly_salary_cents: Cents = wage.pay.monthly,
        /// From when on this wage holds.
        effective_at: Millis,
        /// The account that set it.
        #[serde(skip_serializing_if = "Option::is_none")]
        set_by: Option<Uuid>,
    }
}

/// Lists the wages of an employee.
pub async fn list_wages(cx: Cx, Id(id): Id, Query(paging): Query<Paging>) -> Result<Paged<EmployeeWage>> {
    cx.list(paging, move |conn, outlet| -> Result<_, EmployeeError> {
        store::find(conn, outlet, id)?.ok_or(EmployeeError::NotFound("employee"))?;
        Ok(store::list_wages(conn, id, paging)?)
    })
    .await
}
