//! Batches of an item, its ledger, and where a batch went.

use super::{now, today};
use crate::access::Cx;
use crate::db::{DbError, Source};
use crate::http::{Data, Paged, Paging, Path, Problem, Query};
use crate::resources::inventory::rules::{BatchDelivery, BatchSource, Kind, StockError};
use crate::resources::inventory::store::batches::{Batch, TracedOrder};
use crate::resources::inventory::store::movements::{LedgerFilter, Movement};
use crate::resources::inventory::store::{batches, items, movements, suppliers};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// The deliveries that put something into a batch (the third argument) of an outlet.
pub type DeliveriesOf = fn(&dyn Source, Uuid, Uuid) -> Result<Vec<BatchDelivery>, DbError>;

/// A batch of an item.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InventoryBatch {
    id: Uuid,
    inventory_item_id: Uuid,
    batch_number: String,
    /// What is left.
    quantity: Quantity,
    expiry_date: Option<NaiveDate>,
    is_expired: bool,
    received_at: Millis,
    unit_cost_cents: UnitCost,
    supplier_id: Option<Uuid>,
    /// OPENING, DELIVERY, ADJUSTMENT or TRANSFER.
    #[schemars(with = "String")]
    source_type: BatchSource,
}

impl InventoryBatch {
    fn new(batch: Batch, today: NaiveDate) -> Self {
        InventoryBatch {
            is_expired: !batch.is_usable(today),
            id: batch.id,
            inventory_item_id: batch.stock_item_id,
            batch_number: batch.batch_number,
            quantity: batch.quantity,
            expiry_date: batch.expiry_date,
            received_at: batch.received_at,
            unit_cost_cents: batch.unit_cost,
            supplier_id: batch.supplier_id,
            source_type: batch.source_type,
        }
    }
}

/// Which batches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListBatches {
    /// Only those with something left.
    #[serde(default)]
    open_only: bool,
    #[serde(flatten)]
    paging: Paging,
}

/// The batches of an item: those with something left first, then the newest.
pub async fn list_batches(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(query): Query<ListBatches>,
) -> Result<Paged<InventoryBatch>, Problem> {
    let (now, paging) = (now(&cx), query.paging);
    let page = cx
        .read(move |conn, outlet| -> Result<_, StockError> {
            items::find(conn, outlet, id)?.ok_or(StockError::NotFound("inventory item"))?;
            let today = today(conn, outlet, now)?;
            let found = batches::list(conn, outlet, id, query.open_only, paging.into())?;
            Ok(found.map(|batch| InventoryBatch::new(batch, today)))
        })
        .await?;
    Ok(Paged::new(page, paging))
}

/// One change of an item's stock.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockMovement {
    id: Uuid,
    /// OPENING, RECEIPT, SALE, RETURN, WASTE, ADJUSTMENT, STOCKTAKE, SETTLEMENT, TRANSFER_IN or TRANSFER_OUT.
    #[schemars(with = "String")]
    kind: Kind,
    /// None: taken without stock.
    batch_id: Option<Uuid>,
    batch_number: Option<String>,
    quantity_delta: Quantity,
    quantity_before: Quantity,
    quantity_after: Quantity,
    unit_cost_cents: UnitCost,
    /// Of the whole movement, with the sign of the delta, rounded to cents.
    cost_cents: Cents,
    /// What made it: a sale, a delivery, a count and so on.
    cause: MovementCause,
    /// The movement it takes back.
    reverses_id: Option<Uuid>,
    reason: Option<String>,
    note: Option<String>,
    /// The account that did it; none for the box itself and guests.
    actor_id: Option<Uuid>,
    business_date: NaiveDate,
    at: Millis,
}

/// Why stock moved.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovementCause {
    /// What kind of record made it.
    r#type: String,
    /// Id of the record that made it, where there is one.
    id: Option<Uuid>,
    order_id: Option<Uuid>,
    order_item_id: Option<Uuid>,
}

impl TryFrom<Movement> for StockMovement {
    type Error = Overflow;

