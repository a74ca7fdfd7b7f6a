//! `/inventory/stocktakes` over HTTP.

use crate::access::{Cx, Permission};
use crate::db::Source;
use crate::http::{Checks, Created, Data, FieldError, Id, Json, Paged, Paging, Query, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::StockError;
use crate::resources::inventory::rules::stocktakes::{
    Count, NewStocktake, Stocktake, StocktakeLine, StocktakeScope, StocktakeStatus, Uncounted,
};
use crate::resources::inventory::store::levels::{self, Level};
use crate::resources::inventory::store::stocktakes;
use crate::resources::outlets;
use chrono::NaiveDate;
use std::collections::{BTreeMap, HashSet};
use tiffin_common::quantity::{cents_adding_up, micro_cents_to_cents};
use tiffin_common::{Cents, Millis, Overflow, Quantity, Uuid};

view! {
    /// A count of the store, of a shelf, or of some items.
    #[schemars(rename = "Stocktake")]
    pub struct StocktakeView of t: Stocktake | Overflow {
        id: Uuid,
        name: String,
        status: StocktakeStatus,
        /// The shelf it is of; null: the whole store, or a list of items.
        category: Option<String>,
        /// While it is open, who may not adjust stock does not see what is expected.
        blind: bool = t.is_blind,
        /// What the close did with what nobody had counted.
        uncounted: Option<Uncounted>,
        /// Items in it.
        items_count: i64,
        /// Items in it that were counted, as a whole or by batch.
        counted_count: i64,
        /// What the corrections cost: less than nothing is lost. Set by the close.
        variance_cost_cents: Option<Cents> = t.variance_micros.map(micro_cents_to_cents).transpose()?,
        note: Option<String>,
        /// The trading day it was opened on.
        business_date: NaiveDate,
        opened_at: Millis,
        opened_by: String = t.opened_by_name,
        /// When it was closed or cancelled.
        ended_at: Option<Millis>,
        ended_by: Option<String> = t.ended_by_name,
        version: i64,
    }
}

view! {
    /// An item of a stocktake (without what has expired), or one batch of it that was counted apart.
    #[schemars(rename = "StocktakeLine")]
    pub struct StocktakeLineView of line: StocktakeLine | Overflow, cost: Option<Cents>, levels: &Levels {
        inventory_item_id: Uuid = line.stock_item_id,
        name: String,
        category: String,
        unit: String,
        batch_number: Option<String>,
        /// What the ledger had at the moment of the count; of what is not counted, what it has now. Null in a blind count.
        expected_quantity: Option<Quantity> = expected(&line, levels)?,
        counted_quantity: Option<Quantity> = line.count.as_ref().map(|count| count.counted),
        counted_at: Option<Millis> = line.count.as_ref().map(|count| count.at),
        counted_by: Option<String> = line.count.as_ref().map(|count| count.by_name.clone()),
        /// How often it was counted; the last count stands.
        times_counted: i64,
        /// Counted − expected; after the close: what was booked, also of what nobody counted.
        variance_quantity: Option<Quantity> = variance(&line, levels)?,
        /// What was booked at the cost of the very batches. The lines add up to the stocktake.
        variance_cost_cents: Option<Cents> = cost,
    }
}

/// A stocktake with its lines.
#[apply(answer!)]
pub struct StocktakeDetail {
    #[serde(flatten)]
    stocktake: StocktakeView,
    /// What was found beyond what was expected.
    found_cost_cents: Option<Cents>,
    /// What was missing, less than nothing. Both together are the variance.
    missing_cost_cents: Option<Cents>,
    /// By the items' names, each item before its batches.
    lines: Vec<StocktakeLineView>,
}

/// How the items stand now, where that may be seen.
type Levels = Option<BTreeMap<Uuid, Level>>;

fn expected(line: &StocktakeLine, levels: &Levels) -> Result<Option<Quantity>, Overflow> {
    match (&line.count, levels) {
        (_, None) => Ok(None),
        (Some(count), Some(_)) => Ok(Some(count.expected)),
        (None, Some(levels)) => levels.get(&line.stock_item_id).map(Level::current).transpose(),
    }
}

fn variance(line: &StocktakeLine, levels: &Levels) -> Result<Option<Quantity>, Overflow> {
    match (line.variance_quantity, levels, &line.count) {
        (None, Some(_), Some(count)) => count.difference().map(Some),
        (booked, ..) => Ok(booked),
    }
}

fn detail(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    now: Millis,
    sees_all: bool,
    only: Option<&HashSet<Uuid>>,
) -> Result<StocktakeDetail, StockError> {
    let stocktake = stocktakes::find(conn, outlet, id)?.ok_or(StockError::NotFound("stocktake"))?;
    let mut lines = stocktakes::list_lines(conn, outlet, id)?;
    lines.retain(|line| only.is_none_or(|only| only.contains(&line.stock_item_id)));
    let is_open = stocktake.status == StocktakeStatus::Open;
    let levels = if sees_all || !stocktake.is_blind || !is_open {
        let items: Vec<Uuid> = lines.iter().map(|line| line.stock_item_id).collect();
        Some(if is_open {
            levels::list(conn, outlet, &items, super::today(conn, outlet, now)?)?
        } else {
            BTreeMap::new()
        })
    } else {
        None
    };
    let micros = || lines.iter().map(|line| line.variance_micros.unwrap_or(0));
    let costs = cents_adding_up(micros())?;
    let total = stocktake.variance_micros.map(micro_cents_to_cents).transpose()?;
    let found =
        total.map(|_| micro_cents_to_cents(micros().filter(|micros| *micros > 0).sum())).transpose()?;
    let missing = match (total, found) {
        (Some(total), Some(found)) => Some(total.minus(found)?),
        _ => None,
    };
    let lines = lines.into_iter().zip(costs).map(|(line, cost)| {
        let cost = line.variance_micros.map(|_| cost);
        StocktakeLineView::of(line, cost, &levels)
    });
    Ok(StocktakeDetail {
        lines: lines.collect::<Result<_, _>>()?,
        stocktake: stocktake.try_into()?,
        found_cost_cents: found,
        missing_cost_cents: missing,
    })
}

/// Which stocktakes.
#[apply(request!)]
pub struct ListStocktakes {
    /// Only stocktakes of this status.
    status: Option<StocktakeStatus>,
    #[serde(flatten)]
    paging: Paging,
}

/// The outlet's stocktakes, the newest first.
pub async fn list_stocktakes(cx: Cx, Query(query): Query<ListStocktakes>) -> Result<Paged<StocktakeView>> {
    let paging = query.paging;
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        let found = stocktakes::list(conn, outlet, query.status, paging.into())?;
        Ok(found.try_map(StocktakeView::try_from)?)
    })
    .await
}

