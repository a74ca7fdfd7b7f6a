//! PostgreSQL's failures as the house knows them. They travel as rusqlite's, which is what every text's caller handles, and
//! `DbError::from` makes the same of them as of SQLite's own: taken, full, unavailable. Never hides the server's own words.

use rusqlite::ffi;
use tokio_postgres::error::{DbError as Refusal, SqlState};

/// What rusqlite would have said.
pub(super) fn said(error: &tokio_postgres::Error) -> rusqlite::Error {
    match error.as_db_error() {
        Some(refusal) => refused(refusal),
        // No answer: the connection is gone, or the server never was there. Asking again may help.
        None if error.is_closed() || std::error::Error::source(error).is_some_and(is_io) => {
            failure(ffi::SQLITE_BUSY, words(error))
        }
        None => failure(ffi::SQLITE_ERROR, words(error)),
    }
}

/// No connection could be had.
pub(super) fn no_connection(error: &deadpool_postgres::PoolError) -> rusqlite::Error {
    failure(ffi::SQLITE_BUSY, words(error))
}

/// Whether nothing is wrong with the statement and its values, only with the store: to be asked again, never to be quarantined.
pub(super) fn is_the_stores(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DiskFull, OutOfMemory};
    matches!(error, rusqlite::Error::SqliteFailure(code, _)
        if matches!(code.code, DatabaseBusy | DiskFull | OutOfMemory))
}

fn is_io(source: &(dyn std::error::Error + 'static)) -> bool {
    source.is::<std::io::Error>()
}

fn refused(refusal: &Refusal) -> rusqlite::Error {
    let code = refusal.code();
    let message = refusal.message().to_owned();
    if *code == SqlState::UNIQUE_VIOLATION {
        return failure(ffi::SQLITE_CONSTRAINT_UNIQUE, taken(refusal).unwrap_or(message));
    }
    let class = code.code().get(..2).unwrap_or_default();
    if *code == SqlState::DISK_FULL {
        return failure(ffi::SQLITE_FULL, message);
    }
    // 08 connection, 40 serialization and deadlock, 53 resources, 57 shutdown and cancellation, 55 lock not available,
    // 25006 a standby that was promoted or demoted meanwhile.
    if ["08", "40", "53", "57"].contains(&class)
        || *code == SqlState::LOCK_NOT_AVAILABLE
        || *code == SqlState::READ_ONLY_SQL_TRANSACTION
    {
        return failure(ffi::SQLITE_BUSY, message);
    }
    if class == "23" {
        return failure(ffi::SQLITE_CONSTRAINT, message);
    }
    if *code == SqlState::NUMERIC_VALUE_OUT_OF_RANGE {
        return failure(ffi::SQLITE_ERROR, "integer overflow".to_owned());
    }
    failure(ffi::SQLITE_ERROR, format!("{message} ({})", code.code()))
}

/// `Key (outlet_id, code)=(…) already exists.` in SQLite's words.
fn taken(refusal: &Refusal) -> Option<String> {
    let columns = refusal.detail()?.strip_prefix("Key (")?.split_once(")=")?.0;
    let table = refusal.table()?;
    let columns: Vec<String> = columns.split(", ").map(|column| format!("{table}.{column}")).collect();
    Some(format!("UNIQUE constraint failed: {}", columns.join(", ")))
}

fn failure(code: std::ffi::c_int, message: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(message))
}

/// An error with its causes.
fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = inner.source();
    }
    text
}
