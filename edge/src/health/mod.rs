//! Whether the database in a data directory may be opened: looked at before anything else touches it, in bounded time. Never
//! repairs anything, never changes the file.

pub mod guard;

use crate::backup::BackupError;
use crate::backup::Rules;
use crate::backup::{self, Destinations};
use crate::backup::{Backup, Reason};
use crate::backup::{Contents, copying};
use crate::config;
use crate::data_dir::{DataDir, mark};
use crate::db::Env;
use rusqlite::{Connection, ErrorCode};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

/// How long every page is looked at for when the server stopped in order, and when it did not.
const BRIEFLY: Duration = Duration::from_millis(500);
const LONGER: Duration = Duration::from_secs(10);

/// A database of no more bytes is looked at whole before a server opens it: that takes no longer than the opening.
const SMALL: u64 = 8 << 20;

/// How long a larger one is, where the server stopped in order: tills wait for it.
const FIRST: Duration = Duration::from_millis(10);

/// Why a database is not opened. The text is for the person who starts the process, and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// It is no database, or pages of it are damaged.
    #[error("{} is damaged and is not served: {what}\n{advice}", database.display())]
    Damaged {
        /// The file.
        database: PathBuf,
        /// What SQLite found.
        what: String,
        /// What to do.
        advice: String,
    },
    /// It is not there, and something says that it was.
    #[error(
        "{} is not there, but {} tells of a branch: nothing new is begun in its place.\n\
         Is the disk that holds it mounted? If it is lost, put a backup back:\n  edge restore FILE\n\
         A branch that belongs to a head office is filled from there:\n  edge enroll --hub URL --code CODE --replace\n\
         For a new branch on this machine move that away first.",
        database.display(), witness.display()
    )]
    Lost {
        /// The file.
        database: PathBuf,
        /// What tells of it.
        witness: PathBuf,
    },
    /// A newer program has changed its schema.
    #[error(
        "{} was changed by a newer version (schema {found}, this one knows {known}).\nInstall that version again{}",
        database.display(),
        going_back(before.as_deref())
    )]
    Newer {
        /// The file.
        database: PathBuf,
        /// Its schema.
        found: u32,
        /// This program's.
        known: u32,
        /// The backup that was taken before the upgrade.
        before: Option<Box<Backup>>,
    },
    /// The backup that comes before an upgrade failed.
    #[error(
        "no backup could be taken before the database's schema is brought up to date, so it was not: {0}\n\
         (To go on without one: TIFFIN_BACKUP_BEFORE_UPGRADE=no)"
    )]
    NoBackup(BackupError),
}

fn going_back(before: Option<&Backup>) -> String {
    before.map_or_else(
        || ".".to_owned(),
        |backup| format!(", or go back to the state before it:\n  edge restore {}", backup.path.display()),
    )
}

/// What to do about a damaged database in `data`, in words.
pub(super) fn advice(data: &Path, newest: Option<&Backup>) -> String {
    let folder = data.display();
    match newest {
        Some(backup) => format!(
            "Nothing was changed. Stop the server and put the newest backup (of {}) back; the damaged file is kept aside:\n  \
             edge restore {}\nA branch that belongs to a head office gets what came after it from there.",
            backup.taken_at,
            backup.path.display()
        ),
        None => format!(
            "Nothing was changed. There is no backup in {}. Where there is one on another disk: edge restore FILE\n\
             A branch that belongs to a head office is filled from there: move {folder} away, then\n  \
             edge enroll --hub URL --code CODE --replace",
            backup::folder(data).display()
        ),
    }
}

/// Looks at the database in `data`: what it holds, or none when there is no branch yet. Every page is checked as far as half a
/// second allows, or ten when the server was not stopped in order; the nightly backup checks all of them.
///
/// # Errors
/// When it may not be opened.
pub fn examine(data: &DataDir) -> Result<Option<Contents>, Unfit> {
    examine_within(data, BRIEFLY)
}

/// As [`examine`], for a server: before it opens, a moment is enough for what [`is_large`] and was closed in order, because the server
/// looks on ([`guard::look_on`]) while it is open.
///
/// # Errors
/// When it may not be opened.
pub fn examine_to_serve(data: &DataDir) -> Result<Option<Contents>, Unfit> {
    examine_within(data, if is_large(data) { FIRST } else { BRIEFLY })
}

/// Whether looking at all of the database in `data` takes longer than opening it.
pub fn is_large(data: &DataDir) -> bool {
    backup::size_of(&data.database()) > SMALL
}

