//! Stock that was put on the shelf in a lost part of the log and here, too: what was sold came back once, a transfer came in once. Never
//! judges what was taken.

use super::own::Own;
use super::store;
use crate::db::{DbError, Source};
use crate::log::RowKey;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::registry::{self, Table};

/// What is thrown away of an order's line comes back first, and goes with the same action.
const WASTE: &str = "WASTE";
/// What a transfer put on the shelf, or went from there again when it was undone.
const TRANSFER_IN: &str = "TRANSFER_IN";

/// A movement of stock that was lost.
pub(super) struct Movement<'a> {
    row: RowKey,
    quantity: i64,
    reverses: Option<Uuid>,
    cause: Option<Uuid>,
    kind: &'a str,
    /// The order's line and the item of which it is a part.
    of: (Option<Uuid>, Option<Uuid>),
}

impl<'a> Movement<'a> {
    fn read(table: &Table, op: &Op<'a>) -> Option<Movement<'a>> {
        let id = |name: &str| op.value(table, name)?.id();
        let (Value::Integer(quantity), Value::Text(kind)) =
            (op.value(table, "quantity_delta")?, op.value(table, "kind")?)
        else {
            return None;
        };
        Some(Movement {
            row: (table.no, op.row_id()?),
            quantity,
            reverses: id("reverses_id"),
            cause: id("cause_id"),
            kind,
            of: (id("order_item_id"), id("stock_item_id")),
        })
    }
}

/// The movements that `ops` made (of one action, or all of another box).
pub(super) fn movements<'a>(ops: &[Op<'a>]) -> Vec<Movement<'a>> {
    let Some(table) = registry::table_named("stock_movements") else { return Vec::new() };
    let made = ops.iter().filter(|op| op.table == table.no && op.kind == OpKind::Insert);
    made.filter_map(|op| Movement::read(table, op)).collect()
}

/// Which of these that were lost give back what is back already: those, and what was thrown away of the same.
pub(super) fn given_back(from: &dyn Source, movements: &[Movement<'_>]) -> Result<BTreeSet<RowKey>, DbError> {
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
        .filter(|movement| movement.kind == WASTE && movement.of.0.is_some() && lines.contains(&movement.of));
    twice.extend(thrown_away.map(|movement| movement.row));
    Ok(twice)
}

/// Which of them took in, or out again, what came with transfers whose receipt was written here, or undone: that says what is on the
/// shelf. Where it says nothing of a line, no movement stands for that.
pub(super) fn taken_in(own: &Own, movements: &[Movement<'_>]) -> BTreeSet<RowKey> {
    let Some(receipts) = registry::table_named("stock_transfer_receipts") else { return BTreeSet::new() };
    // A receipt has the id of its transfer.
    let is_own = |transfer| own.has(&(receipts.no, transfer));
    let own = |movement: &&Movement<'_>| movement.kind == TRANSFER_IN && movement.cause.is_some_and(is_own);
    movements.iter().filter(own).map(|movement| movement.row).collect()
}
