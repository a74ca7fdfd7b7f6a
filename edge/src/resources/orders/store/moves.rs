//! Lines that change their order (split and merge). The line keeps its id, and with it its stock movements and kitchen
//! tickets; its taxes are made anew by the pricing of both orders.

use super::super::rules::LineRecord;
use crate::db::{self, Transaction};
use rusqlite::params;
use tiffin_common::Uuid;

/// Gives a whole line with its modifiers, discounts and voids to the order `to`, as its line number `line_number`.
pub fn move_line(tx: &Transaction<'_>, line: &mut LineRecord, to: Uuid) -> db::Result<()> {
    line.version = line.version.saturating_add(1);
    tx.execute(
        "UPDATE order_items SET order_id = ?2, line_number = ?3, version = ?4 WHERE id = ?1",
        params![line.id, to, line.line_number, line.version],
    )?;
    tx.execute("DELETE FROM order_taxes WHERE order_item_id = ?1", [line.id])?;
    for modifier in &line.modifiers {
        tx.execute("UPDATE order_item_modifiers SET order_id = ?2 WHERE id = ?1", params![modifier.id, to])?;
    }
    Ok(())
}

/// Gives the voids of a line to the order `to`. `from` is the order they stand on: its index finds them.
pub fn move_voids(tx: &Transaction<'_>, line: Uuid, from: Uuid, to: Uuid) -> db::Result<()> {
    let sql = "UPDATE order_item_voids SET order_id = ?3 WHERE order_id = ?2 AND order_item_id = ?1";
    tx.execute(sql, params![line, from, to]).map(drop)
}

/// Gives a discount to the order `to`.
pub fn move_discount(tx: &Transaction<'_>, id: Uuid, to: Uuid) -> db::Result<()> {
    tx.execute("UPDATE order_discounts SET order_id = ?2 WHERE id = ?1", params![id, to]).map(drop)
}

/// Sets a discount's kind and value: what it stands for on an order that was divided or put together.
pub fn set_discount(tx: &Transaction<'_>, id: Uuid, kind: &str, value: i64) -> db::Result<()> {
    let sql = "UPDATE order_discounts SET type = ?2, value = ?3 WHERE id = ?1";
    tx.execute(sql, params![id, kind, value]).map(drop)
}
