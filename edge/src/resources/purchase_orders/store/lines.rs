//! Rows of `purchase_order_lines`.

use super::super::rules::OrderLine;
use super::super::rules::lines::NewLine;
use crate::db::{self, Row, Source, Transaction, list as rows};
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::{Quantity, Uuid};

fn read(row: &Row<'_>) -> db::Result<OrderLine> {
    Ok(OrderLine {
        id: row.get(0)?,
        stock_item_id: row.get(1)?,
        name: row.get(2)?,
        quantity: row.get(3)?,
        unit: row.get(4)?,
        unit_cost: row.get(5)?,
        total: row.get(6)?,
        stock_quantity: row.get(7)?,
        stock_unit: row.get(8)?,
        received_stock_quantity: row.get(9)?,
    })
}

/// The lines of an order, in their order.
pub fn of_order(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<OrderLine>> {
    let sql = "SELECT id, stock_item_id, name, quantity, unit, unit_cost, total_cents, stock_quantity, stock_unit,
                 received_stock_quantity
               FROM purchase_order_lines WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY line_number";
    rows(conn, sql, [order, outlet], read)
}

/// What open purchase orders, drafts included, still bring of each item, in its unit.
pub fn on_order(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, Quantity>> {
    let sql = "SELECT l.stock_item_id, sum(max(l.stock_quantity - l.received_stock_quantity, 0))
               FROM purchase_orders o JOIN purchase_order_lines l ON l.purchase_order_id = o.id
               WHERE o.outlet_id = ?1 AND o.status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED')
               GROUP BY l.stock_item_id";
    let found = rows(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.into_iter().collect())
}

/// Puts `lines` in the place of whatever lines the order has.
pub(in super::super) fn replace(
    tx: &Transaction<'_>,
    outlet: Uuid,
    order: Uuid,
    lines: &[NewLine],
) -> db::Result<()> {
    tx.execute(
        "DELETE FROM purchase_order_lines WHERE purchase_order_id = ?1 AND outlet_id = ?2",
        [order, outlet],
    )?;
    for (number, line) in (1i64..).zip(lines) {
        tx.execute(
            "INSERT INTO purchase_order_lines (id, outlet_id, purchase_order_id, line_number, stock_item_id, name, quantity,
               unit, unit_cost, total_cents, stock_quantity, stock_unit)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            params![
                tx.new_id(),
                outlet,
                order,
                number,
                line.stock_item_id,
                line.name,
                line.quantity,
                line.unit,
                line.unit_cost,
                line.total,
                line.stock_quantity,
                line.stock_unit
            ],
        )?;
    }
    Ok(())
}

/// Counts `quantity` (in the item's unit) into what has come of a line.
pub(in super::super) fn add_received(
    tx: &Transaction<'_>,
    outlet: Uuid,
    line: Uuid,
    quantity: Quantity,
) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_order_lines SET received_stock_quantity = received_stock_quantity + ?3
         WHERE id = ?1 AND outlet_id = ?2",
        params![line, outlet, quantity],
    )
    .map(drop)
}
