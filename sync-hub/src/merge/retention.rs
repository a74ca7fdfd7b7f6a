//! How the raw log of an outlet stays bounded: chunks whose rows were applied long ago go. They are kept far longer than a branch keeps
//! its own: a branch that is put back from an old backup takes from them what the backup lacks. Never lets go of a row that is not
//! applied yet or was put aside.

use super::error::HubError;
use super::state::State;
use edge::db::{Sql, list};
use rusqlite::params;
use tiffin_common::Millis;
use tiffin_common::Uuid;

/// Chunks that are looked at in one unit of work: a branch's push must not wait for long.
const CHUNKS: i64 = 500;

/// Lets go of some chunks of the outlet's log that came before `before`; answers how many went.
pub fn let_go(sql: &dyn Sql, outlet: Uuid, before: Millis) -> Result<u64, HubError> {
    const OLDEST: &str = "SELECT l.chunk, l.last_seq, l.received_at, (SELECT count(*) FROM hub_quarantine q
          WHERE q.outlet_id = l.outlet_id AND q.seq >= l.first_seq AND q.seq <= l.last_seq) AS put_aside
        FROM hub_log l WHERE l.outlet_id = ?1 ORDER BY l.chunk LIMIT ?2";
    let applied_to = State::load(sql, outlet)?.applied_to;
    let oldest: Vec<(i64, i64, Millis, i64)> = list(sql, OLDEST, params![outlet, CHUNKS], |row| {
        Ok((row.get("chunk")?, row.get("last_seq")?, row.get("received_at")?, row.get("put_aside")?))
    })?;
    // The last row that is applied stays: what comes follows from it.
    let old = oldest.iter().take_while(|(_, last, at, _)| *at < before && *last < applied_to);
    let mut gone = 0;
    for (chunk, _, _, put_aside) in old {
        if *put_aside == 0 {
            sql.execute("DELETE FROM hub_log WHERE outlet_id = ?1 AND chunk = ?2", &[&outlet, chunk])?;
            gone += 1;
        }
    }
    Ok(gone)
}
