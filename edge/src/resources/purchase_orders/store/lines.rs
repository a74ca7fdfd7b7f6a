//! Rows of `purchase_order_lines`.

use super::super::rules::OrderLine;
use super::super::rules::lines::NewLine;
use crate::db::{self, Columns, Source, Tx, list as rows};
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::{Quantity, Uuid};

/// The lines of an order, in their order.
pub fn list_lines(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<OrderLine>> {
    let sql = select!(OrderLine, "WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY line_number");
    rows(conn, sql, [order, outlet], OrderLine::read)
}

/// What open purchase orders, drafts included, still bring of each item, in its unit.
pub fn list_on_order(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, Quantity>> {
    let sql = "SELECT l.stock_item_id, sum(max(l.stock_quantity - l.received_stock_quantity, 0)) AS quantity
               FROM purchase_orders o JOIN purchase_order_lines l ON l.purchase_order_id = o.id
               WHERE o.outlet_id = ?1 AND o.status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED')
               GROUP BY l.stock_item_id";
    let found = rows(conn, sql, [outlet], |row| Ok((row.get("stock_item_id")?, row.get("quantity")?)))?;
    Ok(found.into_iter().collect())
}

/// The numbers of open purchase orders, drafts included, that name an item; a few of them.
pub fn list_numbers_with(conn: &dyn Source, outlet: Uuid, item: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT o.po_number FROM purchase_orders o
               WHERE o.outlet_id = ?1 AND o.status IN ('DRAFT', 'SENT', 'PARTIALLY_RECEIVED')
                 AND EXISTS (SELECT 1 FROM purchase_order_lines l WHERE l.purchase_order_id = o.id AND l.stock_item_id = ?2)
               ORDER BY o.po_number LIMIT 5";
    rows(conn, sql, [outlet, item], |row| row.get(0))
}

/// Puts `lines` in the place of whatever lines the order has.
pub(in super::super) fn set_lines(
    tx: &Tx<'_>,
    outlet: Uuid,
    order: Uuid,
    lines: &[NewLine],
) -> db::Result<()> {
    tx.execute(
        "DELETE FROM purchase_order_lines WHERE purchase_order_id = ?1 AND outlet_id = ?2",
        [order, outlet],
    )?;
    for (number, line) in (1i64..).zip(lines) {
        insert!(
            tx,
            purchase_order_lines {
                id: tx.new_id(),
                outlet_id: outlet,
                purchase_order_id: order,
                line_number: number,
                ..line
            }
        )?;
    }
    Ok(())
}

/// Adds those of `lines` that are there without having been ordered, and are no rows yet: nothing has come of them.
pub(in super::super) fn insert_extra(
    tx: &Tx<'_>,
    outlet: Uuid,
    order: Uuid,
    lines: &[OrderLine],
) -> db::Result<()> {
    let fresh = |line: &&OrderLine| line.is_extra && line.received_stock_quantity == Quantity::ZERO;
    for (number, line) in (1i64..).zip(lines).filter(|(_, line)| fresh(line)) {
        insert!(
            tx,
            purchase_order_lines { outlet_id: outlet, purchase_order_id: order, line_number: number, ..line }
        )?;
    }
    Ok(())
}

/// Counts `quantity` (in the item's unit) into what has come of a line.
pub(in super::super) fn set_received(
    tx: &Tx<'_>,
    outlet: Uuid,
    line: Uuid,
    quantity: Quantity,
) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_order_lines SET received_stock_quantity = received_stock_quantity + ?3
         WHERE id = ?1 AND outlet_id = ?2",
        params![line, outlet, quantity],
    )
}
