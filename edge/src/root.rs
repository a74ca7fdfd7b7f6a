//! As whom a command works: given by root, as the owner of the data directory, so that nothing in there becomes root's; as root again
//! only for the files that root named. Never gains a right that the process was not started with.

use rustix::fs::Mode;
use rustix::process::{geteuid, umask};
use rustix::thread::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::OnceLock;

/// From now on what this process makes is its owner's alone: files 0600, folders 0700, whatever the shell or the unit that started it says.
pub fn make_private() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Takes from everybody but their owner what lies directly in `folder`, and the folder itself: what a version before, or a copy by hand,
/// left open. What is somebody else's stays as it is.
pub fn close_to_others(folder: &Path) {
    let close = |path: &Path| {
        let Ok(meta) = std::fs::symlink_metadata(path) else { return };
        let mode = meta.permissions().mode();
        if mode & 0o077 == 0 || meta.is_symlink() || meta.uid() != geteuid().as_raw() {
            return;
        }
        if let Err(error) = std::fs::set_permissions(path, Permissions::from_mode(mode & 0o700)) {
            tracing::warn!(%error, path = %path.display(), "stays open to others");
        }
    };
    close(folder);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.for_each(|entry| close(&entry.path()));
}

/// Whose process root's command has become.
static OWNER: OnceLock<(Uid, Gid)> = OnceLock::new();

/// Works as the owner of the directory `data` from now on, where root gave the command and the directory is somebody else's. To be
/// called before the process has a second thread: rights are each thread's own.
///
/// # Errors
/// When the system refuses.
pub fn step_down(data: &Path) -> io::Result<()> {
    let Ok(meta) = std::fs::metadata(data) else { return Ok(()) };
    if !geteuid().is_root() || meta.uid() == 0 {
        return Ok(());
    }
    let (uid, gid) = (Uid::from_raw(meta.uid()), Gid::from_raw(meta.gid()));
    set_thread_groups(&[gid])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, Uid::ROOT)?;
    OWNER.get_or_init(|| (uid, gid));
    Ok(())
}

/// Does `work`, which reads or writes what root named, as root where root gave the command. What lies in the data directory is
/// never reached like this: its owner could have put a link there.
pub fn as_root<T>(work: impl FnOnce() -> T) -> T {
    let Some((owner, _)) = OWNER.get() else { return work() };
    if set_thread_res_uid(None, Uid::ROOT, None).is_err() {
        return work();
    }
    let done = work();
    if set_thread_res_uid(None, *owner, None).is_err() {
        // Nothing may go on as root that believes to be somebody else.
        std::process::abort();
    }
    done
}

/// Gives a file that was written by [`as_root`] to the owner of the data directory. A stick without owners stays as it is.
pub fn give(path: &Path) {
    if let Some((uid, gid)) = OWNER.get() {
        let given = as_root(|| std::os::unix::fs::chown(path, Some(uid.as_raw()), Some(gid.as_raw())));
        if let Err(error) = given {
            tracing::debug!(%error, path = %path.display(), "stays root's");
        }
    }
}