/// One stocktake with its lines.
pub async fn get_stocktake(cx: Cx, Id(id): Id) -> Result<Data<StocktakeDetail>> {
    let (now, sees_all) = (super::now(&cx), sees_all(&cx));
    cx.get(move |conn, outlet| detail(conn, outlet, id, now, sees_all, None)).await
}

fn sees_all(cx: &Cx) -> bool {
    cx.principal.holds(Permission::InventoryAdjust)
}

/// A stocktake to open: of the whole store, of one category, or of some items.
#[apply(request!)]
pub struct OpenStocktake {
    /// What to call it; a name is made where absent.
    #[schemars(length(min = 1, max = 80))]
    name: Option<String>,
    /// Count this category only.
    #[schemars(length(min = 1, max = 60))]
    category: Option<String>,
    /// Count these stock items only.
    #[schemars(length(min = 1, max = 1000))]
    inventory_item_ids: Option<Vec<Uuid>>,
    /// Counters who may not adjust stock do not see what is expected.
    #[serde(default)]
    blind: bool,
    #[schemars(length(max = 500))]
    note: Option<String>,
}

impl OpenStocktake {
    fn checked(self) -> Result<NewStocktake, Vec<FieldError>> {
        let mut checks = Checks::new();
        let scope = match (self.category, self.inventory_item_ids) {
            (None, None) => StocktakeScope::Store,
            (Some(category), None) => StocktakeScope::Category(category),
            (None, Some(ids)) => {
                let mut seen = HashSet::new();
                for (i, id) in ids.iter().enumerate() {
                    let new = seen.insert(*id);
                    checks.require(new, format!("inventoryItemIds[{i}]"), "must not repeat another");
                }
                StocktakeScope::Items(ids)
            }
            (Some(_), Some(_)) => {
                checks.add("category", "cannot be given together with inventoryItemIds");
                StocktakeScope::Store
            }
        };
        checks.finish(NewStocktake { name: self.name, scope, is_blind: self.blind, note: self.note })
    }
}

/// Opens a stocktake.
pub async fn create_stocktake(cx: Cx, Json(body): Json<OpenStocktake>) -> Result<Created<StocktakeDetail>> {
    let new = body.checked()?;
    cx.create(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        let opened = actions::open_stocktake(tx, actor, &outlet, &new)?;
        detail(tx, actor.outlet_id, opened.id, tx.now(), true, None)
    })
    .await
}

/// What one person counted.
#[apply(request!)]
pub struct CountStock {
    /// What was counted, one entry for each item.
    #[schemars(length(min = 1, max = 500))]
    lines: Vec<CountLine>,
}

/// How much there is of an item (without what has expired), or of one batch of it.
#[apply(request!)]
pub struct CountLine {
    inventory_item_id: Uuid,
    /// Only this batch, expired or not.
    #[schemars(length(min = 1, max = 60))]
    batch_number: Option<String>,
    #[schemars(range(min = 0))]
    counted_quantity: Quantity,
    /// Unit of the quantity; the item's where absent.
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
}

/// Puts counts on record. Answers the stocktake with the lines of the items counted.
pub async fn count_stocktake(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CountStock>,
) -> Result<Updated<StocktakeDetail>> {
    let sees_all = sees_all(&cx);
    let counts = body.lines.into_iter().map(|line| Count {
        stock_item_id: line.inventory_item_id,
        batch_number: line.batch_number,
        quantity: line.counted_quantity,
        unit: line.unit,
    });
    let counts: Vec<Count> = counts.collect();
    cx.update(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        actions::count_stock(tx, actor, &outlet, id, &counts)?;
        let only = counts.iter().map(|count| count.stock_item_id).collect();
        detail(tx, actor.outlet_id, id, tx.now(), sees_all, Some(&only))
    })
    .await
}

/// How to close a stocktake.
#[apply(request!)]
pub struct CloseStocktake {
    /// What becomes of what nobody has counted; KEEP where absent.
    #[serde(default = "keep")]
    uncounted: Uncounted,
}

fn keep() -> Uncounted {
    Uncounted::Keep
}

/// Books the differences.
pub async fn close_stocktake(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CloseStocktake>,
) -> Result<Updated<StocktakeDetail>> {
    cx.update(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        actions::close_stocktake(tx, actor, &outlet, id, body.uncounted)?;
        detail(tx, actor.outlet_id, id, tx.now(), true, None)
    })
    .await
}

/// Gives a stocktake up.
pub async fn cancel_stocktake(cx: Cx, Id(id): Id) -> Result<Updated<StocktakeView>> {
    cx.update(move |tx, actor| -> Result<_, StockError> {
        actions::cancel_stocktake(tx, actor, id).and_then(|stocktake| Ok(StocktakeView::try_from(stocktake)?))
    })
    .await
}
