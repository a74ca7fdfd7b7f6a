//! Rows of `kitchen_events`: what the stream sends, in the order of their commits.

use crate::db::{self, Columns, Source, Tx, list as rows, one};
use crate::http::sse::Bounds;
use crate::resources::kitchen::rules::TicketEvent;
use tiffin_common::{Millis, Uuid};

/// Announces a ticket to the displays of `station`.
pub fn insert_event(
    tx: &Tx<'_>,
    outlet: Uuid,
    station: Uuid,
    ticket: Uuid,
    event: &'static str,
) -> db::Result<()> {
    insert!(
        tx,
        kitchen_events {
            outlet_id: outlet,
            station_id: station,
            ticket_id: ticket,
            event: event,
            at: tx.now()
        }
    )
}

/// The oldest event kept and the newest number ever given.
pub fn find_event_bounds(conn: &dyn Source) -> db::Result<Bounds> {
    let sql = "SELECT (SELECT min(seq) FROM kitchen_events) AS oldest,
                 coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'kitchen_events'), 0) AS newest";
    one(conn, sql, [], |row| Ok(read!(row => Bounds { oldest, newest })))
}

/// At most `limit` events after `position`. Unfiltered, so that the position advances past what a display does not want.
pub fn list_events(conn: &dyn Source, position: i64, limit: usize) -> db::Result<Vec<TicketEvent>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = select!(TicketEvent, "WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    rows(conn, sql, [position, limit], TicketEvent::read)
}

/// Deletes the events before the first that is not older than `before`.
pub fn delete_events(tx: &Tx<'_>, before: Millis) -> db::Result<usize> {
    let sql = "DELETE FROM kitchen_events WHERE seq <
                 coalesce((SELECT seq FROM kitchen_events WHERE at >= ?1 ORDER BY seq LIMIT 1), 9223372036854775807)";
    tx.execute(sql, [before]).map(|()| tx.changed())
}
