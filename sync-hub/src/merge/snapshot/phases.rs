//! Which rows a replaced box needs first: A to open for business, B those of the last weeks, C the rest. A row is in exactly one of them
//! at any position of the log. Never asks anything once for each row: a year has millions.

use tiffin_common::registry::{Owner, Table};
use tiffin_common::sync::Phase;

const ALL: &str = "1 = 1";

const OPEN_ORDERS: &str = "(SELECT id FROM orders WHERE status NOT IN ('COMPLETED', 'CANCELLED'))";
const OPEN_DRAWERS: &str = "(SELECT id FROM cash_sessions WHERE status = 'OPEN')";
const OPEN_COUNTS: &str = "(SELECT id FROM stocktakes WHERE status = 'OPEN')";
const OPEN_PURCHASES: &str = "(SELECT id FROM purchase_orders WHERE status NOT IN ('RECEIVED', 'CLOSED'))";
/// Batches of which there is something, or less than nothing.
const STOCK: &str = "(SELECT batch_id FROM stock_movements WHERE batch_id IS NOT NULL GROUP BY batch_id
    HAVING sum(quantity_delta) <> 0)";

/// Which rows of `table` come in `phase`, as SQL; in phase C `?2` is the first id of the last weeks, B begins with it. None where there are
/// no such rows.
pub(super) fn of(table: &Table, phase: Phase) -> Option<String> {
    let first = first(table);
    if phase == Phase::A {
        return first.map(|first| format!("({first})"));
    }
    let range = if phase == Phase::C { "id < ?2" } else { ALL };
    match first.as_deref() {
        Some(ALL) => None,
        Some(first) => Some(format!("{range} AND CASE WHEN {first} THEN 0 ELSE 1 END = 1")),
        None => Some(range.to_owned()),
    }
}

/// What is needed to open for business; none where nothing is.
fn first(table: &Table) -> Option<String> {
    if table.owner == Owner::Shared {
        return Some(ALL.to_owned());
    }
    Some(match table.name {
        "counters" | "dining_tables" | "kitchen_stations" | "menu_availability" | "menu_prices"
        | "leave_entitlements" => ALL.to_owned(),
        // A till that heard no answer asks the new box first.
        "answered_requests" => ALL.to_owned(),
        // Another key than those before begins with the first bill.
        "signing_keys" => ALL.to_owned(),
        // What has come must not be taken in again, and what was called back must not come back twice.
        "stock_transfers" | "stock_transfer_receipts" => ALL.to_owned(),
        "guests" => format!("id IN {OPEN_ORDERS}"),
        "orders" => "status NOT IN ('COMPLETED', 'CANCELLED')".to_owned(),
        "order_items"
        | "order_item_modifiers"
        | "order_item_voids"
        | "order_status_history"
        | "order_discounts"
        | "order_taxes"
        | "stock_movements"
        | "refund_items"
        | "write_offs"
        | "order_slips"
        | "kitchen_tickets"
        | "kitchen_ticket_items" => {
            format!("order_id IN {OPEN_ORDERS}")
        }
        // The drawer that is open counts what it took, and an order that is open what was paid.
        "payments" | "refunds" | "payment_corrections" => {
            format!("order_id IN {OPEN_ORDERS} OR cash_session_id IN {OPEN_DRAWERS}")
        }
        // The next of a series holds the hash of the last.
        "invoices" => format!(
            "order_id IN {OPEN_ORDERS} OR (kind, fiscal_year, serial) IN
                (SELECT kind, fiscal_year, max(serial) FROM invoices GROUP BY kind, fiscal_year)"
        ),
        "cash_sessions" => "status = 'OPEN'".to_owned(),
        "cash_movements" => format!("cash_session_id IN {OPEN_DRAWERS}"),
        "day_closes" => "z_number = (SELECT max(last.z_number) FROM day_closes last)".to_owned(),
        "table_sessions" => "closed_at IS NULL".to_owned(),
        "stock_batches" => format!("id IN {STOCK}"),
        "stocktakes" => "status = 'OPEN'".to_owned(),
        "stocktake_lines" => format!("stocktake_id IN {OPEN_COUNTS}"),
        "purchase_orders" => "status NOT IN ('RECEIVED', 'CLOSED')".to_owned(),
        "purchase_order_lines" => format!("purchase_order_id IN {OPEN_PURCHASES}"),
        "notifications" => "read_at IS NULL".to_owned(),
        "sync_reviews" => "resolved_at IS NULL".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;
    use tiffin_common::registry::TABLES;

    #[test]
    fn nothing_is_asked_once_for_each_row() {
        let mut conn = Connection::open_in_memory().unwrap();
        tiffin_migrations::migrate_edge(&mut conn).unwrap();
        for (table, phase) in
            TABLES.iter().flat_map(|table| Phase::ALL.iter().map(move |phase| (table, *phase)))
        {
            let Some(of) = of(table, phase) else { continue };
            let sql = format!(
                "EXPLAIN QUERY PLAN SELECT * FROM {} WHERE id > ?1 AND {of} ORDER BY id LIMIT 9",
                table.name
            );
            let mut statement = conn.prepare(&sql).unwrap();
            let given = statement.parameter_count();
            let told = statement
                .query_map(rusqlite::params_from_iter([[0u8; 16]; 2].iter().take(given)), |row| {
                    row.get::<_, String>("detail")
                });
            let plan = told.unwrap().collect::<Result<Vec<_>, _>>().unwrap().join("\n");
            assert!(!plan.contains("CORRELATED"), "{} in {phase:?}:\n{plan}", table.name);
        }
    }
}
