//! `/day-close` over HTTP.

use super::super::actions;
use super::super::rules::CashError;
use super::super::rules::report::{AfterClose, ZReport};
use super::super::store::{self, CloseRow};
use crate::access::Cx;
use crate::http::{Data, Json, Page, Paged, Paging, Path, Problem, Query};
use axum::response::Response;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Cents, Millis, Uuid};

/// A closed day in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayCloseSummary {
    /// Id of the close.
    id: Uuid,
    /// The business date that was closed.
    business_date: String,
    /// 1, 2, 3 …
    z_number: i64,
    /// Whether something open was carried over.
    carried_over: bool,
    /// When it was closed.
    closed_at: Millis,
    /// The account that closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_by: Option<Uuid>,
    /// What the day came to.
    total_cents: Cents,
}

/// A closed day with its report.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayClose {
    #[serde(flatten)]
    close: DayCloseSummary,
    /// The report as it was made; later changes do not touch it.
    #[serde(flatten)]
    report: ZReport,
    /// What was entered for the day since.
    after_close: AfterClose,
}

impl DayClose {
    fn of(row: CloseRow, after_close: AfterClose) -> Result<DayClose, CashError> {
        let report: ZReport = serde_json::from_str(&row.report).map_err(|error| {
            tracing::error!(date = row.business_date, %error, "a day's report cannot be read");
            CashError::State("The report cannot be read".into())
        })?;
        let close = DayCloseSummary {
            id: row.id,
            business_date: row.business_date,
            z_number: row.z_number,
            carried_over: row.carried_over,
            closed_at: row.at,
            closed_by: row.by_id,
            total_cents: report.sales.total_cents,
        };
        Ok(DayClose { close, report, after_close })
    }
}

/// A day to close.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CloseDay {
    /// The business date to close.
    business_date: NaiveDate,
    /// Close it in spite of open orders and drawers; they go on.
    #[serde(default)]
    carry_over: bool,
}

/// Closes a day.
pub(in super::super) async fn create_day_close(
    cx: Cx,
    Json(body): Json<CloseDay>,
) -> Result<Response, Problem> {
    cx.create(move |tx, actor| -> Result<_, CashError> {
        let closed = actions::close_day(tx, actor, body.business_date, body.carry_over)?;
        DayClose::of(closed, AfterClose::default())
    })
    .await
}

/// The report of a closed day.
pub(in super::super) async fn get_day_close(
    cx: Cx,
    Path(date): Path<NaiveDate>,
) -> Result<Data<DayClose>, Problem> {
    let found = cx
        .read(move |conn, outlet| -> Result<_, CashError> {
            let row = store::find_close(conn, outlet, date)?.ok_or(CashError::NotFound("day close"))?;
            let after_close = store::after_close(conn, outlet, &row.business_date, row.at)?;
            DayClose::of(row, after_close)
        })
        .await?;
    Ok(Data::new(found))
}

/// Lists closed days.
pub(in super::super) async fn list_day_closes(
    cx: Cx,
    Query(paging): Query<Paging>,
) -> Result<Paged<DayCloseSummary>, Problem> {
    let (items, total) = cx
        .read(move |conn, outlet| -> Result<_, CashError> {
            let (rows, total) = store::list_closes(conn, outlet, paging.limit, paging.offset)?;
            let closes =
                rows.into_iter().map(|row| DayClose::of(row, AfterClose::default()).map(|day| day.close));
            Ok((closes.collect::<Result<Vec<_>, _>>()?, total))
        })
        .await?;
    Ok(Paged::new(Page { items, total }, paging))
}
