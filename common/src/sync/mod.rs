//! The messages of `/sync/v1`, between a branch and head office: JSON for what is small, [`batch`] for the log's rows. A field
//! that is added later has a default, so that versions two apart understand each other. Never sends, never decides.

pub mod batch;
mod chain;
mod dismissed;
mod papers;
mod snapshot;

pub use chain::{ChainCard, OutletCard};
pub use dismissed::Dismissed;
pub use papers::{PAPER_PART, PaperPart, PaperPlace, PapersLacking};
pub use snapshot::{Phase, SalvagePage, SnapshotPage, SnapshotQuery, StockCard};

use crate::frame::{Hash, Position};
use crate::{Millis, Uuid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the protocol that this program speaks. It rises with a message that an older side could not make sense of; a field
/// with a default needs no new version.
pub const PROTOCOL: u32 = 1;

/// The oldest version that head office still takes of a box. It rises when the last box that speaks it is gone.
pub const OLDEST: u32 = 1;

const _: () = assert!(OLDEST <= PROTOCOL, "head office must take what it speaks");

/// The header of a push that says how urgent it is.
pub const CLASS_HEADER: &str = "x-tiffin-class";

/// The media type of a push's body and of frames that are fetched back.
pub const FRAMES_TYPE: &str = "application/vnd.tiffin.frames";

crate::words! {
    /// How urgent a push is: live sales never wait behind a backlog.
    #[schemars(rename = "PushClass")]
    pub enum Class {
        /// The newest rows of a box that has caught up.
        Live = "live",
        /// Rows that waited for the link.
        Backlog = "backlog",
        /// What a fenced or forked box still has: kept for review, never applied.
        Salvage = "salvage",
    }
}

/// A place in an outlet's log, by the row that came last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LogPosition")]
pub struct At {
    /// The epoch of the row at `seq`.
    pub epoch: Uuid,
    /// The number of the last row.
    pub seq: i64,
    /// Its hash, 32 hexadecimal digits.
    pub hash: HashText,
}

impl From<Position> for At {
    fn from(position: Position) -> At {
        At { epoch: position.epoch, seq: position.seq, hash: HashText(position.hash) }
    }
}

impl From<At> for Position {
    fn from(at: At) -> Position {
        Position { epoch: at.epoch, seq: at.seq, hash: at.hash.0 }
    }
}

/// A [`struct@Hash`] as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct HashText(#[schemars(with = "String", regex(pattern = "^[0-9a-f]{32}$"))] pub Hash);

impl Serialize for HashText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for HashText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("a hash has 32 hexadecimal digits");
        if text.len() != 32 {
            return Err(wrong());
        }
        let number = u128::from_str_radix(&text, 16).map_err(|_| wrong())?;
        Ok(HashText(Hash(number.to_be_bytes())))
    }
}

/// `POST enrol`: a box asks to belong to head office, with a one-time code instead of a key.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrolRequest {
    /// The code head office gave out.
    pub code: String,
    /// The box; made once per data directory.
    pub device_id: Uuid,
    /// Its outlet; none when its data directory is empty and it wants the data of the outlet that the code names.
    pub outlet: Option<OutletCard>,
    /// Whether it replaces the box that the outlet had.
    pub replace: bool,
    /// The protocol it speaks.
    pub protocol: u32,
    /// Its schema version.
    pub schema: u32,
    /// Its program's version.
    pub version: String,
    /// Its wall clock.
    pub wall: Millis,
    /// The pepper of its PINs, 64 hexadecimal digits: head office keeps it sealed for a later replacement.
    #[serde(default)]
    pub pepper: Option<String>,
    /// Whether it will send all its rows again, to a head office that lacks what its log no longer keeps.
    #[serde(default)]
    pub reseed: bool,
}

/// What a box that enrolled is told.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Enrolled {
    /// The outlet the box now stands for.
    pub outlet: OutletCard,
    /// The key of every further request. Shown once.
    pub key: String,
    /// Changes whenever head office was restored from a backup.
    pub hub_epoch: Uuid,
    /// Where the outlet's log stands at head office; none for a new outlet. A replacement's log goes on from there.
    pub cursor: Option<At>,
    /// The pepper of the outlet's PINs, for a replacement.
    #[serde(default)]
    pub pepper: Option<String>,
    /// How many boxes the outlet has had, this one among them: its numbers begin a life that none of them had.
    #[serde(default)]
    pub lives: i64,
    /// The certificate authority that the outlet's tablets believe, with its key (PEM), for a replacement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_authority: Option<String>,
}

