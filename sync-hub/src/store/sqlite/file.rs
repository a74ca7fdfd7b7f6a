//! One database file: its one writing connection, which is its lock too, and some that read. Opens each when it is first
//! needed; never keeps more idle ones than it was told to.

use crate::store::StoreError;
use edge::backup::{self, BackupError};
use edge::db::DbError;
use edge::health;
use rusqlite::Connection;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Prepared statements kept per connection: a push prepares one for each table, kind of change and set of columns.
const STATEMENTS: usize = 512;

/// Pages of the write-ahead log after which it is folded into the file.
const CHECKPOINT_PAGES: i64 = 4_000;

/// Held while a process serves the data directory.
pub const LOCK: &str = "hub.lock";

/// How long the registry is checked at a start, and an outlet's file when it is first opened.
const CHECKED: Duration = Duration::from_millis(500);

/// How much is kept open.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Outlet files; each has at most one writing and a few reading connections.
    pub files: usize,
    /// Idle reading connections of each file.
    pub readers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { files: 48, readers: 2 }
    }
}

#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    writer: Mutex<Option<Connection>>,
    idle: Mutex<Vec<Connection>>,
    most_idle: usize,
    /// What every connection is made to execute first.
    before: &'static str,
}

impl File {
    pub(super) fn new(path: PathBuf, most_idle: usize, before: &'static str) -> File {
        File { path, writer: Mutex::new(None), idle: Mutex::new(Vec::new()), most_idle, before }
    }

    /// Hands the writing connection to `work`, when its turn has come.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        let conn = match writer.as_mut() {
            Some(conn) => conn,
            None => {
                let conn = open_writer(&self.path)?;
                conn.execute_batch(self.before)?;
                writer.insert(conn)
            }
        };
        let done = work(conn);
        // Whatever happened, the next one begins outside a transaction.
        if !conn.is_autocommit() {
            *writer = None;
        }
        done
    }

    /// Hands a reading connection to `look`, in one snapshot.
    pub(super) fn read<T>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = lock(&self.idle).pop();
        let conn = match idle {
            Some(conn) => conn,
            None => open_reader(&self.path, self.before)?,
        };
        let snapshot = conn.unchecked_transaction()?;
        let seen = look(&snapshot);
        drop(snapshot);
        let mut idle = lock(&self.idle);
        if idle.len() < self.most_idle && conn.is_autocommit() {
            idle.push(conn);
        }
        seen
    }
}

/// What a panic left behind is a transaction that was rolled back.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// WAL, every commit synced to disk. No foreign keys: an outlet's rows come in the order its own box checked them in.
pub(super) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(Duration::from_secs(10))?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    conn.pragma_update(None, "journal_size_limit", 16 * 1024 * 1024)?;
    conn.pragma_update(None, "cache_size", -2_000)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(conn)
}

fn open_reader(path: &Path, before: &str) -> Result<Connection, StoreError> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(Duration::from_secs(10))?;
    conn.pragma_update(None, "cache_size", -2_000)?;
    // What is sorted stays in memory as far as the cache goes: a year's ledger took 400 MB, and twice as long.
    conn.pragma_update(None, "temp_store", "FILE")?;
    conn.execute_batch(before)?;
    conn.pragma_update(None, "query_only", true)?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS / 4);
    Ok(conn)
}

/// Refuses a file that is no database or damaged, with words on what to do.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    if !path.exists() {
        return Ok(());
    }
    match health::check_file(path, CHECKED) {
        Err(BackupError::Damaged(what)) => {
            let data = path.ancestors().find(|folder| folder.join(LOCK).exists()).unwrap_or(path);
            let newest = backup::newest(&backup::folder(data));
            let file = newest.map_or_else(|| "FILE".to_owned(), |backup| backup.path.display().to_string());
            let words = format!(
                "{} is damaged and is not served: {what}. Nothing was changed. Stop head office and put the newest backup back; the \
                 branches send again what it lacks:\n  sync-hub restore {file}",
                path.display()
            );
            tracing::error!("{words}");
            Err(DbError::Damaged(words).into())
        }
        // Whatever else it is, opening it will tell.
        _ => Ok(()),
    }
}

/// What tells the file at `path` from a copy of it: its number in the file system, and when it was made there.
pub(super) fn place(path: &Path) -> std::io::Result<String> {
    let found = std::fs::metadata(path)?;
    let made = found.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(format!("{} {}", found.ino(), made.unwrap_or_default().as_nanos()))
}

/// A failure of the file system, as the store says it.
pub(super) fn io(error: std::io::Error) -> StoreError {
    StoreError::Db(match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => DbError::Full,
        _ => DbError::Unavailable(error.to_string()),
    })
}

/// A migration that failed, as the store says it.
pub(super) fn migration(error: impl std::fmt::Display) -> StoreError {
    StoreError::Db(DbError::Unavailable(error.to_string()))
}
