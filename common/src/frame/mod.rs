//! The change log's rows as bytes: the header, the body of each kind, and the hash that chains a row to the one before.
//! Never panics on any bytes, never interprets a value, never touches a database.

mod body;
mod memory;
mod moved;
mod op;
mod pack;
mod tags;
mod unpack;
pub(crate) mod wire;

pub use body::{Body, Bucket, DigestEntry};
pub use op::{Op, OpKind, Value};
pub use pack::Changes;
pub use unpack::Ops;

use crate::{Hlc, Millis, Uuid};

/// Bytes that are no frame of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the log row cannot be read: {0}")]
pub struct DecodeError(pub &'static str);

/// What a log row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Changes of rows that this outlet owns.
    Data = 1,
    /// A process started; the body names the position it continues from.
    EpochStart = 2,
    /// Counts and sums of tables, for the receiver to compare with its own.
    Digest = 3,
    /// The schema version changed.
    Schema = 4,
    /// Changes that touch shared rows (perhaps along with owned ones: one action is one row). Head office decides on the
    /// shared ones and takes the owned ones as they are.
    Proposal = 5,
    /// What became of rows that a lost part of the log had touched: each as it is now, whole.
    Recovered = 6,
    /// Shared rows as head office has them, written here: each whole, with the version of the feed they came with.
    Pulled = 7,
    /// All rows of one bucket of the digest, each whole: what the receiver holds beyond them is wrong.
    Repair = 8,
}

impl Kind {
    /// The kind with this number.
    pub fn from_number(number: i64) -> Result<Kind, DecodeError> {
        use Kind::{Data, Digest, EpochStart, Proposal, Pulled, Recovered, Repair, Schema};
        let all = [Data, EpochStart, Digest, Schema, Proposal, Recovered, Pulled, Repair];
        all.into_iter().find(|kind| *kind as i64 == number).ok_or(DecodeError("unknown kind"))
    }
}

/// What is known of a log row besides its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Its number: 1, 2, … without a gap for the life of the database.
    pub seq: i64,
    /// The process start that wrote it.
    pub epoch: Uuid,
    /// What it is.
    pub kind: Kind,
    /// When, in the order of events.
    pub hlc: Hlc,
    /// When, by the box's wall clock.
    pub wall: Millis,
    /// The schema version its table and column numbers belong to.
    pub schema: u32,
    /// How many changes (digest: entries) the body holds.
    pub count: u32,
}

/// A link of the chain: 128 bits of BLAKE3.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 16]);

#[cfg(feature = "sqlite")]
impl rusqlite::types::ToSql for Hash {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

#[cfg(feature = "sqlite")]
impl rusqlite::types::FromSql for Hash {
    fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
        <[u8; 16]>::column_result(value).map(Hash)
    }
}

impl Hash {
    /// What the first row of a log follows.
    pub const START: Hash = Hash([0; 16]);

    /// The hash of a row that follows `self`.
    #[must_use]
    pub fn next(self, header: &Header, body: &[u8]) -> Hash {
        let mut hasher = blake3::Hasher::new();
        let mut fixed = [0u8; 65];
        fixed[..16].copy_from_slice(&self.0);
        fixed[16..24].copy_from_slice(&header.seq.to_le_bytes());
        fixed[24..40].copy_from_slice(header.epoch.as_bytes());
        fixed[40] = header.kind as u8;
        fixed[41..49].copy_from_slice(&header.hlc.get().to_le_bytes());
        fixed[49..57].copy_from_slice(&header.wall.get().to_le_bytes());
        fixed[57..61].copy_from_slice(&header.schema.to_le_bytes());
        fixed[61..65].copy_from_slice(&header.count.to_le_bytes());
        hasher.update(&fixed);
        hasher.update(body);
        let mut short = [0; 16];
        hasher.finalize_xof().fill(&mut short);
        Hash(short)
    }

    /// The hash with these bytes; errors unless there are 16.
    pub fn from_slice(bytes: &[u8]) -> Result<Hash, DecodeError> {
        bytes.try_into().map(Hash).map_err(|_| DecodeError("a hash has 16 bytes"))
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A place in a log: equal positions have equal histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The epoch of the row at `seq`.
    pub epoch: Uuid,
    /// The number of the last row.
    pub seq: i64,
    /// Its hash.
    pub hash: Hash,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            seq: 7,
            epoch: Uuid::from_u128(9),
            kind: Kind::Data,
            hlc: Hlc::new(5),
            wall: Millis::new(6),
            schema: 2,
            count: 1,
        }
    }

    #[test]
    fn the_hash_depends_on_the_row_before_the_header_and_the_body() {
        let base = Hash::START.next(&header(), b"body");
        assert_eq!(base, Hash::START.next(&header(), b"body"));
        assert_ne!(base, Hash([1; 16]).next(&header(), b"body"));
        assert_ne!(base, Hash::START.next(&header(), b"bodz"));
        assert_ne!(base, Hash::START.next(&Header { kind: Kind::Proposal, ..header() }, b"body"));
        assert_ne!(base, Hash::START.next(&Header { count: 2, ..header() }, b"body"));
    }

    #[test]
    fn kinds_keep_their_numbers() {
        for number in 1..=8 {
            assert_eq!(Kind::from_number(number).map(|kind| kind as i64), Ok(number));
        }
        assert!(Kind::from_number(0).is_err() && Kind::from_number(9).is_err());
    }
}
