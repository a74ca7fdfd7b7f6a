//! Taking a backup: copy, check, compress, read back, sync, rename. Never leaves half of one under a backup's name, never lets a
//! broken second place cost the first.

use super::copying::{self, Contents};
use super::error::BackupError;
use super::names::{self, Backup, Kind, MAKING, Reason};
use super::packing::{self, Packed, Pouring};
use super::rotation::Rules;
use crate::db::{Disk, Env};
use crate::root::{as_root, give};
use crate::space::DiskOf;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tiffin_common::Millis;

/// Where backups go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destinations {
    /// The box's own folder of backups, where they are made; it is made if it is not there.
    pub own: PathBuf,
    /// Where the backup ends up instead of [`own`](Self::own), when somebody said where.
    pub instead: Option<PathBuf>,
    /// A second place, such as a stick: must be there. Its failure is in [`Backup::not_copied`], never an error.
    pub second: Option<PathBuf>,
}

impl Destinations {
    /// The folder of backups of the data directory `data`, and a second place.
    pub fn of(data: &Path, second: Option<PathBuf>) -> Destinations {
        Destinations { own: folder(data), instead: None, second }
    }
}

/// The folder of backups in the data directory `data`.
pub fn folder(data: &Path) -> PathBuf {
    data.join("backups")
}

/// Takes a backup of the branch's database at `database`, which may be in use: its writer is not held up.
///
/// # Errors
/// See [`BackupError`]. What was half made is gone then.
pub fn take(database: &Path, to: &Destinations, reason: Reason, env: &Env) -> Result<Backup, BackupError> {
    let making = Making::begin(&to.own)?;
    making.need(size_of(database))?;
    let copy = making.path("copy.db");
    copying::copy(database, &copy)?;
    copying::check(&copy, matches!(reason, Reason::Nightly | Reason::Manual))?;
    let Contents { code, .. } = copying::contents(&copy)?;
    let small = making.path("copy.db.zst");
    let packed = packing::pack(&copy, &small)?;
    fs::remove_file(&copy).map_err(packing::at(&copy))?;
    finish(&small, packed, to, (Kind::Branch, &code), reason, env.clock.now())
}

/// Takes a backup of what another program writes, for which `bytes` bytes should do: `pour` lets it write, and `check` has a look at
/// the compressed file, which was read back already.
///
/// # Errors
/// See [`BackupError`], and what `pour` and `check` say. What was half made is gone then.
pub fn take_poured<E: From<BackupError>>(
    of: (Kind, &str),
    bytes: u64,
    (to, reason, env): (&Destinations, Reason, &Env),
    pour: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    check: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<Backup, E> {
    let making = Making::begin(&to.own)?;
    making.need(bytes)?;
    let file = making.path("poured.zst");
    let mut target = Pouring::into(&file)?;
    pour(&mut target)?;
    let packed = target.finish(&file)?;
    check(&file)?;
    Ok(finish(&file, packed, to, of, reason, env.clock.now())?)
}

/// Gives what was made its name, in the place where it belongs and in the second one.
pub(super) fn finish(
    small: &Path,
    packed: Packed,
    to: &Destinations,
    of: (Kind, &str),
    reason: Reason,
    now: Millis,
) -> Result<Backup, BackupError> {
    if let Some(folder) = &to.instead {
        // Where somebody said, who may be root.
        let backup = as_root(|| {
            let (name, path) = free_name(folder, of, reason, now);
            packing::place(small, &path, &sweep(folder)?.join(format!("{MAKING}{name}")), packed)?;
            Backup::of(&path, size_of(&path)).ok_or(BackupError::NoBranch(path))
        })?;
        give(&backup.path);
        return Ok(backup);
    }
    let folder = &to.own;
    let (name, path) = free_name(folder, of, reason, now);
    packing::settle(small, &path)?;
    let second = to.second.as_deref().filter(|second| *second != folder);
    let copied = second.map(|second| {
        let part = sweep(second)?.join(format!("{MAKING}{name}"));
        packing::place(&path, &second.join(&name), &part, packed)
    });
    let bytes = size_of(&path);
    let backup = Backup::of(&path, bytes).ok_or_else(|| BackupError::NoBranch(path.clone()))?;
    let not_copied = copied.and_then(Result::err).map(|error| error.to_string());
    Ok(Backup { not_copied, ..backup })
}

/// A name that is not taken: two backups of one second differ by the second.
fn free_name(folder: &Path, (kind, code): (Kind, &str), reason: Reason, now: Millis) -> (String, PathBuf) {
    let mut at = now;
    loop {
        let name = names::name(kind, code, at, reason);
        let path = folder.join(&name);
        if !path.exists() {
            return (name, path);
        }
        at = at.after(1_000);
    }
}

/// The backups in `folder`, newest first; none when it is not there.
pub fn list(folder: &Path) -> Vec<Backup> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let named = |entry: fs::DirEntry| {
        let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Backup::of(&entry.path(), meta.len())
    };
    let mut all: Vec<Backup> = entries.filter_map(Result::ok).filter_map(named).collect();
    all.sort_by(|a, b| (b.taken_at, &b.path).cmp(&(a.taken_at, &a.path)));
    all
}

