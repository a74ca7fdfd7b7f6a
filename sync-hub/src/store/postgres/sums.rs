//! What is left of each batch and each item, kept beside the stock movements it is the sum of. Movements are only ever added, and what they
//! add is known before they are written; after anything else the outlet's sums are made anew, which on SQLite they are not.

use super::columns::Columns;
use super::error::said;
use super::fold::{EndState, Expects, Fold};
use super::source::PgSource;
use super::value::Id;
use crate::store::bytes;
use edge::db::Result;
use std::collections::BTreeMap;
use tiffin_common::Uuid;
use tiffin_common::frame::Value;
use tiffin_common::registry::{Table, table_named};
use tokio_postgres::types::ToSql;

const MOVEMENTS: &str = "stock_movements";

const ADD: &str =
    "INSERT INTO hub.hub_stock_sums AS s (outlet_id, stock_item_id, batch_id, quantity, cost_micros)
  SELECT $1, u.* FROM unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[]) AS u
  ON CONFLICT (outlet_id, stock_item_id, batch_id) DO UPDATE
  SET quantity = s.quantity + excluded.quantity, cost_micros = s.cost_micros + excluded.cost_micros";

const FORGET: &str = "DELETE FROM hub.hub_stock_sums WHERE outlet_id = $1";

const ANEW: &str =
    "INSERT INTO hub.hub_stock_sums (outlet_id, stock_item_id, batch_id, quantity, cost_micros)
  SELECT $1, stock_item_id, coalesce(batch_id, '\\x'), compat.sum(quantity_delta), compat.sum(cost_micros)
  FROM merged.stock_movements WHERE outlet_id = $1 GROUP BY stock_item_id, coalesce(batch_id, '\\x')";

/// What becomes of the sums.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// Nothing.
    Same,
    /// More (or less) of each item and batch; the batch is empty where there is none.
    Add(BTreeMap<(Vec<u8>, Vec<u8>), (i64, i64)>),
    /// Movements were changed or taken away.
    Anew,
}

impl Sums {
    /// What the changes make of them.
    pub(super) fn of(fold: &Fold<'_>) -> Sums {
        let Some(table) = table_named(MOVEMENTS) else { return Sums::Same };
        let Ok(columns) = Columns::of(table) else { return Sums::Same };
        let mut sums: BTreeMap<(Vec<u8>, Vec<u8>), (i64, i64)> = BTreeMap::new();
        for (_, net) in fold.rows.iter().filter(|((number, _), _)| *number == table.no) {
            let (Expects::Absent, EndState::Put(row)) = (net.expects, &net.end) else {
                if net.expects == Expects::Absent {
                    continue;
                }
                return Sums::Anew;
            };
            let value = |name| columns.find(name).and_then(|place| row.get(place));
            let part = |name| value(name).and_then(bytes).unwrap_or_default().to_vec();
            let sum = sums.entry((part("stock_item_id"), part("batch_id"))).or_default();
            // Beyond its type's range it is made anew, and the database says so.
            let more = |sum: i64, name| match value(name) {
                Some(Value::Integer(more)) => sum.checked_add(*more),
                _ => None,
            };
            let (Some(quantity), Some(cost)) = (more(sum.0, "quantity_delta"), more(sum.1, "cost_micros"))
            else {
                return Sums::Anew;
            };
            *sum = (quantity, cost);
        }
        if sums.is_empty() { Sums::Same } else { Sums::Add(sums) }
    }

    /// What taking rows of `table` away makes of them.
    pub(super) fn after_pruning(table: &Table) -> Sums {
        if table.name == MOVEMENTS { Sums::Anew } else { Sums::Same }
    }

    pub(super) async fn keep(&self, source: &PgSource<'_>, outlet: Uuid) -> Result<()> {
        let outlet = Id(outlet);
        match self {
            Sums::Same => {}
            Sums::Add(sums) => {
                let items: Vec<&[u8]> = sums.keys().map(|(item, _)| item.as_slice()).collect();
                let batches: Vec<&[u8]> = sums.keys().map(|(_, batch)| batch.as_slice()).collect();
                let quantities: Vec<i64> = sums.values().map(|(quantity, _)| *quantity).collect();
                let costs: Vec<i64> = sums.values().map(|(_, cost)| *cost).collect();
                run(source, ADD, &[&outlet, &items, &batches, &quantities, &costs]).await?;
            }
            Sums::Anew => {
                run(source, FORGET, &[&outlet]).await?;
                run(source, ANEW, &[&outlet]).await?;
            }
        }
        Ok(())
    }
}

async fn run(source: &PgSource<'_>, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<()> {
    let statement = source.prepared(sql, &[]).await?;
    source.client.execute(&statement, params).await.map(drop).map_err(|error| said(&error))
}
