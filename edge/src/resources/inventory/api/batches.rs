//! Batches of an item, its ledger, and where a batch went.

use super::{now, today};
use crate::access::Cx;
use crate::db::{self, Source};
use crate::http::{Data, Id, Paged, Paging, Query, Result};
use crate::resources::inventory::rules::making::{MadeBatch, Origin};
use crate::resources::inventory::rules::{BatchDelivery, BatchSource, Kind, StockError};
use crate::resources::inventory::store::batches::{Batch, TracedOrder};
use crate::resources::inventory::store::movements::{LedgerFilter, Movement};
use crate::resources::inventory::store::{batches, items, makings, movements, suppliers};
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// The deliveries that put something into a batch (the third argument) of an outlet.
pub type DeliveriesOf = fn(&dyn Source, Uuid, Uuid) -> db::Result<Vec<BatchDelivery>>;

view! {
    /// A batch of an item.
    pub struct InventoryBatch of batch: Batch, today: NaiveDate {
        id: Uuid,
        inventory_item_id: Uuid = batch.stock_item_id,
        batch_number: String,
        /// What is left.
        quantity: Quantity,
        expiry_date: Option<NaiveDate>,
        is_expired: bool = !batch.is_usable(today),
        received_at: Millis,
        unit_cost_cents: UnitCost = batch.unit_cost,
        supplier_id: Option<Uuid>,
        /// OPENING, DELIVERY, ADJUSTMENT, TRANSFER or PRODUCTION.
        #[schemars(with = "String")]
        source_type: BatchSource,
    }
}

/// Which batches.
#[apply(request!)]
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
    Id(id): Id,
    Query(query): Query<ListBatches>,
) -> Result<Paged<InventoryBatch>> {
    let (now, paging) = (now(&cx), query.paging);
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        items::find(conn, outlet, id)?.ok_or(StockError::NotFound("inventory item"))?;
        let today = today(conn, outlet, now)?;
        let found = batches::list(conn, outlet, id, query.open_only, paging.into())?;
        Ok(found.map(|batch| InventoryBatch::of(batch, today)))
    })
    .await
}

view! {
    /// One change of an item's stock.
    pub struct StockMovement of m: Movement | Overflow {
        id: Uuid,
        /// OPENING, RECEIPT, SALE, RETURN, WASTE, ADJUSTMENT, STOCKTAKE, SETTLEMENT, TRANSFER_IN, TRANSFER_OUT or PRODUCTION.
        #[schemars(with = "String")]
        kind: Kind,
        /// None: taken without stock.
        batch_id: Option<Uuid>,
        batch_number: Option<String>,
        quantity_delta: Quantity,
        quantity_before: Quantity,
        quantity_after: Quantity,
        unit_cost_cents: UnitCost = m.unit_cost,
        /// Of the whole movement, with the sign of the delta, rounded to cents.
        cost_cents: Cents = Cents::new(round_div(i128::from(m.cost_micros), i128::from(MILLION))?),
        /// What made it: a sale, a delivery, a count and so on.
        cause: MovementCause = MovementCause {
            r#type: m.cause_type, id: m.cause_id, order_id: m.order_id, order_item_id: m.order_item_id
        },
        /// The movement it takes back.
        reverses_id: Option<Uuid>,
        reason: Option<String>,
        note: Option<String>,
        /// The account that did it; none for the box itself and guests.
        actor_id: Option<Uuid>,
        business_date: NaiveDate,
        at: Millis,
        clock_suspect: bool,
    }
}

/// Why stock moved.
#[apply(answer!)]
pub struct MovementCause {
    /// What kind of record made it.
    r#type: String,
    /// Id of the record that made it, where there is one.
    id: Option<Uuid>,
    order_id: Option<Uuid>,
    order_item_id: Option<Uuid>,
}

/// Which part of the ledger.
#[apply(request!)]
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
    Id(id): Id,
    Query(query): Query<ListMovements>,
) -> Result<Paged<StockMovement>> {
    let paging = query.paging;
    let filter = LedgerFilter { kind: query.kind, from: query.from, to: query.to };
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        items::find(conn, outlet, id)?.ok_or(StockError::NotFound("inventory item"))?;
        let found = movements::list(conn, outlet, id, &filter, paging.into())?;
        Ok(found.try_map(StockMovement::try_from)?)
    })
    .await
}

view! {
    /// An order that took from the batch, or of what was made of it.
    pub struct TracedBatchOrder of o: TracedOrder {
        order_id: Uuid,
        order_number: Option<String>,
        business_date: NaiveDate,
        at: Millis,
        /// What it took, returns taken off; of what was made of the batch, the batch's share in it.
        quantity: Quantity,
    }
}