    fn try_from(m: Movement) -> Result<Self, Overflow> {
        Ok(StockMovement {
            id: m.id,
            kind: m.kind,
            batch_id: m.batch_id,
            batch_number: m.batch_number,
            quantity_delta: m.quantity_delta,
            quantity_before: m.quantity_before,
            quantity_after: m.quantity_after,
            unit_cost_cents: m.unit_cost,
            cost_cents: Cents::new(round_div(i128::from(m.cost_micros), i128::from(MILLION))?),
            cause: MovementCause {
                r#type: m.cause_type,
                id: m.cause_id,
                order_id: m.order_id,
                order_item_id: m.order_item_id,
            },
            reverses_id: m.reverses_id,
            reason: m.reason,
            note: m.note,
            actor_id: m.actor_id,
            business_date: m.business_date,
            at: m.at,
        })
    }
}

/// Which part of the ledger.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListMovements {
    /// Only this kind, such as `SALE`.
    #[schemars(length(min = 1, max = 20))]
    kind: Option<String>,
    /// From this business date.
    from: Option<NaiveDate>,
    /// To this business date.
    to: Option<NaiveDate>,
    #[serde(flatten)]
    paging: Paging,
}

/// The ledger of an item, the newest first.
pub async fn list_movements(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(query): Query<ListMovements>,
) -> Result<Paged<StockMovement>, Problem> {
    let paging = query.paging;
    let filter = LedgerFilter { kind: query.kind, from: query.from, to: query.to };
    let page = cx
        .read(move |conn, outlet| -> Result<_, StockError> {
            items::find(conn, outlet, id)?.ok_or(StockError::NotFound("inventory item"))?;
            let found = movements::list(conn, outlet, id, &filter, paging.into())?;
            Ok(found.try_map(StockMovement::try_from)?)
        })
        .await?;
    Ok(Paged::new(page, paging))
}

/// An order that took from the batch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TracedBatchOrder {
    order_id: Uuid,
    order_number: Option<String>,
    business_date: NaiveDate,
    at: Millis,
    /// What it took, returns taken off.
    quantity: Quantity,
}

impl From<TracedOrder> for TracedBatchOrder {
    fn from(o: TracedOrder) -> Self {
        TracedBatchOrder {
            order_id: o.order_id,
            order_number: o.order_number,
            business_date: o.business_date,
            at: o.at,
            quantity: o.quantity,
        }
    }
}

/// Where a batch came from and where it went.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchTrace {
    /// The batch that was asked about.
    batch: InventoryBatch,
    item_name: Option<String>,
    supplier_name: Option<String>,
    /// The deliveries that put something into it, the oldest first.
    deliveries: Vec<BatchDelivery>,
    /// The orders of this page, the oldest first.
    orders: Vec<TracedBatchOrder>,
    /// How many orders in all.
    orders_count: i64,
}

/// Where a batch came from and which orders it went into.
pub async fn trace_batch(
    cx: Cx,
    Path(id): Path<Uuid>,
    Query(paging): Query<Paging>,
    deliveries: DeliveriesOf,
) -> Result<Data<BatchTrace>, Problem> {
    let now = now(&cx);
    let trace = cx
        .read(move |conn, outlet| -> Result<_, StockError> {
            let batch = batches::find(conn, outlet, id)?.ok_or(StockError::NotFound("batch"))?;
            let orders = batches::list_orders(conn, outlet, &batch, paging.into())?;
            let item = items::find(conn, outlet, batch.stock_item_id)?;
            let supplier =
                batch.supplier_id.map(|id| suppliers::find(conn, outlet, id)).transpose()?.flatten();
            Ok(BatchTrace {
                deliveries: deliveries(conn, outlet, batch.id)?,
                batch: InventoryBatch::new(batch, today(conn, outlet, now)?),
                item_name: item.map(|item| item.draft.name),
                supplier_name: supplier.map(|supplier| supplier.draft.name),
                orders_count: orders.total,
                orders: orders.items.into_iter().map(Into::into).collect(),
            })
        })
        .await?;
    Ok(Data::new(trace))
}
