//! Columns that follow from others: by arithmetic, or because another row said so. A rule is a guess like any other: where
//! it is wrong, the value is told.

use super::memory::{Cell, mix};
use super::values::Values;
use crate::frame::OpKind;

const STOCK_MOVEMENTS: u16 = 43;
const KITCHEN_TICKETS: u16 = 61;
const KITCHEN_TICKET_ITEMS: u16 = 62;
const ORDER_ITEMS: u16 = 72;
const ORDER_TAXES: u16 = 77;
const INVOICES: u16 = 81;

/// Marks of what other rows said.
const LEFT: u64 = 77;
const DISH: u64 = 78;
const GROSS: u64 = 79;
const TARGET: u64 = 80;

/// The column of a new row that says most about the others.
pub(super) fn first(table: u16, kind: OpKind) -> Option<u8> {
    match (table, kind) {
        // The line that uses the stock.
        (STOCK_MOVEMENTS, OpKind::Insert) => Some(13),
        _ => None,
    }
}

fn of(row: &[(usize, Cell)], wanted: usize) -> Option<Cell> {
    row.iter().find(|(column, _)| *column == wanted).map(|(_, cell)| *cell)
}

fn int(row: &[(usize, Cell)], wanted: usize) -> Option<i64> {
    match of(row, wanted) {
        Some(Cell::Int(integer)) => Some(integer),
        _ => None,
    }
}

fn ratio(one: i64, other: i64, by: i128) -> Option<Cell> {
    let product = i128::from(one) * i128::from(other);
    let half = if product < 0 { -by / 2 } else { by / 2 };
    i64::try_from((product + half) / by).ok().map(Cell::Int)
}

/// What `column` should be, by the columns of the row so far.
pub(super) fn expected(
    values: &mut Values,
    table: u16,
    column: usize,
    row: &[(usize, Cell)],
) -> Option<Cell> {
    let said = |values: &Values, what: u64, cell: Cell| {
        values.followed.get(mix(what, cell.mark())).map(|(cell, _)| cell)
    };
    match (table, column) {
        // What the batch's last movement left.
        (STOCK_MOVEMENTS, 6) => said(values, mix(LEFT, of(row, 2)?.mark()), of(row, 3)?),
        (STOCK_MOVEMENTS, 7) => Some(Cell::Int(int(row, 6)?.wrapping_add(int(row, 5)?))),
        (STOCK_MOVEMENTS, 9) => ratio(int(row, 5)?, int(row, 8)?, 1_000_000),
        (KITCHEN_TICKET_ITEMS, 4) => said(values, DISH, of(row, 3)?),
        (KITCHEN_TICKETS, 22) => match said(values, TARGET, of(row, 2)?)? {
            Cell::Int(wait) => Some(Cell::Int(int(row, 16)?.wrapping_add(wait))),
            _ => None,
        },
        (ORDER_TAXES, 6) => said(values, GROSS, of(row, 3)?),
        (ORDER_TAXES, 7) => ratio(int(row, 6)?, int(row, 5)?, 10_000),
        // The chain of bills: BLAKE3 of the one before and the text.
        (INVOICES, 12) => match (of(row, 10)?, of(row, 11)?) {
            (Cell::Text(body), Cell::Blob(previous)) => {
                let mut hasher = blake3::Hasher::new();
                hasher.update(values.texts.blob(previous));
                hasher.update(values.texts.text(body).as_bytes());
                values.texts.keep_blob(hasher.finalize().as_bytes()).ok().map(Cell::Blob)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Remembers what a rule will want. `row` has the columns before this one.
pub(super) fn learn(
    values: &mut Values,
    table: u16,
    column: usize,
    cell: Cell,
    key: Cell,
    row: &[(usize, Cell)],
) -> Option<()> {
    match (table, column) {
        (STOCK_MOVEMENTS, 7) => {
            values.followed.learn(mix(mix(LEFT, of(row, 2)?.mark()), of(row, 3)?.mark()), cell);
        }
        (STOCK_MOVEMENTS, 13) => {
            let dish = values.followed.get(mix(DISH, cell.mark())).map_or(Cell::Null, |(dish, _)| dish);
            values.theme.0 = dish.mark();
        }
        (KITCHEN_TICKETS, 22) => {
            let Cell::Int(target) = cell else { return None };
            let wait = Cell::Int(target.wrapping_sub(int(row, 16)?));
            values.followed.learn(mix(TARGET, of(row, 2)?.mark()), wait);
        }
        (ORDER_ITEMS, 4) => values.followed.learn(mix(DISH, key.mark()), cell),
        (ORDER_ITEMS, 16) => values.followed.learn(mix(GROSS, key.mark()), cell),
        _ => {}
    }
    Some(())
}
