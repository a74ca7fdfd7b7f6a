//! `/tables` over HTTP.

use super::rules::{self, TableError, TableFields, TablePosition, TableShape, TableSize, TableStatus};
use super::{actions, qr, store};
use crate::access::{Cx, Permission};
use crate::db;
use crate::http::{
    Code, Created, Data, Id, Json, Paged, Paging, Patch, Problem, Query, Replace, Result, Updated, several,
};
use crate::resources::outlets;
use crate::resources::printers::PrintJob;
use crate::state::PublicUrl;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Millis, Uuid};

mod files;
mod plan;
mod shown;

pub use files::{export_tables, import_tables};
pub use plan::update_plan;
pub use shown::shown;

answered! {
    TableError of "table" {
        TableError::State(reason) => Problem::new(Code::InvalidTransition).detail(reason),
        TableError::Printer(error) => error.into(),
    }
}

/// What a table's QR code opens.
fn url_of(public_url: &PublicUrl, token: &str) -> String {
    format!("{}/t/{token}", public_url.0)
}

view! {
    /// A party at a table.
    pub struct TableSession of session: rules::TableSession {
        /// Id of the party's stay.
        id: Uuid,
        /// How many they are, when known.
        party_size: Option<i64>,
        /// When they sat down.
        opened_at: Millis,
        /// The business date of that moment.
        #[schemars(with = "String")]
        business_date: NaiveDate,
        /// When staff accepted their first QR order.
        approved_at: Option<Millis>,
        /// Orders not yet completed or cancelled.
        open_orders: i64,
        /// Four digits: a guest's order that carries them need not wait, until the bill is made. To be told to the party.
        session_code: Option<String>,
    }
}

view! {
    /// A table of the dining room.
    pub struct Table of table: rules::Table, manages: bool, public_url: &PublicUrl {
        /// Id of the table.
        id: Uuid,
        /// Unique in the outlet.
        number: String = table.fields.number,
        /// Such as Terrace.
        area: Option<String> = table.fields.area,
        /// How many people can sit there.
        seats: i64 = table.fields.seats,
        /// On the floor plan.
        position: Option<TablePosition> = table.fields.position,
        /// The form that it is drawn in.
        shape: TableShape = table.fields.shape,
        /// How large it is drawn.
        size: Option<TableSize> = table.fields.size,
        /// How far it is turned, in degrees clockwise.
        rotation: i64 = table.fields.rotation,
        /// The place of its area among the areas, from 1; 0: nobody has said.
        area_order: i64,
        /// What it is doing.
        status: TableStatus,
        /// The party at it.
        current_session: Option<TableSession> = table.current_session.map(TableSession::from),
        /// The right to order at it; only for those who may manage tables.
        #[serde(skip_serializing_if = "Option::is_none")]
        qr_token: Option<String> = table.qr_token.filter(|_| manages),
        /// What its QR code opens; only for those who may manage tables.
        #[serde(skip_serializing_if = "Option::is_none")]
        qr_url: Option<String> = qr_token.as_deref().map(|token| url_of(public_url, token)),
        /// Since when the present code holds.
        qr_rotated_at: Option<Millis>,
        /// Changes with every change.
        version: i64,
        /// When it was made.
        created_at: Millis,
        /// When it last changed.
        updated_at: Millis,
    }
}

fn manages(cx: &Cx) -> bool {
    cx.principal.holds(Permission::TablesWrite)
}