/// `POST hello`: what a box says first on every connection.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloRequest {
    /// Id of the box.
    pub device_id: Uuid,
    /// The protocol it speaks.
    pub protocol: u32,
    /// Its schema version.
    pub schema: u32,
    /// Its program's version.
    pub version: String,
    /// Its wall clock.
    pub wall: Millis,
    /// The end of its log.
    pub head: Option<At>,
    /// Its newest process starts, newest first (at most 64): each with the position it continued from.
    pub epochs: Vec<EpochCard>,
    /// Rows head office has not confirmed, as far as the box knows.
    pub backlog: i64,
    /// The hub epoch it knows.
    pub hub_epoch: Option<Uuid>,
    /// The numbers of the dictionaries it can read rows with.
    #[serde(default)]
    pub dictionaries: Vec<u32>,
    /// The newest version of the feed the box has, and the mark that came with it: of another life of head office they tell it that it
    /// was put back.
    #[serde(default)]
    pub feed: i64,
    /// The mark that came with `feed`, 16 hexadecimal digits; absent before the first.
    #[serde(default)]
    pub mark: Option<String>,
    /// The first row of its log that it still keeps.
    #[serde(default)]
    pub kept_from: Option<i64>,
    /// The changes that take effect later, as it holds them, those that did lately among them: a head office that was put back learns
    /// from them what it has forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scheduled: Vec<ScheduledRow>,
    /// Those of them that head office listed no more before they took effect at the box: it learns from them what it took back, and has
    /// forgotten. Absent from a program that does not remember them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<Vec<Uuid>>,
    /// The certificate authority that the box's tablets believe, with its key (PEM): head office keeps it sealed for a later
    /// replacement. Never sent where the way to head office is not encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_authority: Option<String>,
}

/// One process start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EpochCard {
    /// Id of the process start.
    pub epoch: Uuid,
    /// The position it continued from.
    pub parent: Option<At>,
}

/// What head office answers to a greeting.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// Changes whenever head office was restored from a backup.
    pub hub_epoch: Uuid,
    /// Where the outlet's log stands at head office: the one durable cursor. None before the first row.
    pub cursor: Option<At>,
    /// What the box has to do before it may push.
    pub standing: Standing,
    /// The newest version of the outlet's feed.
    pub feed: i64,
    /// How much to send at a time.
    pub pacing: Pacing,
    /// Those of the box's dictionaries that head office knows too: either side packs rows with one of them, or with none.
    #[serde(default)]
    pub dictionaries: Vec<u32>,
    /// The life that the outlet's numbers are in, as far as head office knows: a box that begins anew begins one after it.
    #[serde(default)]
    pub lives: i64,
    /// Head office's wall clock.
    pub wall: Millis,
}

/// How a box's log and head office's copy of it stand to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub enum Standing {
    /// The box holds everything head office holds: push what follows the cursor.
    Normal,
    /// The box has lost what head office holds after `ancestor` (an old backup, a disk that lied): fetch it from `frames`, take
    /// it back, then push what follows the ancestor.
    LostSuffix {
        /// The last position both have; none when they share nothing.
        ancestor: Option<At>,
        /// The end of what the box has lost.
        lost_to: At,
    },
    /// Another box speaks for this outlet with the same key: this one's log is kept for review, and nobody may go on until
    /// head office has decided.
    Fork,
}

/// How much to send at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pacing {
    /// Most bytes of one push's body.
    pub max_bytes: u32,
    /// Least time between two pushes of a backlog, in milliseconds.
    pub min_gap_ms: u32,
}

/// The answer to a push: everything up to the cursor is durable at head office.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PushReply {
    /// The contiguous end of what head office holds.
    pub cursor: Option<At>,
    /// The newest version of the outlet's feed: there is something to pull when it is ahead.
    pub feed: i64,
    /// How much to send at a time.
    pub pacing: Pacing,
    /// Buckets whose rows differ from the digest that was pushed: to be repaired. Empty when all agreed.
    #[serde(default)]
    pub bad: Vec<BucketCard>,
    /// The last digest that was compared, and agreed.
    #[serde(default)]
    pub agreed_at: Option<i64>,
    /// Head office's wall clock.
    pub wall: Millis,
}