view! {
    /// What went into a batch that was made here.
    pub struct MadeFrom of origin: Origin {
        /// The batch that was made: the one asked about, or one that went into it.
        made_batch_id: Uuid,
        /// The stock item that went in.
        inventory_item_id: Uuid = origin.stock_item_id,
        name: String,
        unit: String,
        /// How much of it went into the whole batch.
        quantity: Quantity,
        /// The batch; null: taken without stock.
        batch_id: Option<Uuid>,
        batch_number: Option<String>,
        expiry_date: Option<NaiveDate>,
        supplier_id: Option<Uuid>,
        supplier_name: Option<String>,
    }
}

view! {
    /// A batch that was made here with some of the batch that was asked about, or of what that was made into.
    pub struct MadeInto of made: MadeBatch {
        /// The batch that was made.
        batch_id: Uuid,
        batch_number: String,
        /// The stock item it is of.
        inventory_item_id: Uuid = made.stock_item_id,
        name: String,
        /// Unit of `quantity`.
        unit: String,
        /// How much was made.
        quantity: Quantity = made.made,
        /// How much of the batch that was asked about is in it, in that one's unit.
        holds_quantity: Quantity = made.holds,
        at: Millis,
    }
}

/// Where a batch came from and where it went.
#[apply(answer!)]
pub struct BatchTrace {
    /// The batch that was asked about.
    batch: InventoryBatch,
    item_name: Option<String>,
    supplier_name: Option<String>,
    /// The deliveries that put something into it, the oldest first.
    deliveries: Vec<BatchDelivery>,
    /// What it was made of, where it was made here, and what that was made of.
    made_from: Vec<MadeFrom>,
    /// What was made of it here, and of that.
    made_into: Vec<MadeInto>,
    /// The orders of this page, the oldest first: also those that took of what was made of it.
    orders: Vec<TracedBatchOrder>,
    /// How many orders in all.
    orders_count: i64,
}

/// Where a batch came from and which orders it went into, by way of whatever was made of it.
pub async fn trace_batch(
    cx: Cx,
    Id(id): Id,
    Query(paging): Query<Paging>,
    deliveries: DeliveriesOf,
) -> Result<Data<BatchTrace>> {
    let now = now(&cx);
    cx.get(move |conn, outlet| -> Result<_, StockError> {
        let batch = batches::find(conn, outlet, id)?.ok_or(StockError::NotFound("batch"))?;
        let made = makings::list_made(conn, outlet, batch.stock_item_id, batch.id)?;
        let orders = orders(conn, outlet, &batch, &made)?;
        let origins = makings::list_origins(conn, outlet, batch.id)?;
        let item = items::find(conn, outlet, batch.stock_item_id)?;
        let supplier = batch.supplier_id.map(|id| suppliers::find(conn, outlet, id)).transpose()?.flatten();
        let (limit, offset): (u32, u32) = paging.into();
        Ok(BatchTrace {
            deliveries: deliveries(conn, outlet, batch.id)?,
            batch: InventoryBatch::of(batch, today(conn, outlet, now)?),
            item_name: item.map(|item| item.draft.name),
            supplier_name: supplier.map(|supplier| supplier.draft.name),
            made_from: origins.into_iter().map(Into::into).collect(),
            made_into: made.into_iter().map(Into::into).collect(),
            orders_count: i64::try_from(orders.len()).unwrap_or(i64::MAX),
            orders: orders.into_iter().skip(offset as usize).take(limit as usize).map(Into::into).collect(),
        })
    })
    .await
}

/// The orders that took from the batch, and of what was made of it: each once, with all it has of the batch.
fn orders(
    conn: &dyn Source,
    outlet: Uuid,
    batch: &Batch,
    made: &[MadeBatch],
) -> Result<Vec<TracedOrder>, StockError> {
    let mut all: HashMap<Uuid, TracedOrder> = HashMap::new();
    for order in batches::list_orders(conn, outlet, batch.stock_item_id, batch.id)? {
        all.insert(order.order_id, order);
    }
    for made in made {
        for order in batches::list_orders(conn, outlet, made.stock_item_id, made.batch_id)? {
            let share = made.share(order.quantity);
            match all.get_mut(&order.order_id) {
                Some(known) => {
                    known.quantity = known.quantity.plus(share)?;
                    if (order.at, order.business_date) < (known.at, known.business_date) {
                        (known.at, known.business_date) = (order.at, order.business_date);
                    }
                }
                None => {
                    all.insert(order.order_id, TracedOrder { quantity: share, ..order });
                }
            }
        }
    }
    let mut list: Vec<TracedOrder> = all.into_values().collect();
    list.sort_by_key(|order| (order.at, order.order_id));
    Ok(list)
}
