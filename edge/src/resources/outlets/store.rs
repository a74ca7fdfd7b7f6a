//! Rows of `outlets`.

use super::rules::{ChainOutlet, Outlet, OutletRow, Settings};
use crate::db::{self, Columns, Row, Source, Tx, list as rows, one, opt};
use tiffin_common::Uuid;

fn read(row: &Row<'_>) -> db::Result<Outlet> {
    OutletRow::read(row)?.try_into()
}

/// The outlet of that id.
///
/// # Errors
/// [`DbError::Missing`](db::DbError::Missing) when there is none.
pub fn find(conn: &dyn Source, id: Uuid) -> db::Result<Outlet> {
    with_early(conn, one(conn, select!(OutletRow, "WHERE id = ?1"), [id], read)?)
}

/// The outlet with the date that was closed early last.
fn with_early(conn: &dyn Source, outlet: Outlet) -> db::Result<Outlet> {
    let sql = "SELECT business_date, at FROM day_closes WHERE outlet_id = ?1 AND early = 1 ORDER BY business_date DESC LIMIT 1";
    let closed_early = opt(conn, sql, [outlet.id], |row| Ok((row.get("business_date")?, row.get("at")?)))?;
    Ok(Outlet { closed_early, ..outlet })
}

/// All outlets of this box, by code.
pub fn list(conn: &dyn Source) -> db::Result<Vec<Outlet>> {
    let all = rows(conn, select!(OutletRow, "ORDER BY code"), [], read)?;
    all.into_iter().map(|outlet| with_early(conn, outlet)).collect()
}

/// The outlets of the chain, as head office told last: those of this box among them. By code.
pub fn list_chain(conn: &dyn Source) -> db::Result<Vec<ChainOutlet>> {
    rows(conn, select!(ChainOutlet, "ORDER BY code, id"), [], ChainOutlet::read)
}

/// The outlet this box is, once it has been set up.
pub fn find_box_outlet(conn: &dyn Source) -> db::Result<Option<Uuid>> {
    opt(conn, "SELECT outlet_id FROM box WHERE id = 1 AND outlet_id IS NOT NULL", [], |row| row.get(0))
}

/// The outlet that was made first.
pub(super) fn find_first(conn: &dyn Source) -> db::Result<Option<Uuid>> {
    opt(conn, "SELECT id FROM outlets ORDER BY id LIMIT 1", [], |row| row.get(0))
}

/// Makes `outlet` the one this box is.
pub(super) fn set_box_outlet(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    insert!(
        tx,
        box { id: 1, outlet_id: outlet },
        "ON CONFLICT (id) DO UPDATE SET outlet_id = excluded.outlet_id"
    )
}

/// Keeps how far the machine's clock is off.
pub(super) fn set_clock_offset(tx: &Tx<'_>, offset_ms: i64) -> db::Result<()> {
    tx.execute("UPDATE box SET clock_offset_ms = ?1", [offset_ms]).map(drop)
}

/// The certificate authority that a device was first to show that it believes, by its fingerprint.
pub fn find_believed_authority(conn: &dyn Source) -> db::Result<Option<String>> {
    Ok(opt(conn, "SELECT believed_authority FROM box", [], |row| row.get(0))?.flatten())
}

/// Keeps which certificate authority a device believes.
pub(super) fn set_believed_authority(tx: &Tx<'_>, authority: &str) -> db::Result<()> {
    tx.execute("UPDATE box SET believed_authority = ?1", [authority]).map(drop)
}

pub(super) fn insert(tx: &Tx<'_>, id: Uuid, code: &str, name: &str, s: &Settings) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, outlets { id: id, created_at: now, updated_at: now, code: code, name: name, ..s })
}

pub(super) fn update(tx: &Tx<'_>, id: Uuid, name: &str, s: &Settings) -> db::Result<()> {
    update!(tx, outlets { updated_at: tx.now(), name: name, ..s; "version = version + 1" } where { id: id })
}

/// Keeps what head office told of the chain.
pub(super) fn set_chain(tx: &Tx<'_>, outlets: &[ChainOutlet]) -> db::Result<()> {
    tx.execute("DELETE FROM chain_outlets", [])?;
    outlets.iter().try_for_each(|outlet| insert!(tx, chain_outlets { ..outlet }))
}
