//! The tables as a file: `POST /tables/import` and `GET /tables/export`.

use crate::access::Cx;
use crate::db;
use crate::http::intake::{ExportFile, ExportQuery, File, ImportCounts, ImportQuery};
use crate::http::{Query, Result, Updated};
use crate::resources::outlets;
use crate::resources::tables::rules::{ExportedTable, ImportedTable};
use crate::resources::tables::{actions, store};
use axum::response::Response;

/// Takes in a file of tables: all rows or none.
pub async fn import_tables(
    cx: Cx,
    Query(query): Query<ImportQuery>,
    file: File<ImportedTable>,
) -> Result<Updated<ImportCounts>> {
    let rows = file.rows(outlets::decimals(&cx).await?)?;
    cx.take_in(&query, move |tx, actor| actions::import(tx, actor, rows)).await
}

/// Gives all tables as a file.
pub async fn export_tables(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Response> {
    let tables = cx.read(|conn, outlet| -> db::Result<_> { store::list_all(conn, outlet) }).await?;
    let items = tables.into_iter().map(ExportedTable::from).collect();
    ExportFile { items }.answer(&query, "tables.csv", ExportedTable::COLUMNS)
}
