//! Which rows a replaced box needs first: A to open for business, B those of the last weeks, C the rest. What is not in A at one position of
//! the log is in B or C at any later one. Never asks anything once for each row: a year has millions.

use tiffin_common::registry::{Owner, Table};
use tiffin_common::sync::Phase;

const ALL: &str = "1 = 1";

/// Tables that come whole: a till that heard no answer asks the new box first; another key than those before begins with the first bill; what
/// has come must not be taken in again, and what was called back must not come back twice.
const WHOLE: &str = "counters dining_tables kitchen_stations menu_availability menu_prices channels printers print_layouts \
    leave_entitlements answered_requests signing_keys stock_transfers stock_transfer_lines stock_transfer_receipts stock_transfer_receipt_lines";
/// Tables whose rows come with their order.
const OF_ORDERS: &str = "order_items order_item_modifiers order_item_voids order_status_history order_discounts order_taxes refund_items \
    write_offs order_slips kitchen_tickets kitchen_ticket_items";

const OPEN_DRAWERS: &str = "(SELECT id FROM cash_sessions WHERE status = 'OPEN')";
const OPEN_COUNTS: &str = "(SELECT id FROM stocktakes WHERE status = 'OPEN')";
const OF_OPEN_PURCHASES: &str =
    "purchase_order_id IN (SELECT id FROM purchase_orders WHERE status NOT IN ('RECEIVED', 'CLOSED'))";
/// Batches of which there is something, or less than nothing.
const STOCK: &str = "(SELECT batch_id FROM stock_movements WHERE batch_id IS NOT NULL GROUP BY batch_id
    HAVING sum(quantity_delta) <> 0)";

/// Orders that are open, as SQL, and those that share a line with one: what a line took from stock is one sum, wherever it was split to.
fn open_orders() -> String {
    let open = "SELECT id FROM orders WHERE status NOT IN ('COMPLETED', 'CANCELLED')";
    let roots = format!("(SELECT coalesce(split_from_id, id) FROM order_items WHERE order_id IN ({open}))");
    format!(
        "({open} UNION SELECT order_id FROM order_items WHERE id IN {roots}
          UNION SELECT order_id FROM order_items WHERE split_from_id IN {roots})"
    )
}

/// Movements of stock that those orders are worked with, as SQL: what their lines took (another order may have, before they were merged),
/// and what met it where it was sold without stock.
fn open_movements() -> String {
    let lines = format!("(SELECT id FROM order_items WHERE order_id IN {})", open_orders());
    format!(
        "(SELECT id FROM stock_movements WHERE order_item_id IN {lines}
          UNION SELECT id FROM stock_movements WHERE kind = 'SETTLEMENT' AND stock_item_id IN
            (SELECT stock_item_id FROM stock_movements WHERE batch_id IS NULL AND order_item_id IN {lines}))"
    )
}

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
        // Of these more may be needed by then than was when the house opened: they come once more.
        Some(_) if ["stock_batches", "stock_movements"].contains(&table.name) => Some(range.to_owned()),
        Some(first) => Some(format!("{range} AND CASE WHEN {first} THEN 0 ELSE 1 END = 1")),
        None => Some(range.to_owned()),
    }
}

/// What is needed to open for business; none where nothing is.
fn first(table: &Table) -> Option<String> {
    if table.owner == Owner::Shared {
        return Some(ALL.to_owned());
    }
    let open = open_orders();
    Some(match table.name {
        name if WHOLE.split(' ').any(|one| one == name) => ALL.to_owned(),
        "guests" | "orders" => format!("id IN {open}"),
        name if OF_ORDERS.split(' ').any(|one| one == name) => format!("order_id IN {open}"),
        "stock_movements" => format!("id IN {}", open_movements()),
        // The drawer that is open counts what it took, and an order that is open what was paid.
        "payments" | "refunds" | "payment_corrections" => {
            format!("order_id IN {open} OR cash_session_id IN {OPEN_DRAWERS}")
        }
        // The next of a series holds the hash of the last.
        "invoices" => format!(
            "order_id IN {open} OR (kind, fiscal_year, serial) IN
                (SELECT kind, fiscal_year, max(serial) FROM invoices GROUP BY kind, fiscal_year)"
        ),
        // A bill that was printed is printed again as a copy.
        "receipt_prints" => format!("id IN (SELECT id FROM invoices WHERE order_id IN {open})"),
        "cash_sessions" | "stocktakes" => "status = 'OPEN'".to_owned(),
        "cash_movements" => format!("cash_session_id IN {OPEN_DRAWERS}"),
        "day_closes" => "z_number = (SELECT max(last.z_number) FROM day_closes last)".to_owned(),
        "table_sessions" => "closed_at IS NULL".to_owned(),
        // What comes back goes to the batch it was taken from, empty or not; so does what is counted.
        "stock_batches" => format!(
            "id IN {STOCK} OR id IN (SELECT batch_id FROM stock_movements WHERE id IN {})
             OR id IN (SELECT batch_id FROM stocktake_lines WHERE stocktake_id IN {OPEN_COUNTS})",
            open_movements()
        ),
        "stocktake_lines" => format!("stocktake_id IN {OPEN_COUNTS}"),
        "purchase_orders" => "status NOT IN ('RECEIVED', 'CLOSED')".to_owned(),
        "purchase_order_lines" | "purchase_deliveries" | "purchase_invoices" | "purchase_returns" => {
            OF_OPEN_PURCHASES.to_owned()
        }
        "purchase_delivery_lines" | "purchase_return_lines" => format!(
            "purchase_order_line_id IN (SELECT id FROM purchase_order_lines WHERE {OF_OPEN_PURCHASES})"
        ),
        // Who is at work can go home, and who comes next is on the roster.
        "attendances" => "state <> 'OUT'".to_owned(),
        "attendance_records" => {
            "attendance_id IN (SELECT id FROM attendances WHERE state <> 'OUT')".to_owned()
        }
        "shifts" => "date >= (SELECT max(business_date) FROM orders)".to_owned(),
        "shift_swaps" => "status IN ('REQUESTED', 'ACCEPTED')".to_owned(),
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

    /// Tables that a house opens without: what was, and what can wait.
    const LATER: &str = "audit_log employee_documents menu_pictures waste_logs attendance_corrections leave_requests holidays tickets \
        ticket_comments feedback";

    #[test]
    fn of_every_table_it_is_known_whether_a_house_opens_without_it() {
        let later = TABLES.iter().filter(|table| first(table).is_none()).map(|table| table.name);
        assert_eq!(later.collect::<Vec<_>>().join(" "), LATER);
    }

    #[test]
    fn nothing_is_asked_once_for_each_row() {
        let mut conn = Connection::open_in_memory().unwrap();
        tiffin_migrations::migrate_edge(&mut conn).unwrap();
        tiffin_migrations::migrate_hub_outlet(&mut conn).unwrap();
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
            let settled = table.name == "stock_movements" && phase == Phase::A;
            assert!(!settled || plan.contains("hub_settlements"), "{plan}");
        }
    }
}
