//! Puts a backup in the database's place: unpacked and checked before anything is touched, its numbers moved beyond every one that
//! was given out since, whoever was erased since erased again, swapped by one rename. Never throws away what was there, never runs
//! beside a server.

mod numbers;

use crate::backup::BackupError;
use crate::backup::packing;
use crate::backup::{self, Destinations};
use crate::backup::{Backup, Reason};
use crate::backup::{Contents, copying};
use crate::data_dir::{DataDir, DataDirError};
use crate::db::{Db, DbError, Env, Options};
use crate::health::{self, Unfit};
use crate::resources::privacy;
use crate::root::{as_root, give};
use crate::{secrets, sync};
use rusqlite::Connection;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiffin_common::{Millis, Uuid};

/// What every SQLite file begins with.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Why nothing was restored. The text is for the person who asked.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// A server runs, or the directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DataDirError),
    /// The file cannot be read, is damaged, or what was there could not be kept aside.
    #[error("{0}. Nothing was changed.")]
    Backup(#[from] BackupError),
    /// The restored database cannot be opened.
    #[error("the backup cannot be opened: {0}. Nothing was changed.")]
    Db(#[from] DbError),
    /// The backup is of a newer version.
    #[error(
        "the backup is of a newer version (schema {found}, this one knows {known}): install that version first"
    )]
    Newer {
        /// The backup's schema.
        found: u32,
        /// This program's.
        known: u32,
    },
    /// It is another outlet's.
    #[error(
        "the backup is of outlet {backup}, and {here} is here. Nothing was changed. (If that is what you want: --another-outlet)"
    )]
    AnotherOutlet {
        /// Whose backup.
        backup: String,
        /// Who is here.
        here: String,
    },
    /// Somebody has the replaced database open.
    #[error("{} is in use by another program; close it first", .0.display())]
    InUse(PathBuf),
}

impl From<rusqlite::Error> for RestoreError {
    fn from(error: rusqlite::Error) -> Self {
        RestoreError::Backup(error.into())
    }
}

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'w> {
    /// The backup, or a plain database file.
    pub file: &'w Path,
    /// How far numbers move on when the replaced database cannot tell how far they had come.
    pub skip_numbers: i64,
    /// Whether the backup may be another outlet's.
    pub another_outlet: bool,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// What the restored database holds.
    pub held: Contents,
    /// When the backup was taken, as its name says.
    pub taken_at: Option<Millis>,
    /// Where the replaced database is now; none when there was none.
    pub aside: Option<PathBuf>,
    /// Whether the numbers were moved on blindly.
    pub skipped: bool,
}

/// What lies where the restored database will be.
enum Current {
    Nothing,
    Whole(Contents),
    Damaged,
}

/// Restores the branch in `data`.
///
/// # Errors
/// See [`RestoreError`]. The database that was there is still there then.
pub fn restore(data: &DataDir, wish: &Wish<'_>, env: &Env) -> Result<Restored, RestoreError> {
    let _lock = data.lock()?;
    let new = data.path().join("restoring.db");
    clear(&new)?;
    let made = make(data, &new, wish, env);
    if made.is_err() {
        // Half of a database serves nobody.
        let _ = clear(&new);
    }
    made
}

fn make(data: &DataDir, new: &Path, wish: &Wish<'_>, env: &Env) -> Result<Restored, RestoreError> {
    unpack(wish.file, new)?;
    copying::check(new, true)?;
    let held = copying::contents(new)?;
    let known = tiffin_migrations::edge_schema_version();
    if held.schema > known {
        return Err(RestoreError::Newer { found: held.schema, known });
    }
    let current = current(data);
    if let Current::Whole(here) = &current
        && here.outlet != held.outlet
        && !wish.another_outlet
    {
        return Err(RestoreError::AnotherOutlet { backup: held.code, here: here.code.clone() });
    }
    let moved = move_numbers_on(data, new, &current, &held, wish.skip_numbers, env)?;
    erase_again(data, new, wish.file, &held, env)?;
    fold(new)?;
    let aside = put_aside(data, &current, env)?;
    packing::settle(new, &data.database())?;
    // Bills of another life are signed with another key.
    if moved.begins_life
        && let Err(error) = secrets::renew_signer(data.path(), &*env.random)
    {
        tracing::warn!(%error, "bills are signed with the key of the life before");
    }
    if data.unfinished().exists() {
        // What `edge init` had begun is replaced, too.
        fs::remove_file(data.unfinished()).map_err(packing::at(&data.unfinished()))?;
    }
    let taken_at = Backup::of(wish.file, 0).map(|backup| backup.taken_at);
    Ok(Restored { held, taken_at, aside, skipped: moved.skipped })
}

