//! Rows of `purchase_deliveries` and their lines. Only ever inserted into.

use super::super::rules::{Delivery, DeliveryLine, PurchaseOrder};
use super::{date, optional_date};
use crate::access::Actor;
use crate::db::{self, Source, Transaction, list as rows};
use crate::resources::inventory::rules::BatchDelivery;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// What came of an order, the oldest delivery first.
pub fn of_order(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Delivery>> {
    let sql = "SELECT l.delivery_id, l.id, l.purchase_order_line_id, l.batch_id, l.batch_number, l.expiry_date, l.quantity,
                 l.unit, l.unit_cost, l.total_cents, l.stock_quantity
               FROM purchase_deliveries d JOIN purchase_delivery_lines l ON l.delivery_id = d.id
               WHERE d.purchase_order_id = ?1 AND d.outlet_id = ?2 ORDER BY l.delivery_id, l.line_number";
    let mut lines: HashMap<Uuid, Vec<DeliveryLine>> = HashMap::new();
    for (delivery, line) in rows(conn, sql, [order, outlet], |row| {
        let line = DeliveryLine {
            id: row.get(1)?,
            order_line_id: row.get(2)?,
            batch_id: row.get(3)?,
            batch_number: row.get(4)?,
            expiry_date: optional_date(row, 5)?,
            quantity: row.get(6)?,
            unit: row.get(7)?,
            unit_cost: row.get(8)?,
            total: row.get(9)?,
            stock_quantity: row.get(10)?,
        };
        Ok((row.get::<_, Uuid>(0)?, line))
    })? {
        lines.entry(delivery).or_default().push(line);
    }
    let sql = "SELECT id, invoice_ref, note, total_cents, business_date, at, by_name FROM purchase_deliveries
               WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY id";
    rows(conn, sql, [order, outlet], |row| {
        let id = row.get(0)?;
        Ok(Delivery {
            id,
            invoice_ref: row.get(1)?,
            note: row.get(2)?,
            total: row.get(3)?,
            business_date: date(row, 4)?,
            at: row.get(5)?,
            by_name: row.get(6)?,
            lines: lines.remove(&id).unwrap_or_default(),
        })
    })
}

/// The deliveries that put something into a batch, the oldest first.
pub fn deliveries_of_batch(conn: &dyn Source, outlet: Uuid, batch: Uuid) -> db::Result<Vec<BatchDelivery>> {
    let sql = "SELECT d.id, o.id, o.po_number, d.invoice_ref, o.supplier_id, o.supplier_name, sum(l.stock_quantity),
                 d.business_date, d.at
               FROM purchase_delivery_lines l JOIN purchase_deliveries d ON d.id = l.delivery_id
                 JOIN purchase_orders o ON o.id = d.purchase_order_id
               WHERE l.batch_id = ?1 AND l.outlet_id = ?2 GROUP BY d.id, o.id, o.po_number, d.invoice_ref, o.supplier_id, o.supplier_name, d.business_date, d.at
               ORDER BY d.id";
    rows(conn, sql, [batch, outlet], |row| {
        Ok(BatchDelivery {
            delivery_id: row.get(0)?,
            purchase_order_id: row.get(1)?,
            po_number: row.get(2)?,
            invoice_ref: row.get(3)?,
            supplier_id: row.get(4)?,
            supplier_name: row.get(5)?,
            quantity: row.get(6)?,
            business_date: date(row, 7)?,
            at: row.get(8)?,
        })
    })
}

/// Writes a delivery without its lines: their batches name it as their source, and so come after it.
pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    actor: &Actor,
    order: &PurchaseOrder,
    delivery: &Delivery,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO purchase_deliveries (id, outlet_id, purchase_order_id, supplier_id, invoice_ref, note, total_cents,
           business_date, at, by_id, by_name)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            delivery.id,
            actor.outlet_id,
            order.id,
            order.supplier_id,
            delivery.invoice_ref,
            delivery.note,
            delivery.total,
            delivery.business_date.to_string(),
            delivery.at,
            actor.account_id,
            delivery.by_name
        ],
    )
    .map(drop)
}

pub(in super::super) fn insert_line(
    tx: &Transaction<'_>,
    outlet: Uuid,
    delivery: Uuid,
    number: i64,
    line: &DeliveryLine,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO purchase_delivery_lines (id, outlet_id, delivery_id, purchase_order_line_id, line_number, batch_id,
           batch_number, expiry_date, quantity, unit, unit_cost, total_cents, stock_quantity)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            line.id,
            outlet,
            delivery,
            line.order_line_id,
            number,
            line.batch_id,
            line.batch_number,
            line.expiry_date.map(|day| day.to_string()),
            line.quantity,
            line.unit,
            line.unit_cost,
            line.total,
            line.stock_quantity
        ],
    )
    .map(drop)
}
