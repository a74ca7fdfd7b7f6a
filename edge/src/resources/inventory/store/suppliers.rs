//! Rows of `suppliers`.

use super::like;
use crate::db::{self, Columns, Page, Source, Tx, opt, page, table};
use crate::resources::inventory::rules::{Supplier, SupplierDraft};
use rusqlite::params;
use tiffin_common::Uuid;

/// The outlet's supplier of that id, unless it is archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Supplier>> {
    let sql = select!(Supplier, "WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL");
    opt(conn, sql, [id, outlet], Supplier::read)
}

/// A page of the outlet's suppliers by name.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    search: Option<&str>,
    paging: (u32, u32),
) -> db::Result<Page<Supplier>> {
    let holds = "WHERE outlet_id = ?1 AND archived_at IS NULL AND (?2 IS NULL OR name LIKE ?2 ESCAPE '\\')";
    let sql = table::select::<Supplier>("", "", &format!("{holds} ORDER BY name, id"));
    let count = format!("SELECT count(*) FROM suppliers {holds}");
    page(conn, (&sql, &count), params![outlet, search.map(like)], paging, Supplier::read)
}

pub(in super::super) fn insert(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &SupplierDraft) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, suppliers { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })
}

pub(in super::super) fn update(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &SupplierDraft) -> db::Result<()> {
    update!(tx, suppliers { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

pub(in super::super) fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, suppliers { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}
