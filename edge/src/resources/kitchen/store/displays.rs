//! Rows of `station_displays`: which stations displays followed, and since when none does.

use crate::db::{self, Source, Tx, list as rows};
use crate::resources::kitchen::rules::StationWatch;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Every station of the box that is not archived, the oldest first.
pub fn list_watches(conn: &dyn Source) -> db::Result<Vec<StationWatch>> {
    let sql = "SELECT s.id AS station, s.outlet_id AS outlet, s.name, s.print_tickets AS is_on_paper, d.seen_at, d.unwatched_since
        FROM kitchen_stations s LEFT JOIN station_displays d ON d.station_id = s.id
        WHERE s.archived_at IS NULL ORDER BY s.created_at, s.id";
    rows(conn, sql, [], |row| {
        Ok(read!(row => StationWatch { station, outlet, name, is_on_paper, seen_at, unwatched_since }))
    })
}

/// A display follows the station.
pub fn set_watched(tx: &Tx<'_>, outlet: Uuid, station: Uuid) -> db::Result<()> {
    let sql = "INSERT INTO station_displays (station_id, outlet_id, seen_at) VALUES (?1, ?2, ?3)
        ON CONFLICT (station_id) DO UPDATE SET seen_at = excluded.seen_at, unwatched_since = NULL";
    tx.execute(sql, params![station, outlet, tx.now()])
}

/// No display has followed the station since then.
pub fn set_unwatched(tx: &Tx<'_>, station: Uuid, since: Millis) -> db::Result<()> {
    update!(tx, station_displays { unwatched_since: since } where { station_id: station })
}
