//! A backup of several databases in one archive: a head office on SQLite has one for its registry and one for each outlet. Each is
//! one state of its own; never more than one of them lies unpacked on the disk while the archive is made.

use super::copying;
use super::error::{BackupError, Result};
use super::names::{Backup, Kind, Reason};
use super::packing::{self, Packed, at};
use super::taking::{self, Destinations, Making};
use crate::db::Env;
use crate::root::as_root;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// One database of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its path in the archive.
    pub name: String,
    /// Where it is; it may be in use.
    pub path: PathBuf,
}

/// Takes a backup of `parts`, in their order, as one archive named after `code`.
///
/// # Errors
/// As [`taking::take`].
pub fn take(parts: &[Part], code: &str, to: &Destinations, reason: Reason, env: &Env) -> Result<Backup> {
    let making = Making::begin(&to.own)?;
    let sizes = parts.iter().map(|part| taking::size_of(&part.path));
    making.need(sizes.clone().max().unwrap_or_default().saturating_add(sizes.sum::<u64>() / 2))?;
    let small = making.path("all.tar.zst");
    let wrong = at(&small);
    let mut hashes = Vec::new();
    let mut write = || -> Result<File> {
        let mut encoder = zstd::Encoder::new(packing::create(&small)?, 3).map_err(at(&small))?;
        encoder.include_checksum(true).map_err(at(&small))?;
        let mut archive = tar::Builder::new(encoder);
        for part in parts {
            let copy = making.path("part.db");
            copying::copy(&part.path, &copy)?;
            copying::check(&copy, matches!(reason, Reason::Nightly | Reason::Manual))?;
            hashes.push((PathBuf::from(&part.name), packing::hash(&copy)?));
            archive.append_path_with_name(&copy, &part.name).map_err(at(&small))?;
            fs::remove_file(&copy).map_err(at(&copy))?;
        }
        archive.into_inner().and_then(zstd::Encoder::finish).map_err(at(&small))
    };
    write()?.sync_all().map_err(wrong)?;
    let mut read_back = Vec::new();
    each(&small, |name, content| {
        read_back.push((name.to_owned(), packing::poured(content, &mut io::sink())?));
        Ok(())
    })?;
    if read_back != hashes {
        return Err(BackupError::NotTheSame(small));
    }
    let outer = packing::hash(&small)?;
    taking::finish(
        &small,
        Packed { inner: outer, outer },
        to,
        (Kind::HeadOffice, code),
        reason,
        env.clock.now(),
    )
}

/// Unpacks the archive at `file` into the empty folder `to` and checks every database in it; answers their paths in the archive.
///
/// # Errors
/// When the archive or a database in it is damaged, or holds a path that leads out of the folder.
pub fn unpack(file: &Path, to: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    each(file, |name, content| {
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::other("it holds a path that leads elsewhere"));
        }
        let path = to.join(name);
        let folder = path.parent().unwrap_or(to);
        packing::make_folder(folder).map_err(io::Error::other)?;
        let mut target = packing::create(&path).map_err(io::Error::other)?;
        packing::poured(content, &mut target)?;
        target.flush()?;
        target.sync_all()?;
        found.push(name.to_owned());
        Ok(())
    })?;
    for name in &found {
        copying::check(&to.join(name), true)?;
    }
    Ok(found)
}

/// Shows every file of the archive at `file`.
fn each(file: &Path, mut show: impl FnMut(&Path, &mut dyn io::Read) -> io::Result<()>) -> Result<()> {
    let mut read = || -> io::Result<()> {
        let mut archive = tar::Archive::new(zstd::Decoder::new(as_root(|| File::open(file))?)?);
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.into_owned();
            show(&name, &mut entry)?;
        }
        // To the very end: the checksum of the whole comes last.
        packing::poured(&mut archive.into_inner(), &mut io::sink()).map(drop)
    };
    read().map_err(at(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::taking::list;
    use crate::testing::Fixture;

    #[test]
    fn several_databases_go_and_come_back_and_a_flipped_bit_is_seen() {
        let fixtures = [Fixture::new(), Fixture::new()];
        let folder = tempfile::tempdir().unwrap();
        let to = Destinations::of(folder.path(), None);
        let part = |(n, fixture): (usize, &Fixture)| Part {
            name: format!("outlets/{n}.db"),
            path: fixture.db.path().to_owned(),
        };
        let parts: Vec<Part> = fixtures.iter().enumerate().map(part).collect();
        let backup = take(&parts, "HUB", &to, Reason::Manual, fixtures[0].db.env()).unwrap();
        assert_eq!(backup.name(), "tiffin-HUB-20261120T123000Z-manual.tar.zst");
        assert_eq!(list(&to.own), std::slice::from_ref(&backup));
        let back = folder.path().join("back");
        let names = unpack(&backup.path, &back).unwrap();
        assert_eq!(names, [PathBuf::from("outlets/0.db"), PathBuf::from("outlets/1.db")]);
        let held = copying::contents(&back.join("outlets/1.db")).unwrap();
        assert_eq!(held.outlet, fixtures[1].outlet_id);
        let mut bytes = fs::read(&backup.path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&backup.path, bytes).unwrap();
        assert!(unpack(&backup.path, &folder.path().join("again")).is_err());
    }
}
