//! The figures of `/metrics` that are asked for at the moment of the scrape; head office shows some of them, too. Never asks for one itself.

use crate::db::{RoomLeft, RoomState, WriterStats};
use crate::exchange::SyncStatus;
use crate::http::metrics::{Figure, resident_bytes};
use crate::state::{BackupStatus, CertificateWatch};
use tiffin_common::Millis;

fn counter(name: &'static str, help: &'static str, value: u64) -> Figure {
    Figure { name, help, kind: "counter", value }
}

fn gauge(name: &'static str, help: &'static str, value: u64) -> Figure {
    Figure { name, help, kind: "gauge", value }
}

/// Seconds since 1970; 0 for never.
fn at(moment: Option<Millis>) -> u64 {
    moment.map_or(0, |at| at.get().unsigned_abs() / 1_000)
}

/// The writer, its log of `rows`, and the process.
pub(super) fn writer(writer: &WriterStats, rows: i64) -> Vec<Figure> {
    vec![
        counter("tiffin_db_groups_total", "Commits of the writer", writer.groups),
        counter(
            "tiffin_db_actions_total",
            "Actions committed; divided by the groups: the group size",
            writer.actions,
        ),
        counter("tiffin_db_refused_total", "Actions rolled back", writer.refused),
        gauge("tiffin_db_queued_actions", "Actions waiting for the writer", writer.queued),
        gauge("tiffin_sync_log_rows", "Rows of the change log", rows.unsigned_abs()),
        gauge("process_resident_memory_bytes", "Resident memory", resident_bytes()),
    ]
}

/// The exchange with head office.
pub(super) fn exchange(sync: &SyncStatus) -> Vec<Figure> {
    let yes = |known: Option<bool>| u64::from(known.unwrap_or_default());
    vec![
        gauge("tiffin_sync_enrolled", "Whether this box belongs to a head office", u64::from(sync.enrolled)),
        gauge(
            "tiffin_sync_rows_waiting",
            "Log rows that head office has not confirmed",
            sync.rows_waiting.unsigned_abs(),
        ),
        gauge(
            "tiffin_sync_lag_seconds",
            "Age of the oldest of them",
            sync.lag_seconds.unwrap_or_default().unsigned_abs(),
        ),
        gauge("tiffin_sync_hub_reachable", "Whether head office answered lately", yes(sync.hub_reachable)),
        gauge(
            "tiffin_sync_last_push_timestamp_seconds",
            "When it last confirmed rows",
            at(sync.last_push_at),
        ),
        gauge(
            "tiffin_sync_last_pull_timestamp_seconds",
            "When its rows were last read",
            at(sync.last_pull_at),
        ),
        gauge(
            "tiffin_sync_digest_bad",
            "Whether its copy was last found different",
            u64::from(sync.digest.as_deref() == Some("BAD")),
        ),
        gauge(
            "tiffin_sync_standing_bad",
            "Whether this box was shut out, or two boxes speak for its outlet",
            u64::from(matches!(sync.standing.as_deref(), Some("FORK" | "FENCED" | "REVOKED" | "TOO_OLD"))),
        ),
        gauge(
            "tiffin_sync_reviews_open",
            "Records that somebody must look at",
            sync.open_reviews.unsigned_abs(),
        ),
    ]
}

/// The certificate of the door with TLS; nothing where there is no such door, for 0 would be one that has ended.
pub fn certificate(watch: &CertificateWatch) -> Option<Figure> {
    const NAME: &str = "tiffin_certificate_expires_timestamp_seconds";
    let look = watch.0.as_ref()?;
    Some(gauge(NAME, "Until when the TLS certificate in use holds", at(Some(look()))))
}

/// The room on the disk.
pub fn disk(room: RoomLeft) -> Vec<Figure> {
    vec![
        gauge(
            "tiffin_disk_free_bytes",
            "Bytes that may still be written to the data directory's disk; 0 when the system does not tell",
            room.free_bytes.unwrap_or_default(),
        ),
        gauge(
            "tiffin_disk_low",
            "Whether it has less room than it should",
            u64::from(room.state != RoomState::Ok),
        ),
        gauge(
            "tiffin_disk_full",
            "Whether nothing is written for want of room",
            u64::from(room.state == RoomState::Full),
        ),
    ]
}

/// The backups.
pub(super) fn backups(backup: Option<&BackupStatus>) -> Vec<Figure> {
    let last_backup = backup.and_then(|backup| backup.last_at);
    let backup_bytes = backup.and_then(|backup| backup.last_bytes);
    let is_overdue = backup.is_some_and(|backup| backup.overdue || backup.second_overdue);
    vec![
        gauge("tiffin_backup_last_timestamp_seconds", "When the newest backup was taken", at(last_backup)),
        gauge("tiffin_backup_last_bytes", "Its size", backup_bytes.unwrap_or_default()),
        gauge("tiffin_backup_overdue", "Whether a nightly backup is missing", u64::from(is_overdue)),
    ]
}
