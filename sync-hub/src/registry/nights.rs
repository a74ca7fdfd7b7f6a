//! What is known of the nightly backups where several processes share one database: when the newest was taken, by which machine, and
//! whether one failed since. On PostgreSQL only; a head office on SQLite is one process and reads it off its folder. Never takes one.

use super::{Change, RegistryError};
use edge::backup::Backup;
use edge::db::{Columns, Source, opt};
use edge::{insert, select, table};
use tiffin_common::Millis;

/// What is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nights {
    /// The newest.
    pub taken: Option<Taken>,
    /// The newest failure since, and why.
    pub failed: Option<(Millis, String)>,
}

/// A nightly backup that was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// When.
    pub at: Millis,
    /// The machine it lies on.
    pub machine: String,
    /// Where there.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

table! {
    /// The one row.
    #[derive(Default)]
    pub struct Kept: hub_nights {
        /// When the newest was taken.
        pub taken_at: Option<Millis>,
        /// By which machine.
        pub machine: Option<String>,
        /// Where it lies there.
        pub path: Option<String>,
        /// Its size.
        pub bytes: Option<i64>,
        /// When one failed since.
        pub failed_at: Option<Millis>,
        /// Why.
        pub failure: Option<String>,
    }
}

/// The text that asks for it, in PostgreSQL's words and the house's.
pub fn text() -> &'static str {
    select!(Kept, "WHERE id = 1")
}

impl From<Kept> for Nights {
    fn from(Kept { taken_at, machine, path, bytes, failed_at, failure }: Kept) -> Nights {
        let taken = taken_at.map(|at| Taken {
            at,
            machine: machine.unwrap_or_default(),
            path: path.unwrap_or_default(),
            bytes: bytes.unwrap_or_default().unsigned_abs(),
        });
        Nights { taken, failed: failed_at.map(|at| (at, failure.unwrap_or_default())) }
    }
}

/// What is known.
pub fn find(from: &dyn Source) -> edge::db::Result<Nights> {
    Ok(opt(from, text(), [], Kept::read)?.map(Nights::from).unwrap_or_default())
}

/// Notes that `machine` has taken `backup`.
pub fn note_taken(change: &Change<'_>, backup: &Backup, machine: &str) -> Result<(), RegistryError> {
    let path = backup.path.display().to_string();
    let bytes = i64::try_from(backup.bytes).unwrap_or(i64::MAX);
    insert!(
        change.sql,
        hub_nights { id: 1, taken_at: backup.taken_at, machine: machine, path: path, bytes: bytes },
        "ON CONFLICT (id) DO UPDATE SET taken_at = excluded.taken_at, machine = excluded.machine, path = excluded.path,
           bytes = excluded.bytes, failed_at = NULL, failure = NULL"
    )?;
    Ok(())
}

/// Notes that one failed now.
pub fn note_failed(change: &Change<'_>, why: &str) -> Result<(), RegistryError> {
    insert!(
        change.sql,
        hub_nights { id: 1, failed_at: change.now, failure: why },
        "ON CONFLICT (id) DO UPDATE SET failed_at = excluded.failed_at, failure = excluded.failure"
    )?;
    Ok(())
}
