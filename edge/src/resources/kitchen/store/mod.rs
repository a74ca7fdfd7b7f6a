//! Rows of the kitchen's tables: stations, tickets with their items, the events displays follow, and paper. The only SQL
//! that writes them.

mod events;
mod paper;
mod standing;
mod stations;
mod tickets;
mod times;

pub(super) use events::{event_bounds, events_after, forget_events, insert_event};
pub(super) use paper::{
    Job, ack_paper, forget_jobs, insert_job, next_job, open_printers, set_job_failed, set_job_sending,
    set_job_status,
};
pub(super) use standing::{courses, progress, started as line_started};
pub(super) use stations::{
    archive_station, clear_default, insert_station, list_stations, station, station_names, stations,
    update_station,
};
pub(super) use tickets::{
    Filter, held, insert_ticket, list_tickets, of_order, of_order_item, oldest_unacked, open_at_station,
    save_ticket, ticket, unacked,
};
pub(super) use times::{ItemTimes, StationTimes, item_times, station_times};

use crate::db;
use rusqlite::types::Type;

/// A word column as its enum.
fn word<T>(row: &crate::db::Row<'_>, index: usize, of_name: fn(&str) -> Option<T>) -> db::Result<T> {
    let text: String = row.get(index)?;
    of_name(&text).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            index,
            Type::Text,
            format!("unknown word {text}").into(),
        ))
    })
}

/// A JSON or date column.
fn parsed<T, E: std::error::Error + Send + Sync + 'static>(
    index: usize,
    value: Result<T, E>,
) -> db::Result<T> {
    value.map_err(|e| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(e)))
    })
}
