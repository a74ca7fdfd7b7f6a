//! The truth of two made-up days, each figure by SQL of this test's own from the rows that were written, never from a reading of the
//! product's.

use edge::db::{Row, list};
use serde_json::Value;
use std::collections::HashMap;
use tiffin_tests::Branch;

/// Names of days, the condition of a business date, and whether what is open counts.
const DAYS: [(&str, &str, i64); 3] = [
    ("friday", "= '2026-11-20'", 0),
    ("today", "= '2026-11-21'", 1),
    ("week", "BETWEEN '2026-11-20' AND '2026-11-21'", 1),
];

/// What is billed, or open: an order each. `{d}` is the condition of the date, `{o}` 1 where what is open counts.
const ORDERS: &str = "(SELECT o.* FROM orders o JOIN invoices i ON i.id = o.invoice_id WHERE i.business_date {d}
    UNION ALL SELECT o.* FROM orders o WHERE o.invoice_id IS NULL AND o.status NOT IN ('COMPLETED', 'CANCELLED') AND {o} = 1)";

/// A number each; `{orders}` is [`ORDERS`].
const FIGURES: &[(&str, &str)] = &[
    ("gross", "SELECT coalesce(sum(subtotal_cents), 0) FROM {orders}"),
    (
        "net",
        "SELECT coalesce(sum(subtotal_cents - discount_cents), 0) - (SELECT coalesce(sum((body ->> 'subtotalCents') - (body ->> 'discountCents')), 0)
           FROM invoices WHERE kind = 'CREDIT_NOTE' AND business_date {d}) FROM {orders}",
    ),
    ("orders", "SELECT count(*) FROM {orders}"),
    ("guests", "SELECT coalesce(sum(guest_count), 0) FROM {orders}"),
    ("tax", "SELECT coalesce(sum(CASE kind WHEN 'INVOICE' THEN tax_cents ELSE -tax_cents END), 0) FROM invoices WHERE business_date {d}"),
    ("cash", "SELECT coalesce(sum(CASE method WHEN 'CASH' THEN m ELSE 0 END), 0) FROM {money}"),
    ("card", "SELECT coalesce(sum(CASE method WHEN 'CARD' THEN m ELSE 0 END), 0) FROM {money}"),
    ("upi", "SELECT coalesce(sum(CASE method WHEN 'UPI' THEN m ELSE 0 END), 0) FROM {money}"),
    ("money", "SELECT coalesce(sum(m), 0) FROM {money}"),
    ("tips", "SELECT coalesce(sum(tip_cents), 0) FROM payments WHERE business_date {d}"),
    ("cancelled", "SELECT count(*) FROM orders WHERE status = 'CANCELLED' AND business_date {d}"),
    ("cancelledvalue", "SELECT coalesce(sum(subtotal_cents), 0) FROM orders WHERE status = 'CANCELLED' AND business_date {d}"),
    ("takeaway", "SELECT coalesce(sum(subtotal_cents - discount_cents), 0) FROM {orders} WHERE order_type = 'TAKEAWAY'"),
    ("delivery", "SELECT coalesce(sum(subtotal_cents - discount_cents), 0) FROM {orders} WHERE order_type = 'DELIVERY'"),
    ("dinein", "SELECT coalesce(sum(subtotal_cents - discount_cents), 0) FROM {orders} WHERE order_type = 'DINE_IN'"),
    ("counter", "SELECT coalesce(sum(subtotal_cents - discount_cents), 0) FROM {orders} WHERE order_type = 'COUNTER'"),
    (
        "perguest",
        "SELECT (2 * sum(subtotal_cents - discount_cents) + sum(guest_count)) / (2 * sum(guest_count)) FROM {orders} WHERE order_type = 'DINE_IN'",
    ),
    ("discount", "SELECT coalesce(sum(discount_cents), 0) FROM {orders}"),
    ("voids", "SELECT count(*) FROM order_item_voids WHERE business_date {d} AND kind <> 'CANCEL'"),
    ("voided", "SELECT coalesce(sum(amount_cents), 0) FROM order_item_voids WHERE business_date {d} AND kind <> 'CANCEL'"),
    (
        "refunds",
        "SELECT coalesce(sum((body ->> 'subtotalCents') - (body ->> 'discountCents')), 0) FROM invoices
         WHERE kind = 'CREDIT_NOTE' AND business_date {d}",
    ),
    ("cogs", "SELECT round(-sum(cost_micros) / 1000000.0) FROM stock_movements WHERE kind IN ('SALE', 'RETURN', 'SETTLEMENT') AND business_date {d}"),
    ("waste", "SELECT round(-sum(cost_micros) / 1000000.0) FROM stock_movements WHERE kind = 'WASTE' AND business_date {d}"),
    (
        "milkwaste",
        "SELECT round(-coalesce(sum(cost_micros), 0) / 1000000.0) FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id
         WHERE m.kind = 'WASTE' AND s.name = 'Milk' AND m.business_date {d}",
    ),
];

