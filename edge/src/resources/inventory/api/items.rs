//! Stock items: the typed list of the specification, and their records.

use super::{now, today};
use crate::access::Cx;
use crate::db::Source;
use crate::http::reply::bare;
use crate::http::{Created, Data, Id, Json, Patch, Query, Replace, Result, Updated};
use crate::resources::inventory::rules::{
    ItemDraft, OpenBatch, Rotation, StockError, StockItem, UnitConversion,
};
use crate::resources::inventory::store::{OpenOrders, items, levels};
use crate::resources::inventory::{actions, rules::pick::NEVER};
use axum::response::Response;
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// A batch that may still be used.
#[apply(answer!)]
pub struct ActiveBatch {
    id: Uuid,
    batch_number: String,
    quantity: Quantity,
    expiry_date: Option<NaiveDate>,
    received_at: Millis,
    unit_cost_cents: UnitCost,
}

/// A stock item with what there is of it.
#[apply(answer!)]
pub struct InventoryItem {
    id: Uuid,
    name: String,
    category: String,
    unit: String,
    /// What may still be sold: batches past their expiry do not count, what was sold without stock is taken off.
    current_stock: Quantity,
    min_stock_threshold: Quantity,
    /// At or below the threshold.
    is_low_stock: bool,
    /// In the order in which they are used up.
    active_batches: Vec<ActiveBatch>,
    sku: Option<String>,
    rotation: Rotation,
    expired_quantity: Quantity,
    /// Sold without stock, to be settled by the next receipt.
    deficit_quantity: Quantity,
    /// Of what may still be used; the last cost where there is nothing.
    average_cost_cents: UnitCost,
    last_cost_cents: UnitCost,
    /// Of the active batches.
    stock_value_cents: Cents,
    supplier_id: Option<Uuid>,
    par_level: Option<Quantity>,
    unit_conversions: Vec<UnitConversion>,
    /// The preparation it is the stock of: dishes take it before what that is made of; null for what is bought.
    preparation_id: Option<Uuid>,
    version: i64,
    created_at: Millis,
    updated_at: Millis,
}

/// The list of the specification.
#[apply(answer!)]
pub struct InventoryItemList {
    /// All stock items that were asked for.
    items: Vec<InventoryItem>,
    /// Items that match, on whatever page.
    total_count: i64,
    /// Those of the matching category and search that are low.
    low_stock_count: i64,
}

type Batches = HashMap<Uuid, Vec<(String, OpenBatch)>>;

/// What the outlet has of `items`: two statements beside the list, however many there are.
fn views(
    conn: &dyn Source,
    outlet: Uuid,
    items: Vec<StockItem>,
    today: NaiveDate,
) -> Result<Vec<InventoryItem>, StockError> {
    let mut open = Batches::new();
    for (item, number, batch) in levels::list_open(conn, outlet, None)? {
        open.entry(item).or_default().push((number, batch));
    }
    let deficits = levels::list_deficits(conn, outlet)?;
    items
        .into_iter()
        .map(|item| {
            let batches = open.remove(&item.id).unwrap_or_default();
            let deficit = deficits.get(&item.id).copied().unwrap_or_default();
            Ok(view(item, batches, deficit, today)?)
        })
        .collect()
}

/// One item with what there is of it.
pub(super) fn view_one(
    conn: &dyn Source,
    outlet: Uuid,
    item: StockItem,
    today: NaiveDate,
) -> Result<InventoryItem, StockError> {
    let batches = levels::list_open(conn, outlet, Some(item.id))?
        .into_iter()
        .map(|(_, number, b)| (number, b))
        .collect();
    let level = levels::list(conn, outlet, &[item.id], today)?;
    let deficit = level.get(&item.id).map(|level| level.deficit).unwrap_or_default();
    Ok(view(item, batches, deficit, today)?)
}

fn view(
    item: StockItem,
    mut batches: Vec<(String, OpenBatch)>,
    deficit: Quantity,
    today: NaiveDate,
) -> Result<InventoryItem, Overflow> {
    if item.draft.rotation == Rotation::Fifo {
        batches.sort_by_key(|(_, batch)| (batch.received_at, batch.id));
    }
    let (mut expired, mut usable, mut value) = (Quantity::ZERO, Quantity::ZERO, 0i128);
    let mut active = Vec::with_capacity(batches.len());
    for (batch_number, batch) in batches {
        if batch.expiry_date < today {
            expired = expired.plus(batch.quantity)?;
            continue;
        }
        usable = usable.plus(batch.quantity)?;
        value += i128::from(batch.quantity.get()) * i128::from(batch.unit_cost.get());
        active.push(ActiveBatch {
            id: batch.id,
            batch_number,
            quantity: batch.quantity,
            expiry_date: Some(batch.expiry_date).filter(|date| *date != NEVER),
            received_at: batch.received_at,
            unit_cost_cents: batch.unit_cost,
        });
    }
    let current = usable.minus(deficit)?;
    let average = if usable.is_positive() {
        UnitCost::from_millionths(round_div(value, i128::from(usable.get()))?)
    } else {
        item.last_unit_cost
    };
    let d = item.draft;
    Ok(InventoryItem {
        id: item.id,
        name: d.name,
        category: d.category,
        unit: d.unit,
        current_stock: current,
        min_stock_threshold: d.min_stock_threshold,
        is_low_stock: current <= d.min_stock_threshold,
        active_batches: active,
        sku: d.sku,
        rotation: d.rotation,
        expired_quantity: expired,
        deficit_quantity: deficit.max(Quantity::ZERO),
        average_cost_cents: average,
        last_cost_cents: item.last_unit_cost,
        stock_value_cents: Cents::new(round_div(value, i128::from(MILLION) * i128::from(MILLION))?),
        supplier_id: d.supplier_id,
        par_level: d.par_level,
        unit_conversions: d.unit_conversions,
        preparation_id: item.preparation_id,
        version: item.version,
        created_at: item.created_at,
        updated_at: item.updated_at,
    })
}

