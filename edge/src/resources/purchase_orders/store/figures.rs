//! The figures of a supplier. Never counts them: that is the rules'.

use super::super::rules::performance::{self, SentOrder};
use super::super::rules::prices::{self, LastPrice, Prices};
use crate::db::{self, Columns, Source, list as rows};
use crate::resources::inventory::rules::SupplierPerformance;
use crate::resources::inventory::store::suppliers;
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
    let today = outlets::store::find(conn, outlet)?.business_date(now);
    let since = today.checked_sub_days(Days::new(performance::WINDOW_DAYS)).unwrap_or(today);
    Ok(performance::of(&list_sent(conn, outlet, supplier, since)?, today)?)
}

/// What a supplier's goods cost as of `now`: what was agreed, and what was taken last.
pub fn find_prices(conn: &dyn Source, outlet: Uuid, supplier: Uuid, now: Millis) -> db::Result<Prices> {
    let today = outlets::store::find(conn, outlet)?.business_date(now);
    let since = today.checked_sub_days(Days::new(prices::WINDOW_DAYS)).unwrap_or(today);
    let sql = "SELECT o.stock_item_id, l.unit, l.unit_cost, d.business_date
               FROM purchase_deliveries d JOIN purchase_delivery_lines l ON l.delivery_id = d.id AND l.outlet_id = d.outlet_id
                 JOIN purchase_order_lines o ON o.id = l.purchase_order_line_id AND o.outlet_id = d.outlet_id
               WHERE d.supplier_id = ?1 AND d.outlet_id = ?2 AND d.business_date >= ?3 ORDER BY d.id, l.line_number";
    let last = rows(conn, sql, params![supplier, outlet, since], |row| {
        let business_date = row.get("business_date")?;
        let price = LastPrice { unit: row.get("unit")?, unit_cost: row.get("unit_cost")?, business_date };
        Ok((row.get("stock_item_id")?, price))
    })?;
    let agreed = suppliers::find(conn, outlet, supplier)?.map(|found| found.draft.agreed_prices);
    Ok(Prices { agreed: agreed.unwrap_or_default(), last: last.into_iter().collect() })
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
