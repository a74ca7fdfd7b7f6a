//! Reading rows through cached statements. Never writes.

pub use rusqlite::Row;
use rusqlite::{Connection, OptionalExtension, Params};

/// The one row of `sql`.
///
/// # Errors
/// `QueryReturnedNoRows` when there is none; whatever SQLite reports.
pub fn one<T, P: Params>(
    conn: &Connection,
    sql: &str,
    params: P,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    conn.prepare_cached(sql)?.query_row(params, read)
}

/// The first row of `sql`, if any.
///
/// # Errors
/// Whatever SQLite reports.
pub fn opt<T, P: Params>(
    conn: &Connection,
    sql: &str,
    params: P,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    conn.prepare_cached(sql)?.query_row(params, read).optional()
}

/// All rows of `sql`.
///
/// # Errors
/// Whatever SQLite reports.
pub fn list<T, P: Params>(
    conn: &Connection,
    sql: &str,
    params: P,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    conn.prepare_cached(sql)?.query_map(params, read)?.collect()
}
