//! Rows of `print_layouts` and `receipt_prints`.

use crate::db::{self, Columns, Source, Tx, one, opt};
use crate::resources::printers::rules::{Layout, LayoutFields};
use rusqlite::params;
use tiffin_common::Uuid;

/// What stands on the outlet's receipts; none before anybody said so.
pub fn find_layout(conn: &dyn Source, outlet: Uuid) -> db::Result<Option<Layout>> {
    opt(conn, select!(Layout, "WHERE id = ?1"), [outlet], Layout::read)
}

/// Writes what stands on the outlet's receipts.
pub fn update_layout(tx: &Tx<'_>, outlet: Uuid, fields: &LayoutFields) -> db::Result<()> {
    insert!(tx, print_layouts { id: outlet, outlet_id: outlet, updated_at: tx.now(), ..fields },
        "ON CONFLICT (id) DO UPDATE SET headers = excluded.headers, footers = excluded.footers, logo = excluded.logo,
         bill_code = excluded.bill_code, updated_at = excluded.updated_at, version = version + 1")
}

/// The number of this copy of a bill or a closed day, counted: 0 is the first.
pub fn next_copy(tx: &Tx<'_>, outlet: Uuid, bill: Uuid) -> db::Result<i64> {
    let sql = "INSERT INTO receipt_prints (id, outlet_id, prints) VALUES (?1, ?2, 1)
        ON CONFLICT (id) DO UPDATE SET prints = prints + 1";
    tx.execute(sql, params![bill, outlet])?;
    let sql = "SELECT prints - 1 AS copy FROM receipt_prints WHERE id = ?1";
    one(tx, sql, [bill], |row| row.get("copy"))
}
