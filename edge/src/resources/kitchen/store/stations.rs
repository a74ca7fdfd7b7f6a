//! Rows of `kitchen_stations`.

use crate::db::{self, Columns, Json, Row, Source, Tx, list as rows, opt};
use crate::http::{Page, Paging};
use crate::resources::kitchen::rules::{Station, StationFields};
use crate::resources::menu::rules::Texts;
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tiffin_common::Uuid;

/// All stations of the outlet that are not archived, the oldest first.
pub fn list_all_stations(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Station>> {
    let sql = select!(Station, "WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY created_at, id");
    rows(conn, sql, [outlet], Station::read)
}

/// The names of all stations of the outlet, also of archived ones.
pub fn list_station_names(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, String>> {
    let sql = "SELECT id, name FROM kitchen_stations WHERE outlet_id = ?1";
    Ok(rows(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get("name")?)))?.into_iter().collect())
}

pub(super) const TEXTS: &str = "SELECT id, texts FROM kitchen_stations
    WHERE +outlet_id = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?2)) AND texts <> '{}'";

/// What these stations of the outlet, also archived ones, are called in other languages; those of which something is said.
pub fn list_station_texts(
    conn: &dyn Source,
    outlet: Uuid,
    stations: &BTreeSet<Uuid>,
) -> db::Result<HashMap<Uuid, Texts>> {
    let read = |row: &Row<'_>| Ok((row.get("id")?, row.get::<_, Json<Texts>>("texts")?.0));
    Ok(rows(conn, TEXTS, params![outlet, Json(stations)], read)?.into_iter().collect())
}

/// One page of the outlet's stations.
pub fn list_stations(conn: &dyn Source, outlet: Uuid, paging: Paging) -> db::Result<Page<Station>> {
    Page::read(conn, ("outlet_id = ?1 AND archived_at IS NULL", "created_at, id"), &[&outlet], paging)
}

/// One station that is not archived.
pub fn find_station(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Station>> {
    let sql = select!(Station, "WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL");
    opt(conn, sql, [outlet, id], Station::read)
}

/// The station of the paired device whose account that is: none when it follows all of them; nothing when it is no device.
pub fn find_display(
    conn: &dyn Source,
    outlet: Uuid,
    account: Option<Uuid>,
) -> db::Result<Option<Option<Uuid>>> {
    let sql = "SELECT station_id FROM devices WHERE outlet_id = ?1 AND account_id = ?2";
    opt(conn, sql, [Some(outlet), account], |row| row.get("station_id"))
}

/// The accounts of the paired devices that stand at a station.
pub fn list_displays_at(conn: &dyn Source, outlet: Uuid, station: Uuid) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT account_id FROM devices WHERE outlet_id = ?1 AND station_id = ?2";
    rows(conn, sql, [outlet, station], |row| row.get(0))
}

pub fn insert_station(tx: &Tx<'_>, outlet: Uuid, id: Uuid, fields: &StationFields) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, kitchen_stations { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..fields })
}

pub fn update_station(tx: &Tx<'_>, id: Uuid, fields: &StationFields) -> db::Result<()> {
    update!(tx, kitchen_stations {
        updated_at: tx.now(), ..fields; "version = version + 1"
    } where { id: id })
}

/// Makes no station of the outlet the default one.
pub fn set_no_default(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    update!(tx, kitchen_stations {
        is_default: false, updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, is_default: true; "archived_at IS NULL" })
}

/// Archives a station; others no longer fall back to it.
pub fn set_station_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    update!(tx, kitchen_stations {
        fallback_station_id: None::<Uuid>, updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, fallback_station_id: id })?;
    update!(tx, kitchen_stations {
        archived_at: tx.now(), is_default: false, updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, id: id })
}
