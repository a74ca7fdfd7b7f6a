//! What the stores can refuse, in words of the house that every driver's errors are mapped to. Never shows SQL text to a client: `http::error` maps each kind once.

use super::unreadable::Unreadable;
use rusqlite::ErrorCode;
use rusqlite::types::FromSqlError;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// A unique index refused a row; `column` is the last column of the index.
    #[error("{table}.{column} is taken")]
    Taken {
        /// The table.
        table: String,
        /// The last column of the index.
        column: String,
    },
    /// The disk is full; nothing was written.
    #[error("the disk is full")]
    Full,
    /// The queue is full, the writer has stopped, or no connection is free.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// Nothing is held of the outlet whose rows are asked for (a branch holds all it ever heard of).
    #[error("no such outlet")]
    NoOutlet,
    /// A sum left the range of its type.
    #[error("a number is too large")]
    Overflow,
    /// The file is damaged, or no database at all: it must be put back from a backup.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// A constraint refused a row: a reference to nothing, a value that its column does not take.
    #[error("a row was refused: {0}")]
    Refused(String),
    /// There is no row where there must be one.
    #[error("there is no such row")]
    Missing,
    /// A value is not what its column holds. Its row fails; nothing is guessed in its place.
    #[error(transparent)]
    Unreadable(#[from] Box<Unreadable>),
    /// Any other failure, in the store's own words.
    #[error("{0}")]
    Other(String),
}

impl DbError {
    /// What could not be done because of `error`, and may be tried again.
    pub fn unavailable<E: std::fmt::Display>(error: E) -> DbError {
        DbError::Unavailable(error.to_string())
    }
}

/// What a reader or writer of the store answers.
pub type Result<T, E = DbError> = std::result::Result<T, E>;

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        if let rusqlite::Error::SqliteFailure(code, message) = &error {
            match (code.code, message) {
                (ErrorCode::DiskFull, _) => return DbError::Full,
                (ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _) => {
                    return DbError::Damaged(error.to_string());
                }
                (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => {
                    return DbError::unavailable(error);
                }
                (ErrorCode::ConstraintViolation, Some(text)) => {
                    return match unique_column(text) {
                        Some((table, column)) => DbError::Taken { table, column },
                        None => DbError::Refused(text.clone()),
                    };
                }
                _ => {}
            }
        }
        match error {
            rusqlite::Error::QueryReturnedNoRows => DbError::Missing,
            error => DbError::Other(error.to_string()),
        }
    }
}

impl From<FromSqlError> for DbError {
    fn from(error: FromSqlError) -> Self {
        DbError::Other(error.to_string())
    }
}

impl From<tiffin_common::Overflow> for DbError {
    fn from(_: tiffin_common::Overflow) -> Self {
        DbError::Overflow
    }
}

/// Table and last column of `UNIQUE constraint failed: t.a, t.b`.
fn unique_column(message: &str) -> Option<(String, String)> {
    let columns = message.strip_prefix("UNIQUE constraint failed: ")?;
    let (table, column) = columns.rsplit(", ").next()?.split_once('.')?;
    Some((table.to_owned(), column.to_owned()))
}

impl From<Unreadable> for DbError {
    fn from(unreadable: Unreadable) -> Self {
        DbError::Unreadable(Box::new(unreadable))
    }
}
