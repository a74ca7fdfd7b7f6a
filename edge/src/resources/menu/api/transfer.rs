//! The menu as a file: `POST /menu/import` and `GET /menu/export`.

use crate::access::Cx;
use crate::access::describe::Describe;
use crate::access::operation::Operation;
use crate::db::{self, Source};
use crate::http::csv::attachment;
use crate::http::extract::{from_value, media_type, parse};
use crate::http::{Code, Data, FieldError, Json, Patch, Problem, Query, Result, Updated};
use crate::resources::menu::actions::{Follow, ImportCounts};
use crate::resources::menu::rules::import::{
    ExportedItem, ImportedItem, SourceRow, exported, read_csv, write_csv,
};
use crate::resources::menu::rules::{MenuError, Occasion};
use crate::resources::menu::{actions, store};
use crate::resources::outlets;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid, currency};

/// A file of dishes.
#[apply(request!)]
pub struct ImportMenu {
    /// One row for each dish.
    #[schemars(length(min = 1, max = 5_000))]
    items: Vec<ImportedItem>,
}

/// A file of dishes as JSON or CSV, by its media type.
pub(super) enum MenuFile {
    /// JSON, read.
    Rows(Vec<SourceRow>),
    /// CSV, whose prices are read with the decimals of the outlet's currency.
    Csv(Bytes),
}

impl Describe for MenuFile {
    fn describe(operation: &mut Operation) {
        Json::<ImportMenu>::describe(operation);
    }
}

impl<S: Send + Sync> FromRequest<S> for MenuFile {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let kind = media_type(request.headers());
        let is_csv = matches!(kind.as_str(), "text/csv" | "application/csv" | "application/vnd.ms-excel");
        if !is_csv && !matches!(kind.as_str(), "" | "application/json") {
            return Err(Problem::new(Code::UnsupportedMediaType).detail("Send application/json or text/csv"));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            match rejection.into_response().status() {
                StatusCode::PAYLOAD_TOO_LARGE => Problem::new(Code::PayloadTooLarge),
                _ => Problem::new(Code::BadRequest).detail("The body could not be read"),
            }
        })?;
        if is_csv { Ok(MenuFile::Csv(bytes)) } else { json_rows(&bytes).map(MenuFile::Rows) }
    }
}

fn json_rows(bytes: &[u8]) -> Result<Vec<SourceRow>> {
    let file: ImportMenu = parse(bytes)?;
    let rows = file.items.into_iter().enumerate();
    Ok(rows.map(|(i, item)| SourceRow { path: format!("items[{i}]"), item }).collect())
}

fn csv_rows(bytes: &[u8], decimals: u32) -> Result<Vec<SourceRow>> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Problem::new(Code::BadRequest).detail("The file is not UTF-8 text"))?;
    let mut found = Vec::new();
    let mut rows = Vec::new();
    for (path, value) in read_csv(text, decimals)? {
        match from_value(value) {
            Ok(item) => rows.push(SourceRow { path, item }),
            Err(fields) => {
                found.extend(
                    fields.into_iter().map(|f| FieldError::new(format!("{path}.{}", f.name), f.reason)),
                );
            }
        }
    }
    if rows.is_empty() && found.is_empty() {
        return Err(Problem::field("rows", "must not be empty"));
    }
    if found.is_empty() { Ok(rows) } else { Err(Problem::invalid(found)) }
}

/// Takes in a file of dishes: all rows or none.
pub async fn import_menu(cx: Cx, file: MenuFile, follow: Follow) -> Result<Updated<ImportCounts>> {
    let rows = match file {
        MenuFile::Rows(rows) => rows,
        MenuFile::Csv(bytes) => {
            let outlet = cx.read(|conn, outlet| outlets::store::find(conn, outlet)).await?;
            csv_rows(&bytes, currency::decimals(&outlet.currency))?
        }
    };
    let resized = rows.iter().any(|row| row.item.variants != Patch::Keep);
    cx.update(move |tx, actor| -> Result<_, MenuError> {
        let counts = actions::import(tx, actor, rows)?;
        if resized {
            follow(tx, actor)?;
        }
        Ok(counts)
    })
    .await
}

/// The form of an exported file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// As an envelope.
    #[default]
    Json,
    /// For spreadsheets.
    Csv,
}

/// How to export.
#[apply(request!)]
pub struct ExportMenu {
    /// JSON unless told otherwise.
    format: Option<FileFormat>,
}

/// A file of dishes.
#[apply(answer!)]
pub struct ExportedMenu {
    /// The rows, in the order of the menu.
    items: Vec<ExportedItem>,
}

/// Gives all dishes as a file.
pub async fn export_menu(cx: Cx, Query(query): Query<ExportMenu>) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let items = cx.read(move |conn, outlet| rows(conn, outlet, now)).await?;
    if query.format.unwrap_or_default() == FileFormat::Json {
        return Ok(Data::new(ExportedMenu { items }).into_response());
    }
    attachment("menu.csv", write_csv(&items))
}

fn rows(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<Vec<ExportedItem>> {
    let at = store::find_local_now(conn, outlet, now)?;
    let everything = store::Search { q: None, limit: u32::MAX, offset: 0 };
    let taxes = store::list_taxes(conn, outlet, &everything)?.items;
    let taxes: HashMap<_, _> = taxes.into_iter().map(|tax| (tax.id, tax)).collect();
    let stations: HashMap<_, _> = store::list_stations(conn, outlet)?.into_iter().collect();
    let menu = store::find_tree(conn, outlet, &at, &Occasion::default(), false)?;
    let all = menu.categories.iter().flat_map(|chapter| &chapter.items);
    let all: HashMap<_, _> = all.map(|item| (item.id, item)).collect();
    let dishes = menu.categories.iter().flat_map(|chapter| {
        let category = &chapter.category.draft.name;
        chapter.items.iter().map(|item| exported(item, category, &taxes, &stations, &all))
    });
    Ok(dishes.collect())
}
