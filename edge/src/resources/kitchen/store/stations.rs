//! Rows of `kitchen_stations`.

use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::kitchen::rules::{Station, StationFields, StationKind};
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::Uuid;

const COLUMNS: &str = "id, name, kind, is_default, target_minutes, printer_address, print_tickets, fallback_station_id, version,
  created_at, updated_at";

fn read(row: &Row<'_>) -> db::Result<Station> {
    Ok(Station {
        id: row.get(0)?,
        name: row.get(1)?,
        kind: super::word(row, 2, StationKind::of_name)?,
        is_default: row.get(3)?,
        target_minutes: row.get(4)?,
        printer_address: row.get(5)?,
        print_tickets: row.get(6)?,
        fallback_station_id: row.get(7)?,
        version: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
    })
}

/// All stations of the outlet that are not archived, the oldest first.
pub(in super::super) fn stations(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Station>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM kitchen_stations WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY created_at, id"
    );
    rows(conn, &sql, [outlet], read)
}

/// The names of all stations of the outlet, also of archived ones.
pub(in super::super) fn station_names(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, String>> {
    let sql = "SELECT id, name FROM kitchen_stations WHERE outlet_id = ?1";
    Ok(rows(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
}

/// One page of the outlet's stations.
pub(in super::super) fn list_stations(
    conn: &dyn Source,
    outlet: Uuid,
    paging: Paging,
) -> db::Result<Page<Station>> {
    let count = "SELECT count(*) FROM kitchen_stations WHERE outlet_id = ?1 AND archived_at IS NULL";
    let total = one(conn, count, [outlet], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM kitchen_stations WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY created_at, id
         LIMIT ?2 OFFSET ?3"
    );
    Ok(Page { items: rows(conn, &sql, params![outlet, paging.limit, paging.offset], read)?, total })
}

/// One station that is not archived.
pub(in super::super) fn station(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Station>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM kitchen_stations WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL"
    );
    opt(conn, &sql, [outlet, id], read)
}

pub(in super::super) fn insert_station(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    f: &StationFields,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO kitchen_stations (id, outlet_id, name, kind, is_default, target_minutes, printer_address, print_tickets,
           fallback_station_id, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10)",
        params![
            id,
            outlet,
            f.name,
            f.kind.name(),
            f.is_default,
            f.target_minutes,
            f.printer_address,
            f.print_tickets,
            f.fallback_station_id,
            tx.now()
        ],
    )
    .map(drop)
}

pub(in super::super) fn update_station(tx: &Transaction<'_>, id: Uuid, f: &StationFields) -> db::Result<()> {
    tx.execute(
        "UPDATE kitchen_stations SET name = ?2, kind = ?3, is_default = ?4, target_minutes = ?5, printer_address = ?6,
           print_tickets = ?7, fallback_station_id = ?8, updated_at = ?9, version = version + 1
         WHERE id = ?1",
        params![
            id,
            f.name,
            f.kind.name(),
            f.is_default,
            f.target_minutes,
            f.printer_address,
            f.print_tickets,
            f.fallback_station_id,
            tx.now()
        ],
    )
    .map(drop)
}

/// Makes no station of the outlet the default one.
pub(in super::super) fn clear_default(tx: &Transaction<'_>, outlet: Uuid) -> db::Result<()> {
    let sql = "UPDATE kitchen_stations SET is_default = 0, updated_at = ?2, version = version + 1
               WHERE outlet_id = ?1 AND is_default = 1 AND archived_at IS NULL";
    tx.execute(sql, params![outlet, tx.now()]).map(drop)
}

/// Archives a station; others no longer fall back to it.
pub(in super::super) fn archive_station(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let fallback =
        "UPDATE kitchen_stations SET fallback_station_id = NULL, updated_at = ?3, version = version + 1
                    WHERE outlet_id = ?1 AND fallback_station_id = ?2";
    tx.execute(fallback, params![outlet, id, tx.now()])?;
    let sql =
        "UPDATE kitchen_stations SET archived_at = ?3, is_default = 0, updated_at = ?3, version = version + 1
               WHERE outlet_id = ?1 AND id = ?2";
    tx.execute(sql, params![outlet, id, tx.now()]).map(drop)
}
