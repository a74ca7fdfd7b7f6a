//! Which rows a replaced box needs first. One expression for each table: 0 to open for business, 1 for the last weeks, 2 for the
//! rest. A row has exactly one of them at any position of the log.

use tiffin_common::registry::{Owner, Table};

const OPEN_ORDERS: &str = "(SELECT id FROM orders WHERE status NOT IN ('COMPLETED', 'CANCELLED'))";
const OPEN_DRAWERS: &str = "(SELECT id FROM cash_sessions WHERE status = 'OPEN')";
const OPEN_COUNTS: &str = "(SELECT id FROM stocktakes WHERE status = 'OPEN')";
const OPEN_PURCHASES: &str = "(SELECT id FROM purchase_orders WHERE status NOT IN ('RECEIVED', 'CLOSED'))";
/// Batches of which there is something, or less than nothing.
const STOCK: &str = "(SELECT batch_id FROM stock_movements WHERE batch_id IS NOT NULL GROUP BY batch_id
    HAVING sum(quantity_delta) <> 0)";

/// The phase of a row of `table`, as SQL; `?2` is the first id of the last weeks.
pub(super) fn of(table: &Table) -> String {
    match first(table) {
        Some(first) => format!("CASE WHEN {first} THEN 0 WHEN id >= ?2 THEN 1 ELSE 2 END"),
        None => "CASE WHEN id >= ?2 THEN 1 ELSE 2 END".to_owned(),
    }
}

/// What is needed to open for business; none where nothing is.
fn first(table: &Table) -> Option<String> {
    if table.owner == Owner::Shared {
        return Some("1 = 1".to_owned());
    }
    Some(match table.name {
        "counters" | "dining_tables" | "kitchen_stations" | "menu_availability" | "menu_prices"
        | "leave_entitlements" => "1 = 1".to_owned(),
        // A till that heard no answer asks the new box first.
        "answered_requests" => "1 = 1".to_owned(),
        // Another key than those before begins with the first bill.
        "signing_keys" => "1 = 1".to_owned(),
        // What has come must not be taken in again, and what was called back must not come back twice.
        "stock_transfers" | "stock_transfer_receipts" => "1 = 1".to_owned(),
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
            "order_id IN {OPEN_ORDERS} OR serial = (SELECT max(last.serial) FROM invoices last
                WHERE last.kind = invoices.kind AND last.fiscal_year = invoices.fiscal_year)"
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
