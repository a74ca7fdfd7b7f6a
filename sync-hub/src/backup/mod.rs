//! Backups of head office, and putting one back. On SQLite a backup is an archive of its files, on
//! PostgreSQL what the database server's own tools write. Never in the middle of an answer: a restored head office begins a new life, and the branches send what it lacks.

pub mod nightly;
pub mod postgres;
pub mod sqlite;
pub mod tools;

use crate::registry::RegistryError;
use crate::store::StoreError;
use edge::backup::BackupError;
use std::path::PathBuf;

/// What backups of head office have in place of an outlet's code.
pub const CODE: &str = "HUB";

/// Why there is no backup, or nothing was put back. The text is for the person who asked.
#[derive(Debug, thiserror::Error)]
pub enum HubBackupError {
    /// The file, the disk, or a database.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The registry.
    #[error("{0}")]
    Registry(#[from] RegistryError),
    /// The store.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// It is no backup of a head office.
    #[error("{} is no backup of a head office on SQLite", .0.display())]
    NotOurs(PathBuf),
    /// There is nothing to back up.
    #[error("there is no head office in {}", .0.display())]
    Nothing(PathBuf),
    /// A server runs.
    #[error("{} is in use by another hub; stop it first", .0.display())]
    InUse(PathBuf),
    /// Processes of head office use the database.
    #[error("{0} connections of head office's servers are open to this database; stop all of them first")]
    Serving(i64),
    /// A newer program wrote it.
    #[error("the backup cannot be used by this version: {0}")]
    Version(String),
    /// PostgreSQL's tools are not there, or failed.
    #[error("{0}")]
    Tool(String),
}

impl From<rusqlite::Error> for HubBackupError {
    fn from(error: rusqlite::Error) -> Self {
        HubBackupError::Backup(error.into())
    }
}