/// The newest backup in `folder`.
pub fn newest(folder: &Path) -> Option<Backup> {
    list(folder).into_iter().next()
}

/// Deletes the backups in `folder` that `rules` no longer want, and what was put aside as long ago; answers them.
///
/// # Errors
/// When one cannot be deleted.
pub fn rotate(folder: &Path, rules: Rules) -> Result<Vec<PathBuf>, BackupError> {
    let all = list(folder);
    let mut outdated = rules.outdated(&all);
    for path in &outdated {
        fs::remove_file(path).map_err(packing::at(path))?;
    }
    let Some(reach) = rules.reach(&all) else { return Ok(outdated) };
    for entry in fs::read_dir(folder).map_err(packing::at(folder))?.filter_map(Result::ok) {
        let path = entry.path();
        let day = names::day_of_aside(&entry.file_name().to_string_lossy());
        if day.is_some_and(|day| day < reach) && path.is_dir() {
            fs::remove_dir_all(&path).map_err(packing::at(&path))?;
            outdated.push(path);
        }
    }
    Ok(outdated)
}

/// The size of a file, in bytes; 0 when it is not there.
pub(crate) fn size_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}

/// Removes what an interrupted copy left in `folder`, which must be there.
fn sweep(folder: &Path) -> Result<&Path, BackupError> {
    for entry in fs::read_dir(folder).map_err(packing::at(folder))?.filter_map(Result::ok) {
        if entry.file_name().to_string_lossy().starts_with(MAKING) && entry.path().is_file() {
            fs::remove_file(entry.path()).map_err(packing::at(&entry.path()))?;
        }
    }
    Ok(folder)
}

/// A place to make one backup in; whatever is left in it goes with it, also when the process died in it. One at a time.
pub(super) struct Making {
    folder: PathBuf,
    own: PathBuf,
    _lock: File,
}

impl Making {
    /// Waits for whoever makes one now.
    pub(super) fn begin(own: &Path) -> Result<Making, BackupError> {
        packing::make_folder(own)?;
        let path = own.join(".lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let lock = lock.map_err(packing::at(&path))?;
        lock.lock().map_err(packing::at(&path))?;
        let folder = own.join(format!("{MAKING}now"));
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(packing::at(&folder))?;
        }
        packing::make_folder(&folder)?;
        Ok(Making { folder, own: own.to_owned(), _lock: lock })
    }

    /// A file in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Refuses when a copy of `bytes` and its compressed self would not fit beside what the box needs to go on.
    pub(super) fn need(&self, bytes: u64) -> Result<(), BackupError> {
        let needed = bytes.saturating_add(bytes / 2).saturating_add(RESERVE);
        // Where the system does not tell, the disk itself will.
        let free = DiskOf::new(&self.own).free_bytes().unwrap_or(u64::MAX);
        if free >= needed {
            Ok(())
        } else {
            Err(BackupError::NoRoom { path: self.own.clone(), needed, free })
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        // What cannot be removed now is swept by the next one.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What must stay free for the branch to go on selling, in bytes.
const RESERVE: u64 = 64 * 1024 * 1024;

#[cfg(test)]
mod tests;
