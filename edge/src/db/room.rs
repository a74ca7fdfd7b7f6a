//! How much room the database's disk has left, and from when on nothing more is written: SQLite needs some itself to fold its
//! write-ahead log in. Never frees anything; the disk is asked through a trait, so that tests need none.

use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A disk that can be asked for its room.
pub trait Disk: Send + Sync + 'static {
    /// Bytes that may still be written; none when the system does not tell.
    fn free_bytes(&self) -> Option<u64>;
}

/// Whether there is enough room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RoomState {
    /// There is enough.
    Ok,
    /// It goes on for a while; somebody must make room.
    Low,
    /// Nothing is written until there is room again. Reading goes on.
    Full,
}

/// The disk of the branch's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomLeft {
    /// OK, LOW (somebody must make room) or FULL (nothing is written until there is room again; reading goes on).
    pub state: RoomState,
    /// Bytes that may still be written; null when the system does not tell.
    pub free_bytes: Option<u64>,
}

/// The room of a store. Cheap to clone.
#[derive(Clone, Default)]
pub struct Room(Option<Arc<Bounds>>);

struct Bounds {
    disk: Box<dyn Disk>,
    warn_bytes: u64,
    stop_bytes: u64,
}

impl Room {
    /// As much as `disk` says: LOW below `warn_bytes`, FULL below `stop_bytes`.
    pub fn of(disk: impl Disk, warn_bytes: u64, stop_bytes: u64) -> Room {
        Room(Some(Arc::new(Bounds { disk: Box::new(disk), warn_bytes, stop_bytes })))
    }

    /// Without bounds: nobody asks the disk, and a write fails when SQLite's does.
    pub fn unbounded() -> Room {
        Room::default()
    }

    /// Asks the disk: one system call, a microsecond.
    pub fn look(&self) -> RoomLeft {
        let Some(bounds) = &self.0 else { return RoomLeft { state: RoomState::Ok, free_bytes: None } };
        let free_bytes = bounds.disk.free_bytes();
        let state = match free_bytes {
            Some(free) if free < bounds.stop_bytes => RoomState::Full,
            Some(free) if free < bounds.warn_bytes => RoomState::Low,
            _ => RoomState::Ok,
        };
        RoomLeft { state, free_bytes }
    }
}

impl Room {
    /// Whether there is still some of the room that is kept back: half of it is SQLite's alone.
    pub(super) fn has_reserve(&self, left: RoomLeft) -> bool {
        let stop_bytes = self.0.as_ref().map_or(0, |bounds| bounds.stop_bytes);
        left.free_bytes.is_some_and(|free| free >= stop_bytes / 2)
    }
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Room").field(&self.0.as_ref().map(|b| (b.warn_bytes, b.stop_bytes))).finish()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::db::{Db, DbError, Options, Tx};
    use crate::testing::Fixture;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A disk whose room the test sets.
    #[derive(Clone, Default)]
    pub(crate) struct TestDisk(pub(crate) Arc<AtomicU64>);

    impl Disk for TestDisk {
        fn free_bytes(&self) -> Option<u64> {
            Some(self.0.load(Ordering::Relaxed))
        }
    }

    /// Some of the order of a table that the log knows.
    fn write(db: &Db, rows: usize) -> Result<(), DbError> {
        db.write_blocking(move |tx| -> Result<(), DbError> {
            for _ in 0..rows {
                tx.execute(
                    "INSERT INTO \"audit_log\" (id, outlet_id, at, business_date, actor_name, action, entity_type, after)
                     SELECT ?1, id, ?2, '2026-11-20', 'test', 'TEST', 'test', hex(zeroblob(3000)) FROM outlets LIMIT 1",
                    rusqlite::params![tx.new_id(), tx.now()],
                )?;
            }
            Ok(())
        })
    }

    #[test]
    fn without_room_nothing_is_written_and_with_room_it_goes_on() {
        let fixture = Fixture::new();
        let disk = TestDisk::default();
        disk.0.store(9, Ordering::Relaxed);
        let options =
            Options { room: Room::of(disk.clone(), 100, 10), ..Options::new(fixture.db.path().to_owned()) };
        let db = Db::open(&options, fixture.db.env().clone()).unwrap();
        let rows = || fixture.number("SELECT count(*) FROM audit_log WHERE action = 'TEST'");
        assert!(matches!(write(&db, 1), Err(DbError::Full)));
        assert_eq!((rows(), db.room().state), (0, RoomState::Full));
        let vital = || db.write_vital(|_| Ok::<_, DbError>(()));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        assert!(runtime.block_on(vital()).is_ok(), "it takes of what is kept back");
        disk.0.store(4, Ordering::Relaxed);
        assert!(matches!(runtime.block_on(vital()), Err(DbError::Full)), "the rest is SQLite's");
        disk.0.store(10, Ordering::Relaxed);
        write(&db, 1).unwrap();
        assert_eq!(rows(), 1);
    }

    #[test]
    fn a_disk_that_fills_up_in_the_middle_undoes_the_whole_action_and_forgets_it_in_the_log() {
        let fixture = Fixture::new();
        let pages = fixture.number("PRAGMA page_count");
        // SQLite then reports just what a full disk makes it report.
        let bound = move |more: i64| {
            move |tx: &Tx<'_>| -> Result<(), DbError> {
                Ok(tx.execute_batch(&format!("PRAGMA max_page_count = {}", pages + more))?)
            }
        };
        fixture.db.write_blocking(bound(40)).unwrap();
        let seq = || fixture.number("SELECT max(seq) FROM sync_log");
        let rows = || fixture.number("SELECT count(*) FROM audit_log WHERE action = 'TEST'");
        let before = seq();
        assert!(matches!(write(&fixture.db, 500), Err(DbError::Full)));
        assert_eq!((rows(), seq()), (0, before));
        fixture.db.write_blocking(bound(1_000_000)).unwrap();
        write(&fixture.db, 20).unwrap();
        assert_eq!((rows(), seq()), (20, before + 1), "the numbers have no gap");
    }

    #[test]
    fn the_bounds_are_the_first_bytes_that_are_enough() {
        let disk = TestDisk::default();
        let room = Room::of(disk.clone(), 100, 10);
        for (free, state) in [
            (0, RoomState::Full),
            (9, RoomState::Full),
            (10, RoomState::Low),
            (99, RoomState::Low),
            (100, RoomState::Ok),
        ] {
            disk.0.store(free, Ordering::Relaxed);
            assert_eq!(room.look(), RoomLeft { state, free_bytes: Some(free) });
        }
        assert_eq!(Room::unbounded().look(), RoomLeft { state: RoomState::Ok, free_bytes: None });
    }
}
