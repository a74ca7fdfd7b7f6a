//! How a store is opened. Never opens one.

use super::room::Room;
use std::path::PathBuf;
use tiffin_common::frame::Position;

/// How to open a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// The SQLite file.
    pub path: PathBuf,
    /// Read-only connections; a pool smaller than its callers costs them their whole wait.
    pub readers: u32,
    /// The most requests that share one commit.
    pub group_size: usize,
    /// Where a change log that has no row yet goes on from: this box replaces another.
    pub continues: Option<Position>,
    /// The room on its disk.
    pub room: Room,
}

impl Options {
    /// The usual settings for the database file at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Options { path: path.into(), readers: 4, group_size: 64, continues: None, room: Room::unbounded() }
    }
}