/// Unpacks the backup; a plain database file is copied.
fn unpack(file: &Path, to: &Path) -> Result<(), BackupError> {
    let mut source = as_root(|| File::open(file)).map_err(packing::at(file))?;
    let mut begins = Vec::with_capacity(SQLITE.len());
    source.by_ref().take(SQLITE.len() as u64).read_to_end(&mut begins).map_err(packing::at(file))?;
    if begins == SQLITE {
        // Through SQLite: a write-ahead log may belong to it.
        let copied = as_root(|| copying::copy(file, to));
        give(to);
        return copied;
    }
    let mut target = packing::create(to)?;
    let source = begins.as_slice().chain(source);
    packing::unpacked(source, &mut target).map_err(packing::at(file))?;
    target.sync_all().map_err(packing::at(to))
}

fn current(data: &DataDir) -> Current {
    match health::examine(data) {
        Ok(Some(held)) => Current::Whole(held),
        Err(Unfit::Lost { .. }) => Current::Nothing,
        Ok(None) if backup::size_of(&data.database()) == 0 => Current::Nothing,
        Ok(None) | Err(Unfit::Damaged { .. }) => Current::Damaged,
        Err(Unfit::Newer { .. } | Unfit::NoBackup(_)) => {
            copying::contents(&data.database()).map_or(Current::Damaged, Current::Whole)
        }
    }
}

/// How the numbers of a restored database go on.
struct Moved {
    /// By a blind leap.
    skipped: bool,
    /// In another life, with a mark of its own.
    begins_life: bool,
}

/// Moves every number of the unpacked database beyond those that were given out after the backup was taken, as far as the replaced
/// one still tells, or by `skip`. Its schema is brought up to date on the way.
fn move_numbers_on(
    data: &DataDir,
    new: &Path,
    current: &Current,
    held: &Contents,
    skip: i64,
    env: &Env,
) -> Result<Moved, RestoreError> {
    let is_same = !matches!(current, Current::Whole(here) if here.outlet != held.outlet);
    // A whole database without numbers has given none out; of a damaged one that is not certain.
    let is_whole = matches!(current, Current::Whole(_));
    let given =
        numbers::given(&data.database()).ok().filter(|given| is_same && (is_whole || !given.is_empty()));
    if let Ok(old) = copying::reading(&data.database())
        && is_same
        && let Err(error) = sync::leave_mark(&old, data.path())
    {
        tracing::warn!(%error, "how far the replaced database had come could not be noted beside it");
    }
    let skipped = given.is_none() && skip > 0;
    let begins_life = skipped || given.is_some();
    {
        let options = Options { readers: 1, ..Options::new(new) };
        let db = Db::open(&options, env.clone().inline())?;
        db.write_blocking(move |tx| match &given {
            Some(given) => sync::keep_numbers(tx, given).and_then(|()| sync::begin_life(tx)),
            // Nothing was sold since, says whoever restores: the numbers go on.
            None if skip == 0 => Ok(()),
            None => numbers::skip(tx, skip).and_then(|()| sync::begin_life(tx)),
        })?;
    }
    Ok(Moved { skipped, begins_life })
}

