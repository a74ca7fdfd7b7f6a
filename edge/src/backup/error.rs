//! Why there is no backup.

use std::io;
use std::path::PathBuf;

/// Why there is no backup. The text is for the person who wanted one.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file system refuses.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file or folder.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// SQLite refuses.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The copy was checked, and something is wrong with it: so with the database.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// What was written is not what can be read: the disk lies.
    #[error("{} does not hold what was written to it: that disk cannot be trusted", .0.display())]
    NotTheSame(PathBuf),
    /// A database, but no branch's.
    #[error("{} holds no branch", .0.display())]
    NoBranch(PathBuf),
    /// Too little room.
    #[error("{} has {free} bytes free, and a backup needs {needed} for a while", path.display())]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// What it needs.
        needed: u64,
        /// What there is.
        free: u64,
    },
}

/// What taking a backup answers, or why none was taken.
pub type Result<T, E = BackupError> = std::result::Result<T, E>;
