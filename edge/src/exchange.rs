//! How the exchange with head office stands, for every screen that says so. Never a guess: what is not known is null.

use crate::db::{self, Source, opt};
use tiffin_common::{Millis, words};

words! {
    /// Whether changes simply flow between this box and head office, or why not.
    pub enum Footing {
        /// They do.
        Normal = "NORMAL",
        /// What an old backup had lost is being taken back.
        Recovering = "RECOVERING",
        /// A replaced box is still being filled.
        Restoring = "RESTORING",
        /// Two boxes speak for the outlet.
        Fork = "FORK",
        /// Another box took this one's place.
        Fenced = "FENCED",
        /// Head office does not know this box's key any more.
        Revoked = "REVOKED",
        /// Head office is newer than this program.
        TooOld = "TOO_OLD",
        /// Head office lacks changes that this box no longer keeps: all its rows have to be sent again.
        Lacking = "LACKING",
    }
}

impl Footing {
    /// Whether head office takes nothing from this box as it is.
    pub fn is_shut_out(self) -> bool {
        matches!(self, Footing::Fork | Footing::Fenced | Footing::Revoked | Footing::TooOld)
    }
}

words! {
    /// What the last comparison with head office's copy found.
    pub enum Verdict {
        /// Both are equal.
        Ok = "OK",
        /// They differ.
        Bad = "BAD",
    }
}

/// Exchange with head office. What is not known is null, never a guess.
#[apply(answer!)]
#[derive(Default)]
pub struct SyncStatus {
    /// Whether this box belongs to a head office.
    pub enrolled: bool,
    /// Changes that head office has not confirmed.
    pub rows_waiting: i64,
    /// When head office last confirmed changes.
    pub last_push_at: Option<Millis>,
    /// When changes last came from head office.
    pub last_pull_at: Option<Millis>,
    /// Whether the internet answered lately.
    pub internet_reachable: Option<bool>,
    /// Whether head office answered lately.
    pub hub_reachable: Option<bool>,
    /// Whether head office's copy was last found equal.
    pub digest: Option<Verdict>,
    /// NORMAL, or why changes do not simply flow.
    pub standing: Option<Footing>,
    /// The age of the oldest change that head office has not confirmed, in seconds.
    pub lag_seconds: Option<i64>,
    /// Head office's clock minus this box's, in milliseconds.
    pub clock_offset_ms: Option<i64>,
    /// The version of head office's rows that this box holds.
    pub feed: Option<i64>,
    /// Records that a recovery could not put back by itself: somebody must look at them.
    pub open_reviews: i64,
}

const PEER: &str =
    "SELECT acked_seq, last_push_at, last_pull_at, internet_reachable, hub_reachable, digest, standing,
    clock_offset_ms, feed, lacking_since FROM sync_peer WHERE id = 1";

impl SyncStatus {
    /// As the log has it at `now`.
    pub fn read(from: &dyn Source, now: Millis) -> db::Result<SyncStatus> {
        let found = opt(from, PEER, [], |row| {
            let standing: Option<Footing> = row.get("standing")?;
            let lacking = row.get::<_, Option<Millis>>("lacking_since")?.map(|_| Footing::Lacking);
            let status = SyncStatus {
                enrolled: true,
                last_push_at: row.get("last_push_at")?,
                last_pull_at: row.get("last_pull_at")?,
                internet_reachable: row.get("internet_reachable")?,
                hub_reachable: row.get("hub_reachable")?,
                digest: row.get("digest")?,
                standing: lacking.filter(|_| standing == Some(Footing::Normal)).or(standing),
                clock_offset_ms: row.get("clock_offset_ms")?,
                feed: row.get("feed")?,
                ..SyncStatus::default()
            };
            Ok((row.get::<_, i64>("acked_seq")?, status))
        })?;
        let reviews = "SELECT count(*) FROM sync_reviews WHERE resolved_at IS NULL";
        let open_reviews = opt(from, reviews, [], |row| row.get(0))?.unwrap_or_default();
        let Some((acked, status)) = found else {
            return Ok(SyncStatus { rows_waiting: log_rows(from)?, open_reviews, ..SyncStatus::default() });
        };
        let head = opt(from, "SELECT coalesce(max(seq), 0) FROM sync_log", [], |row| row.get::<_, i64>(0))?;
        let rows_waiting = head.unwrap_or_default().saturating_sub(acked).max(0);
        // Of archived rows it is that of the pack's last: they are weeks old, and an hour does not matter.
        let oldest = "SELECT coalesce((SELECT wall_ms FROM sync_archive WHERE last_seq > ?1 ORDER BY first_seq LIMIT 1),
            (SELECT wall_ms FROM sync_log WHERE seq > ?1 ORDER BY seq LIMIT 1))";
        let oldest: Option<Millis> = opt(from, oldest, [acked], |row| row.get(0))?.flatten();
        let lag_seconds = Some(oldest.map_or(0, |oldest| now.since(oldest).max(0) / 1_000));
        Ok(SyncStatus { rows_waiting, lag_seconds, open_reviews, ..status })
    }
}

/// Whether rows of before this box, or of after the backup it goes on from, are still coming: what is summed up of them now is summed up
/// again.
pub fn is_filling(from: &dyn Source) -> db::Result<bool> {
    let filling = "SELECT restore_phase IS NOT NULL OR standing = 'RECOVERING' FROM sync_peer WHERE id = 1";
    opt(from, filling, [], |row| row.get(0)).map(Option::unwrap_or_default)
}

/// Why `what` waits while [rows of before](is_filling) are still coming; none where all of them are here.
pub fn wait_for_all(from: &dyn Source, what: &str) -> db::Result<Option<String>> {
    let why =
        || format!("What was sold before still comes back from head office: {what} when all of it is here");
    Ok(is_filling(from)?.then(why))
}

/// Each end by itself: of a table whose least and greatest are asked for at once SQLite reads every row.
const LOG_ROWS: &str = "SELECT coalesce((SELECT max(seq) FROM sync_log)
    - coalesce((SELECT min(first_seq) FROM sync_archive), (SELECT min(seq) FROM sync_log)) + 1, 0)";

/// Rows of the change log, archived ones included. Its numbers have no gaps, so this needs no count.
pub fn log_rows(from: &dyn Source) -> db::Result<i64> {
    opt(from, LOG_ROWS, [], |row| row.get(0)).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn how_long_the_log_is_takes_no_look_through_it() {
        let plan = Fixture::new().plan(LOG_ROWS);
        let ends = plan.iter().filter(|step| step.starts_with("SEARCH sync_log")).count();
        assert_eq!((ends, plan.iter().any(|step| step.starts_with("SCAN sync_log"))), (2, false), "{plan:?}");
    }
}
