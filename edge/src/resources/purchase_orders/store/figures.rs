//! What the figures of a supplier are counted from. Never counts them: that is the rules'.

use super::super::rules::Status;
use super::super::rules::performance::SentOrder;
use super::{date, optional_date, parsed};
use crate::db::list as rows;
use crate::db::{self, Source};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Quantity, Uuid};

/// The orders sent to a supplier on `since` or later.
pub fn sent_orders(
    conn: &dyn Source,
    outlet: Uuid,
    supplier: Uuid,
    since: NaiveDate,
) -> db::Result<Vec<SentOrder>> {
    let sent = "FROM purchase_orders o WHERE o.supplier_id = ?1 AND o.outlet_id = ?2 AND o.sent_on >= ?3";
    let values = params![supplier, outlet, since.to_string()];
    let sql = format!(
        "SELECT l.purchase_order_id, l.stock_quantity, l.received_stock_quantity FROM purchase_order_lines l
         WHERE l.purchase_order_id IN (SELECT o.id {sent})"
    );
    let mut lines: HashMap<Uuid, Vec<(Quantity, Quantity)>> = HashMap::new();
    for (order, line) in
        rows(conn, &sql, values, |row| Ok((row.get::<_, Uuid>(0)?, (row.get(1)?, row.get(2)?))))?
    {
        lines.entry(order).or_default().push(line);
    }
    let sql = format!(
        "SELECT o.id, o.sent_on, o.expected_delivery_date, o.received_on, o.status,
           (SELECT max(d.at) FROM purchase_deliveries d WHERE d.purchase_order_id = o.id)
         {sent}"
    );
    rows(conn, &sql, values, |row| {
        Ok(SentOrder {
            sent_on: date(row, 1)?,
            expected_on: date(row, 2)?,
            received_on: optional_date(row, 3)?,
            status: parsed(row, 4, Status::of_name)?,
            last_delivery_at: row.get(5)?,
            lines: lines.remove(&row.get(0)?).unwrap_or_default(),
        })
    })
}
