//! Rows of `purchase_deliveries` and their lines. Only ever inserted into.

use super::super::rules::{Delivery, DeliveryLine, PurchaseOrder};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows};
use crate::resources::inventory::rules::BatchDelivery;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// What came of an order, the oldest delivery first.
pub fn list_deliveries(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Delivery>> {
    let sql = select!(
        DeliveryLine as l,
        "l.delivery_id",
        "JOIN purchase_deliveries d ON d.id = l.delivery_id
         WHERE d.purchase_order_id = ?1 AND d.outlet_id = ?2 ORDER BY l.delivery_id, l.line_number"
    );
    let found = rows(conn, sql, [order, outlet], |row| {
        Ok((row.get::<_, Uuid>("delivery_id")?, DeliveryLine::read(row)?))
    })?;
    let mut lines: HashMap<Uuid, Vec<DeliveryLine>> = HashMap::new();
    for (delivery, line) in found {
        lines.entry(delivery).or_default().push(line);
    }
    let sql = select!(Delivery, "WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY id");
    rows(conn, sql, [order, outlet], |row| {
        let delivery = Delivery::read(row)?;
        Ok(Delivery { lines: lines.remove(&delivery.id).unwrap_or_default(), ..delivery })
    })
}

/// The deliveries that put something into a batch, the oldest first. Handed down to the store room, for the batch's trace.
pub fn list_deliveries_of_batch(
    conn: &dyn Source,
    outlet: Uuid,
    batch: Uuid,
) -> db::Result<Vec<BatchDelivery>> {
    let sql = "SELECT d.id AS delivery_id, o.id AS order_id, o.po_number, d.invoice_ref, o.supplier_id, o.supplier_name,
                 sum(l.stock_quantity) AS quantity, d.business_date, d.at
               FROM purchase_delivery_lines l JOIN purchase_deliveries d ON d.id = l.delivery_id
                 JOIN purchase_orders o ON o.id = d.purchase_order_id
               WHERE l.batch_id = ?1 AND l.outlet_id = ?2 GROUP BY d.id, o.id, o.po_number, d.invoice_ref, o.supplier_id, o.supplier_name, d.business_date, d.at
               ORDER BY d.id";
    rows(conn, sql, [batch, outlet], |row| {
        Ok(BatchDelivery {
            delivery_id: row.get("delivery_id")?,
            purchase_order_id: row.get("order_id")?,
            po_number: row.get("po_number")?,
            invoice_ref: row.get("invoice_ref")?,
            supplier_id: row.get("supplier_id")?,
            supplier_name: row.get("supplier_name")?,
            quantity: row.get("quantity")?,
            business_date: row.get("business_date")?,
            at: row.get("at")?,
        })
    })
}

/// Writes a delivery without its lines: their batches name it as their source, and so come after it.
pub(in super::super) fn insert_delivery(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &PurchaseOrder,
    delivery: &Delivery,
) -> db::Result<()> {
    insert!(
        tx,
        purchase_deliveries {
            outlet_id: actor.outlet_id,
            purchase_order_id: order.id,
            supplier_id: order.supplier_id,
            by_id: actor.account_id,
            ..delivery
        }
    )
}

pub(in super::super) fn insert_delivery_line(
    tx: &Tx<'_>,
    outlet: Uuid,
    delivery: Uuid,
    number: i64,
    line: &DeliveryLine,
) -> db::Result<()> {
    insert!(
        tx,
        purchase_delivery_lines { outlet_id: outlet, delivery_id: delivery, line_number: number, ..line }
    )
}
