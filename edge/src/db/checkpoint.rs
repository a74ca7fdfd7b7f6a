//! Moves the write-ahead log into the database file, off the hot path. Never holds up a commit, but for a moment where a writer that does
//! not pause would let the log grow for ever.

use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// A checkpoint begins when so many pages of the log are not in the database file (16 MB of 2 kB). Not by the length of the log's file: that
/// never shrinks, SQLite writes the next log over the last.
const CHECKPOINT_PAGES: i64 = 8_000;

/// A log whose file is shorter has fewer pages, of whatever size.
const LEAST_BYTES: u64 = CHECKPOINT_PAGES as u64 * 2_048;

/// With a log of so many pages (128 MB of 2 kB) the next one begins, though the writer has to wait for it: it begins by itself only when a
/// commit finds that every page has been moved, which it does not while orders come without a pause; and a start reads the whole log.
const LONGEST_LOG: i64 = 64_000;

/// The most the writer waits for readers of the old log.
const WAIT: Duration = Duration::from_millis(50);

/// How long nobody waits again after that was for nothing: who reads for long is not hurried by asking.
const REST: Duration = Duration::from_secs(1);

/// The most that is waited where nobody writes any more.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Runs until the sender is gone: at each wake, checkpoints when enough has been written. The last thing it does is to fold the whole
/// log in, so that a stopped server leaves one file.
pub(super) fn run(path: &Path, wakes: &Receiver<()>) {
    let log = path.with_extension("db-wal");
    let (mut conn, mut rests_until) = (None, Instant::now());
    while wakes.recv().is_ok() {
        while wakes.try_recv().is_ok() {}
        // A connection of its own is a megabyte, which a box that writes little has no use for.
        if conn.is_none() && std::fs::metadata(&log).is_ok_and(|log| log.len() < LEAST_BYTES) {
            continue;
        }
        if conn.is_none() {
            conn = opened(path);
        }
        let Some(conn) = &conn else { continue };
        let longest = if Instant::now() < rests_until { i64::MAX } else { LONGEST_LOG };
        if !checkpoint_when_due(conn, CHECKPOINT_PAGES, longest) {
            rests_until = Instant::now() + REST;
        }
    }
    let Some(conn) = conn.or_else(|| opened(path)) else { return };
    if conn.busy_timeout(LAST_WAIT).is_ok() {
        checkpoint(&conn, "TRUNCATE");
    }
}

fn opened(path: &Path) -> Option<Connection> {
    Connection::open(path).inspect_err(|error| tracing::warn!(%error, "no checkpoint")).ok()
}

/// How long the log is and how much of it is not in the database file, in pages, and whether somebody stood in the way.
struct Log {
    pages: i64,
    waiting: i64,
    is_busy: bool,
}

/// Checkpoints when `pages` or more wait for it, and has the next log begin when this one is longer than `longest`; false where somebody
/// who reads the old one did not let it.
fn checkpoint_when_due(conn: &Connection, pages: i64, longest: i64) -> bool {
    let is_due = |log: &Log| log.waiting >= pages || log.pages > longest;
    let log = checkpoint(conn, "NOOP").filter(is_due).and_then(|_| checkpoint(conn, "PASSIVE"));
    if log.is_none_or(|log| log.pages <= longest) || conn.busy_timeout(WAIT).is_err() {
        return true;
    }
    checkpoint(conn, "RESTART").is_some_and(|log| !log.is_busy)
}

/// Answers how the log stands then; none where that failed.
fn checkpoint(conn: &Connection, mode: &str) -> Option<Log> {
    let counted = conn.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})")).and_then(|mut statement| {
        statement.query_row([], |row| {
            let pages: i64 = row.get("log")?;
            let waiting = pages - row.get::<_, i64>("checkpointed")?;
            Ok(Log { pages, waiting, is_busy: row.get("busy")? })
        })
    });
    counted.inspect_err(|error| tracing::warn!(%error, mode, "checkpoint failed")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log that only `checkpoint_when_due` moves, and another connection to it.
    fn log(folder: &Path) -> (Connection, Connection) {
        let path = folder.join("tiffin.db");
        let writer = Connection::open(&path).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        writer.execute_batch("CREATE TABLE t (body BLOB)").unwrap();
        (writer, Connection::open(&path).unwrap())
    }

    fn insert(writer: &Connection, pages: i64) {
        writer.execute("INSERT INTO t VALUES (zeroblob(?1))", [pages * 4_096]).unwrap();
    }

    #[test]
    fn a_log_is_moved_once_and_not_again_before_as_much_has_been_written() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, other) = log(folder.path());
        let waiting = || checkpoint(&other, "NOOP").unwrap().waiting;

        insert(&writer, 100);
        checkpoint_when_due(&other, 50, 1_000);
        assert_eq!(waiting(), 0);
        // The next log is written over the last one, whose file is as long as before.
        for _ in 0..3 {
            insert(&writer, 0);
            checkpoint_when_due(&other, 50, 1_000);
        }
        assert!((1..50).contains(&waiting()), "{} pages wait", waiting());
        insert(&writer, 50);
        checkpoint_when_due(&other, 50, 1_000);
        assert_eq!(waiting(), 0);
    }

    #[test]
    fn a_log_that_was_never_all_moved_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, other) = log(folder.path());
        let pages = || checkpoint(&other, "NOOP").unwrap().pages;
        for _ in 0..10 {
            // At each commit something of the log has not been moved: as where orders come without a pause.
            insert(&writer, 50);
            let reader = Connection::open(folder.path().join("tiffin.db")).unwrap();
            reader.execute_batch("BEGIN; SELECT count(*) FROM t").unwrap();
            insert(&writer, 1);
            let is_long = pages() > 200;
            assert_eq!(checkpoint_when_due(&other, 40, 200), !is_long, "the reader does not leave");
            reader.execute_batch("COMMIT").unwrap();
        }
        assert!(pages() > 200, "{} pages", pages());
        assert!(checkpoint_when_due(&other, 40, 200));
        insert(&writer, 1);
        assert!(pages() < 10, "{} pages", pages());
    }
}
