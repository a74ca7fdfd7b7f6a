//! The one row that says how far an outlet's log has come, and the steps of its feed. Read at the beginning of a unit of work,
//! written once at its end.

use edge::db::Result;
use edge::db::{Env, Source, Sql, opt};
use tiffin_common::frame::{Hash, Position};
use tiffin_common::{Hlc, Millis, Uuid};

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
    pub(super) pulled: i64,
    /// The end of what the branch lost, until its log tells that it took it back.
    pub(super) lost: Option<(Uuid, i64)>,
    /// The position after which the branch was told to go on.
    pub(super) grant: Option<(i64, Hash)>,
    pub(super) next_due: Option<Millis>,
    pub(super) agreed: Option<(Millis, i64)>,
    pub(super) pushed_at: Option<Millis>,
}

const LOAD: &str = "SELECT epoch, seq, hash, applied_to, lineage, chunks, head_wall, hlc, schema_v, feed, pulled, lost_epoch,
    lost_seq, grant_seq, grant_hash, next_due, agreed_at, agreed_seq, pushed_at FROM hub_state WHERE outlet_id = ?1";

const INSERT: &str = "INSERT INTO hub_state (outlet_id) VALUES (?1)";

const UPDATE: &str = "UPDATE hub_state SET epoch = ?2, seq = ?3, hash = ?4, applied_to = ?5, lineage = ?6, chunks = ?7,
    head_wall = ?8, hlc = ?9, schema_v = ?10, feed = ?11, pulled = ?12, lost_epoch = ?13, lost_seq = ?14, grant_seq = ?15,
    grant_hash = ?16, next_due = ?17, agreed_at = ?18, agreed_seq = ?19, pushed_at = ?20 WHERE outlet_id = ?1";

fn hash(bytes: Option<[u8; 16]>) -> Option<Hash> {
    bytes.map(Hash)
}

impl State {
    /// The outlet's row, or that of an outlet of which nothing has come.
    pub(super) fn load(from: &dyn Source, outlet: Uuid) -> Result<State> {
        let state = opt(from, LOAD, [outlet], |row| {
            let lost: (Option<Uuid>, Option<i64>) = (row.get(11)?, row.get(12)?);
            let grant: (Option<i64>, Option<[u8; 16]>) = (row.get(13)?, row.get(14)?);
            let agreed: (Option<Millis>, Option<i64>) = (row.get(16)?, row.get(17)?);
            let feed = row.get(9)?;
            Ok(State {
                outlet,
                kept: true,
                epoch: row.get(0)?,
                seq: row.get(1)?,
                hash: hash(row.get(2)?).unwrap_or(Hash::START),
                applied_to: row.get(3)?,
                lineage: row.get(4)?,
                chunks: row.get(5)?,
                head_wall: row.get(6)?,
                hlc: row.get(7)?,
                schema: row.get(8)?,
                feed,
                fed: feed,
                pulled: row.get(10)?,
                lost: lost.0.zip(lost.1),
                grant: grant.0.zip(hash(grant.1)),
                next_due: row.get(15)?,
                agreed: agreed.0.zip(agreed.1),
                pushed_at: row.get(18)?,
            })
        })?;
        Ok(state.unwrap_or(State { outlet, ..State::default() }))
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
            sql.execute(INSERT, &[&self.outlet])?;
            self.kept = true;
        }
        if self.is_fed() {
            let mark: [u8; 8] = env.random_bytes();
            sql.execute(
                "INSERT INTO hub_feed_marks (outlet_id, feed, mark) VALUES (?1, ?2, ?3)",
                &[&self.outlet, &self.feed, &mark.as_slice()],
            )?;
            self.fed = self.feed;
        }
        let hash = self.epoch.map(|_| self.hash.0);
        sql.execute(
            UPDATE,
            &[
                &self.outlet,
                &self.epoch,
                &self.seq,
                &hash,
                &self.applied_to,
                &self.lineage,
                &self.chunks,
                &self.head_wall,
                &self.hlc,
                &i64::from(self.schema),
                &self.feed,
                &self.pulled,
                &self.lost.map(|lost| lost.0),
                &self.lost.map(|lost| lost.1),
                &self.grant.map(|grant| grant.0),
                &self.grant.map(|grant| grant.1.0),
                &self.next_due,
                &self.agreed.map(|agreed| agreed.0),
                &self.agreed.map(|agreed| agreed.1),
                &self.pushed_at,
            ],
        )?;
        Ok(())
    }
}
