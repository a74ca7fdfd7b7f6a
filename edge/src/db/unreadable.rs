//! Values that are not what their column holds: counted, and written to the program's log once each. Never guesses a value.

use rusqlite::types::{FromSqlError, ValueRef};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tiffin_common::Uuid;

/// Values that were met since the start of the process.
static MET: AtomicU64 = AtomicU64::new(0);

/// Those that the log knows already.
static LOGGED: Mutex<BTreeSet<(&'static str, String, Option<String>)>> = Mutex::new(BTreeSet::new());

/// The most that are remembered: a whole damaged table must not fill the memory or the log.
const REMEMBERED: usize = 1_000;

/// A value that is not what its column holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{column} of {} {} cannot be read: {reason}", if table.is_empty() { "a row" } else { table }, id.as_deref().unwrap_or_default())]
pub struct Unreadable {
    /// The table, where the reader says which.
    pub table: &'static str,
    /// The column, as the query names it.
    pub column: String,
    /// The row's id, where the query asks for it.
    pub id: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

impl Unreadable {
    /// A value of `table` that was read as a plain one and does not say what it should.
    pub fn new(table: &'static str, column: &str, id: Uuid, reason: &str) -> Unreadable {
        MET.fetch_add(1, Ordering::Relaxed);
        Unreadable { table, column: column.to_owned(), id: Some(id.to_string()), reason: reason.to_owned() }
    }

    /// Counts it.
    pub(super) fn found(column: String, id: Option<ValueRef<'_>>, error: &FromSqlError) -> Box<Unreadable> {
        MET.fetch_add(1, Ordering::Relaxed);
        let id = id.map(|id| match id {
            ValueRef::Blob(bytes) => {
                Uuid::from_slice(bytes).map_or_else(|_| "?".to_owned(), |id| id.to_string())
            }
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            ValueRef::Null | ValueRef::Real(_) => "?".to_owned(),
        });
        Box::new(Unreadable { table: "", column, id, reason: error.to_string() })
    }

    /// Writes it to the log, unless the log has it.
    pub(crate) fn log(&self) {
        let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() < REMEMBERED && logged.insert((self.table, self.column.clone(), self.id.clone())) {
            tracing::error!(
                table = self.table,
                column = self.column,
                id = self.id,
                reason = self.reason,
                "a value cannot be read"
            );
        }
    }
}

/// How many values could not be read since the start of the process, for `/metrics`.
pub fn unreadable_values() -> u64 {
    MET.load(Ordering::Relaxed)
}
