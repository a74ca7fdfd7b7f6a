//! Stock that was given back in a lost part of the log and here, too: it came back to the shelf once. Never judges what was taken.

use super::store;
use crate::db::{DbError, Source};
use crate::log::{RowKey, row_id};
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::registry::{self, Table};

/// What is thrown away of an order's line comes back first, and goes with the same action.
const WASTE: &str = "WASTE";

/// A movement of stock that was lost.
struct Movement {
    row: RowKey,
    quantity: i64,
    reverses: Option<Uuid>,
    is_waste: bool,
    /// The order's line and the item of which it is a part.
    of: (Option<Uuid>, Option<Uuid>),
}

impl Movement {
    fn read(table: &Table, op: &Op<'_>) -> Option<Movement> {
        let of = |name: &str| {
            let no = table.columns.iter().position(|column| *column == name)?;
            op.columns.iter().find(|(given, _)| *given == no).map(|(_, value)| *value)
        };
        let id = |name: &str| match of(name)? {
            Value::Id(id) => Some(id),
            Value::Blob(bytes) => Uuid::from_slice(bytes).ok(),
            _ => None,
        };
        let Some(Value::Integer(quantity)) = of("quantity_delta") else { return None };
        Some(Movement {
            row: (table.no, row_id(op)?),
            quantity,
            reverses: id("reverses_id"),
            is_waste: of("kind") == Some(Value::Text(WASTE)),
            of: (id("order_item_id"), id("stock_item_id")),
        })
    }
}

/// Which of the lost `ops` (of one action, or all of another box) give back what is back already: those movements, and what was thrown
/// away of the same.
pub(super) fn given_back(from: &dyn Source, ops: &[Op<'_>]) -> Result<BTreeSet<RowKey>, DbError> {
    let Some(table) = registry::table_named("stock_movements") else { return Ok(BTreeSet::new()) };
    let made = ops.iter().filter(|op| op.table == table.no && op.kind == OpKind::Insert);
    let movements: Vec<Movement> = made.filter_map(|op| Movement::read(table, op)).collect();
    let mut open: BTreeMap<Uuid, i64> = BTreeMap::new();
    let (mut twice, mut lines) = (BTreeSet::new(), BTreeSet::new());
    for movement in movements.iter().filter(|movement| movement.quantity > 0) {
        let Some(reversed) = movement.reverses else { continue };
        let left = match open.get(&reversed) {
            Some(left) => *left,
            // What is not here was lost as well, and so was everything that came back of it.
            None => match store::find_still_taken(from, reversed)? {
                Some(left) => left,
                None => continue,
            },
        };
        if movement.quantity <= left {
            open.insert(reversed, left.saturating_sub(movement.quantity));
        } else {
            twice.insert(movement.row);
            lines.insert(movement.of);
        }
    }
    let thrown_away = movements
        .iter()
        .filter(|movement| movement.is_waste && movement.of.0.is_some() && lines.contains(&movement.of));
    twice.extend(thrown_away.map(|movement| movement.row));
    Ok(twice)
}