/// Erases in the unpacked database who was erased since: by the lists beside the backup and in the box's own folder, and by the database
/// that is replaced, as far as that can be read. Who was a guest too long ago is forgotten, as a server would.
fn erase_again(
    data: &DataDir,
    new: &Path,
    file: &Path,
    held: &Contents,
    env: &Env,
) -> Result<(), RestoreError> {
    let own = backup::folder(data.path());
    let mut erased: Vec<(Uuid, Millis)> = backup::erased::read(&own, &held.code)?;
    // Where root named the backup, maybe only root may look.
    if let Some(beside) = file.parent().filter(|folder| *folder != own) {
        erased.extend(as_root(|| backup::erased::read(beside, &held.code))?);
    }
    let replaced = copying::reading(&data.database()).map_err(DbError::from);
    erased.extend(replaced.and_then(|conn| privacy::actions::list_erased(&conn)).unwrap_or_default());
    let db = Db::open(&Options { readers: 1, ..Options::new(new) }, env.clone().inline())?;
    if !erased.is_empty() {
        db.write_blocking(move |tx| privacy::actions::erase_again(tx, &erased))?;
    }
    while env.clock_doubt().is_none()
        && let Some(old) = db.read_blocking(|from| privacy::actions::find_old(from, env.clock.now()))?
    {
        db.write_blocking(move |tx| privacy::actions::forget(tx, &old))?;
    }
    Ok(())
}

/// Makes the database one file, synced: nothing of it stays in a write-ahead log.
fn fold(path: &Path) -> Result<(), RestoreError> {
    let mut tries = 50;
    loop {
        let conn = Connection::open(path)?;
        conn.busy_timeout(Duration::from_secs(1))?;
        let mode = conn.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "delete" => break,
            _ if tries == 0 => return Err(RestoreError::InUse(path.to_owned())),
            // The pool's connections close on threads of their own.
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
        tries -= 1;
    }
    File::open(path).and_then(|file| file.sync_all()).map_err(packing::at(path))?;
    Ok(())
}

/// Keeps what is there: a whole database as a backup, a damaged one as it is. Leaves no write-ahead log that the restored database
/// could be taken to own.
fn put_aside(data: &DataDir, current: &Current, env: &Env) -> Result<Option<PathBuf>, RestoreError> {
    let database = data.database();
    match current {
        Current::Nothing => {
            clear_logs(&database)?;
            Ok(None)
        }
        Current::Whole(_) => {
            let to = Destinations::of(data.path(), None);
            let aside = backup::take(&database, &to, Reason::Restore, env)?;
            fold(&database)?;
            clear_logs(&database)?;
            Ok(Some(aside.path))
        }
        Current::Damaged => {
            let folder = damaged_folder(data, env.clock.now())?;
            for path in [database.clone(), with(&database, "-wal")] {
                if let Some(name) = path.file_name().filter(|_| path.exists()) {
                    let kept = folder.join(name);
                    fs::hard_link(&path, &kept)
                        .or_else(|_| fs::copy(&path, &kept).map(drop))
                        .map_err(packing::at(&kept))?;
                }
            }
            File::open(&folder).and_then(|folder| folder.sync_all()).map_err(packing::at(&folder))?;
            clear_logs(&database)?;
            Ok(Some(folder))
        }
    }
}

fn damaged_folder(data: &DataDir, now: Millis) -> Result<PathBuf, BackupError> {
    let name = |n: i64| format!("damaged-{}", now.after(n * 1_000).to_utc().format("%Y%m%dT%H%M%SZ"));
    let folder = backup::folder(data.path());
    let free = (0..).map(|n| folder.join(name(n))).find(|path| !path.exists()).unwrap_or(folder);
    packing::make_folder(&free)?;
    Ok(free)
}

fn with(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn clear_logs(database: &Path) -> Result<(), BackupError> {
    for ending in ["-wal", "-shm"] {
        remove(&with(database, ending))?;
    }
    Ok(())
}

fn clear(database: &Path) -> Result<(), BackupError> {
    remove(&with(database, "-journal"))?;
    clear_logs(database)?;
    remove(database)
}

fn remove(path: &Path) -> Result<(), BackupError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(packing::at(path)(error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
