//! What lies on disks: directories copied, kept aside, and put back (nobody may write them meanwhile); and a disk so small that a
//! test can fill it.

use edge::db::Disk;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Copies a directory that nobody writes.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Puts `from` in the place of `to`.
pub fn replace(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).unwrap();
    }
    copy(from, to);
}

/// Pours what is in `from` into the files of `to`: they stay the files they were.
pub fn pour(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(to).unwrap().map(Result::unwrap) {
        let (here, there) = (entry.path(), from.join(entry.file_name()));
        match (here.is_dir(), there.exists()) {
            (true, true) => pour(&there, &here),
            (false, true) => drop(std::fs::copy(&there, &here).unwrap()),
            (true, false) => std::fs::remove_dir_all(&here).unwrap(),
            (false, false) => std::fs::remove_file(&here).unwrap(),
        }
    }
}

/// Where copies of `place` are kept aside: one at a time.
pub fn aside(place: &Path) -> PathBuf {
    place.with_extension("aside")
}

/// Keeps a copy of `place` aside. Nothing stays of the one before: its write-ahead log beside a newer database would be played into that.
pub fn keep_aside(place: &Path) {
    replace(place, &aside(place));
}

/// A disk of its own in memory. Needs to be root; a test that cannot have it fails.
pub struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// A disk of `mib` MiB.
    pub fn new(mib: u32) -> SmallDisk {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={mib}m,mode=700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tiffin-small-disk"])
            .arg(folder.path())
            .output()
            .expect("mount is there");
        let said = String::from_utf8_lossy(&mounted.stderr).into_owned();
        assert!(mounted.status.success(), "this test needs a disk of its own, which takes root: {said}");
        SmallDisk { folder }
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Fills it with a ballast file until at most `leaves` bytes are left.
    pub fn fill(&self, leaves: u64) {
        let mut ballast = File::create(self.path().join("ballast")).unwrap();
        let (chunk, mut piece) = (vec![1; 1 << 20], 1 << 20);
        while self.free() > leaves {
            if ballast.write_all(&chunk[..piece]).is_err() {
                if piece == 1 {
                    return;
                }
                piece /= 2;
            }
        }
    }

    /// Takes the ballast away.
    pub fn empty(&self) {
        std::fs::remove_file(self.path().join("ballast")).unwrap();
    }

    fn free(&self) -> u64 {
        edge::space::DiskOf::new(self.path()).free_bytes().unwrap()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server that was just killed may still hold files there.
        let _ = Command::new("umount").arg("-l").arg(self.path()).output();
    }
}
