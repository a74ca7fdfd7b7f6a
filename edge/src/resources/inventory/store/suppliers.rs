//! Rows of `suppliers`.

use super::like;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::resources::inventory::rules::{Supplier, SupplierDraft};
use rusqlite::params;
use tiffin_common::Uuid;

const COLUMNS: &str =
    "id, name, contact_name, phone, email, address, tax_id, lead_time_days, version, created_at, updated_at";

fn read(row: &Row<'_>) -> db::Result<Supplier> {
    Ok(Supplier {
        id: row.get(0)?,
        draft: SupplierDraft {
            name: row.get(1)?,
            contact_name: row.get(2)?,
            phone: row.get(3)?,
            email: row.get(4)?,
            address: row.get(5)?,
            tax_id: row.get(6)?,
            lead_time_days: row.get(7)?,
        },
        version: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
    })
}

/// The outlet's supplier of that id, unless it is archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Supplier>> {
    let sql =
        format!("SELECT {COLUMNS} FROM suppliers WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL");
    opt(conn, &sql, params![id, outlet], read)
}

/// A page of the outlet's suppliers by name; and how many there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    search: Option<&str>,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Supplier>, i64)> {
    let holds = "outlet_id = ?1 AND archived_at IS NULL AND (?2 IS NULL OR name LIKE ?2 ESCAPE '\\')";
    let search = search.map(like);
    let sql = format!("SELECT {COLUMNS} FROM suppliers WHERE {holds} ORDER BY name, id LIMIT ?3 OFFSET ?4");
    let suppliers = rows(conn, &sql, params![outlet, search, limit, offset], read)?;
    let count = format!("SELECT count(*) FROM suppliers WHERE {holds}");
    let total = one(conn, &count, params![outlet, search], |row| row.get(0))?;
    Ok((suppliers, total))
}

pub(in super::super) fn insert(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    d: &SupplierDraft,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO suppliers (id, outlet_id, name, contact_name, phone, email, address, tax_id, lead_time_days, created_at,
           updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)",
        params![
            id,
            outlet,
            d.name,
            d.contact_name,
            d.phone,
            d.email,
            d.address,
            d.tax_id,
            d.lead_time_days,
            tx.now()
        ],
    )
    .map(drop)
}

pub(in super::super) fn update(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    d: &SupplierDraft,
) -> db::Result<()> {
    tx.execute(
        "UPDATE suppliers SET name = ?3, contact_name = ?4, phone = ?5, email = ?6, address = ?7, tax_id = ?8,
           lead_time_days = ?9, updated_at = ?10, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            id,
            outlet,
            d.name,
            d.contact_name,
            d.phone,
            d.email,
            d.address,
            d.tax_id,
            d.lead_time_days,
            tx.now()
        ],
    )
    .map(drop)
}

pub(in super::super) fn set_archived(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE suppliers SET archived_at = ?3, updated_at = ?3, version = version + 1 WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, tx.now()],
    )
    .map(drop)
}
