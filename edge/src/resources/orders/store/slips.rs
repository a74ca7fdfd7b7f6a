//! Rows of order slips. Only ever inserted.

use super::super::rules::slips::SlipRow;
use crate::db::{self, Columns, Source, Tx, list as rows};
use rusqlite::params;
use tiffin_common::Uuid;

/// Keeps a slip.
pub fn insert_slip(tx: &Tx<'_>, outlet: Uuid, slip: &SlipRow) -> db::Result<()> {
    insert!(tx, order_slips { outlet_id: outlet, ..slip })
}

/// The slips of an order, in their order: what was sold, and what was given back of it.
pub fn list_slips(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<SlipRow>> {
    let sql = select!(SlipRow, "WHERE order_id = ?1 AND outlet_id = ?2 ORDER BY at, id");
    rows(conn, sql, [order, outlet], SlipRow::read)
}

/// The first order that a channel has sent under its own number.
pub fn find_by_external_id(
    conn: &dyn Source,
    outlet: Uuid,
    channel: Uuid,
    external_id: &str,
) -> db::Result<Option<Uuid>> {
    let sql = "SELECT id FROM orders WHERE outlet_id = ?1 AND channel_id = ?2 AND external_id = ?3 ORDER BY created_at, id";
    db::opt(conn, sql, params![outlet, channel, external_id], |row| row.get("id"))
}
