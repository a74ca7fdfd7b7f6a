//! A head office on SQLite: backup and restore of its files.
//!
//! Each file is one state of its own, copied while head office serves; the registry goes first, so that every outlet it names has
//! its file. That is enough: an outlet's log, cursor and rows are one transaction in one file, outlets share nothing, and after a
//! restore head office has a new epoch, so every box compares its position with its own outlet's file and sends again what that
//! lacks, however far apart the files are.

use super::{CODE, HubBackupError};
use crate::registry::{Actor, Change, audit, meta};
use crate::store::sqlite::{LOCK, OUTLETS, REGISTRY, UNFINISHED};
use edge::backup::many::{self, Part};
use edge::backup::{self, Backup, BackupError, Destinations, Reason};
use edge::db::Env;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;

/// Where a backup is unpacked, within the data directory.
const RESTORING: &str = "restoring";

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Outlets whose files are back.
    pub outlets: usize,
    /// Where what was there before is now; none when there was nothing.
    pub aside: Option<PathBuf>,
    /// The new epoch.
    pub epoch: Uuid,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> HubBackupError {
    let path = path.to_owned();
    move |error| BackupError::File { path, error }.into()
}

/// The files of the head office in `data`, the registry first.
///
/// # Errors
/// When there is none.
pub fn parts(data: &Path) -> Result<Vec<Part>, HubBackupError> {
    let registry = data.join(REGISTRY);
    if !registry.exists() {
        return Err(HubBackupError::Nothing(data.to_owned()));
    }
    let folder = data.join(OUTLETS);
    let outlet = |path: PathBuf| {
        let id = path.file_stem().filter(|_| path.extension().is_some_and(|end| end == "db"))?;
        Uuid::parse_str(id.to_str()?).ok().map(|id| Part { name: format!("{OUTLETS}/{id}.db"), path })
    };
    let mut outlets: Vec<Part> = match fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| outlet(entry.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    outlets.sort_by(|a, b| a.name.cmp(&b.name));
    outlets.insert(0, Part { name: REGISTRY.to_owned(), path: registry });
    Ok(outlets)
}

/// Takes a backup of the head office in `data`, which may be serving.
///
/// # Errors
/// See [`HubBackupError`].
pub fn take(data: &Path, to: &Destinations, reason: Reason, env: &Env) -> Result<Backup, HubBackupError> {
    Ok(many::take(&parts(data)?, CODE, to, reason, env)?)
}

/// Puts the backup at `file` in the place of the head office in `data`, with a new epoch. What was there is moved aside.
///
/// # Errors
/// See [`HubBackupError`]. Nothing was changed then, unless the disk refused in the middle of the swap: the next start says so.
pub fn restore(data: &Path, file: &Path, env: &Env) -> Result<Restored, HubBackupError> {
    fs::create_dir_all(data).map_err(at(data))?;
    let lock_path = data.join(LOCK);
    let lock = File::create(&lock_path).map_err(at(&lock_path))?;
    lock.try_lock().map_err(|_| HubBackupError::InUse(data.to_owned()))?;
    let new = data.join(RESTORING);
    remove(&new)?;
    let made = unpack(file, &new, env).and_then(|(outlets, epoch)| {
        erase_again(data, &new)?;
        let aside = swap(data, &new, env)?;
        Ok(Restored { outlets, aside, epoch })
    });
    remove(&new)?;
    made
}

fn remove(folder: &Path) -> Result<(), HubBackupError> {
    if folder.exists() { fs::remove_dir_all(folder).map_err(at(folder)) } else { Ok(()) }
}

/// Unpacks and checks the backup, and gives the registry in it a new epoch.
fn unpack(file: &Path, new: &Path, env: &Env) -> Result<(usize, Uuid), HubBackupError> {
    let found = many::unpack(file, new)?;
    if !found.iter().any(|name| name == Path::new(REGISTRY)) {
        return Err(HubBackupError::NotOurs(file.to_owned()));
    }
    fs::create_dir_all(new.join(OUTLETS)).map_err(at(new))?;
    let mut registry = Connection::open(new.join(REGISTRY))?;
    let migrated = tiffin_migrations::migrate_hub_registry(&mut registry);
    migrated.map_err(|error| HubBackupError::Version(error.to_string()))?;
    let tx = registry.transaction()?;
    let change = Change::begin(&*tx, env);
    let epoch = meta::renew_epoch(&change)?;
    audit::record(&change, &Actor::command_line(), audit::Note::new("hub.restored", "hub", Some(epoch)))?;
    tx.commit()?;
    registry.close().map_err(|(_, error)| error)?;
    Ok((found.len() - 1, epoch))
}

/// Erases in the unpacked files the guests whom the files that are there know as erased since. What else the branches changed of them,
/// they send again.
fn erase_again(data: &Path, new: &Path) -> Result<(), HubBackupError> {
    for Part { name, path } in parts(data).unwrap_or_default() {
        let Ok(held) = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY) else { continue };
        let sql = "SELECT id, erased_at FROM guests WHERE erased_at IS NOT NULL";
        // The registry has none, nor has an older version's file.
        let Ok(mut erased) = held.prepare(sql) else { continue };
        let erased = erased.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let erased: Vec<(Uuid, i64)> = erased.collect::<rusqlite::Result<_>>()?;
        let to = new.join(name);
        if erased.is_empty() || !to.exists() {
            continue;
        }
        let mut conn = Connection::open(&to)?;
        let migrated = tiffin_migrations::migrate_hub_outlet(&mut conn);
        migrated.map_err(|error| HubBackupError::Version(error.to_string()))?;
        let tx = conn.transaction()?;
        for (id, at) in erased {
            let sql =
                "UPDATE guests SET name = NULL, phone = NULL, address = NULL, erased_at = ?2 WHERE id = ?1";
            tx.execute(sql, (id, at))?;
        }
        tx.commit()?;
        conn.close().map_err(|(_, error)| error)?;
    }
    Ok(())
}

/// Moves what is there aside and what was unpacked in its place: a few renames, between which no head office starts.
fn swap(data: &Path, new: &Path, env: &Env) -> Result<Option<PathBuf>, HubBackupError> {
    let marker = data.join(UNFINISHED);
    fs::write(&marker, "sync-hub restore\n").map_err(at(&marker))?;
    sync(data)?;
    let name =
        |n: i64| format!("replaced-{}", env.clock.now().after(n * 1_000).to_utc().format("%Y%m%dT%H%M%SZ"));
    let folder = backup::folder(data);
    let aside = (0..).map(|n| folder.join(name(n))).find(|path| !path.exists()).unwrap_or(folder);
    let mut any = false;
    for ending in ["", "-wal", "-shm"] {
        any |= move_away(data, &format!("{REGISTRY}{ending}"), &aside)?;
    }
    any |= move_away(data, OUTLETS, &aside)?;
    for name in [OUTLETS, REGISTRY] {
        let to = data.join(name);
        fs::rename(new.join(name), &to).map_err(at(&to))?;
    }
    sync(data)?;
    fs::remove_file(&marker).map_err(at(&marker))?;
    sync(data)?;
    Ok(any.then_some(aside))
}

fn move_away(data: &Path, name: &str, aside: &Path) -> Result<bool, HubBackupError> {
    let from = data.join(name);
    if !from.exists() {
        return Ok(false);
    }
    fs::create_dir_all(aside).map_err(at(aside))?;
    fs::rename(&from, aside.join(name)).map_err(at(&from))?;
    Ok(true)
}

fn sync(folder: &Path) -> Result<(), HubBackupError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}
