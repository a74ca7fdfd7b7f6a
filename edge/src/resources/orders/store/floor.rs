//! What is open on the floor: orders, and how far the kitchen is with their lines. Three statements, whatever is open. Only reads.

use super::super::rules::OrderRecord;
use crate::db::{self, Columns, Source, list};
use crate::resources::kitchen::rules::{ItemStatus, TicketStatus};
use tiffin_common::Uuid;

/// What is open; orders for later are nobody's business yet.
const OPEN: &str = "outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED')
    AND (dispatched_at IS NOT NULL OR release_at IS NULL)";

/// The orders that are open, the oldest first, without lines and guests; at most 1000.
pub fn list_open(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<OrderRecord>> {
    let sql = select!(OrderRecord, &format!("WHERE {OPEN} ORDER BY created_at, id LIMIT 1000"));
    list(conn, sql, [outlet], OrderRecord::read)
}

/// What to call the guests of the orders that are open, by order; nobody who gave no name.
pub fn list_open_names(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, String)>> {
    list(conn, &names_sql(), [outlet], |row| Ok((row.get("id")?, row.get("name")?)))
}

fn names_sql() -> String {
    format!(
        "SELECT g.id, g.name FROM guests g
         WHERE g.outlet_id = ?1 AND g.id IN (SELECT id FROM orders WHERE {OPEN}) AND g.name IS NOT NULL"
    )
}

/// Lines of open orders that are equally far.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    /// The order.
    pub order_id: Uuid,
    /// How far their ticket is.
    pub ticket: TicketStatus,
    /// How far they are.
    pub item: ItemStatus,
    /// How many lines.
    pub count: i64,
}

/// How far the kitchen is with the lines of the orders that are open.
pub fn count_lines(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Lines>> {
    list(conn, &lines_sql(), [outlet], |row| Ok(read!(row => Lines { order_id, ticket, item, count })))
}

fn lines_sql() -> String {
    format!(
        "SELECT i.order_id, t.status AS ticket, i.status AS item, count(*) AS count
         FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
         WHERE i.order_id IN (SELECT id FROM orders WHERE {OPEN}) AND i.status <> 'CANCELLED'
           AND t.type IN ('NEW', 'ADDITION') GROUP BY i.order_id, t.status, i.status"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn the_floor_walks_through_no_history() {
        let fixture = Fixture::new();
        let open = format!("SELECT id FROM orders WHERE {OPEN} ORDER BY created_at, id LIMIT 1000");
        for sql in [open, names_sql(), lines_sql()] {
            let plan = fixture.plan(&sql).join("; ");
            assert!(plan.contains("USING INDEX orders_open") && !plan.contains("SCAN"), "{sql}: {plan}");
        }
    }
}
