//! What backups are called: `tiffin-BLR1-20261122T031500Z-nightly.db.zst` says whose it is, of when, and why it was taken. Never
//! opens one.

use chrono::{NaiveDate, NaiveDateTime};
use std::path::{Path, PathBuf};
use tiffin_common::Millis;

/// What every name begins with.
const PREFIX: &str = "tiffin-";

/// A moment in a name, UTC.
const STAMP: &str = "%Y%m%dT%H%M%SZ";

/// What the name of anything that is still being made begins with: not with [`PREFIX`], so that it never looks like a backup.
pub(super) const MAKING: &str = ".making-";

/// Why a backup was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// By itself, every night.
    Nightly,
    /// Before a newer version changed the schema.
    Upgrade,
    /// Somebody asked for it.
    Manual,
    /// The database that a restored one took the place of.
    Restore,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 4] = [Reason::Nightly, Reason::Upgrade, Reason::Manual, Reason::Restore];

    /// The word in the name.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Nightly => "nightly",
            Reason::Upgrade => "upgrade",
            Reason::Manual => "manual",
            Reason::Restore => "restore",
        }
    }
}

/// Whose data a backup holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A branch: its one database.
    Branch,
    /// A head office on SQLite: its registry and a database for each outlet.
    HeadOffice,
    /// A head office on PostgreSQL: what `pg_dump` wrote, compressed.
    Dump,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Branch, Kind::HeadOffice, Kind::Dump];

    fn ending(self) -> &'static str {
        match self {
            Kind::Branch => ".db.zst",
            Kind::HeadOffice => ".tar.zst",
            Kind::Dump => ".pgdump.zst",
        }
    }
}

/// One backup: a file, and what its name tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Where it is.
    pub path: PathBuf,
    /// Whose data.
    pub kind: Kind,
    /// The outlet's code.
    pub code: String,
    /// Why it was taken.
    pub reason: Reason,
    /// When, to the second.
    pub taken_at: Millis,
    /// Its size, compressed.
    pub bytes: u64,
    /// Why it could not be copied to the second place, when there is one and it could not; known only right after it was taken.
    pub not_copied: Option<String>,
}

impl Backup {
    /// Its name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The day of it, UTC.
    pub(super) fn day(&self) -> NaiveDate {
        self.taken_at.to_utc().date_naive()
    }

    /// What the file at `path` is by its name; none when that is no backup's.
    pub(crate) fn of(path: &Path, bytes: u64) -> Option<Backup> {
        let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
        let ends = |kind: Kind| name.strip_suffix(kind.ending()).map(|name| (kind, name));
        let (kind, name) = Kind::ALL.into_iter().find_map(ends)?;
        let (name, reason) = name.rsplit_once('-')?;
        let reason = Reason::ALL.into_iter().find(|known| known.name() == reason)?;
        let (code, stamp) = name.rsplit_once('-')?;
        let taken_at = NaiveDateTime::parse_from_str(stamp, STAMP).ok()?.and_utc().timestamp_millis();
        Some(Backup {
            path: path.to_owned(),
            kind,
            code: code.to_owned(),
            reason,
            taken_at: Millis::new(taken_at),
            bytes,
            not_copied: None,
        })
    }
}

/// The day, UTC, of which a folder called `name` keeps what was replaced or damaged; none of any other folder.
pub(super) fn day_of_aside(name: &str) -> Option<NaiveDate> {
    let stamp = ["damaged-", "replaced-"].into_iter().find_map(|prefix| name.strip_prefix(prefix))?;
    Some(NaiveDateTime::parse_from_str(stamp, STAMP).ok()?.date())
}

/// The name of a backup that is taken now.
pub(super) fn name(kind: Kind, code: &str, taken_at: Millis, reason: Reason) -> String {
    let code: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    let stamp = taken_at.to_utc().format(STAMP);
    format!("{PREFIX}{code}-{stamp}-{}{}", reason.name(), kind.ending())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_it_was_made_of() {
        let at: Millis = "2026-11-22T03:15:00.000Z".parse().unwrap();
        for kind in Kind::ALL {
            for reason in Reason::ALL {
                let name = name(kind, "BLR-1", at, reason);
                let found = Backup::of(&Path::new("/b").join(&name), 7).unwrap();
                assert_eq!((found.kind, found.reason, found.taken_at), (kind, reason, at));
                assert_eq!((found.code.as_str(), found.name(), found.bytes), ("BLR1", name, 7));
            }
        }
        assert_eq!(
            name(Kind::Branch, "BLR1", at, Reason::Nightly),
            "tiffin-BLR1-20261122T031500Z-nightly.db.zst"
        );
    }

    #[test]
    fn what_is_not_whole_or_not_ours_is_no_backup() {
        for name in [
            ".making-tiffin-BLR1-20261122T031500Z-nightly.db.zst",
            "tiffin-BLR1-20261122T031500Z-nightly.db",
            "tiffin-BLR1-20261122T031500Z-yearly.db.zst",
            "tiffin-BLR1-20261322T031500Z-nightly.db.zst",
            "holiday.zst",
        ] {
            assert!(Backup::of(Path::new(name), 1).is_none(), "{name}");
        }
    }
}