/// What a dish sold: portions, money, and what is left of it after the ingredients.
const DISHES: &[(&str, &str)] = &[
    ("bc", "Butter Chicken"),
    ("water", "Bottled Water"),
    ("soda", "Lemon Soda"),
    ("dal", "Dal"),
    ("lassi", "Lassi"),
    ("tikka", "Paneer Tikka"),
];

/// Figures of this moment.
const NOW: &[(&str, &str)] = &[
    (
        "drawer.now",
        "SELECT opening_float_cents + (SELECT coalesce(sum(amount_cents + tip_cents), 0) FROM payments p WHERE p.cash_session_id = s.id)
         FROM cash_sessions s WHERE status = 'OPEN'",
    ),
    ("short.friday", "SELECT counted_cents - expected_cents FROM cash_sessions WHERE status = 'CLOSED'"),
    ("open.now", "SELECT count(*) FROM orders WHERE status NOT IN ('COMPLETED', 'CANCELLED')"),
    ("stock.value", "SELECT round(sum(cost_micros) / 1000000.0) FROM stock_movements"),
    ("kulfi.portions", "SELECT sum(quantity_delta) / 100000 FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id WHERE s.name = 'Milk'"),
];

async fn number(branch: &Branch, sql: String) -> i64 {
    let read =
        |row: &Row<'_>| row.get::<_, f64>(0).or_else(|_| row.get::<_, i64>(0).map(|whole| whole as f64));
    let text = sql.clone();
    let found = branch.db.read(move |conn| list(conn, &sql, [], read)).await;
    found.unwrap_or_else(|error| panic!("{text}: {error}")).remove(0).round() as i64
}

/// A number of `places` decimals, without zeros that say nothing.
fn decimal(units: i64, places: usize) -> Value {
    let text = format!("{:0>1$}", units.abs(), places + 1);
    let (whole, fraction) = text.split_at(text.len() - places);
    let fraction = fraction.trim_end_matches('0');
    let sign = if units < 0 { "-" } else { "" };
    let text =
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
    serde_json::from_str(&text).unwrap()
}

/// All truths by name.
pub async fn all(branch: &Branch) -> HashMap<String, Value> {
    let mut known: HashMap<String, Value> = HashMap::new();
    for (day, date, open) in DAYS {
        let money = "(SELECT method, amount_cents + tip_cents AS m FROM payments WHERE business_date {d}
            UNION ALL SELECT method, -amount_cents FROM refunds WHERE business_date {d})";
        let filled = |sql: &str| {
            let sql = sql.replace("{orders}", ORDERS).replace("{money}", money);
            sql.replace("{d}", date).replace("{o}", &open.to_string())
        };
        for (name, sql) in FIGURES {
            known.insert(format!("{name}.{day}"), number(branch, filled(sql)).await.into());
        }
        for (name, dish) in DISHES {
            let lines =
                format!("FROM {{orders}} o JOIN order_items l ON l.order_id = o.id WHERE l.name = '{dish}'");
            let portions =
                number(branch, filled(&format!("SELECT coalesce(sum(l.quantity), 0) {lines}"))).await;
            let sold =
                filled(&format!("SELECT coalesce(sum(l.subtotal_cents - l.discount_cents), 0) {lines}"));
            let revenue = number(branch, sold).await;
            let cost = format!(
                "SELECT round(-coalesce(sum(m.cost_micros), 0) / 1000000.0) FROM stock_movements m
                 JOIN order_items l ON l.id = m.order_item_id WHERE l.name = '{dish}' AND m.kind IN ('SALE', 'RETURN') AND m.business_date {date}"
            );
            let cost = number(branch, cost).await;
            known.insert(format!("{name}.{day}"), portions.into());
            known.insert(format!("{name}revenue.{day}"), revenue.into());
            known.insert(format!("{name}margin.{day}"), (revenue - cost).into());
        }
        let of = |name: &str| known[&format!("{name}.{day}")].as_i64().unwrap();
        let (net, orders, cogs, waste) = (of("net"), of("orders"), of("cogs"), of("waste"));
        known.insert(format!("average.{day}"), ((2 * net + orders) / (2 * orders)).into());
        known.insert(format!("grossprofit.{day}"), (net - cogs - waste).into());
        let percent = |part: i64| decimal((part * 20_000 + net) / (2 * net), 2);
        known.insert(format!("foodcost.{day}"), percent(cogs));
        // Eight hours at 100.00.
        known.insert(format!("labourshare.{day}"), percent(80_000));
    }
    for (name, sql) in NOW {
        known.insert((*name).to_owned(), number(branch, (*sql).to_owned()).await.into());
    }
    for item in ["Paneer", "Rice", "Lemon", "Tomatoes"] {
        let sql = format!(
            "SELECT sum(quantity_delta) FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id WHERE s.name = '{item}'"
        );
        known.insert(format!("{}.left", item.to_lowercase()), decimal(number(branch, sql).await, 6));
    }
    for (name, value) in [("zero", 0), ("one", 1), ("two", 2), ("late.now", 1), ("meera.minutes", 480)] {
        known.insert(name.to_owned(), value.into());
    }
    known
}
