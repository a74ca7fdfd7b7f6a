//! What an outlet's part of head office lets go of: raw log whose rows were applied long ago, comparisons that agreed, changes that took
//! effect or were taken back, conflicts that were settled, what was salvaged and taken over, papers that are gone at the branch, and marks of old versions of the feed with
//! what was deleted until then. Raw log is kept far longer than a branch keeps its own: a branch that is put back from an old backup takes
//! from it what the backup lacks. Never lets go of a row that is not applied yet or was put aside, nor of anything that waits.

use super::error::HubError;
use super::papers;
use super::state::State;
use edge::db::{Sql, list, opt};
use edge::update;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Rows of a kind that go in one unit of work: a branch's push must not wait for long.
const ROWS: i64 = 500;

/// What is old by its own time, each with its key.
const OLD: [&str; 4] = [
    "DELETE FROM hub_digests WHERE outlet_id = ?1 AND (table_no, day) IN (SELECT table_no, day FROM hub_digests
       WHERE outlet_id = ?1 AND ok = 1 AND at < ?2 LIMIT ?3)",
    "DELETE FROM hub_scheduled WHERE outlet_id = ?1 AND id IN (SELECT id FROM hub_scheduled
       WHERE outlet_id = ?1 AND (applied_at < ?2 OR cancelled_at < ?2) LIMIT ?3)",
    "DELETE FROM hub_conflicts WHERE outlet_id = ?1 AND id IN (SELECT id FROM hub_conflicts
       WHERE outlet_id = ?1 AND settled_at < ?2 LIMIT ?3)",
    // Its rows go, which follow the 16 bytes of the hash before them. That they came stays, so that a box which is still there is not asked
    // for them again.
    "UPDATE hub_salvage SET body = substr(body, 1, 16) WHERE outlet_id = ?1 AND (epoch, first_seq, last_seq, last_hash) IN (
       SELECT s.epoch, s.first_seq, s.last_seq, s.last_hash FROM hub_salvage s
       WHERE s.outlet_id = ?1 AND s.received_at < ?2 AND length(s.body) > 16
         AND EXISTS (SELECT 1 FROM hub_takeovers t WHERE t.outlet_id = s.outlet_id AND t.row_ids IS NULL
           AND t.done_at < ?2 AND t.at >= s.received_at) LIMIT ?3)",
];

/// Lets go of some of what came before `before`; answers how many rows and pieces of the log went.
pub fn let_go(sql: &dyn Sql, outlet: Uuid, before: Millis) -> Result<u64, HubError> {
    let state = State::load(sql, outlet)?;
    let mut gone = log(sql, &state, before)?;
    for old in OLD {
        gone += sql.execute(old, &[&outlet, &before, &ROWS])? as u64;
    }
    Ok(gone + papers::forget(sql, outlet)? + marks(sql, &state, before)?)
}

/// Pieces of the raw log.
fn log(sql: &dyn Sql, state: &State, before: Millis) -> Result<u64, HubError> {
    // The last row that is applied stays: what comes follows from it. What was put aside stays, too, and holds up nothing.
    const OLDEST: &str =
        "SELECT chunk FROM hub_log l WHERE outlet_id = ?1 AND received_at < ?2 AND last_seq < ?3
          AND NOT EXISTS (SELECT 1 FROM hub_quarantine q
            WHERE q.outlet_id = l.outlet_id AND q.seq >= l.first_seq AND q.seq <= l.last_seq)
        ORDER BY chunk LIMIT ?4";
    let found = params![state.outlet, before, state.applied_to, ROWS];
    let oldest: Vec<i64> = list(sql, OLDEST, found, |row| row.get("chunk"))?;
    for chunk in &oldest {
        sql.execute("DELETE FROM hub_log WHERE outlet_id = ?1 AND chunk = ?2", &[&state.outlet, chunk])?;
    }
    Ok(oldest.len() as u64)
}

/// Marks of versions that the branch has had for long, and what was deleted until then: a branch that shows an older version, from a
/// backup, is sent all rows instead. Where the feed leapt stays on record: the branch's log may name versions from before.
fn marks(sql: &dyn Sql, state: &State, before: Millis) -> Result<u64, HubError> {
    const LAST: &str = "SELECT max(feed) FROM (SELECT feed FROM hub_feed_marks
        WHERE outlet_id = ?1 AND feed < ?2 AND after IS NULL AND coalesce(at, 0) < ?3 ORDER BY feed LIMIT ?4) old";
    const GO: [&str; 2] = [
        "DELETE FROM hub_feed_marks WHERE outlet_id = ?1 AND feed <= ?2 AND after IS NULL",
        "DELETE FROM hub_master WHERE outlet_id = ?1 AND feed <= ?2 AND deleted = 1",
    ];
    let had = state.pulled.min(state.feed);
    let last: Option<i64> =
        opt(sql, LAST, params![state.outlet, had, before, ROWS], |row| row.get(0))?.flatten();
    let Some(last) = last else { return Ok(0) };
    let mut gone = 0;
    for text in GO {
        gone += sql.execute(text, &[&state.outlet, &last])? as u64;
    }
    update!(sql, hub_state { unmarked_to: last } where { outlet_id: state.outlet })?;
    Ok(gone)
}
