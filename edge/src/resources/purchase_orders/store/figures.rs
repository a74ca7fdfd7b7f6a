//! The figures of a supplier. Never counts them: that is the rules'.

use super::super::rules::performance::{self, SentOrder};
use super::super::rules::prices::{self, LastPrice};
use super::returns::sum_returns;
use crate::db::{self, Columns, Source, list as rows};
use crate::resources::inventory::rules::SupplierPerformance;
use crate::resources::outlets;
use chrono::{Days, NaiveDate};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Millis, Quantity, Uuid};

/// How a supplier kept their word, as of `now`. Handed down to the store room, for the supplier's record.
pub fn find_performance(
    conn: &dyn Source,
    outlet: Uuid,
    supplier: Uuid,
    now: Millis,
) -> db::Result<SupplierPerformance> {
    let (since, today) = window(conn, outlet, now, performance::WINDOW_DAYS)?;
    let of_orders = performance::of(&list_sent(conn, outlet, supplier, since)?, today)?;
    let (returns_count, returned_cents) = sum_returns(conn, outlet, supplier, since)?;
    Ok(SupplierPerformance { returns_count, returned_cents, ..of_orders })
}

/// The outlet's date at `now`, and the one so many `days` before it, which comes first.
fn window(conn: &dyn Source, outlet: Uuid, now: Millis, days: u64) -> db::Result<(NaiveDate, NaiveDate)> {
    let today = outlets::store::find(conn, outlet)?.business_date(now);
    Ok((today.checked_sub_days(Days::new(days)).unwrap_or(today), today))
}

/// What a supplier took last, as of `now`, by item.
pub fn list_last_prices(
    conn: &dyn Source,
    outlet: Uuid,
    supplier: Uuid,
    now: Millis,
) -> db::Result<HashMap<Uuid, LastPrice>> {
    let (since, _) = window(conn, outlet, now, prices::WINDOW_DAYS)?;
    let sql = "SELECT o.stock_item_id, l.unit, l.unit_cost, d.business_date
               FROM purchase_deliveries d JOIN purchase_delivery_lines l ON l.delivery_id = d.id AND l.outlet_id = d.outlet_id
                 JOIN purchase_order_lines o ON o.id = l.purchase_order_line_id AND o.outlet_id = d.outlet_id
               WHERE d.supplier_id = ?1 AND d.outlet_id = ?2 AND d.business_date >= ?3 ORDER BY d.id, l.line_number";
    let last = rows(conn, sql, params![supplier, outlet, since], |row| {
        let business_date = row.get("business_date")?;
        let price = LastPrice { unit: row.get("unit")?, unit_cost: row.get("unit_cost")?, business_date };
        Ok((row.get("stock_item_id")?, price))
    })?;
    Ok(last.into_iter().collect())
}

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
               WHERE l.is_extra = 0 AND l.purchase_order_id IN (SELECT o.id FROM purchase_orders o
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
