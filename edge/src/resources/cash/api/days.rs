//! `/day-close` over HTTP.

use super::super::actions;
use super::super::rules::report::{AfterClose, ZReport};
use super::super::rules::{CashError, ClosedDay};
use super::super::store;
use crate::access::{Cx, Permission};
use crate::http::{Created, Data, Json, Paged, Paging, Path, Query, Result};
use crate::resources::outlets;
use crate::resources::printers::PrintJob;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// A closed day in a list.
    pub struct DayCloseSummary of day: ClosedDay {
        /// Id of the close.
        id: Uuid,
        /// The business date that was closed.
        #[schemars(with = "String")]
        business_date: NaiveDate,
        /// 1, 2, 3 …
        z_number: i64,
        /// Whether something open was carried over.
        carried_over: bool,
        /// Whether it was closed before it ended: the next date began at once.
        early: bool,
        /// When it was closed.
        closed_at: Millis = day.at,
        /// The account that closed it.
        #[serde(skip_serializing_if = "Option::is_none")]
        closed_by: Option<Uuid> = day.by_id,
        /// What the day came to.
        total_cents: Cents = day.report.sales.total_cents,
        clock_suspect: bool,
    }
}

/// A closed day with its report.
#[apply(answer!)]
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
    fn of(day: ClosedDay, after_close: AfterClose) -> DayClose {
        DayClose { report: day.report.clone(), close: day.into(), after_close }
    }
}

/// A day to close.
#[apply(request!)]
pub struct CloseDay {
    /// The business date to close.
    business_date: NaiveDate,
    /// Close it in spite of open orders and drawers; they go on.
    #[serde(default)]
    carry_over: bool,
    /// Close it before it ends; the next business date begins at once. Not twice in a row, nor into another calendar month.
    #[serde(default)]
    early: bool,
}

/// Closes a day.
pub async fn create_day_close(cx: Cx, Json(body): Json<CloseDay>) -> Result<Created<DayClose>> {
    cx.create(move |tx, actor| -> Result<_, CashError> {
        let closed = actions::close_day(tx, actor, body.business_date, (body.carry_over, body.early))?;
        Ok(DayClose::of(closed, AfterClose::default()))
    })
    .await
}

/// The form of a day's report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DayFormat {
    /// Of a closed day.
    #[default]
    Json,
    /// A page to print; at the branch, of the present day its X report.
    Html,
}

/// How a day's report is wanted.
#[apply(request!)]
pub struct GetDayClose {
    /// The form; JSON where absent.
    #[serde(default)]
    format: DayFormat,
}

/// Whether the caller is to count drawers and not to oversee them: then an open drawer's figures are not told.
fn counts(cx: &Cx) -> bool {
    cx.principal.holds(Permission::CashOperate) && !cx.principal.holds(Permission::CashNoSale)
}

/// The report of a closed day; as a page, also of one that is not closed.
pub async fn get_day_close(
    cx: Cx,
    Path(date): Path<NaiveDate>,
    Query(query): Query<GetDayClose>,
) -> Result<Response> {
    if query.format == DayFormat::Json {
        return Ok(closed_day(cx, date).await?.into_response());
    }
    let (now, whose) = (cx.db.env().clock.now(), (counts(&cx), cx.db.is_copy()));
    let page = cx.read(move |conn, outlet| actions::day_page(conn, outlet, date, now, whose)).await?;
    let mut response = page.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Ok(response)
}

async fn closed_day(cx: Cx, date: NaiveDate) -> Result<Data<DayClose>> {
    let counts = counts(&cx);
    cx.get(move |conn, outlet| -> Result<_, CashError> {
        let mut day = store::find_close(conn, outlet, date)?.ok_or(CashError::NotFound("day close"))?;
        let after_close = store::sum_after_close(conn, outlet, date, day.at)?;
        if counts && outlets::store::find(conn, outlet)?.blind_count {
            day.report.hide_open_drawers();
        }
        Ok(DayClose::of(day, after_close))
    })
    .await
}

/// Lists closed days.
pub async fn list_day_closes(cx: Cx, Query(paging): Query<Paging>) -> Result<Paged<DayCloseSummary>> {
    cx.list(paging, move |conn, outlet| store::list_closes(conn, outlet, paging)).await
}

/// Where a report is to be printed.
#[apply(request!)]
pub struct PrintDay {
    /// The printer; the first with the role REPORT where absent.
    #[serde(default)]
    printer_id: Option<Uuid>,
}

/// Queues the report of a day for a printer.
pub async fn print_day(
    cx: Cx,
    Path(date): Path<NaiveDate>,
    Json(body): Json<PrintDay>,
) -> Result<Created<PrintJob>> {
    cx.create(move |tx, actor| actions::print_day(tx, actor, date, body.printer_id)).await
}