/// Which items.
#[apply(request!)]
pub struct ListInventoryItems {
    /// Only items at or below their minimum threshold.
    #[serde(default)]
    low_stock_only: bool,
    /// Only this category.
    #[schemars(length(min = 1, max = 60))]
    category: Option<String>,
    /// Only items whose name or code contains it.
    #[schemars(length(min = 1, max = 120))]
    q: Option<String>,
    /// Items on a page; all when absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// Items to skip.
    #[schemars(range(min = 0, max = 10_000_000))]
    offset: Option<u32>,
}

/// Stock balances with units, thresholds and active batches (a typed operation: bare body).
pub async fn list_inventory_items(cx: Cx, Query(query): Query<ListInventoryItems>) -> Result<Response> {
    let now = now(&cx);
    let list = cx
        .read(move |conn, outlet| -> Result<_, StockError> {
            let found = items::list(conn, outlet, query.category.as_deref(), query.q.as_deref())?;
            let mut found = views(conn, outlet, found, today(conn, outlet, now)?)?;
            let low = found.iter().filter(|item| item.is_low_stock).count();
            if query.low_stock_only {
                found.retain(|item| item.is_low_stock);
            }
            let total = found.len();
            let (skip, take) = (query.offset.unwrap_or(0), query.limit.unwrap_or(u32::MAX));
            let items = found.into_iter().skip(skip as usize).take(take as usize).collect();
            let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
            Ok(InventoryItemList { items, total_count: count(total), low_stock_count: count(low) })
        })
        .await?;
    Ok(bare(list))
}

/// One stock item.
pub async fn get_inventory_item(cx: Cx, Id(id): Id) -> Result<Data<InventoryItem>> {
    let now = now(&cx);
    cx.get(move |conn, outlet| {
        let item = items::find(conn, outlet, id)?.ok_or(StockError::NotFound("inventory item"))?;
        view_one(conn, outlet, item, today(conn, outlet, now)?)
    })
    .await
}

/// A new stock item. What is there of it comes by an adjustment with the reason OPENING, or a delivery.
#[apply(request!)]
pub struct CreateInventoryItem {
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[schemars(length(min = 1, max = 60))]
    category: String,
    /// What it is counted in: g, kg, mg, ml, l, pcs, dozen, or a word of one's own.
    #[schemars(length(min = 1, max = 20))]
    unit: String,
    #[schemars(length(min = 1, max = 40))]
    sku: Option<String>,
    /// FEFO unless told otherwise.
    rotation: Option<Rotation>,
    #[serde(default)]
    #[schemars(range(min = 0))]
    min_stock_threshold: Quantity,
    #[schemars(range(min = 0))]
    par_level: Option<Quantity>,
    supplier_id: Option<Uuid>,
    #[serde(default)]
    #[schemars(length(max = 20))]
    unit_conversions: Vec<UnitConversion>,
}

/// Makes a stock item.
pub async fn create_inventory_item(
    cx: Cx,
    Json(body): Json<CreateInventoryItem>,
) -> Result<Created<InventoryItem>> {
    let draft = ItemDraft {
        name: body.name,
        category: body.category,
        unit: body.unit,
        sku: body.sku,
        rotation: body.rotation.unwrap_or(Rotation::Fefo),
        min_stock_threshold: body.min_stock_threshold,
        par_level: body.par_level,
        supplier_id: body.supplier_id,
        unit_conversions: body.unit_conversions,
    };
    cx.create(move |tx, actor| {
        let item = actions::create_item(tx, actor, draft)?;
        view_one(tx, actor.outlet_id, item, today(tx, actor.outlet_id, tx.now())?)
    })
    .await
}

patch! {
    /// A change of a stock item.
    pub struct UpdateInventoryItem of ItemDraft {
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        #[schemars(length(min = 1, max = 60))]
        category: Replace<String>,
        /// Only while nothing has moved.
        #[schemars(length(min = 1, max = 20))]
        unit: Replace<String>,
        #[schemars(length(min = 1, max = 40))]
        sku: Patch<String>,
        rotation: Replace<Rotation>,
        #[schemars(range(min = 0))]
        min_stock_threshold: Replace<Quantity>,
        #[schemars(range(min = 0))]
        par_level: Patch<Quantity>,
        supplier_id: Patch<Uuid>,
        #[schemars(length(max = 20))]
        unit_conversions: Replace<Vec<UnitConversion>>,
    }
}

/// Changes a stock item.
pub async fn update_inventory_item(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateInventoryItem>,
) -> Result<Updated<InventoryItem>> {
    cx.change(move |tx, actor, expected| {
        let item = actions::update_item(tx, actor, id, expected, |draft| body.over(draft))?;
        view_one(tx, actor.outlet_id, item, today(tx, actor.outlet_id, tx.now())?)
    })
    .await
}

/// Archives a stock item.
pub async fn delete_inventory_item(cx: Cx, Id(id): Id, orders: OpenOrders) -> Result<Updated<InventoryItem>> {
    cx.change(move |tx, actor, expected| {
        let item = actions::archive_item(tx, actor, id, expected, orders)?;
        view_one(tx, actor.outlet_id, item, today(tx, actor.outlet_id, tx.now())?)
    })
    .await
}
