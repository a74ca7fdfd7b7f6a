//! What the figures of a supplier are counted from. Never counts them: that is the rules'.

use super::super::rules::performance::SentOrder;
use crate::db::{self, Columns, Source, list as rows};
use crate::select;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Quantity, Uuid};

/// The orders sent to a supplier on `since` or later.
pub fn list_sent(
    conn: &dyn Source,
    outlet: Uuid,
    supplier: Uuid,
    since: NaiveDate,
) -> db::Result<Vec<SentOrder>> {
    let values = params![supplier, outlet, since];
    let sql =
        "SELECT l.purchase_order_id, l.stock_quantity, l.received_stock_quantity FROM purchase_order_lines l
               WHERE l.purchase_order_id IN (SELECT o.id FROM purchase_orders o
                 WHERE o.supplier_id = ?1 AND o.outlet_id = ?2 AND o.sent_on >= ?3)";
    let mut lines: HashMap<Uuid, Vec<(Quantity, Quantity)>> = HashMap::new();
    for (order, line) in rows(conn, sql, values, |row| {
        let line = (row.get("stock_quantity")?, row.get("received_stock_quantity")?);
        Ok((row.get("purchase_order_id")?, line))
    })? {
        lines.entry(order).or_default().push(line);
    }
    let sql = select!(
        SentOrder as o,
        "o.id, (SELECT max(d.at) FROM purchase_deliveries d WHERE d.purchase_order_id = o.id) AS last_delivery_at",
        "WHERE o.supplier_id = ?1 AND o.outlet_id = ?2 AND o.sent_on >= ?3"
    );
    rows(conn, sql, values, |row| {
        Ok(SentOrder {
            last_delivery_at: row.get("last_delivery_at")?,
            lines: lines.remove(&row.get("id")?).unwrap_or_default(),
            ..SentOrder::read(row)?
        })
    })
}
