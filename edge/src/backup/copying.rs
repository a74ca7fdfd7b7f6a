//! SQLite's online backup into a file of its own, and the check of that copy. Never holds up the writer: it reads one snapshot
//! through a connection of its own.

use super::error::{BackupError, Result};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::path::Path;
use std::time::Duration;
use tiffin_common::Uuid;

/// Pages of one step: a MiB.
const PAGES: i32 = 256;

/// The rest after a step, so that a copy leaves the disk to those who sell.
const REST: Duration = Duration::from_millis(4);

/// How long to wait for a lock that somebody else has.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a copy holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The outlet's code.
    pub code: String,
    /// The outlet.
    pub outlet: Uuid,
    /// The version of its schema.
    pub schema: u32,
    /// The last number of its change log.
    pub head: i64,
}

/// Opens a database to look at it only.
pub(crate) fn reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(PATIENCE)?;
    conn.pragma_update(None, "query_only", true)?;
    Ok(conn)
}

/// Copies the database at `from`, which may be in use, to the new file `to`: one state of it, whole, in one file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let source = reading(from)?;
    // The snapshot is held open over all steps: without it every commit in between would begin the copy anew.
    let snapshot = source.unchecked_transaction()?;
    snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    let mut copy = Connection::open(to)?;
    // Nobody reads it before it is whole and synced.
    copy.pragma_update(None, "synchronous", "OFF")?;
    copy.pragma_update(None, "cache_size", -4_000)?;
    {
        let steps = Backup::new(&snapshot, &mut copy)?;
        loop {
            match steps.step(PAGES)? {
                StepResult::Done => break,
                StepResult::More => std::thread::sleep(REST),
                // Busy, locked, and whatever comes: the next step tries again.
                _ => std::thread::sleep(REST * 4),
            }
        }
    }
    // One file: no write-ahead log belongs to it.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    copy.close().map_err(|(_, error)| error)?;
    Ok(())
}

/// Checks every page of the database at `path`, and every index against its table when `thoroughly`.
pub(crate) fn check(path: &Path, thoroughly: bool) -> Result<()> {
    let conn = reading(path)?;
    let pragma = if thoroughly { "PRAGMA integrity_check(1)" } else { "PRAGMA quick_check(1)" };
    let found: String = conn.query_row(pragma, [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(BackupError::Damaged(found)) }
}

/// What the branch's database at `path` holds.
pub(crate) fn contents(path: &Path) -> Result<Contents> {
    contents_of(&reading(path)?, path)
}

/// What the open branch's database, which lies at `path`, holds.
///
/// # Errors
/// When it is no branch's, or cannot be read.
pub fn contents_of(conn: &Connection, path: &Path) -> Result<Contents> {
    const OWN: &str =
        "SELECT code, id FROM outlets ORDER BY id = (SELECT outlet_id FROM box) DESC, id LIMIT 1";
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
    let is_branch =
        "SELECT count(*) FROM sqlite_schema WHERE name IN ('refinery_schema_history', 'outlets', 'sync_log')";
    if number(is_branch)? != Some(3) {
        return Err(BackupError::NoBranch(path.to_owned()));
    }
    let own = conn.query_row(OWN, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (code, outlet) = own.ok_or_else(|| BackupError::NoBranch(path.to_owned()))?;
    let schema = number("SELECT max(version) FROM refinery_schema_history")?.unwrap_or_default();
    let head = number("SELECT max(seq) FROM sync_log")?.unwrap_or_default();
    Ok(Contents { code, outlet, schema: u32::try_from(schema).unwrap_or_default(), head })
}
