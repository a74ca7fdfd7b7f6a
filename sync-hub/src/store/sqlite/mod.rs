//! Head office's store on SQLite: one file for the registry, one for each outlet. An outlet's log, cursor and rows are one
//! transaction in one file, and outlets never wait for each other. Never more than a bounded number of files is open.

mod apply;
mod days;
mod file;
mod open;
mod sums;
#[cfg(test)]
mod tests;

use super::{OutletTx, Store, StoreError, Wake};
use apply::Tx;
use edge::db::{DbError, Room, RoomState, Source, Sql};
pub use file::{LOCK, Limits};

use file::{File, check};
use open::OpenFiles;
use rusqlite::{Connection, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiffin_common::Uuid;
use tokio::sync::broadcast;

/// The registry within the data directory.
pub const REGISTRY: &str = "hub.db";

/// The folder of the outlets' files within the data directory.
pub const OUTLETS: &str = "outlets";

/// There while a restore swaps the files, and after it was interrupted.
pub const UNFINISHED: &str = "restore.unfinished";

/// Wakes that a listener may lag behind before it has to look by itself.
const WAKES: usize = 1_024;

/// The store. See the module.
#[derive(Debug)]
pub struct SqliteStore {
    folder: PathBuf,
    registry: Arc<File>,
    place: String,
    outlets: OpenFiles,
    wakes: broadcast::Sender<Wake>,
    room: Room,
    /// Unlocked when it is dropped.
    _lock: std::fs::File,
}

impl SqliteStore {
    /// Opens (or creates) the store in `folder`.
    ///
    /// # Errors
    /// When another process serves it, or it cannot be opened or brought up to date.
    pub fn open(folder: &Path, limits: Limits) -> Result<SqliteStore, StoreError> {
        let outlets = folder.join(OUTLETS);
        std::fs::create_dir_all(&outlets).map_err(file::io)?;
        let lock = std::fs::File::create(folder.join(LOCK)).map_err(file::io)?;
        lock.try_lock().map_err(|_| {
            DbError::Unavailable(format!(
                "{} is in use by another hub; stop it first, or use its pages",
                folder.display()
            ))
        })?;
        if folder.join(UNFINISHED).exists() {
            let words = "a restore was interrupted here: run sync-hub restore again";
            return Err(DbError::Unavailable(format!("{}: {words}", folder.display())).into());
        }
        let path = folder.join(REGISTRY);
        check(&path)?;
        let mut registry = file::open_writer(&path)?;
        tiffin_migrations::migrate_hub_registry(&mut registry).map_err(file::migration)?;
        drop(registry);
        Ok(SqliteStore {
            folder: folder.to_owned(),
            place: file::place(&path).map_err(file::io)?,
            registry: Arc::new(File::new(path, limits.readers, "")),
            outlets: OpenFiles::new(outlets, limits),
            wakes: broadcast::Sender::new(WAKES),
            room: Room::unbounded(),
            _lock: lock,
        })
    }

    /// The same, which writes nothing while `room` is full: SQLite needs some itself to stay whole.
    #[must_use]
    pub fn within(self, room: Room) -> SqliteStore {
        SqliteStore { room, ..self }
    }

    fn has_room(&self) -> Result<(), StoreError> {
        match self.room.look().state {
            RoomState::Full => Err(DbError::Full.into()),
            RoomState::Low | RoomState::Ok => Ok(()),
        }
    }

    /// The data directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Outlet files that are open now.
    pub fn open_files(&self) -> usize {
        self.outlets.count()
    }
}

/// Runs `work` in one immediate transaction; an error or a panic undoes it.
fn in_transaction(
    conn: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    work(&tx)?;
    tx.commit()?;
    Ok(())
}

impl Store for SqliteStore {
    fn registry(&self, work: &mut dyn FnMut(&dyn Sql) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.has_room()?;
        self.registry.write(|conn| in_transaction(conn, |conn| work(conn)))
    }

    fn read_registry(
        &self,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.registry.read(|conn| look(conn))
    }

    fn create_outlet(&self, outlet: Uuid) -> Result<(), StoreError> {
        self.has_room()?;
        self.outlets.create(outlet)
    }

    fn outlet(
        &self,
        outlet: Uuid,
        work: &mut dyn FnMut(&mut dyn OutletTx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.has_room()?;
        self.outlets.get(outlet)?.write(|conn| in_transaction(conn, |conn| work(&mut Tx::new(conn, outlet))))
    }

    fn read_outlet(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.outlets.get(outlet)?.read(|conn| look(conn))
    }

    fn place(&self) -> Option<String> {
        Some(self.place.clone())
    }

    fn wake(&self, wake: Wake) {
        // Nobody listening is no error.
        let _heard = self.wakes.send(wake);
    }

    fn wakes(&self) -> broadcast::Receiver<Wake> {
        self.wakes.subscribe()
    }
}
