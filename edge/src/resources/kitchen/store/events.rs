//! Rows of `kitchen_events`: what the stream sends, in the order of their commits.

use crate::db::{self, Source, Transaction, list as rows, one};
use crate::http::sse::Bounds;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Announces a ticket to the displays of `station`.
pub(in super::super) fn insert_event(
    tx: &Transaction<'_>,
    outlet: Uuid,
    station: Uuid,
    ticket: Uuid,
    event: &'static str,
) -> db::Result<()> {
    let sql = "INSERT INTO kitchen_events (outlet_id, station_id, ticket_id, event, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.execute(sql, params![outlet, station, ticket, event, tx.now()]).map(drop)
}

/// The oldest event kept and the newest number ever given.
pub(in super::super) fn event_bounds(conn: &dyn Source) -> db::Result<Bounds> {
    let sql = "SELECT (SELECT min(seq) FROM kitchen_events),
                      coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'kitchen_events'), 0)";
    one(conn, sql, [], |row| Ok(Bounds { oldest: row.get(0)?, newest: row.get(1)? }))
}

/// One row: a ticket has news for the displays of a station.
#[derive(Debug)]
pub(in super::super) struct TicketEvent {
    pub(in super::super) seq: i64,
    pub(in super::super) outlet: Uuid,
    pub(in super::super) station: Uuid,
    pub(in super::super) ticket: Uuid,
    pub(in super::super) event: String,
}

/// At most `limit` events after `position`. Unfiltered, so that the position advances past what a display does not want.
pub(in super::super) fn events_after(
    conn: &dyn Source,
    position: i64,
    limit: usize,
) -> db::Result<Vec<TicketEvent>> {
    let sql = "SELECT seq, outlet_id, station_id, ticket_id, event FROM kitchen_events WHERE seq > ?1
               ORDER BY seq LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    rows(conn, sql, params![position, limit], |row| {
        Ok(TicketEvent {
            seq: row.get(0)?,
            outlet: row.get(1)?,
            station: row.get(2)?,
            ticket: row.get(3)?,
            event: row.get(4)?,
        })
    })
}

/// Deletes the events before the first that is not older than `before`.
pub(in super::super) fn forget_events(tx: &Transaction<'_>, before: Millis) -> db::Result<usize> {
    let sql = "DELETE FROM kitchen_events WHERE seq <
                 coalesce((SELECT seq FROM kitchen_events WHERE at >= ?1 ORDER BY seq LIMIT 1), 9223372036854775807)";
    tx.execute(sql, [before])
}
