//! The disk of the data directory: how much room it has, and telling the managers before there is none. Never deletes anything: what
//! fills a disk is nobody's to guess.

use crate::config;
use crate::db::{self, Db, Disk, Room, RoomLeft, RoomState, Tx};
use crate::http::sse::stopped;
use crate::resources::notifications::actions::notify;
use crate::resources::notifications::{Audience, Notice, Severity};
use crate::sync::outlet_of;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;

/// How often the disk is looked at for the warning. The writer looks for itself, before each group.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// The disk that a folder lies on.
#[derive(Debug, Clone)]
pub struct DiskOf(PathBuf);

impl DiskOf {
    /// The disk of `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> DiskOf {
        DiskOf(folder.into())
    }
}

impl Disk for DiskOf {
    fn free_bytes(&self) -> Option<u64> {
        let found = rustix::fs::statvfs(&self.0).ok()?;
        // Not the blocks that are reserved for the system's administrator: a server should not live on them.
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }
}

/// The room of the branch whose data lie in `folder`.
pub fn room(folder: &Path, bounds: config::Room) -> Room {
    Room::of(DiskOf::new(folder), bounds.warn_bytes, bounds.stop_bytes)
}

/// Warns until `stopping`.
pub async fn watch(db: Db, mut stopping: watch::Receiver<bool>) {
    let mut known = RoomState::Ok;
    loop {
        if let Err(error) = look(&db, &mut known).await {
            tracing::warn!(%error, "the managers could not be told of the disk's room");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Tells what has changed since `known`.
async fn look(db: &Db, known: &mut RoomState) -> db::Result<()> {
    let now = db.room();
    if now.state == *known {
        return Ok(());
    }
    match now.state {
        RoomState::Full => tell(db, is_full()).await?,
        RoomState::Low if *known == RoomState::Ok => {
            tracing::warn!(free_bytes = now.free_bytes, "the disk is filling up");
            tell(db, is_low(now)).await?;
        }
        RoomState::Low | RoomState::Ok => {}
    }
    *known = now.state;
    Ok(())
}

async fn tell(db: &Db, notice: Notice) -> db::Result<()> {
    db.write_vital(move |tx: &Tx<'_>| -> db::Result<()> {
        let Some(outlet) = outlet_of(tx)? else { return Ok(()) };
        notify(tx, outlet.id, notice)
    })
    .await
}

fn is_low(room: RoomLeft) -> Notice {
    let mib = room.free_bytes.unwrap_or_default() >> 20;
    notice(
        "DISK_LOW",
        Severity::Warning,
        format!("The box's disk has {mib} MiB left"),
        "Make room before it is full: then nothing can be saved. edge doctor says what takes it.".to_owned(),
    )
}

fn is_full() -> Notice {
    notice(
        "DISK_FULL",
        Severity::Critical,
        "The box's disk is full: nothing is saved".to_owned(),
        "Make room on it now; the tills go on by themselves then. What was confirmed is there. edge doctor says what to do."
            .to_owned(),
    )
}

fn notice(kind: &'static str, severity: Severity, title: String, body: String) -> Notice {
    Notice {
        kind,
        severity,
        title,
        body,
        audience: Audience::Managers,
        entity: None,
        dedupe_key: kind.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::DbError;
    use crate::db::{Options, TestDisk};
    use crate::testing::Fixture;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_folder_has_room_and_one_that_is_not_there_does_not_tell() {
        let folder = tempfile::tempdir().unwrap();
        assert!(DiskOf::new(folder.path()).free_bytes().unwrap() > 0);
        assert_eq!(DiskOf::new(folder.path().join("no")).free_bytes(), None);
    }

    #[tokio::test]
    async fn the_managers_are_told_once_that_it_gets_low_and_that_it_is_full() {
        let fixture = Fixture::new();
        let path = fixture.db.path().to_owned();
        let told = |kind: &str| {
            fixture
                .number(&format!("SELECT coalesce(sum(count), 0) FROM notifications WHERE type = '{kind}'"))
        };
        let disk = TestDisk::default();
        let set = |free| disk.0.store(free, Ordering::Relaxed);
        let room = Room::of(disk.clone(), 100, 10);
        let env = fixture.db.env().clone();
        let db = Db::open(&Options { room, ..Options::new(path) }, env).unwrap();
        let mut known = RoomState::Ok;
        for free in [100, 99, 98] {
            set(free);
            look(&db, &mut known).await.unwrap();
        }
        assert_eq!((told("DISK_LOW"), told("DISK_FULL")), (1, 0));
        set(9);
        look(&db, &mut known).await.unwrap();
        let refused: db::Result<()> = db.write(|_| Ok(())).await;
        assert!(matches!(refused, Err(DbError::Full)));
        look(&db, &mut known).await.unwrap();
        assert_eq!((told("DISK_LOW"), told("DISK_FULL")), (1, 1), "that much room is kept back");
        for free in [50, 500] {
            set(free);
            look(&db, &mut known).await.unwrap();
        }
        assert_eq!((told("DISK_LOW"), told("DISK_FULL")), (1, 1), "it gets better");
        set(4);
        assert!(look(&db, &mut known).await.is_err(), "too little to say so");
        set(50);
        look(&db, &mut known).await.unwrap();
        assert_eq!(told("DISK_LOW"), 2, "it got low again");
    }
}
