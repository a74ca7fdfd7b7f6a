//! The lives of an outlet's part of head office: each time it was put back begins another, and a version of the feed tells of which life
//! it is. Never gives out a version of a life that was forgotten.

use super::Desk;
use super::state::State;
use edge::db::{Result, Source, Sql, opt};
use tiffin_common::Uuid;

/// A version beyond this is nobody's.
pub(super) const LAST_FEED: i64 = 1 << 52;

/// Whether this database gave the mark out, for the version or for one after it: a branch may have stopped in the middle of a page.
pub(super) fn is_marked(from: &dyn Source, outlet: Uuid, feed: i64, mark: Option<&str>) -> Result<bool> {
    const KNOWN: &str =
        "SELECT 1 FROM hub_feed_marks WHERE outlet_id = ?1 AND feed >= ?2 AND mark = ?3 LIMIT 1";
    let Some(mark) = mark.filter(|mark| mark.len() == 16) else { return Ok(false) };
    let Ok(mark) = u64::from_str_radix(mark, 16) else { return Ok(false) };
    Ok(opt(from, KNOWN, (outlet, feed, mark.to_be_bytes()), |_| Ok(()))?.is_some())
}

/// Whether a branch that has version `feed` with its mark has seen another life of this database, which nobody has noticed yet: this one
/// is an older copy.
pub(super) fn forgotten_by(from: &dyn Source, state: &State, feed: i64, mark: Option<&str>) -> Result<bool> {
    if !(1..LAST_FEED).contains(&feed) || known_before(from, state, feed)?.is_some() {
        return Ok(false);
    }
    let is_unknown = mark.is_some() && !is_marked(from, state.outlet, feed, mark)?;
    Ok(feed > state.feed || (is_unknown && feed > unmarked_to(from, state.outlet)?))
}

/// The version of the feed up to which marks are no longer kept.
fn unmarked_to(from: &dyn Source, outlet: Uuid) -> Result<i64> {
    const TO: &str = "SELECT unmarked_to FROM hub_state WHERE outlet_id = ?1";
    Ok(opt(from, TO, [outlet], |row| row.get(0))?.unwrap_or(0))
}

/// Where version `feed` is of a life that this database has forgotten: the last version that both lives have for certain. A leap beyond the
/// feed never was: earlier programs could leave its mark behind.
pub(super) fn known_before(from: &dyn Source, state: &State, feed: i64) -> Result<Option<i64>> {
    const LEAPT: &str = "SELECT after FROM hub_feed_marks
        WHERE outlet_id = ?1 AND feed > ?2 AND feed <= ?3 AND after < ?2 ORDER BY feed LIMIT 1";
    opt(from, LEAPT, (state.outlet, feed, state.feed), |row| row.get(0))
}

/// Whether there is a doubt about what takes effect later that a branch ends which has version `feed` with its mark: it has taken one of
/// this life of the database, and so has said before what it knows of those that this one has forgotten.
pub(super) fn ends_doubt(from: &dyn Source, state: &State, feed: i64, mark: Option<&str>) -> Result<bool> {
    const LEAPT: &str =
        "SELECT max(feed) FROM hub_feed_marks WHERE outlet_id = ?1 AND feed <= ?2 AND after IS NOT NULL";
    if !state.doubts_schedule {
        return Ok(false);
    }
    let leapt: Option<i64> = opt(from, LEAPT, (state.outlet, state.feed), |row| row.get(0))?.flatten();
    Ok(feed >= leapt.unwrap_or(0) && is_marked(from, state.outlet, feed, mark)?)
}

/// Notices that this database is an older copy by what the branch has seen of the feed: a version that was never given out, or a mark
/// that was not. What of its own the branch has not seen may be as old as the copy.
pub(super) fn notice(
    sql: &dyn Sql,
    at: &Desk,
    state: &mut State,
    feed: i64,
    mark: Option<&str>,
) -> Result<()> {
    if forgotten_by(sql, state, feed, mark)? {
        state.leap(sql, at, state.pulled.min(feed - 1), feed)?;
    }
    Ok(())
}
