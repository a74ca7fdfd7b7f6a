//! How connections are set up. Never opens a database it cannot trust: a damaged file is refused with its name.

use super::DbError;
use rusqlite::Connection;
use std::path::Path;

/// Prepared statements kept per connection; the default of 16 costs 40 % of the throughput.
const STATEMENTS: usize = 256;

/// Opens the writer's connection: WAL, every commit synced to disk, foreign keys on, schema up to date.
pub(super) fn open_writer(path: &Path) -> Result<Connection, DbError> {
    let mut conn = Connection::open(path)?;
    // Of a new file. What an order changes lies on some eighty pages of any size: smaller ones are less to write.
    conn.pragma_update(None, "page_size", 2_048)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    conn.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    conn.pragma_update(None, "cache_size", -8_000)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    // What is blanked or deleted in a page is zeros there, not remains: where that costs no write of another page.
    conn.pragma_update(None, "secure_delete", "FAST")?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    crate::log::make_way_for_migrations(&conn)?;
    tiffin_migrations::migrate_edge(&mut conn).map_err(DbError::unavailable)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    Ok(conn)
}

/// Prepares one connection of the read pool.
pub(super) fn prepare_reader(conn: &mut Connection) -> rusqlite::Result<()> {
    conn.pragma_update(None, "query_only", true)?;
    conn.pragma_update(None, "cache_size", -2_000)?;
    // What is sorted stays in memory as far as the cache goes: a year's ledger took 400 MB, and twice as long.
    conn.pragma_update(None, "temp_store", "FILE")?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}
