//! The directory of one branch: the database and the lock on it. Never lets two processes write one database.

use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Why a data directory cannot be used. The text is for the person who starts the process.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// The operating system refuses.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which file or directory.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
    /// Another process has it open.
    #[error("{} is in use by another edge process; stop it first", .0.display())]
    InUse(PathBuf),
}

/// The directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir(PathBuf);

/// The link by which a branch is made in the directory, offered while this lives.
#[derive(Debug)]
pub struct SetupLink {
    file: File,
    path: PathBuf,
}

impl SetupLink {
    /// Changes the link.
    ///
    /// # Errors
    /// The operating system's.
    pub fn write(&mut self, link: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all_at(link.as_bytes(), 0)
    }
}

impl Drop for SetupLink {
    fn drop(&mut self) {
        // One that stays is known by its lock, which is gone.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The right to write the database, held while this lives. A process that dies gives it back.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held, not used")] File);

impl DataDir {
    /// The directory at `path`, made if it is not there, readable by its owner only.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(path: &Path) -> Result<DataDir, DataDirError> {
        make_private(path)?;
        Ok(DataDir(path.to_owned()))
    }

    /// The directory at `path`, for looking only: nothing is made.
    pub fn at(path: &Path) -> DataDir {
        DataDir(path.to_owned())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The SQLite file.
    pub fn database(&self) -> PathBuf {
        self.0.join("tiffin.db")
    }

    /// The file that is there while `edge init` works, and after it was interrupted.
    pub fn unfinished(&self) -> PathBuf {
        self.0.join("init.unfinished")
    }

    /// Takes the right to write.
    ///
    /// # Errors
    /// When another process has it.
    pub fn lock(&self) -> Result<Lock, DataDirError> {
        let path = self.0.join("edge.lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let file = file.map_err(|error| DataDirError::Io { path: path.clone(), error })?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(DataDirError::InUse(self.0.clone())),
            Err(TryLockError::Error(error)) => Err(DataDirError::Io { path, error }),
        }
    }

    fn setup_file(&self) -> PathBuf {
        self.0.join("setup.link")
    }

    /// Offers a link by which a branch is made here.
    ///
    /// # Errors
    /// The operating system's.
    pub fn offer_setup(&self) -> io::Result<SetupLink> {
        let path = self.setup_file();
        let file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&path)?;
        file.lock()?;
        Ok(SetupLink { file, path })
    }

    /// The link by which a branch is made here, while a server waits for that. Looks without changing anything.
    pub fn setup_link(&self) -> Option<String> {
        let file = File::open(self.setup_file()).ok()?;
        let is_held = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        is_held.then(|| io::read_to_string(&file).ok()).flatten()
    }

    /// Whether a process has taken the right to write. Looks without changing anything.
    pub fn is_served(&self) -> bool {
        let held = |file: File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        File::open(self.0.join("edge.lock")).is_ok_and(held)
    }

    /// Whether `edge init` has made a branch here, to its end. Looks without changing anything. What cannot be read now (a full disk
    /// leaves SQLite no room for its own files) is not nothing: it counts as made.
    pub fn is_initialised(&self) -> bool {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let look = || -> rusqlite::Result<bool> {
            let conn = Connection::open_with_flags(self.database(), flags)?;
            conn.query_row("SELECT EXISTS (SELECT 1 FROM outlets)", [], |row| row.get(0))
        };
        // "No such table" is of no kind of its own.
        let is_there =
            || look().unwrap_or_else(|error| error.sqlite_error_code() != Some(ErrorCode::Unknown));
        self.database().exists() && !self.unfinished().exists() && is_there()
    }
}

/// The file that tells what is in the data directory `data` while the disk that holds it is not mounted: beside it, in a folder of its name
/// with `-mark` behind it.
pub fn mark(data: &Path) -> PathBuf {
    let mut folder = data.components().as_path().as_os_str().to_owned();
    folder.push("-mark");
    Path::new(&folder).join("made")
}

/// Leaves the [`mark`], which says `words`, where somebody (a package) made its folder.
pub fn leave_mark(data: &Path, words: &str) {
    let mark = mark(data);
    if mark.exists() || !mark.parent().is_some_and(Path::is_dir) {
        return;
    }
    if let Err(error) = std::fs::write(&mark, format!("{words}\n")) {
        tracing::warn!(%error, mark = %mark.display(), "what is here leaves no mark beside its disk");
    }
}

fn make_private(path: &Path) -> Result<(), DataDirError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| DataDirError::Io { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Db, Env};

    #[test]
    fn one_process_writes_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        let held = data.lock().unwrap();
        assert!(matches!(data.lock(), Err(DataDirError::InUse(_))) && data.is_served());
        drop(held);
        assert!(!data.is_served());
        data.lock().unwrap();
    }

    #[test]
    fn a_mark_is_left_beside_the_directory_where_there_is_a_folder_for_it_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data/");
        leave_mark(&data, "BLR1");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::create_dir(folder.path().join("data-mark")).unwrap();
        for words in ["BLR1", "BLR2"] {
            leave_mark(&data, words);
        }
        assert_eq!(std::fs::read_to_string(folder.path().join("data-mark/made")).unwrap(), "BLR1\n");
    }

    #[test]
    fn an_empty_directory_and_an_empty_database_are_not_initialised() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        assert!(!data.is_initialised());
        let _db = Db::open(&crate::db::Options::new(data.database()), Env::system()).unwrap();
        assert!(!data.is_initialised());
    }
}
