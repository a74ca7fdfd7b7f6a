//! The menu as a file: `POST /menu/import` and `GET /menu/export`.

use crate::access::Cx;
use crate::db::{self, Source};
use crate::http::intake::{ExportFile, ExportQuery, File, ImportQuery};
use crate::http::{Query, Result, Updated};
use crate::resources::menu::actions::{Follow, MenuImport};
use crate::resources::menu::rules::Occasion;
use crate::resources::menu::rules::import::{ExportedItem, ImportedItem, exported, write_csv};
use crate::resources::menu::{actions, store};
use crate::resources::outlets;
use axum::response::Response;
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid};

/// Takes in a file of dishes: all rows or none.
pub async fn import_menu(
    cx: Cx,
    Query(query): Query<ImportQuery>,
    file: File<ImportedItem>,
    follow: Follow,
) -> Result<Updated<MenuImport>> {
    let rows = file.rows(outlets::decimals(&cx).await?)?;
    cx.take_in(&query, move |tx, actor| actions::import(tx, actor, rows, follow)).await
}

/// Gives all dishes as a file.
pub async fn export_menu(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let read = move |conn: &dyn Source, outlet| -> db::Result<_> {
        let others = outlets::store::find(conn, outlet)?.languages.iter().skip(1).cloned().collect();
        Ok((rows(conn, outlet, now)?, others))
    };
    let (items, others): (_, Vec<String>) = cx.read(read).await?;
    ExportFile { items }.answer_as(&query, "menu.csv", |items| write_csv(items, &others))
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
