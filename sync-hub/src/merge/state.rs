//! The one row that says how far an outlet's log has come, and the steps of its feed. Read at the beginning of a unit of work,
//! written once at its end.

use super::Desk;
use edge::db::{Env, Result, Source, Sql, opt};
use edge::{insert, update};
use tiffin_common::frame::{Hash, Position};
use tiffin_common::{Hlc, Millis, Uuid};

/// The versions of one life of this database are fewer than two to the power of this.
const LIFE_BITS: u32 = 24;

/// The row.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) outlet: Uuid,
    /// Whether the row is there.
    kept: bool,
    pub(super) epoch: Option<Uuid>,
    pub(super) seq: i64,
    pub(super) hash: Hash,
    pub(super) applied_to: i64,
    pub(super) lineage: i64,
    pub(super) chunks: i64,
    pub(super) head_wall: Option<Millis>,
    pub(super) hlc: Hlc,
    pub(super) schema: u32,
    pub(super) feed: i64,
    /// The feed as it was loaded: what is beyond needs a mark.
    fed: i64,
    /// The newest version that has a mark.
    marked: i64,
    /// The life of head office in which the row was written last.
    pub(super) hub_epoch: Option<Uuid>,
    pub(super) pulled: i64,
    /// The end of what the branch lost, until its log tells that it took it back.
    pub(super) lost: Option<(Uuid, i64)>,
    /// The position after which the branch was told to go on.
    pub(super) grant: Option<(i64, Hash)>,
    pub(super) next_due: Option<Millis>,
    pub(super) agreed: Option<(Millis, i64)>,
    pub(super) pushed_at: Option<Millis>,
    /// The last row that the branch no longer keeps and that is lacking here.
    pub(super) lacks_to: Option<i64>,
    /// Whether something came of a transfer. Not kept: `hub_parcels` is.
    pub(super) parcels: bool,
    /// Whether what takes effect later may have been taken back in a life that this database has forgotten: nothing does until the branch
    /// has said what it knows of it.
    pub(super) doubts_schedule: bool,
}

const LOAD: &str = "SELECT epoch, seq, hash, applied_to, lineage, chunks, head_wall, hlc, schema_v, feed, pulled, lost_epoch,
    lost_seq, grant_seq, grant_hash, next_due, agreed_at, agreed_seq, pushed_at, hub_epoch, lacks_to, doubts_schedule FROM hub_state WHERE outlet_id = ?1";

impl State {
    /// The outlet's row, or that of an outlet of which nothing has come.
    pub(super) fn load(from: &dyn Source, outlet: Uuid) -> Result<State> {
        let state = opt(from, LOAD, [outlet], |row| {
            let feed = row.get("feed")?;
            Ok(State {
                outlet,
                kept: true,
                epoch: row.get("epoch")?,
                seq: row.get("seq")?,
                hash: row.get::<_, Option<Hash>>("hash")?.unwrap_or(Hash::START),
                applied_to: row.get("applied_to")?,
                lineage: row.get("lineage")?,
                chunks: row.get("chunks")?,
                head_wall: row.get("head_wall")?,
                hlc: row.get("hlc")?,
                schema: row.get("schema_v")?,
                feed,
                fed: feed,
                marked: feed,
                hub_epoch: row.get("hub_epoch")?,
                pulled: row.get("pulled")?,
                lost: row.get::<_, Option<_>>("lost_epoch")?.zip(row.get("lost_seq")?),
                grant: row.get::<_, Option<_>>("grant_seq")?.zip(row.get("grant_hash")?),
                next_due: row.get("next_due")?,
                agreed: row.get::<_, Option<_>>("agreed_at")?.zip(row.get("agreed_seq")?),
                pushed_at: row.get("pushed_at")?,
                lacks_to: row.get("lacks_to")?,
                parcels: false,
                doubts_schedule: row.get("doubts_schedule")?,
            })
        })?;
        Ok(state.unwrap_or(State { outlet, ..State::default() }))
    }

    /// All rows of the outlet come again: what is here is not what the branch has until its log tells that they are.
    pub(super) fn send_again(&mut self) {
        self.lost = Some((self.outlet, 0));
    }

