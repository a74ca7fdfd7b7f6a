//! The one row that says how the exchange stands.

use crate::db::Result;
use crate::db::{Row, Source, Transaction, opt};
use rusqlite::params;
use tiffin_common::frame::{Hash, Position};
use tiffin_common::sync::Phase;
use tiffin_common::{Millis, Uuid};

/// How the exchange stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Peer {
    pub(in super::super) device_id: Uuid,
    pub(in super::super) hub_url: String,
    pub(in super::super) hub_epoch: Option<Uuid>,
    pub(in super::super) standing: String,
    pub(in super::super) acked: Option<Position>,
    pub(in super::super) feed: i64,
    pub(in super::super) feed_mark: Option<String>,
    pub(in super::super) feed_schema: u32,
    pub(in super::super) digest_seq: i64,
    pub(in super::super) recovered: Option<(i64, Hash)>,
    pub(in super::super) restore: Option<(Phase, Option<String>)>,
}

const SELECT: &str = "SELECT device_id, hub_url, hub_epoch, standing, acked_epoch, acked_seq, acked_hash, feed, feed_mark,
    feed_schema, digest_seq, recovered_to, recovered_hash, restore_phase, restore_after FROM sync_peer WHERE id = 1";

/// How the exchange stands; none while this box belongs to no head office.
pub(in super::super) fn peer(from: &dyn Source) -> Result<Option<Peer>> {
    opt(from, SELECT, [], |row: &Row<'_>| {
        let acked: (Option<Uuid>, i64, Option<[u8; 16]>) = (row.get(4)?, row.get(5)?, row.get(6)?);
        let recovered: (Option<i64>, Option<[u8; 16]>) = (row.get(11)?, row.get(12)?);
        let phase = match row.get::<_, Option<String>>(13)?.as_deref() {
            Some("A") => Some(Phase::A),
            Some("B") => Some(Phase::B),
            Some("C") => Some(Phase::C),
            _ => None,
        };
        let after: Option<String> = row.get(14)?;
        Ok(Peer {
            device_id: row.get(0)?,
            hub_url: row.get(1)?,
            hub_epoch: row.get(2)?,
            standing: row.get(3)?,
            acked: match acked {
                (Some(epoch), seq, Some(hash)) => Some(Position { epoch, seq, hash: Hash(hash) }),
                _ => None,
            },
            feed: row.get(7)?,
            feed_mark: row.get(8)?,
            feed_schema: row.get(9)?,
            digest_seq: row.get(10)?,
            recovered: recovered.0.zip(recovered.1.map(Hash)),
            restore: phase.map(|phase| (phase, after)),
        })
    })
}

/// This box belongs to head office at `url` from now on; whatever was known of another is forgotten.
pub(in super::super) fn adopt(
    tx: &Transaction<'_>,
    device: Uuid,
    url: &str,
    hub_epoch: Uuid,
    restore: Option<Phase>,
    at: Option<Position>,
) -> Result<()> {
    tx.execute("DELETE FROM sync_peer", [])?;
    super::packs::forget_acks(tx)?;
    tx.execute(
        "INSERT INTO sync_peer (id, device_id, hub_url, hub_epoch, standing, restore_phase, acked_epoch, acked_seq, acked_hash,
           digest_seq, enrolled_at)
         VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?9)",
        params![
            device,
            url,
            hub_epoch,
            if restore.is_some() { "RESTORING" } else { "NORMAL" },
            restore.map(phase_name),
            at.map(|at| at.epoch),
            at.map_or(0, |at| at.seq),
            at.map(|at| at.hash.0),
            tx.now(),
        ],
    )
    .map(drop)
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::A => "A",
        Phase::B => "B",
        Phase::C => "C",
    }
}

