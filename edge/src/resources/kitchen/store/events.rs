//! Rows of `kitchen_events`: what the stream sends, in the order of their commits.

use crate::db::{Transaction, list as rows, one};
use crate::http::sse::Bounds;
use rusqlite::{Connection, params};
use tiffin_common::{Millis, Uuid};

/// Announces a ticket to the displays of `station`.
pub(in super::super) fn insert_event(
    tx: &Transaction<'_>,
    outlet: Uuid,
    station: Uuid,
    ticket: Uuid,
    event: &'static str,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO kitchen_events (outlet_id, station_id, ticket_id, event, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.execute(sql, params![outlet, station, ticket, event, tx.now()]).map(drop)
}

/// The oldest event kept and the newest number ever given.
pub(in super::super) fn event_bounds(conn: &Connection) -> rusqlite::Result<Bounds> {
    let sql = "SELECT (SELECT min(seq) FROM kitchen_events),
                      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'kitchen_events'), 0)";
    one(conn, sql, [], |row| Ok(Bounds { oldest: row.get(0)?, newest: row.get(1)? }))
}

/// At most `limit` events after `position`: number, outlet, station, ticket, event. Unfiltered, so that the position
/// advances past what a display does not want.
pub(in super::super) fn events_after(
    conn: &Connection,
    position: i64,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, Uuid, Uuid, Uuid, String)>> {
    let sql = "SELECT seq, outlet_id, station_id, ticket_id, event FROM kitchen_events WHERE seq > ?1
               ORDER BY seq LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    rows(conn, sql, params![position, limit], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    })
}

/// Deletes the events before the first that is not older than `before`.
pub(in super::super) fn forget_events(tx: &Transaction<'_>, before: Millis) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM kitchen_events WHERE seq <
                 coalesce((SELECT seq FROM kitchen_events WHERE at >= ?1 ORDER BY seq LIMIT 1), 9223372036854775807)";
    tx.execute(sql, [before])
}
