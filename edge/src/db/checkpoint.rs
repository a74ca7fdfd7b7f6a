//! Moves the write-ahead log into the database file, off the hot path. Never holds up a commit: passive checkpoints only.

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;

/// A checkpoint begins when the log is this long, in bytes (4,000 pages).
const CHECKPOINT_BYTES: u64 = 4_000 * 4_096;

/// Runs until the sender is gone: at each wake, checkpoints when the log has grown past its bound. The last thing it
/// does is to fold the whole log in, so that a stopped server leaves one file.
pub(super) fn run(path: &Path, wakes: &Receiver<()>) {
    let log_file = log_path(path);
    let Ok(conn) = Connection::open(path) else { return };
    while wakes.recv().is_ok() {
        while wakes.try_recv().is_ok() {}
        let length = std::fs::metadata(&log_file).map_or(0, |m| m.len());
        if length >= CHECKPOINT_BYTES {
            checkpoint(&conn, "PASSIVE");
        }
    }
    checkpoint(&conn, "TRUNCATE");
}

fn checkpoint(conn: &Connection, mode: &str) {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let outcome = conn.query_row(&sql, [], |row| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)));
    match outcome {
        Ok((pages, moved)) => tracing::debug!(pages, moved, mode, "checkpoint"),
        Err(error) => tracing::warn!(%error, "checkpoint failed"),
    }
}

fn log_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}
