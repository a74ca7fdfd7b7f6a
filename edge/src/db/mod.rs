//! The store: one writer thread with group commit, many read-only connections; or somebody else's copy of it, which is only read.
//! Never knows a resource or a table.

#[macro_use]
pub mod table;

mod checkpoint;
mod clock;
mod damage;
mod elsewhere;
mod env;
mod error;
mod job;
mod kept;
mod options;
mod query;
mod room;
mod setup;
mod signer;
mod source;
mod time;
mod tx;
mod unreadable;
mod writer;

pub use clock::{ClockDoubt, ClockFault, ClockWatch, LEAP_MS, MADE, Passing};
pub use damage::Damage;
pub use elsewhere::{Elsewhere, Look};
pub use env::{Env, OsRandom, Random};
pub use error::{DbError, Result};
pub use options::Options;
pub use query::{Page, list, one, opt, page};
#[cfg(test)]
pub(crate) use room::tests::TestDisk;
pub use room::{Disk, Room, RoomLeft, RoomState};
pub use signer::{Signer, is_signed};
pub use source::{Bind, Column, Row, Source, Sql, Values, each};
pub use table::{Columns, Json};
pub use time::TimeOfDay;
pub use tx::{Topic, Tx};
pub use unreadable::{Unreadable, unreadable_values};
pub use writer::WriterStats;

use elsewhere::Copies;
use r2d2_sqlite::SqliteConnectionManager;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tiffin_common::Uuid;
use tokio::sync::watch;

/// The store. Cheap to clone; the writer thread ends when the last clone is gone.
#[derive(Clone)]
pub struct Db {
    env: Arc<Env>,
    rows: Rows,
    damage: Damage,
}

/// Where the rows are.
#[derive(Clone)]
enum Rows {
    Here(Arc<Here>),
    Elsewhere(Copies),
}

struct Here {
    path: PathBuf,
    writer: writer::Writer,
    readers: r2d2::Pool<SqliteConnectionManager>,
}

impl Db {
    /// Opens (or creates) the database, brings its schema up to date and starts the writer thread.
    ///
    /// # Errors
    /// When the file cannot be opened, is damaged, or a migration fails.
    pub fn open(options: &Options, env: Env) -> Result<Db, DbError> {
        let env = Arc::new(env);
        let connection = setup::open_writer(&options.path)?;
        let writer = writer::Writer::start(connection, Arc::clone(&env), options)?;
        let manager = SqliteConnectionManager::file(&options.path).with_init(setup::prepare_reader);
        let readers = r2d2::Pool::builder()
            .max_size(options.readers)
            // A spare one beside each that is in use is megabytes that a box with one till never needs.
            .min_idle(Some(0))
            .test_on_check_out(false)
            .build(manager)
            .map_err(DbError::unavailable)?;
        let here = Here { path: options.path.clone(), writer, readers };
        Ok(Db { env, rows: Rows::Here(Arc::new(here)), damage: Damage::default() })
    }

    /// Copies that somebody else keeps; [`of`](Self::of) says whose rows are read. Nothing can be written and nothing is signalled.
    pub fn elsewhere(held: Arc<dyn Elsewhere>, env: Env) -> Db {
        Db { env: Arc::new(env), rows: Rows::Elsewhere(Copies::new(held)), damage: Damage::default() }
    }

    /// The rows of `outlet`. A branch's own store holds only its own, and stays what it is.
    #[must_use]
    pub fn of(&self, outlet: Uuid) -> Db {
        let rows = match &self.rows {
            Rows::Here(_) => self.rows.clone(),
            Rows::Elsewhere(copies) => Rows::Elsewhere(copies.of(outlet)),
        };
        Db { env: Arc::clone(&self.env), rows, damage: self.damage.clone() }
    }

    /// Whether this is somebody else's copy.
    pub fn is_copy(&self) -> bool {
        matches!(self.rows, Rows::Elsewhere(_))
    }

    fn writer(&self) -> Result<&writer::Writer, DbError> {
        self.is_whole()?;
        match &self.rows {
            Rows::Here(here) => Ok(&here.writer),
            Rows::Elsewhere(_) => Err(DbError::Unavailable("these rows are only read".into())),
        }
    }

    /// Runs `change` in a savepoint of the writer's next group and answers when its commit is durable. An error undoes
    /// only this closure's writes.
    ///
    /// # Errors
    /// The closure's own; a [`DbError`] turned into `E` when the group's commit failed or the queue is full.
    pub async fn write<T, E, F>(&self, change: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let reply = self.writer()?.submit(change, false)?;
        reply.await.map_err(|_| DbError::Unavailable("the writer has stopped".into()))?
    }

