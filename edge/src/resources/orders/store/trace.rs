//! Which batches, and so which suppliers, went into an order. Reads the stock ledger; never changes it.

use crate::db::list as rows;
use crate::db::{self, Source};
use rusqlite::params;
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
    pub expiry_date: Option<String>,
    pub supplier_id: Option<Uuid>,
    pub supplier_name: Option<String>,
}

/// Batches of every line of an order. A line that was split off shows what the line it came from took.
pub fn trace(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Traced>> {
    rows(
        conn,
        "SELECT l.id, s.id, s.name, s.unit, -sum(m.quantity_delta), b.id, b.batch_number, b.expiry_date, p.id, p.name
         FROM order_items l
         JOIN stock_movements m ON m.order_item_id = coalesce(l.split_from_id, l.id)
         JOIN stock_items s ON s.id = m.stock_item_id
         LEFT JOIN stock_batches b ON b.id = m.batch_id
         LEFT JOIN suppliers p ON p.id = b.supplier_id
         WHERE l.order_id = ?1 AND l.outlet_id = ?2 AND m.kind IN ('SALE', 'RETURN')
         GROUP BY l.id, l.line_number, s.id, s.name, s.unit, b.id, b.batch_number, b.expiry_date, b.received_at, p.id, p.name
         ORDER BY l.line_number, s.name, b.received_at IS NOT NULL, b.received_at, b.id",
        params![order, outlet],
        |row| {
            Ok(Traced {
                order_item_id: row.get(0)?,
                stock_item_id: row.get(1)?,
                name: row.get(2)?,
                unit: row.get(3)?,
                quantity: row.get(4)?,
                batch_id: row.get(5)?,
                batch_number: row.get(6)?,
                expiry_date: row.get(7)?,
                supplier_id: row.get(8)?,
                supplier_name: row.get(9)?,
            })
        },
    )
}
