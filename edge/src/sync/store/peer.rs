//! The one row that says how the exchange stands.

use crate::db::{Result, Source, Tx, opt};
use crate::exchange::{Footing, Verdict};
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
    pub(in super::super) standing: Footing,
    pub(in super::super) acked: Option<Position>,
    pub(in super::super) feed: i64,
    pub(in super::super) feed_mark: Option<String>,
    pub(in super::super) feed_schema: u32,
    /// What the last comparison came to.
    pub(in super::super) digest: Option<Verdict>,
    pub(in super::super) digest_seq: i64,
    pub(in super::super) recovered: Option<(i64, Hash)>,
    /// The end of the lost log for which numbers began a new life.
    pub(in super::super) life_of: Option<Hash>,
    pub(in super::super) restore: Option<(Phase, Option<String>)>,
    pub(in super::super) clock_offset_ms: Option<i64>,
    pub(in super::super) lacking_since: Option<Millis>,
    pub(in super::super) reseed: Option<Uuid>,
    /// The mark of the list of the chain's outlets that is here.
    pub(in super::super) chain_mark: Option<String>,
}

impl Peer {
    /// The last row that head office once confirmed as the outlet's; 0 for none.
    pub(in super::super) fn acked_to(&self) -> i64 {
        self.acked.map_or(0, |acked| acked.seq)
    }
}

const SELECT: &str = "SELECT device_id, hub_url, hub_epoch, standing, acked_epoch, acked_seq, acked_hash, feed, feed_mark,
    feed_schema, digest, digest_seq, recovered_to, recovered_hash, life_of, restore_phase, restore_after, clock_offset_ms, lacking_since,
    reseed, chain_mark FROM sync_peer WHERE id = 1";

/// How the exchange stands; none while this box belongs to no head office.
pub(in super::super) fn find_peer(from: &dyn Source) -> Result<Option<Peer>> {
    opt(from, SELECT, [], |row| {
        let seq = row.get("acked_seq")?;
        let acked = row.get::<_, Option<Uuid>>("acked_epoch")?.zip(row.get("acked_hash")?);
        let recovered = row.get::<_, Option<i64>>("recovered_to")?.zip(row.get("recovered_hash")?);
        let restore = row.get::<_, Option<Phase>>("restore_phase")?;
        let after: Option<String> = row.get("restore_after")?;
        Ok(read!(row => Peer {
            device_id,
            hub_url,
            hub_epoch,
            standing,
            acked: acked.map(|(epoch, hash)| Position { epoch, seq, hash: Hash(hash) }),
            feed,
            feed_mark,
            feed_schema,
            digest,
            digest_seq,
            recovered: recovered.map(|(to, hash)| (to, Hash(hash))),
            life_of: row.get::<_, Option<[u8; 16]>>("life_of")?.map(Hash),
            restore: restore.map(|phase| (phase, after)),
            clock_offset_ms,
            lacking_since,
            reseed,
            chain_mark,
        }))
    })
}

/// This box belongs to head office at `url` from now on; whatever was known of another is forgotten.
pub(in super::super) fn insert_peer(
    tx: &Tx<'_>,
    device: Uuid,
    url: &str,
    hub_epoch: Uuid,
    restore: Option<Phase>,
    at: Option<Position>,
) -> Result<()> {
    tx.execute("DELETE FROM sync_peer", [])?;
    super::packs::delete_acks(tx)?;
    let seq = at.map_or(0, |at| at.seq);
    insert!(
        tx,
        sync_peer {
            id: 1,
            device_id: device,
            hub_url: url,
            hub_epoch: hub_epoch,
            standing: if restore.is_some() { Footing::Restoring } else { Footing::Normal },
            restore_phase: restore,
            acked_epoch: at.map(|at| at.epoch),
            acked_seq: seq,
            acked_hash: at.map(|at| at.hash.0),
            digest_seq: seq,
            enrolled_at: tx.now()
        }
    )
    .map(drop)
}

/// Where a replacement's filling stands; none when it is done.
pub(in super::super) fn set_restore(tx: &Tx<'_>, restore: Option<(Phase, Option<&str>)>) -> Result<()> {
    let (phase, after) = restore.map_or((None, None), |(phase, after)| (Some(phase), after));
    tx.execute(
        "UPDATE sync_peer SET restore_phase = ?1, restore_after = ?2,
           standing = iif(?1 IS NULL AND standing = 'RESTORING', 'NORMAL', standing)",
        params![phase, after],
    )
    .map(drop)
}

pub(in super::super) fn set_standing(tx: &Tx<'_>, standing: Footing) -> Result<()> {
    update!(tx, sync_peer { standing: standing } where { id: 1 }).map(drop)
}

