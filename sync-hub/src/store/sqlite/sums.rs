//! What is left of each batch and each item, kept beside the stock movements it is the sum of, in the transaction that changes them,
//! however they came: as on PostgreSQL (`postgres/sums.rs`), but movement by movement. It bounds nothing: a log may be taken back and
//! told again.

use crate::store::bytes;
use rusqlite::{Connection, OptionalExtension, Result, params};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tiffin_common::Uuid;
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::registry::{Table, table_named};

const HELD: &str = "SELECT stock_item_id, coalesce(batch_id, x''), quantity_delta, cost_micros FROM stock_movements WHERE id = ?1";

const ADD: &str = "INSERT INTO hub_stock_sums (outlet_id, stock_item_id, batch_id, quantity, cost_micros) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (stock_item_id, batch_id) DO UPDATE
      SET quantity = quantity + excluded.quantity, cost_micros = cost_micros + excluded.cost_micros";

/// What changes add to the sums, by item and batch; the batch is empty where there is none.
#[derive(Debug, Default)]
pub(super) struct Sums(BTreeMap<(Vec<u8>, Vec<u8>), (i128, i128)>);

/// Whether it is a movement that changes.
fn is_of(op: &Op<'_>) -> bool {
    movements().is_some_and(|table| table.no == op.table)
}

fn movements() -> Option<&'static Table> {
    static TABLE: LazyLock<Option<&Table>> = LazyLock::new(|| table_named("stock_movements"));
    *TABLE
}

impl Sums {
    /// Takes out what a change is about to be made to, where it is a movement.
    pub(super) fn leave(&mut self, conn: &Connection, op: &Op<'_>) -> Result<()> {
        if is_of(op) {
            self.add(Part::held(conn, op.key)?, -1);
        }
        Ok(())
    }

    /// Counts in what a change has made, where it is a movement.
    pub(super) fn come(&mut self, conn: &Connection, op: &Op<'_>) -> Result<()> {
        if is_of(op) {
            self.add(if op.kind == OpKind::Insert { Part::told(op) } else { Part::held(conn, op.key)? }, 1);
        }
        Ok(())
    }

    fn add(&mut self, part: Option<Part>, times: i128) {
        if let Some(Part { item, batch, quantity, cost }) = part {
            let sum = self.0.entry((item, batch)).or_default();
            *sum = (sum.0 + times * i128::from(quantity), sum.1 + times * i128::from(cost));
        }
    }

    /// Writes them; false where one is more than can be kept.
    pub(super) fn settle(self, conn: &Connection, outlet: Uuid) -> Result<bool> {
        let mut add = conn.prepare_cached(ADD)?;
        for ((item, batch), (quantity, cost)) in self.0 {
            let (Ok(quantity), Ok(cost)) = (i64::try_from(quantity), i64::try_from(cost)) else {
                return Ok(false);
            };
            add.execute(params![outlet, item, batch, quantity, cost])?;
        }
        Ok(true)
    }
}

/// What one movement adds.
struct Part {
    item: Vec<u8>,
    batch: Vec<u8>,
    quantity: i64,
    cost: i64,
}

impl Part {
    /// Of the movement that is there with this key.
    fn held(conn: &Connection, key: Value<'_>) -> Result<Option<Part>> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Part { item: row.get(0)?, batch: row.get(1)?, quantity: row.get(2)?, cost: row.get(3)? })
        };
        conn.prepare_cached(HELD)?.query_row([key], read).optional()
    }

    /// Of a new one, as it was written; none where a part is missing, which no row can be.
    fn told(op: &Op<'_>) -> Option<Part> {
        static COLUMNS: LazyLock<[Option<usize>; 4]> = LazyLock::new(|| {
            ["stock_item_id", "batch_id", "quantity_delta", "cost_micros"]
                .map(|name| movements().and_then(|table| table.column(name)))
        });
        let [item, batch, quantity, cost] = COLUMNS.map(|wanted| {
            op.columns.iter().find(|(column, _)| Some(*column) == wanted).map(|(_, value)| value)
        });
        let part = |value: Option<&Value<'_>>| value.and_then(bytes).unwrap_or_default().to_vec();
        let (Some(Value::Integer(quantity)), Some(Value::Integer(cost))) = (quantity, cost) else {
            return None;
        };
        Some(Part { item: part(item), batch: part(batch), quantity: *quantity, cost: *cost })
    }
}
