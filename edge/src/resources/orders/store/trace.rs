//! Which batches, and so which suppliers, went into an order. Reads the stock ledger; never changes it.

use crate::db::list as rows;
use crate::db::{self, Source};
use chrono::NaiveDate;
use tiffin_common::{Quantity, Uuid};

/// What one line took from one batch, what came back taken off.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "columns of the ledger, its batch and its supplier")]
pub struct Traced {
    pub order_item_id: Uuid,
    pub stock_item_id: Uuid,
    pub name: String,
    pub unit: String,
    pub quantity: Quantity,
    pub batch_id: Option<Uuid>,
    pub batch_number: Option<String>,
    pub expiry_date: Option<NaiveDate>,
    pub supplier_id: Option<Uuid>,
    pub supplier_name: Option<String>,
}

/// Batches of every line of an order. A line that was split off shows what the line it came from took.
pub fn list_traced(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Traced>> {
    let sql = "SELECT l.id AS order_item_id, s.id AS stock_item_id, s.name, s.unit, -sum(m.quantity_delta) AS quantity,
          b.id AS batch_id, b.batch_number, b.expiry_date, p.id AS supplier_id, p.name AS supplier_name
        FROM order_items l
        JOIN stock_movements m ON m.order_item_id = coalesce(l.split_from_id, l.id)
        JOIN stock_items s ON s.id = m.stock_item_id
        LEFT JOIN stock_batches b ON b.id = m.batch_id
        LEFT JOIN suppliers p ON p.id = b.supplier_id
        WHERE l.order_id = ?1 AND l.outlet_id = ?2 AND m.kind IN ('SALE', 'RETURN')
        GROUP BY l.id, l.line_number, s.id, s.name, s.unit, b.id, b.batch_number, b.expiry_date, b.received_at, p.id, p.name
        ORDER BY l.line_number, s.name, b.received_at IS NOT NULL, b.received_at, b.id";
    rows(conn, sql, [order, outlet], |row| {
        Ok(read!(row => Traced {
            order_item_id, stock_item_id, name, unit, quantity, batch_id, batch_number, expiry_date, supplier_id, supplier_name
        }))
    })
}
