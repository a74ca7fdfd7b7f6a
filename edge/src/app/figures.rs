//! The figures of `/metrics` that are asked for at the moment of the scrape; head office shows some of them, too. Never asks for one itself.

use crate::db::{Env, RoomLeft, RoomState, WriterStats, unreadable_values};
use crate::exchange::{Footing, SyncStatus, Verdict};
use crate::http::metrics::{Figures, resident_bytes};
use crate::state::{BackupStatus, CertificateWatch};
use tiffin_common::Millis;

/// Seconds since 1970; 0 for never.
fn at(moment: Option<Millis>) -> u64 {
    moment.map_or(0, |at| at.get().unsigned_abs() / 1_000)
}

/// The process: its memory, and what its stores could not read.
pub fn process(to: &mut Figures) {
    to.gauge("process_resident_memory_bytes", "Resident memory", resident_bytes());
    to.counter(
        "tiffin_db_unreadable_values_total",
        "Values met that are not what their column holds; the log says which",
        unreadable_values(),
    );
}

/// The writer and its log of `rows`.
pub(super) fn writer(to: &mut Figures, writer: &WriterStats, rows: i64) {
    to.counter("tiffin_db_groups_total", "Commits of the writer", writer.groups);
    to.counter(
        "tiffin_db_actions_total",
        "Actions committed; divided by the groups: the group size",
        writer.actions,
    );
    to.counter("tiffin_db_refused_total", "Actions rolled back", writer.refused);
    to.gauge("tiffin_db_queued_actions", "Actions waiting for the writer", writer.queued);
    to.gauge("tiffin_sync_log_rows", "Rows of the change log", rows.unsigned_abs());
}

/// The exchange with head office.
pub(super) fn exchange(to: &mut Figures, sync: &SyncStatus) {
    let yes = |known: Option<bool>| u64::from(known.unwrap_or_default());
    to.gauge("tiffin_sync_enrolled", "Whether this box belongs to a head office", u64::from(sync.enrolled));
    to.gauge(
        "tiffin_sync_rows_waiting",
        "Log rows that head office has not confirmed",
        sync.rows_waiting.unsigned_abs(),
    );
    to.gauge(
        "tiffin_sync_lag_seconds",
        "Age of the oldest of them",
        sync.lag_seconds.unwrap_or_default().unsigned_abs(),
    );
    to.gauge("tiffin_sync_hub_reachable", "Whether head office answered lately", yes(sync.hub_reachable));
    to.gauge("tiffin_sync_last_push_timestamp_seconds", "When it last confirmed rows", at(sync.last_push_at));
    to.gauge(
        "tiffin_sync_last_pull_timestamp_seconds",
        "When its rows were last read",
        at(sync.last_pull_at),
    );
    to.gauge(
        "tiffin_sync_digest_bad",
        "Whether its copy was last found different",
        u64::from(sync.digest == Some(Verdict::Bad)),
    );
    to.gauge(
        "tiffin_sync_standing_bad",
        "Whether this box was shut out, or two boxes speak for its outlet",
        u64::from(sync.standing.is_some_and(Footing::is_shut_out)),
    );
    to.gauge(
        "tiffin_sync_reviews_open",
        "Records that somebody must look at",
        sync.open_reviews.unsigned_abs(),
    );
}

/// The certificate of the door with TLS; nothing where there is no such door, for 0 would be one that has ended.
pub fn certificate(to: &mut Figures, watch: &CertificateWatch) {
    const NAME: &str = "tiffin_certificate_expires_timestamp_seconds";
    if let Some(look) = &watch.0 {
        to.gauge(NAME, "Until when the TLS certificate in use holds", at(Some(look())));
    }
}

/// The room on the disk.
pub fn disk(to: &mut Figures, room: RoomLeft) {
    to.gauge(
        "tiffin_disk_free_bytes",
        "Bytes that may still be written to the data directory's disk; 0 when the system does not tell",
        room.free_bytes.unwrap_or_default(),
    );
    to.gauge(
        "tiffin_disk_low",
        "Whether it has less room than it should",
        u64::from(room.state != RoomState::Ok),
    );
    to.gauge(
        "tiffin_disk_full",
        "Whether nothing is written for want of room",
        u64::from(room.state == RoomState::Full),
    );
}

/// The clock.
pub(super) fn clock(to: &mut Figures, env: &Env) {
    to.gauge(
        "tiffin_clock_doubtful",
        "Whether the machine's clock is wrong and not followed",
        u64::from(env.clock_doubt().is_some()),
    );
}

/// The backups.
pub(super) fn backups(to: &mut Figures, backup: Option<&BackupStatus>) {
    let last_backup = backup.and_then(|backup| backup.last_at);
    let backup_bytes = backup.and_then(|backup| backup.last_bytes);
    let is_overdue = backup.is_some_and(|backup| backup.overdue || backup.second_overdue);
    to.gauge("tiffin_backup_last_timestamp_seconds", "When the newest backup was taken", at(last_backup));
    to.gauge("tiffin_backup_last_bytes", "Its size", backup_bytes.unwrap_or_default());
    to.gauge("tiffin_backup_overdue", "Whether a nightly backup is missing", u64::from(is_overdue));
}
