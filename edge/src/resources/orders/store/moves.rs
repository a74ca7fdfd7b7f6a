//! Lines that change their order (split and merge). The line keeps its id, and with it its stock movements and kitchen
//! tickets; its taxes are made anew by the pricing of both orders.

use super::super::rules::LineRecord;
use crate::db::{self, Tx};
use crate::log::Job;
use tiffin_common::Uuid;

/// Gives a whole line with its modifiers, discounts and voids to the order `to`, as its line number `line_number`.
pub fn set_line_order(tx: &Tx<'_>, line: &mut LineRecord, to: Uuid) -> db::Result<()> {
    line.version = line.version.saturating_add(1);
    update!(tx, order_items {
        order_id: to, line_number: line.line_number, version: line.version
    } where { id: line.id })?;
    tx.execute("DELETE FROM order_taxes WHERE order_item_id = ?1", [line.id])?;
    for modifier in &line.modifiers {
        update!(tx, order_item_modifiers { order_id: to } where { id: modifier.id })?;
    }
    Ok(())
}

/// Gives the voids of a line to the order `to`. `from` is the order they stand on: its index finds them.
pub fn set_voids_order(tx: &Tx<'_>, line: Uuid, from: Uuid, to: Uuid) -> db::Result<()> {
    tx.job(
        Job::Settle,
        || update!(tx, order_item_voids { order_id: to } where { order_id: from, order_item_id: line }),
    )
}
