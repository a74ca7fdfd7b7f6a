//! What lies on disks: directories copied, kept aside, and put back. Nobody may write them meanwhile.

use std::path::{Path, PathBuf};

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

/// Where copies of `place` are kept aside: one at a time.
pub fn aside(place: &Path) -> PathBuf {
    place.with_extension("aside")
}
