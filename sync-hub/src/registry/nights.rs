//! What is known of the nightly backups where several processes share one database: when the newest was taken, by which machine, and
//! whether one failed since. On PostgreSQL only; a head office on SQLite is one process and reads it off its folder. Never takes one.

use super::{Change, RegistryError};
use edge::backup::Backup;
use edge::db::{Source, opt};
use rusqlite::params;
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

/// The one row: `taken_at, machine, path, bytes, failed_at, failure`.
pub type Row = (Option<i64>, Option<String>, Option<String>, Option<i64>, Option<i64>, Option<String>);

/// Where the row is read, in PostgreSQL's words and the house's.
pub const TEXT: &str =
    "SELECT taken_at, machine, path, bytes, failed_at, failure FROM hub_nights WHERE id = 1";

impl From<Row> for Nights {
    fn from((taken_at, machine, path, bytes, failed_at, failure): Row) -> Nights {
        let taken = taken_at.map(|at| Taken {
            at: Millis::new(at),
            machine: machine.unwrap_or_default(),
            path: path.unwrap_or_default(),
            bytes: bytes.unwrap_or_default().unsigned_abs(),
        });
        Nights { taken, failed: failed_at.map(|at| (Millis::new(at), failure.unwrap_or_default())) }
    }
}

/// What is known.
pub fn find(from: &dyn Source) -> edge::db::Result<Nights> {
    let row = opt(from, TEXT, [], |row| -> edge::db::Result<Row> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
    });
    Ok(row?.map(Nights::from).unwrap_or_default())
}

/// Notes that `machine` has taken `backup`.
pub fn note_taken(change: &Change<'_>, backup: &Backup, machine: &str) -> Result<(), RegistryError> {
    let path = backup.path.display().to_string();
    let bytes = i64::try_from(backup.bytes).unwrap_or(i64::MAX);
    change.sql.execute(
        "INSERT INTO hub_nights (id, taken_at, machine, path, bytes) VALUES (1, ?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET taken_at = excluded.taken_at, machine = excluded.machine, path = excluded.path,
           bytes = excluded.bytes, failed_at = NULL, failure = NULL",
        params![backup.taken_at, machine, path, bytes],
    )?;
    Ok(())
}

/// Notes that one failed now.
pub fn note_failed(change: &Change<'_>, why: &str) -> Result<(), RegistryError> {
    change.sql.execute(
        "INSERT INTO hub_nights (id, failed_at, failure) VALUES (1, ?1, ?2)
         ON CONFLICT (id) DO UPDATE SET failed_at = excluded.failed_at, failure = excluded.failure",
        params![change.now, why],
    )?;
    Ok(())
}