/// Where a replacement's filling stands; none when it is done.
pub(in super::super) fn save_restore(
    tx: &Transaction<'_>,
    restore: Option<(Phase, Option<&str>)>,
) -> Result<()> {
    let (phase, after) = restore.map_or((None, None), |(phase, after)| (Some(phase_name(phase)), after));
    tx.execute(
        "UPDATE sync_peer SET restore_phase = ?1, restore_after = ?2,
           standing = iif(?1 IS NULL AND standing = 'RESTORING', 'NORMAL', standing)",
        params![phase, after],
    )
    .map(drop)
}

pub(in super::super) fn set_standing(tx: &Transaction<'_>, standing: &str) -> Result<()> {
    tx.execute("UPDATE sync_peer SET standing = ?1", [standing]).map(drop)
}

/// What a hello told. (Head office's epoch is kept along with the feed that belongs to it.)
pub(in super::super) fn save_hello(tx: &Transaction<'_>, clock_offset: i64) -> Result<()> {
    let sql =
        "UPDATE sync_peer SET clock_offset_ms = ?1, seen_at = ?2, hub_reachable = 1, internet_reachable = 1";
    tx.execute(sql, params![clock_offset, tx.now()]).map(drop)
}

/// What head office confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Ack {
    pub(in super::super) position: Position,
    pub(in super::super) at: Millis,
}

pub(in super::super) fn save_ack(tx: &Transaction<'_>, ack: &Ack) -> Result<()> {
    tx.execute(
        "UPDATE sync_peer SET acked_epoch = ?1, acked_seq = ?2, acked_hash = ?3, last_push_at = ?4, seen_at = ?4,
           hub_reachable = 1, internet_reachable = 1",
        params![ack.position.epoch, ack.position.seq, ack.position.hash.0, ack.at],
    )
    .map(drop)
}

/// Who answered last: head office, nobody, or somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Reach {
    pub(in super::super) hub: bool,
    pub(in super::super) internet: Option<bool>,
}

pub(in super::super) fn save_reach(tx: &Transaction<'_>, reach: Reach) -> Result<()> {
    tx.execute(
        "UPDATE sync_peer SET hub_reachable = ?1, internet_reachable = ?2, seen_at = iif(?1, ?3, seen_at)",
        params![reach.hub, reach.internet, tx.now()],
    )
    .map(drop)
}

/// What the box has of the feed.
pub(in super::super) fn save_feed(
    tx: &Transaction<'_>,
    hub_epoch: Uuid,
    feed: i64,
    mark: &str,
    schema: u32,
) -> Result<()> {
    let sql =
        "UPDATE sync_peer SET hub_epoch = ?1, feed = ?2, feed_mark = ?3, feed_schema = ?4, last_pull_at = ?5,
        seen_at = ?5, hub_reachable = 1, internet_reachable = 1";
    tx.execute(sql, params![hub_epoch, feed, mark, schema, tx.now()]).map(drop)
}

/// All of head office's rows are to be read again.
pub(in super::super) fn forget_feed(tx: &Transaction<'_>) -> Result<()> {
    tx.execute("UPDATE sync_peer SET feed_mark = NULL", []).map(drop)
}

pub(in super::super) fn set_digest_seq(tx: &Transaction<'_>, seq: i64) -> Result<()> {
    tx.execute("UPDATE sync_peer SET digest_seq = ?1", [seq]).map(drop)
}

pub(in super::super) fn save_digest(tx: &Transaction<'_>, verdict: &str) -> Result<()> {
    tx.execute("UPDATE sync_peer SET digest = ?1, digest_at = ?2", params![verdict, tx.now()]).map(drop)
}

/// The lost part of the log that ended there is taken back.
pub(in super::super) fn save_recovered(tx: &Transaction<'_>, lost_to: &Position) -> Result<()> {
    tx.execute(
        "UPDATE sync_peer SET recovered_to = ?1, recovered_hash = ?2, standing = 'NORMAL'",
        params![lost_to.seq, lost_to.hash.0],
    )
    .map(drop)
}
