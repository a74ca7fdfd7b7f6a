//! The store room as files: stock items, suppliers and recipes, taken in and given out.

use crate::access::{Cx, Permission};
use crate::http::intake::{ExportFile, ExportQuery, File, ImportCounts, ImportQuery};
use crate::http::{Query, Result, Updated};
use crate::resources::inventory::actions::{self, StockImport};
use crate::resources::inventory::rules::files::{
    ExportedStockItem, ExportedSupplier, ImportedPrice, ImportedStockItem, ImportedSupplier,
};
use crate::resources::inventory::rules::recipe_files::{ExportedRecipe, ImportedRecipe};
use crate::resources::inventory::rules::{StockError, StockItem, Supplier};
use crate::resources::inventory::store;
use crate::resources::outlets;
use axum::response::Response;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Takes in a file of stock items: all rows or none.
pub async fn import_inventory_items(
    cx: Cx,
    Query(query): Query<ImportQuery>,
    file: File<ImportedStockItem>,
) -> Result<Updated<StockImport>> {
    let file = file.rows(outlets::decimals(&cx).await?)?;
    if file.rows.iter().any(|row| row.item.has_batches()) {
        cx.demand(Permission::InventoryAdjust)?;
    }
    cx.take_in(&query, move |tx, actor| actions::import_items(tx, actor, file)).await
}

/// Takes in a file of suppliers: all rows or none.
pub async fn import_suppliers(
    cx: Cx,
    Query(query): Query<ImportQuery>,
    file: File<ImportedSupplier>,
) -> Result<Updated<ImportCounts>> {
    let file = file.rows(outlets::decimals(&cx).await?)?;
    cx.take_in(&query, move |tx, actor| actions::import_suppliers(tx, actor, file)).await
}

/// Takes in a file of recipes: all rows or none.
pub async fn import_recipes(
    cx: Cx,
    Query(query): Query<ImportQuery>,
    file: File<ImportedRecipe>,
) -> Result<Updated<ImportCounts>> {
    let file = file.rows(outlets::decimals(&cx).await?)?;
    cx.take_in(&query, move |tx, actor| actions::import_recipes(tx, actor, file)).await
}

/// Gives all stock items as a file.
pub async fn export_inventory_items(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Response> {
    let read = cx.read(|conn, outlet| -> Result<_, StockError> {
        let suppliers = store::suppliers::list(conn, outlet, None, (u32::MAX, 0))?.items;
        Ok((store::items::list(conn, outlet, None, None)?, suppliers))
    });
    let (items, suppliers) = read.await?;
    let names: HashMap<Uuid, String> = suppliers.into_iter().map(|one| (one.id, one.draft.name)).collect();
    let items = items.into_iter().map(|StockItem { id, draft, .. }| ExportedStockItem {
        id,
        name: draft.name,
        category: draft.category,
        unit: draft.unit,
        sku: draft.sku,
        rotation: draft.rotation,
        min_stock_threshold: draft.min_stock_threshold,
        par_level: draft.par_level,
        supplier: draft.supplier_id.and_then(|id| names.get(&id).cloned()),
        unit_conversions: draft.unit_conversions,
    });
    ExportFile { items: items.collect() }.answer(&query, "inventory.csv", ExportedStockItem::COLUMNS)
}

/// Gives all suppliers as a file.
pub async fn export_suppliers(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Response> {
    let read = cx.read(|conn, outlet| -> Result<_, StockError> {
        let items = store::items::list(conn, outlet, None, None)?;
        Ok((store::suppliers::list(conn, outlet, None, (u32::MAX, 0))?.items, items))
    });
    let (suppliers, items) = read.await?;
    let names: HashMap<Uuid, String> = items.into_iter().map(|one| (one.id, one.draft.name)).collect();
    let suppliers = suppliers.into_iter().map(|Supplier { id, draft, .. }| ExportedSupplier {
        id,
        name: draft.name,
        contact_name: draft.contact_name,
        phone: draft.phone,
        email: draft.email,
        address: draft.address,
        tax_id: draft.tax_id,
        lead_time_days: draft.lead_time_days,
        // A price of what is archived leads to nothing.
        agreed_prices: draft
            .agreed_prices
            .into_iter()
            .filter_map(|price| {
                let item = names.get(&price.inventory_item_id)?.clone();
                Some(ImportedPrice { item, unit: price.unit, unit_cost_cents: price.unit_cost_cents })
            })
            .collect(),
    });
    ExportFile { items: suppliers.collect() }.answer(&query, "suppliers.csv", ExportedSupplier::COLUMNS)
}

/// Gives all recipes as a file.
pub async fn export_recipes(cx: Cx, Query(query): Query<ExportQuery>) -> Result<Response> {
    let items = cx.read(actions::export_recipes).await?;
    ExportFile { items }.answer(&query, "recipes.csv", ExportedRecipe::COLUMNS)
}
