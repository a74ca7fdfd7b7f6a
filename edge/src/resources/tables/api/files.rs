//! The tables as a file: `POST /tables/import` and `GET /tables/export`.

use crate::access::Cx;
use crate::db::{self, Source};
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
    let look = |conn: &dyn Source, outlet| -> db::Result<_> {
        Ok((store::list_all(conn, outlet)?, outlets::store::find(conn, outlet)?.languages.clone()))
    };
    let (tables, languages) = cx.read(look).await?;
    let items: Vec<ExportedTable> = tables.into_iter().map(ExportedTable::from).collect();
    // The first language is the one that names are in.
    let columns = ExportedTable::columns(&items, languages.get(1..).unwrap_or_default());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    ExportFile { items }.answer(&query, "tables.csv", &columns)
}
