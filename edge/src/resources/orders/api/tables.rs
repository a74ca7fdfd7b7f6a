//! Moving and merging the parties of tables: `/tables/{id}/transfer` and `/tables/{id}/merge`. They move orders, so orders
//! own them.

use super::super::actions;
use super::super::rules::{OrderError, OrderRecord};
use super::view::Order;
use crate::access::Cx;
use crate::http::{Id, Json, Result, Updated};
use tiffin_common::Uuid;

/// Where a party goes.
#[apply(request!)]
pub struct TransferTable {
    /// The free table.
    to_table_id: Uuid,
}

/// Whose parties join.
#[apply(request!)]
pub struct MergeTables {
    /// The tables whose parties come over.
    #[schemars(length(min = 1, max = 20))]
    table_ids: Vec<Uuid>,
}

/// A party at its new table.
#[apply(answer!)]
pub struct MovedParty {
    /// Where the party sits now.
    table_id: Uuid,
    /// The orders that moved.
    orders: Vec<Order>,
}

fn moved(table_id: Uuid, orders: Vec<OrderRecord>) -> MovedParty {
    MovedParty { table_id, orders: orders.into_iter().map(Order::from).collect() }
}

/// Moves a party to a free table.
pub async fn transfer_table(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<TransferTable>,
) -> Result<Updated<MovedParty>> {
    let to = body.to_table_id;
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        actions::move_table(tx, actor, id, to).map(|orders| moved(to, orders))
    })
    .await
}

/// Puts parties together at one table.
pub async fn merge_tables(cx: Cx, Id(id): Id, Json(body): Json<MergeTables>) -> Result<Updated<MovedParty>> {
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        actions::merge_tables(tx, actor, id, &body.table_ids).map(|orders| moved(id, orders))
    })
    .await
}