/// As [`examine`]; `briefly` is how long every page is looked at where the server stopped in order.
fn examine_within(data: &DataDir, briefly: Duration) -> Result<Option<Contents>, Unfit> {
    let database = data.database();
    if data.unfinished().exists() {
        return Ok(None);
    }
    if !database.exists() {
        return witness(data).map_or(Ok(None), |witness| Err(Unfit::Lost { database, witness }));
    }
    let damaged = |what: String| Unfit::Damaged {
        what,
        advice: advice(data.path(), backup::newest(&backup::folder(data.path())).as_ref()),
        database: database.clone(),
    };
    let log = backup::size_of(&database.with_extension("db-wal"));
    if backup::size_of(&database) == 0 && log == 0 {
        // A database that was never written to. With secrets beside it there was a branch once.
        let was_branch = data.path().join("secrets").exists();
        return if was_branch { Err(damaged("the file is empty".into())) } else { Ok(None) };
    }
    let within = if log == 0 { briefly } else { LONGER };
    match look(&database, within) {
        Ok(held) => suits(data, held),
        Err(BackupError::Damaged(what)) => Err(damaged(what)),
        Err(BackupError::Sqlite(error)) if is_damage(&error) => Err(damaged(error.to_string())),
        // Whatever else it is, opening it will tell.
        Err(_) => Ok(None),
    }
}

/// What tells that there was a branch in `data`: its secrets, a backup, how far its log had come, or the mark beside it.
pub fn witness(data: &DataDir) -> Option<PathBuf> {
    let files = ["secrets", "sync.mark"].map(|name| data.path().join(name)).into_iter();
    files
        .chain([mark(data.path())])
        .chain(backup::newest(&backup::folder(data.path())).map(|backup| backup.path))
        .find(|path| path.exists())
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn suits(data: &DataDir, held: Contents) -> Result<Option<Contents>, Unfit> {
    let known = tiffin_migrations::edge_schema_version();
    if held.schema <= known {
        return Ok(Some(held));
    }
    let backups = backup::list(&backup::folder(data.path()));
    let before = backups.into_iter().find(|backup| backup.reason == Reason::Upgrade).map(Box::new);
    Err(Unfit::Newer { database: data.database(), found: held.schema, known, before })
}

/// Checks the database at `path`, which may be any, as far as `within` allows.
///
/// # Errors
/// When it is no database, or damaged.
pub fn check_file(path: &Path, within: Duration) -> Result<(), BackupError> {
    let as_damage = |error: BackupError| match error {
        BackupError::Sqlite(error) if is_damage(&error) => BackupError::Damaged(error.to_string()),
        other => other,
    };
    copying::reading(path).map_err(BackupError::from).and_then(|conn| check(&conn, within)).map_err(as_damage)
}

fn look(database: &Path, within: Duration) -> Result<Contents, BackupError> {
    let conn = copying::reading(database)?;
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    check(&conn, within)?;
    copying::contents_of(&conn, database)
}

/// Checks page after page; runs out of time without an error.
fn check(conn: &Connection, within: Duration) -> Result<(), BackupError> {
    let stop = conn.get_interrupt_handle();
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(within) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.interrupt();
            }
        });
        let found = verdict(conn);
        drop(done);
        found
    })
}

/// What SQLite says of every page; nothing against them where it was interrupted.
fn verdict(conn: &Connection) -> Result<(), BackupError> {
    match conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)) {
        Ok(found) if found == "ok" => Ok(()),
        Ok(found) => Err(BackupError::Damaged(found)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// To be called with the directory's lock, after [`examine`] and before the database, which `conn` reads, is opened for writing: takes a
/// backup when its schema is about to be changed, and answers it.
///
/// # Errors
/// When there is none and there should be.
pub fn prepare(
    (data, conn): (&DataDir, &Connection),
    config: &config::Backups,
    env: &Env,
) -> Result<Option<Backup>, Unfit> {
    // Whatever else is wrong shows when it is opened.
    let Ok(held) = copying::contents_of(conn, &data.database()) else { return Ok(None) };
    if held.schema >= tiffin_migrations::edge_schema_version() || !config.before_upgrade {
        return Ok(None);
    }
    let to = Destinations::of(data.path(), config.second.clone());
    let backup = backup::take(&data.database(), &to, Reason::Upgrade, env).map_err(Unfit::NoBackup)?;
    let rules = Rules { days: config.keep_days, ..Rules::default() };
    if let Err(error) = backup::rotate(&to.own, rules) {
        tracing::warn!(%error, "an outdated backup could not be deleted");
    }
    tracing::info!(backup = %backup.path.display(), "the schema is brought up to date; this backup was taken before");
    Ok(Some(backup))
}

#[cfg(test)]
mod tests;
