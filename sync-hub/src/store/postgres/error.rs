//! PostgreSQL's failures as the house knows them: taken, full, unavailable. Never hides the server's own words.

use edge::db::DbError;
use tokio_postgres::error::{DbError as Refusal, SqlState};

/// What the house calls it.
pub(super) fn said(error: &tokio_postgres::Error) -> DbError {
    match error.as_db_error() {
        Some(refusal) => refused(refusal),
        // No answer: the connection is gone, or the server never was there. Asking again may help.
        None if error.is_closed() || std::error::Error::source(error).is_some_and(is_io) => {
            DbError::Unavailable(words(error))
        }
        None => DbError::Other(words(error)),
    }
}

/// No connection could be had.
pub(super) fn no_connection(error: &deadpool_postgres::PoolError) -> DbError {
    DbError::Unavailable(words(error))
}

/// Whether nothing is wrong with the statement and its values, only with the store: to be asked again, never to be quarantined.
pub(super) fn is_the_stores(error: &DbError) -> bool {
    matches!(error, DbError::Unavailable(_) | DbError::Full)
}

fn is_io(source: &(dyn std::error::Error + 'static)) -> bool {
    source.is::<std::io::Error>()
}

fn refused(refusal: &Refusal) -> DbError {
    let code = refusal.code();
    let message = refusal.message().to_owned();
    if *code == SqlState::UNIQUE_VIOLATION {
        return taken(refusal).unwrap_or(DbError::Refused(message));
    }
    let class = code.code().get(..2).unwrap_or_default();
    if *code == SqlState::DISK_FULL {
        return DbError::Full;
    }
    // 08 connection, 40 serialization and deadlock, 53 resources, 57 shutdown and cancellation, 55 lock not available,
    // 25006 a standby that was promoted or demoted meanwhile.
    if ["08", "40", "53", "57"].contains(&class)
        || *code == SqlState::LOCK_NOT_AVAILABLE
        || *code == SqlState::READ_ONLY_SQL_TRANSACTION
    {
        return DbError::Unavailable(message);
    }
    if class == "23" {
        return DbError::Refused(message);
    }
    if *code == SqlState::NUMERIC_VALUE_OUT_OF_RANGE {
        return DbError::Overflow;
    }
    DbError::Other(format!("{message} ({})", code.code()))
}

/// `Key (outlet_id, code)=(…) already exists.`, in whatever language the server speaks: the last column of the index, as SQLite's
/// refusals name it.
fn taken(refusal: &Refusal) -> Option<DbError> {
    let columns = refusal.detail()?.split_once('(')?.1.split_once(")=(")?.0;
    let column = columns.rsplit(", ").next()?.to_owned();
    Some(DbError::Taken { table: refusal.table()?.to_owned(), column })
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
