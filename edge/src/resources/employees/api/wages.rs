//! The wages an employee had, over HTTP.

use crate::access::Cx;
use crate::http::{Page, Paged, Paging, Path, Problem, Query};
use crate::resources::employees::rules::EmployeeError;
use crate::resources::employees::store::{self, Wage};
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Cents, Millis, Uuid};

/// A wage and since when it holds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmployeeWage {
    id: Uuid,
    /// The wage of an hour.
    hourly_rate_cents: Cents,
    /// From when on this wage holds.
    effective_at: Millis,
    /// The account that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    set_by: Option<Uuid>,
}

impl From<Wage> for EmployeeWage {
    fn from(wage: Wage) -> Self {
        EmployeeWage {
            id: wage.id,
            hourly_rate_cents: wage.hourly_rate,
            effective_at: wage.effective_at,
            set_by: wage.set_by,
        }
    }
}

/// Lists the wages of an employee.
pub(in super::super) async fn list_wages(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(paging): Query<Paging>,
) -> Result<Paged<EmployeeWage>, Problem> {
    let page = cx
        .read(move |conn, outlet| -> Result<_, EmployeeError> {
            store::find(conn, outlet, id)?.ok_or(EmployeeError::NotFound)?;
            Ok(store::list_wages(conn, id, paging)?)
        })
        .await?;
    let items = page.items.into_iter().map(EmployeeWage::from).collect();
    Ok(Paged::new(Page { items, total: page.total }, paging))
}
