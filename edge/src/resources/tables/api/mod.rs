//! `/tables` over HTTP.

use super::rules::{self, TableError, TableFields, TablePosition, TableShape, TableSize, TableStatus};
use super::{actions, store};
use crate::access::{Cx, Permission};
use crate::http::{
    Code, Created, Data, Id, Json, Paged, Paging, Patch, Problem, Query, Replace, Result, Updated, several,
};
use crate::resources::menu::rules::{Texts, TextsPatch};
use crate::state::PublicUrl;
use axum::extract::State;
use chrono::NaiveDate;
use tiffin_common::{Millis, Uuid};

mod codes;
mod files;
mod plan;
mod shown;

pub use codes::{get_qr_sheet, get_table_qr, print_qr_sheet, rotate_table_qr};
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
        /// Its number in other languages: `{"hi": {"name": …}}`.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        texts: Texts = table.fields.texts,
        /// The name of its area in other languages.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        area_texts: Texts = table.fields.area_texts,
        /// The place of its area among the areas, from 1; 0: nobody has said. A table that comes to an area takes it over.
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
    /// Its number in other languages: `{"hi": {"name": …}}`.
    #[serde(default)]
    texts: TextsPatch,
    /// The name of its area in other languages, said at all tables of the area; where absent, what they say.
    #[serde(default)]
    area_texts: TextsPatch,
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
        texts: body.texts.apply(Texts::default()),
        area_texts: body.area_texts.apply(Texts::default()),
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
        /// Its number in other languages: one that is absent stays, null takes one away.
        texts: TextsPatch,
        /// The name of its area in other languages, said at all tables of the area.
        area_texts: TextsPatch,
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
