//! Moves the write-ahead log into the database file, off the hot path. Never holds up a commit: passive checkpoints only.

use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc::Receiver;

/// A checkpoint begins when so many pages of the log are not in the database file (16 MB of 2 kB). Not by the length of the log's file: that
/// never shrinks, SQLite writes the next log over the last.
const CHECKPOINT_PAGES: i64 = 8_000;

/// Runs until the sender is gone: at each wake, checkpoints when enough has been written. The last thing it does is to fold the whole
/// log in, so that a stopped server leaves one file.
pub(super) fn run(path: &Path, wakes: &Receiver<()>) {
    let Ok(conn) = Connection::open(path) else { return };
    while wakes.recv().is_ok() {
        while wakes.try_recv().is_ok() {}
        checkpoint_when_due(&conn, CHECKPOINT_PAGES);
    }
    checkpoint(&conn, "TRUNCATE");
}

/// Checkpoints when `pages` or more wait for it.
fn checkpoint_when_due(conn: &Connection, pages: i64) {
    if checkpoint(conn, "NOOP").is_some_and(|waiting| waiting >= pages) {
        checkpoint(conn, "PASSIVE");
    }
}

/// Answers how many pages of the log then still wait to be moved; none where that failed.
fn checkpoint(conn: &Connection, mode: &str) -> Option<i64> {
    let counted = conn.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})")).and_then(|mut statement| {
        statement.query_row([], |row| Ok(row.get::<_, i64>("log")? - row.get::<_, i64>("checkpointed")?))
    });
    counted.inspect_err(|error| tracing::warn!(%error, mode, "checkpoint failed")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_moved_once_and_not_again_before_as_much_has_been_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tiffin.db");
        let writer = Connection::open(&path).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        writer.execute_batch("CREATE TABLE t (body BLOB)").unwrap();
        let other = Connection::open(&path).unwrap();
        let insert = |bytes: i64| writer.execute("INSERT INTO t VALUES (zeroblob(?1))", [bytes]).unwrap();
        let waiting = || checkpoint(&other, "NOOP").unwrap();

        insert(100 * 4_096);
        checkpoint_when_due(&other, 50);
        assert_eq!(waiting(), 0);
        // The next log is written over the last one, whose file is as long as before.
        for _ in 0..3 {
            insert(1);
            checkpoint_when_due(&other, 50);
        }
        assert!((1..50).contains(&waiting()), "{} pages wait", waiting());
        insert(50 * 4_096);
        checkpoint_when_due(&other, 50);
        assert_eq!(waiting(), 0);
    }
}
