//! How the exchange with head office stands, for every screen that says so. Never a guess: what is not known is null.

use crate::db::{Source, opt};
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::Millis;

/// Exchange with head office. What is not known is null, never a guess.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncStatus {
    /// Whether this box belongs to a head office.
    pub enrolled: bool,
    /// Changes that head office has not confirmed.
    pub rows_waiting: i64,
    /// When head office last confirmed changes.
    pub last_push_at: Option<Millis>,
    /// When changes last came from head office.
    pub last_pull_at: Option<Millis>,
    /// Whether the internet answered lately.
    pub internet_reachable: Option<bool>,
    /// Whether head office answered lately.
    pub hub_reachable: Option<bool>,
    /// Whether head office's copy was last found equal.
    pub digest: Option<String>,
}

impl SyncStatus {
    /// As the log has it.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub fn read(conn: &dyn Source) -> rusqlite::Result<SyncStatus> {
        Ok(SyncStatus {
            enrolled: false,
            rows_waiting: log_rows(conn)?,
            last_push_at: None,
            last_pull_at: None,
            internet_reachable: None,
            hub_reachable: None,
            digest: None,
        })
    }
}

/// Rows of the change log. Its numbers have no gaps, so this needs no count.
///
/// # Errors
/// Whatever the store reports.
pub fn log_rows(conn: &dyn Source) -> rusqlite::Result<i64> {
    const ROWS: &str = "SELECT coalesce(max(seq) - min(seq) + 1, 0) FROM sync_log";
    opt(conn, ROWS, [], |row| row.get(0)).map(Option::unwrap_or_default)
}
