//! How an outlet's log, rows, feed and digests stand, for screens. Only looks.

use super::error::HubError;
use super::forks::Decision;
use super::state::State;
use crate::store::StoreError;
use edge::db::{Source, list, one};
use tiffin_common::frame::Position;
use tiffin_common::sync::BucketCard;
use tiffin_common::{Millis, Uuid};

/// How an outlet stands at head office.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    /// The end of its log, as far as it is held without a gap.
    pub cursor: Option<Position>,
    /// The log row up to which changes are made; behind the cursor while the branch is newer than head office.
    pub applied_to: i64,
    /// The branch's wall clock at the end of the log.
    pub head_wall: Option<Millis>,
    /// The branch's schema there.
    pub schema: u32,
    /// When rows last came.
    pub pushed_at: Option<Millis>,
    /// The newest version of the feed.
    pub feed: i64,
    /// The newest version that the branch's log shows as applied: everything up to it has arrived.
    pub arrived: i64,
    /// Whether the branch came back from an older state and has not yet told that it took back what it lost.
    pub recovering: bool,
    /// How many rows of the log are lacking that the branch no longer keeps: it has to send all its rows again.
    pub lacking: i64,
    /// Log rows whose changes could not be made.
    pub quarantined: i64,
    /// Records that stay here though the branch's box has lost or changed them.
    pub withheld: i64,
    /// Rows of boxes left behind that nobody has taken over.
    pub salvage: i64,
    /// Buckets whose rows differed when they were last compared.
    pub bad: Vec<BucketCard>,
    /// When a digest last agreed, and up to which log row.
    pub agreed: Option<(Millis, i64)>,
    /// Conflicts nobody has settled.
    pub conflicts: i64,
    /// Boxes that may not speak for the outlet though they try.
    pub forks: Vec<Fork>,
}

/// A box that was left behind when another went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The process start it showed.
    pub epoch: Uuid,
    /// The box.
    pub device: Uuid,
    /// The end of its log.
    pub head_seq: i64,
    /// When.
    pub seen_at: Millis,
    /// Whether it may come back; none while nobody has decided.
    pub accepted: Option<bool>,
}

/// How the outlet stands.
pub fn standings(from: &dyn Source, outlet: Uuid) -> Result<Standings, HubError> {
    let state = State::load(from, outlet)?;
    let count = |sql: &str| one(from, sql, [outlet], |row| row.get::<_, i64>(0));
    let bad = list(
        from,
        "SELECT table_no, day FROM hub_digests WHERE outlet_id = ?1 AND ok = 0 ORDER BY table_no, day",
        [outlet],
        |row| Ok(BucketCard { table: row.get("table_no")?, day: super::digests::day_of(row.get("day")?) }),
    )?;
    let forks = list(
        from,
        "SELECT epoch, device_id, head_seq, seen_at, decision FROM hub_forks WHERE outlet_id = ?1 ORDER BY seen_at DESC",
        [outlet],
        |row| {
            let decision: Option<Decision> = row.get("decision")?;
            Ok(Fork {
                epoch: row.get("epoch")?,
                device: row.get("device_id")?,
                head_seq: row.get("head_seq")?,
                seen_at: row.get("seen_at")?,
                accepted: decision.map(|decision| decision == Decision::Accept),
            })
        },
    )
    .map_err(StoreError::from)?;
    Ok(Standings {
        cursor: state.cursor(),
        applied_to: state.applied_to,
        head_wall: state.head_wall,
        schema: state.schema,
        pushed_at: state.pushed_at,
        feed: state.feed,
        arrived: state.pulled,
        lacking: state.lacks_to.map_or(0, |to| to - state.seq),
        recovering: state.lost.is_some(),
        quarantined: count("SELECT count(*) FROM hub_quarantine WHERE outlet_id = ?1")?,
        withheld: count("SELECT count(*) FROM hub_withheld WHERE outlet_id = ?1")?,
        salvage: super::salvage::count_open(from, outlet)?,
        bad,
        agreed: state.agreed,
        conflicts: count("SELECT count(*) FROM hub_conflicts WHERE outlet_id = ?1 AND settled_at IS NULL")?,
        forks,
    })
}