/// Since when head office lacks what is no longer kept here.
pub(in super::super) fn set_lacking(tx: &Tx<'_>, since: Option<Millis>) -> Result<()> {
    update!(tx, sync_peer { lacking_since: since } where { id: 1 }).map(drop)
}

/// The log has begun anew after `at`, to fill head office again; what it published was seen here up to `feed`, by whatever mark.
pub(in super::super) fn set_reseeded(
    tx: &Tx<'_>,
    reseed: Uuid,
    at: Option<Position>,
    feed: i64,
    head: i64,
) -> Result<()> {
    super::packs::delete_acks(tx)?;
    update!(tx, sync_peer {
        reseed: reseed, lacking_since: None::<Millis>, standing: Footing::Normal, feed: feed, feed_mark: None::<String>,
        acked_epoch: at.map(|at| at.epoch), acked_seq: at.map_or(0, |at| at.seq), acked_hash: at.map(|at| at.hash.0),
        digest_seq: head, recovered_to: None::<i64>, recovered_hash: None::<Vec<u8>>
    } where { id: 1 })
    .map(drop)
}

/// What a hello told. (Head office's epoch is kept along with the feed that belongs to it.)
pub(in super::super) fn set_hello(tx: &Tx<'_>, clock_offset: i64) -> Result<()> {
    update!(tx, sync_peer {
        clock_offset_ms: clock_offset, seen_at: tx.now(), hub_reachable: true, internet_reachable: true
    } where { id: 1 })
    .map(drop)
}

/// What head office confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Ack {
    pub(in super::super) position: Position,
    pub(in super::super) at: Millis,
}

pub(in super::super) fn set_acked(tx: &Tx<'_>, ack: &Ack) -> Result<()> {
    let Position { epoch, seq, hash } = ack.position;
    update!(tx, sync_peer {
        acked_epoch: epoch, acked_seq: seq, acked_hash: hash.0, last_push_at: ack.at, seen_at: ack.at,
        hub_reachable: true, internet_reachable: true
    } where { id: 1 })
    .map(drop)
}

/// Who answered last: head office, nobody, or somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Reach {
    pub(in super::super) hub: bool,
    pub(in super::super) internet: Option<bool>,
}

pub(in super::super) fn set_reach(tx: &Tx<'_>, reach: Reach) -> Result<()> {
    tx.execute(
        "UPDATE sync_peer SET hub_reachable = ?1, internet_reachable = ?2, seen_at = iif(?1, ?3, seen_at)",
        params![reach.hub, reach.internet, tx.now()],
    )
    .map(drop)
}

/// What the box has of the feed.
pub(in super::super) fn set_feed(
    tx: &Tx<'_>,
    hub_epoch: Uuid,
    feed: i64,
    mark: &str,
    schema: u32,
) -> Result<()> {
    let now = tx.now();
    update!(tx, sync_peer {
        hub_epoch: hub_epoch, feed: feed, feed_mark: mark, feed_schema: schema, last_pull_at: now, seen_at: now,
        hub_reachable: true, internet_reachable: true
    } where { id: 1 })
    .map(drop)
}

/// All of head office's rows are to be read again.
pub(in super::super) fn set_feed_forgotten(tx: &Tx<'_>) -> Result<()> {
    update!(tx, sync_peer { feed_mark: None::<String> } where { id: 1 }).map(drop)
}

pub(in super::super) fn set_chain_mark(tx: &Tx<'_>, mark: &str) -> Result<()> {
    update!(tx, sync_peer { chain_mark: mark } where { id: 1 }).map(drop)
}

pub(in super::super) fn set_digest_seq(tx: &Tx<'_>, seq: i64) -> Result<()> {
    update!(tx, sync_peer { digest_seq: seq } where { id: 1 }).map(drop)
}

pub(in super::super) fn set_digest(tx: &Tx<'_>, verdict: Verdict) -> Result<()> {
    update!(tx, sync_peer { digest: verdict, digest_at: tx.now() } where { id: 1 }).map(drop)
}

/// Numbers began a new life for the lost log that ends there.
pub(in super::super) fn set_life_of(tx: &Tx<'_>, end: Option<Hash>) -> Result<()> {
    update!(tx, sync_peer { life_of: end.map(|hash| hash.0) } where { id: 1 }).map(drop)
}

/// The lost part of the log that ended there is taken back.
pub(in super::super) fn set_recovered(tx: &Tx<'_>, lost_to: &Position) -> Result<()> {
    update!(tx, sync_peer {
        recovered_to: lost_to.seq, recovered_hash: lost_to.hash.0, standing: Footing::Normal
    } where { id: 1 })
    .map(drop)
}