    /// [`write`](Self::write) for the few small changes without which nobody could even look while the disk is full: signing in,
    /// staying signed in, saying that it is full. They take of the room that is kept back.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn write_vital<T, E, F>(&self, change: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let reply = self.writer()?.submit(change, true)?;
        reply.await.map_err(|_| DbError::Unavailable("the writer has stopped".into()))?
    }

    /// [`write`](Self::write) for callers that block anyway (command line, the start, worker threads).
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_blocking<T, E, F>(&self, change: F) -> Result<T, E>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let mut reply = self.writer()?.submit(change, false)?;
        if let Ok(done) = reply.try_recv() {
            return done;
        }
        let stopped = || DbError::Unavailable("the writer has stopped".into());
        if tokio::runtime::Handle::try_current().is_err() {
            return reply.blocking_recv().map_err(|_| stopped())?;
        }
        // A thread that drives a runtime (at a start, on the command line) may not wait on a channel itself.
        let waited = std::thread::scope(|scope| scope.spawn(|| reply.blocking_recv()).join());
        waited.map_err(|_| stopped())?.map_err(|_| stopped())?
    }

    /// Runs `look` on a read-only connection, off the async threads, in one read transaction: it sees one state.
    ///
    /// # Errors
    /// The closure's own, or a [`DbError`] turned into `E` when no connection is free.
    pub async fn read<T, E, F>(&self, look: F) -> Result<T, E>
    where
        F: FnOnce(&dyn Source) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        if self.env.inline {
            return self.read_blocking(look);
        }
        let db = self.clone();
        let answer = apart(Box::new(move || Box::new(db.read_blocking(look)) as Seen)).await?;
        let stopped = || DbError::Unavailable("a read was stopped".into());
        *answer.downcast::<Result<T, E>>().map_err(|_| stopped())?
    }

    /// [`read`](Self::read) for callers outside the async runtime.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_blocking<T, E, F>(&self, look: F) -> Result<T, E>
    where
        F: FnOnce(&dyn Source) -> Result<T, E>,
        E: From<DbError>,
    {
        let (mut look, mut seen) = (Some(look), None);
        self.visit(&mut |from| {
            let look = look.take().ok_or_else(|| DbError::Unavailable("a read ran twice".into()))?;
            seen = Some(look(from));
            Ok(())
        })?;
        seen.ok_or_else(|| E::from(DbError::Unavailable("a read did not run".into())))?
    }

    /// Hands one snapshot to `look`.
    fn visit(&self, look: &mut Look<'_>) -> Result<(), DbError> {
        self.is_whole()?;
        let here = match &self.rows {
            Rows::Here(here) => here,
            Rows::Elsewhere(copies) => return copies.visit(look),
        };
        let connection = here.readers.get().map_err(DbError::unavailable)?;
        let snapshot = connection.unchecked_transaction().map_err(DbError::from)?;
        look(&*snapshot)
    }

    /// For who stops in order: ends the writer and waits until there is one file. Whatever is written after that is refused. Blocks.
    pub fn close(&self) {
        if let (Rows::Here(here), None) = (&self.rows, self.damage.found()) {
            here.writer.close();
        }
    }

    /// What was found wrong with the file. Once something is noted, every read and write is refused with [`DbError::Damaged`].
    pub fn damage(&self) -> &Damage {
        &self.damage
    }

    fn is_whole(&self) -> Result<(), DbError> {
        self.damage.found().map_or(Ok(()), |what| Err(DbError::Damaged(what.to_owned())))
    }

    /// Clock, ids and randomness.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// Wakes whenever a commit touched `topic`. Look at the tables after subscribing, and again at each wake.
    pub fn changes(&self, topic: Topic) -> watch::Receiver<u64> {
        match &self.rows {
            Rows::Here(here) => here.writer.changes(topic),
            Rows::Elsewhere(copies) => copies.quiet.subscribe(),
        }
    }

    /// Figures of the writer for `/metrics`.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer().map(writer::Writer::stats).unwrap_or_default()
    }

    /// How much room the disk has.
    pub fn room(&self) -> RoomLeft {
        self.writer().map_or_else(|_| Room::unbounded().look(), writer::Writer::room)
    }

    /// Where the database file is; empty for [`elsewhere`](Self::elsewhere).
    pub fn path(&self) -> &Path {
        match &self.rows {
            Rows::Here(here) => &here.path,
            Rows::Elsewhere(_) => Path::new(""),
        }
    }
}

/// What a read answers, whatever that is.
type Seen = Box<dyn Any + Send>;

/// Does `work` off the async threads. One function for all reads: compiled once for each of them, the task around it was megabytes of the
/// program.
async fn apart(work: Box<dyn FnOnce() -> Seen + Send>) -> Result<Seen, DbError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| DbError::Unavailable("a read was stopped".into()))
}