/// Rows of one table that are compared together: those of one day, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BucketCard {
    /// The table's number in the registry.
    pub table: u16,
    /// The day (UTC) of the ids.
    pub day: Option<chrono::NaiveDate>,
}

/// Why a push was refused with 409; a member `refused` of the error body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// What is wrong.
    pub reason: RefusedReason,
    /// Where the outlet's log stands at head office.
    pub cursor: Option<At>,
}

/// What is wrong with a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RefusedReason {
    /// It begins after the row that head office waits for.
    Gap,
    /// It does not follow from what head office holds: say hello again.
    Mismatch,
    /// Two boxes speak for the outlet.
    Fork,
}

/// `GET pull`: where the box's copy of the shared rows stands.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullQuery {
    /// The newest version of the feed the box has; 0 at first.
    pub feed: i64,
    /// The mark that came with it, 16 hexadecimal digits.
    #[serde(default)]
    pub mark: Option<String>,
    /// The hub epoch the version belongs to.
    #[serde(default)]
    pub hub_epoch: Option<Uuid>,
    /// How long to wait for something new, in seconds (at most 50).
    #[serde(default)]
    pub wait: Option<u32>,
    /// The mark of the list of the chain's outlets that the box has, empty before the first; absent where it wants none.
    #[serde(default)]
    pub chain: Option<String>,
}

/// What is new in the outlet's feed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PullReply {
    /// Changes whenever head office was restored from a backup.
    pub hub_epoch: Uuid,
    /// The box's version means nothing here: `rows` begins with the first row again, and at the end of the feed what the box
    /// holds beyond it is gone.
    pub reset: bool,
    /// The log row of the box up to which its proposals are decided in these rows.
    pub decided_to: i64,
    /// Shared rows, in the order of the feed, at most a few hundred.
    pub rows: Vec<FeedRow>,
    /// Changes that take effect later; the whole list, again each time.
    pub scheduled: Vec<ScheduledRow>,
    /// The version and mark after these rows.
    pub feed: i64,
    /// The mark of the version in `feed`, 16 hexadecimal digits: the next pull brings it.
    pub mark: String,
    /// Whether more rows follow at once.
    pub more: bool,
    /// Whether there is something to take over from another box: `GET salvage`.
    #[serde(default)]
    pub salvage: bool,
    /// The outlets of the chain, where the box has another list of them, or none.
    #[serde(default)]
    pub chain: Option<ChainCard>,
}

/// One shared row as head office has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedRow {
    /// The version of the feed it came with.
    pub feed: i64,
    /// The row, packed and in base64: one insert with all of it, or one delete.
    pub op: String,
}

/// A change of one shared row that takes effect later, also when the box is offline then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduledRow {
    /// The change's own id: applied once.
    pub id: Uuid,
    /// When it takes effect.
    pub effective_at: Millis,
    /// The change, packed and in base64: an insert, an update of some columns, or a delete.
    pub op: String,
}

/// `GET frames`: rows of the outlet's own log as head office holds them, for a box that has lost them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FramesQuery {
    /// The epoch of the last row that is wanted: the rows are those of the history it ends.
    pub epoch: Uuid,
    /// The number of that row.
    pub to: i64,
    /// The number of the row before the first that is wanted; 0 for all.
    pub after: i64,
    /// At most so many rows.
    #[serde(default)]
    pub limit: Option<u32>,
    /// The number of the dictionary to pack them with, one that head office's hello named.
    #[serde(default)]
    pub dictionary: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_back_from_json() {
        let at = At { epoch: Uuid::from_u128(7), seq: 9, hash: HashText(Hash([0xAB; 16])) };
        let text = serde_json::to_string(&at).unwrap();
        assert_eq!(serde_json::from_str::<At>(&text).unwrap(), at);
        assert!(text.contains(&"ab".repeat(16)), "{text}");
        assert!(serde_json::from_str::<HashText>("\"+b\"").is_err());
    }

    #[test]
    fn what_a_newer_version_adds_is_ignored() {
        let text = r#"{"state":"NORMAL","since":5}"#;
        assert_eq!(serde_json::from_str::<Standing>(text).unwrap(), Standing::Normal);
    }
}