/// Which tables.
#[apply(request!)]
pub struct ListTables {
    /// In this area.
    #[schemars(length(max = 60))]
    area: Option<String>,
    /// Of this status, or of one of these, with commas between them.
    #[schemars(length(max = 100))]
    status: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists tables.
pub async fn list_tables(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Query(query): Query<ListTables>,
) -> Result<Paged<Table>> {
    let (ListTables { area, status, paging }, manages) = (query, manages(&cx));
    let statuses = several("status", status.as_deref(), TableStatus::of_name, TableStatus::ALL)?;
    let page = cx
        .read(move |conn, outlet| store::list_tables(conn, outlet, area.as_deref(), &statuses, paging))
        .await?;
    Ok(Paged::new(page.map(|table| Table::of(table, manages, &public_url)), paging))
}

/// One table.
pub async fn get_table(State(public_url): State<PublicUrl>, cx: Cx, Id(id): Id) -> Result<Data<Table>> {
    let manages = manages(&cx);
    let table = cx.read(move |conn, outlet| store::find(conn, outlet, id)).await?;
    Ok(Data::new(Table::of(table, manages, &public_url)))
}

/// A new table.
#[apply(request!)]
pub struct CreateTable {
    /// Unique in the outlet.
    #[schemars(length(min = 1, max = 20))]
    number: String,
    /// Such as Terrace.
    #[schemars(length(max = 60))]
    area: Option<String>,
    /// How many people can sit there.
    #[schemars(range(min = 1, max = 500))]
    seats: i64,
    /// On the floor plan.
    position: Option<TablePosition>,
    /// Its form; SQUARE where absent.
    shape: Option<TableShape>,
    /// How large it is drawn.
    size: Option<TableSize>,
    /// Degrees clockwise; 0 where absent.
    #[schemars(range(min = 0, max = 359))]
    rotation: Option<i64>,
}

/// Adds a table.
pub async fn create_table(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Json(body): Json<CreateTable>,
) -> Result<Created<Table>> {
    let draft = TableFields {
        number: body.number,
        area: body.area,
        seats: body.seats,
        position: body.position,
        shape: body.shape.unwrap_or(TableShape::Square),
        size: body.size,
        rotation: body.rotation.unwrap_or(0),
    };
    cx.create(move |tx, actor| {
        actions::create(tx, actor, draft).map(|table| Table::of(table, true, &public_url))
    })
    .await
}

patch! {
    /// A change of a table.
    pub struct UpdateTable of TableFields {
        /// Unique in the outlet.
        #[schemars(length(min = 1, max = 20))]
        number: Replace<String>,
        /// Such as Terrace.
        #[schemars(length(max = 60))]
        area: Patch<String>,
        /// How many people can sit there.
        #[schemars(range(min = 1, max = 500))]
        seats: Replace<i64>,
        /// On the floor plan.
        position: Patch<TablePosition>,
        /// The form that it is drawn in.
        shape: Replace<TableShape>,
        /// How large it is drawn.
        size: Patch<TableSize>,
        /// How far it is turned, in degrees clockwise.
        #[schemars(range(min = 0, max = 359))]
        rotation: Replace<i64>,
    }
}

/// Changes a table.
pub async fn update_table(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateTable>,
) -> Result<Updated<Table>> {
    cx.change(move |tx, actor, expected| {
        actions::update(tx, actor, id, expected, |present| body.over(present))
            .map(|table| Table::of(table, true, &public_url))
    })
    .await
}

/// A table that was archived; history still refers to it.
#[apply(answer!)]
pub struct TableArchived {
    /// Id of the table.
    id: Uuid,
    /// True: nobody can sit there any more, history keeps it.
    archived: bool,
}

/// Archives a table.
pub async fn delete_table(cx: Cx, Id(id): Id) -> Result<Updated<TableArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive(tx, actor, id, expected).map(|_| TableArchived { id, archived: true })
    })
    .await
}

/// A new status.
#[apply(request!)]
pub struct SetTableStatus {
    /// What the table is to be now.
    status: TableStatus,
}

/// Sets a table's status.
pub async fn set_table_status(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Id(id): Id,
    Json(body): Json<SetTableStatus>,
) -> Result<Updated<Table>> {
    let (expected, manages) = (cx.expected_version(), manages(&cx));
    cx.update(move |tx, actor| {
        let table = actions::set_status(tx, actor, id, expected, body.status)?;
        Ok::<_, TableError>(Table::of(table, manages, &public_url))
    })
    .await
}

/// A party that sits down.
#[apply(request!)]
pub struct SeatTable {
    /// How many they are, when known.
    #[schemars(range(min = 1, max = 500))]
    party_size: Option<i64>,
}

/// Seats a party.
pub async fn seat_table(
    State(public_url): State<PublicUrl>,
    cx: Cx,
    Id(id): Id,
    Json(body): Json<SeatTable>,
) -> Result<Updated<Table>> {
    let manages = manages(&cx);
    cx.update(move |tx, actor| {
        actions::seat(tx, actor, id, body.party_size).map(|table| Table::of(table, manages, &public_url))
    })
    .await
}

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