    /// Whether all rows come again, and have not all come.
    pub(super) fn is_sent_again(&self) -> bool {
        self.lost == Some((self.outlet, 0))
    }

    /// The outlet's row for a unit of work that may write it. In a new life of head office the feed leaps first.
    pub(super) fn open(sql: &dyn Sql, at: &Desk) -> Result<State> {
        let mut state = State::load(sql, at.outlet)?;
        let is_of_another_life = state.is_of_another_life(at);
        state.hub_epoch = Some(at.hub_epoch);
        if is_of_another_life {
            state.leap(sql, at, state.feed, state.feed)?;
        }
        Ok(state)
    }

    /// Whether head office has begun a new life since the row was written.
    pub(super) fn is_of_another_life(&self, at: &Desk) -> bool {
        self.hub_epoch.is_some_and(|known| known != at.hub_epoch)
    }

    /// This database is an older copy: it knows the versions up to `known`, and the branch may have seen others, up to `seen` at least,
    /// that it has forgotten. They are not given out again: the feed goes on far beyond, at a place that is drawn, so that two lives
    /// that begin with one copy do not meet.
    ///
    /// The row is written at once: a leap that another unit of work did not know of could be passed by a lower one.
    pub(super) fn leap(&mut self, sql: &dyn Sql, at: &Desk, known: i64, seen: i64) -> Result<()> {
        let env = &at.env;
        let drawn = i64::from(u16::from_be_bytes(env.random_bytes()) >> 6);
        self.feed = ((self.feed.max(seen) >> LIFE_BITS) + 1 + drawn) << LIFE_BITS;
        let mark: [u8; 8] = env.random_bytes();
        let (outlet, now) = (self.outlet, env.clock.now());
        insert!(
            sql,
            hub_feed_marks { outlet_id: outlet, feed: self.feed, mark: mark, after: known, at: now }
        )?;
        (self.marked, self.doubts_schedule) = (self.feed, true);
        tracing::warn!(%outlet, known, seen, goes_on = self.feed, "head office is an older copy: branches fill it again");
        self.save(sql, env)
    }

    /// The end of the log.
    pub(super) fn cursor(&self) -> Option<Position> {
        self.epoch.map(|epoch| Position { epoch, seq: self.seq, hash: self.hash })
    }

    /// Whether the feed has moved since the row was loaded.
    pub(super) fn is_fed(&self) -> bool {
        self.feed != self.fed
    }

    /// The next version of the feed.
    pub(super) fn step(&mut self) -> i64 {
        self.feed += 1;
        self.feed
    }

    /// Writes the row, and the mark of the feed's step if it made one.
    pub(super) fn save(&mut self, sql: &dyn Sql, env: &Env) -> Result<()> {
        if !self.kept {
            insert!(sql, hub_state { outlet_id: self.outlet })?;
            self.kept = true;
        }
        if self.feed != self.marked {
            let mark: [u8; 8] = env.random_bytes();
            let at = env.clock.now();
            insert!(sql, hub_feed_marks { outlet_id: self.outlet, feed: self.feed, mark: mark, at: at })?;
        }
        (self.fed, self.marked) = (self.feed, self.feed);
        update!(
            sql,
            hub_state {
                epoch: self.epoch,
                seq: self.seq,
                hash: self.epoch.map(|_| self.hash),
                applied_to: self.applied_to,
                lineage: self.lineage,
                chunks: self.chunks,
                head_wall: self.head_wall,
                hlc: self.hlc,
                schema_v: self.schema,
                feed: self.feed,
                pulled: self.pulled,
                lost_epoch: self.lost.map(|(epoch, _)| epoch),
                lost_seq: self.lost.map(|(_, seq)| seq),
                grant_seq: self.grant.map(|(seq, _)| seq),
                grant_hash: self.grant.map(|(_, hash)| hash),
                next_due: self.next_due,
                agreed_at: self.agreed.map(|(at, _)| at),
                agreed_seq: self.agreed.map(|(_, seq)| seq),
                pushed_at: self.pushed_at,
                hub_epoch: self.hub_epoch,
                lacks_to: self.lacks_to,
                doubts_schedule: self.doubts_schedule,
            } where { outlet_id: self.outlet }
        )?;
        Ok(())
    }
}
