//! The QR codes of tables over HTTP: made anew, drawn, on a page and on paper.

use super::url_of;
use crate::access::Cx;
use crate::db;
use crate::http::{Code, Created, Id, Json, Paging, Problem, Query, Result, Updated};
use crate::resources::outlets;
use crate::resources::printers::PrintJob;
use crate::resources::tables::rules::TableError;
use crate::resources::tables::{actions, qr, store};
use crate::state::PublicUrl;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::Uuid;

/// A table's QR code.
#[apply(answer!)]
pub struct TableQr {
    /// The right to order at the table.
    qr_token: String,
    /// What the code opens.
    url: String,
}

/// Makes a new QR code.
pub async fn rotate_table_qr(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Id(id): Id,
) -> Result<Updated<TableQr>> {
    cx.update(move |tx, actor| {
        let table = actions::rotate_qr(tx, actor, id)?;
        let qr_token = table.qr_token.ok_or(TableError::NotFound("table"))?;
        Ok::<_, TableError>(TableQr { url: url_of(&public_url, &qr_token), qr_token })
    })
    .await
}

/// The form of a QR code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QrFormat {
    /// Sharp at any size.
    #[default]
    Svg,
    /// For what cannot draw SVG.
    Png,
}

/// How to draw a QR code.
#[apply(request!)]
pub struct GetTableQr {
    /// SVG unless told otherwise.
    format: Option<QrFormat>,
}

/// The QR code as a picture.
pub async fn get_table_qr(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Id(id): Id,
    Query(query): Query<GetTableQr>,
) -> Result<Response> {
    let table = cx.read(move |conn, outlet| store::find(conn, outlet, id)).await?;
    let token = table.qr_token.ok_or_else(|| Problem::not_found("QR code"))?;
    let url = url_of(&public_url, &token);
    Ok(match query.format.unwrap_or_default() {
        QrFormat::Svg => private("image/svg+xml", qr::svg(&url).map_err(undrawn)?),
        QrFormat::Png => private("image/png", qr::png(&url).map_err(undrawn)?),
    })
}

/// A printable page of all QR codes.
pub async fn get_qr_sheet(State(public_url): State<PublicUrl>, cx: Cx) -> Result<Response> {
    let everything = Paging { limit: u32::MAX, offset: 0 };
    let (outlet, tables) = cx
        .read(move |conn, outlet| -> db::Result<_> {
            let tables = store::list_tables(conn, outlet, None, &[], everything)?.items;
            Ok((outlets::store::find(conn, outlet)?.name.clone(), tables))
        })
        .await?;
    let coded = tables.into_iter().filter_map(|table| {
        let url = url_of(&public_url, table.qr_token.as_deref()?);
        Some((table, url))
    });
    let page = qr::sheet(&outlet, &coded.collect::<Vec<_>>()).map_err(undrawn)?;
    let mut response = private("text/html; charset=utf-8", page);
    // The page shows names that people typed: it may style itself and nothing else.
    response.headers_mut().insert(
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'"),
    );
    Ok(response)
}

/// Where QR codes are to be printed.
#[apply(request!)]
pub struct PrintQrSheet {
    /// The printer; the first with the role REPORT where absent.
    #[serde(default)]
    printer_id: Option<Uuid>,
    /// Only this table; all where absent.
    #[serde(default)]
    table_id: Option<Uuid>,
}

/// Queues the QR codes of the tables for a printer.
pub async fn print_qr_sheet(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Json(body): Json<PrintQrSheet>,
) -> Result<Created<PrintJob>> {
    cx.create(move |tx, actor| {
        let url = |token: &str| url_of(&public_url, token);
        actions::print_codes(tx, actor, body.table_id, body.printer_id, url)
    })
    .await
}

fn undrawn(error: qr::QrError) -> Problem {
    tracing::error!(%error, "a QR code could not be drawn");
    Problem::new(Code::Internal)
}

/// A body that holds tokens: nobody in between keeps it.
fn private(kind: &'static str, body: impl IntoResponse) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
