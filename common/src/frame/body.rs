//! The body of each kind of log row. The kind is not in the body: it stands in the header.

use super::moved;
use super::op::Op;
use super::unpack::Ops;
use super::wire::{Reader, put_signed, put_varint};
use super::{DecodeError, Hash, Header, Kind, Position};
use crate::Uuid;
use chrono::{Datelike, NaiveDate};

/// Rows that are compared together: those of one table whose ids were made on one day. Ids are UUIDv7, so a day is a range
/// of the primary key in every table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bucket {
    /// The table's number in the registry.
    pub table: u16,
    /// The day (UTC) of the ids; none for all rows of the table (shared tables, which are small).
    pub day: Option<NaiveDate>,
}

impl Bucket {
    /// No table's: as a repair it says that every bucket follows, one by one, until a `Recovered` of the outlet's own id.
    pub const ALL: Bucket = Bucket { table: 0, day: None };
}

/// What one bucket holds, by the sender's own rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestEntry {
    /// Which rows.
    pub bucket: Bucket,
    /// How many rows.
    pub count: u64,
    /// The sum, in any order, of 128-bit hashes of the canonical rows.
    pub sum: [u8; 16],
}

/// A decoded body.
#[derive(Debug, Clone, PartialEq)]
pub enum Body<'a> {
    /// [`Kind::Data`].
    Data(Vec<Op<'a>>),
    /// [`Kind::EpochStart`]: the position it continues from; none at the very first start.
    EpochStart(Option<Position>),
    /// [`Kind::Digest`].
    Digest(Vec<DigestEntry>),
    /// [`Kind::Schema`].
    Schema {
        /// The version before; 0 for a new database.
        from: u32,
        /// The version from here on.
        to: u32,
    },
    /// [`Kind::Proposal`].
    Proposal(Vec<Op<'a>>),
    /// [`Kind::Recovered`].
    Recovered {
        /// The last position of the part that was lost.
        origin: Position,
        /// Every row that part had touched, as it is now: an insert is the whole row, a delete says there is none.
        ops: Vec<Op<'a>>,
    },
    /// [`Kind::Pulled`].
    Pulled {
        /// The version of the feed that is applied with this row.
        feed: i64,
        /// The rows, whole, as in [`Body::Recovered`].
        ops: Vec<Op<'a>>,
    },
    /// [`Kind::Repair`].
    Repair {
        /// Which rows.
        bucket: Bucket,
        /// All of them: an insert is a whole row.
        ops: Vec<Op<'a>>,
    },
}

impl<'a> Body<'a> {
    /// Reads the body of a row with `header`. Errors on anything that [`encode`](Self) or the capture did not write.
    pub fn decode(header: &Header, bytes: &'a [u8]) -> Result<Body<'a>, DecodeError> {
        let mut reader = Reader(bytes);
        match header.kind {
            Kind::Data => ops(reader, header.count).map(Body::Data),
            Kind::Proposal => ops(reader, header.count).map(Body::Proposal),
            Kind::Recovered => {
                let origin = position(&mut reader)?;
                Ok(Body::Recovered { origin, ops: ops(reader, header.count)? })
            }
            Kind::EpochStart => {
                let parent = match reader.byte()? {
                    0 => None,
                    1 => Some(position(&mut reader)?),
                    _ => return Err(DecodeError("unknown parent")),
                };
                reader.end().map(|()| Body::EpochStart(parent))
            }
            Kind::Schema => {
                let mut version =
                    || u32::try_from(reader.varint()?).map_err(|_| DecodeError("a version is too large"));
                let (from, to) = (version()?, version()?);
                reader.end().map(|()| Body::Schema { from, to })
            }
            Kind::Digest => digest(reader, header.count).map(Body::Digest),
            Kind::Pulled => {
                let feed = reader.signed()?;
                Ok(Body::Pulled { feed, ops: ops(reader, header.count)? })
            }
            Kind::Repair => {
                let bucket = bucket(&mut reader)?;
                Ok(Body::Repair { bucket, ops: ops(reader, header.count)? })
            }
        }
    }

    /// The body of an epoch's first row.
    pub fn epoch_start(parent: Option<&Position>) -> Vec<u8> {
        let mut out = vec![u8::from(parent.is_some())];
        if let Some(parent) = parent {
            put_position(&mut out, parent);
        }
        out
    }

    /// The body of a schema row.
    pub fn schema(from: u32, to: u32) -> Vec<u8> {
        let mut out = Vec::new();
        put_varint(&mut out, u64::from(from));
        put_varint(&mut out, u64::from(to));
        out
    }

    /// The body of a digest row.
    pub fn digest(entries: &[DigestEntry]) -> Vec<u8> {
        let mut out = Vec::new();
        for entry in entries {
            put_bucket(&mut out, entry.bucket);
            put_varint(&mut out, entry.count);
            out.extend_from_slice(&entry.sum);
        }
        out
    }

    /// The body of a recovered row: the end of what was lost, and the packed rows as they are now.
    pub fn recovered(origin: &Position, ops: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put_position(&mut out, origin);
        out.extend_from_slice(ops);
        out
    }

    /// The body of a pulled row: the version of the feed, and the packed rows.
    pub fn pulled(feed: i64, ops: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put_signed(&mut out, feed);
        out.extend_from_slice(ops);
        out
    }

    /// The body of a repair: the bucket, and all its packed rows.
    pub fn repair(bucket: Bucket, ops: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put_bucket(&mut out, bucket);
        out.extend_from_slice(ops);
        out
    }

    /// The row changes, for the kinds that have them.
    pub fn ops(&self) -> &[Op<'a>] {
        match self {
            Body::Data(ops)
            | Body::Proposal(ops)
            | Body::Recovered { ops, .. }
            | Body::Pulled { ops, .. }
            | Body::Repair { ops, .. } => ops,
            Body::EpochStart(_) | Body::Digest(_) | Body::Schema { .. } => &[],
        }
    }
}

fn ops(reader: Reader<'_>, count: u32) -> Result<Vec<Op<'_>>, DecodeError> {
    let mut ops = Ops::of(reader.0).collect::<Result<Vec<_>, _>>()?;
    if ops.len() as u64 != u64::from(count) {
        return Err(DecodeError("the count is wrong"));
    }
    moved::guests(&mut ops);
    Ok(ops)
}

fn digest(mut reader: Reader<'_>, count: u32) -> Result<Vec<DigestEntry>, DecodeError> {
    let mut entries = Vec::new();
    while !reader.is_empty() {
        let bucket = bucket(&mut reader)?;
        entries.push(DigestEntry { bucket, count: reader.varint()?, sum: reader.array()? });
    }
    if entries.len() as u64 == u64::from(count) {
        Ok(entries)
    } else {
        Err(DecodeError("the count is wrong"))
    }
}

fn put_bucket(out: &mut Vec<u8>, bucket: Bucket) {
    put_varint(out, u64::from(bucket.table));
    put_signed(out, bucket.day.map_or(0, |day| i64::from(day.num_days_from_ce())));
}

fn bucket(reader: &mut Reader<'_>) -> Result<Bucket, DecodeError> {
    let table = u16::try_from(reader.varint()?).map_err(|_| DecodeError("a table number is too large"))?;
    let day = match i32::try_from(reader.signed()?).map_err(|_| DecodeError("no such date"))? {
        0 => None,
        days => Some(NaiveDate::from_num_days_from_ce_opt(days).ok_or(DecodeError("no such date"))?),
    };
    Ok(Bucket { table, day })
}

fn put_position(out: &mut Vec<u8>, position: &Position) {
    out.extend_from_slice(position.epoch.as_bytes());
    put_signed(out, position.seq);
    out.extend_from_slice(&position.hash.0);
}

fn position(reader: &mut Reader<'_>) -> Result<Position, DecodeError> {
    let epoch: Uuid = reader.uuid()?;
    Ok(Position { epoch, seq: reader.signed()?, hash: Hash(reader.array()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Changes, OpKind, Value};
    use crate::{Hlc, Millis};
    use proptest::prelude::*;

    #[derive(Debug, Clone)]
    enum Owned {
        Null,
        Integer(i64),
        Real(f64),
        Text(String),
        Id(Uuid),
        Blob(Vec<u8>),
    }

    impl Owned {
        fn borrow(&self) -> Value<'_> {
            match self {
                Owned::Null => Value::Null,
                Owned::Integer(integer) => Value::Integer(*integer),
                Owned::Real(real) => Value::Real(*real),
                Owned::Text(text) => Value::Text(text),
                Owned::Id(id) => Value::Id(*id),
                Owned::Blob(blob) => Value::Blob(blob),
            }
        }
    }

    fn value() -> impl Strategy<Value = Owned> {
        prop_oneof![
            Just(Owned::Null),
            any::<i64>().prop_map(Owned::Integer),
            (0i64..80).prop_map(Owned::Integer),
            (-1e9f64..1e9).prop_map(Owned::Real),
            (-9i64..9).prop_map(|step| Owned::Integer(1_763_640_000_000 + step)),
            ".{0,90}".prop_map(Owned::Text),
            "(one|two|three|four)".prop_map(Owned::Text),
            proptest::collection::vec(any::<u8>(), 0..40).prop_map(Owned::Blob),
            any::<u128>().prop_map(|bits| Owned::Id(Uuid::from_u128(bits))),
            // Ids of a few generators, near each other.
            (0u64..3, 0i64..9).prop_map(|(maker, ms)| {
                Owned::Id(crate::ids::Ids::new(maker).next(Millis::new(1_763_640_000_000 + ms)))
            }),
        ]
    }

    type Change = (u16, u8, Owned, Option<i64>, std::collections::BTreeMap<usize, Owned>);

    fn change() -> impl Strategy<Value = Change> {
        let columns = proptest::collection::btree_map(prop_oneof![0usize..4, 0usize..256], value(), 1..12);
        (prop_oneof![0u16..4, any::<u16>()], 0u8..3, value(), any::<Option<i64>>(), columns)
    }

    fn header(kind: Kind, count: usize) -> Header {
        Header {
            seq: 1,
            epoch: Uuid::nil(),
            kind,
            hlc: Hlc::ZERO,
            wall: Millis::new(0),
            schema: 1,
            count: u32::try_from(count).unwrap(),
        }
    }

    fn kind_of(change: &Change) -> OpKind {
        [OpKind::Insert, OpKind::Update, OpKind::Delete][usize::from(change.1)]
    }

    fn op(change: &Change) -> Op<'_> {
        let (table, _, key, saw, columns) = change;
        let kind = kind_of(change);
        let columns = columns.iter().map(|(column, value)| (*column, value.borrow()));
        Op {
            table: *table,
            kind,
            key: if kind == OpKind::Insert { Value::Null } else { key.borrow() },
            saw: if kind == OpKind::Insert { None } else { *saw },
            columns: if kind == OpKind::Delete { Vec::new() } else { columns.collect() },
        }
    }

    fn encode(changes: &[Change]) -> Vec<u8> {
        let mut packed = Changes::default();
        changes.iter().for_each(|change| packed.push(&op(change)));
        packed.bytes().to_vec()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(changes in proptest::collection::vec(change(), 0..6)) {
            let bytes = encode(&changes);
            let body = Body::decode(&header(Kind::Data, changes.len()), &bytes).unwrap();
            prop_assert_eq!(body.ops().len(), changes.len());
            for (read, change) in body.ops().iter().zip(&changes) {
                prop_assert_eq!(read, &op(change));
            }
        }

        #[test]
        fn what_is_taken_back_leaves_no_trace(
            kept in proptest::collection::vec(change(), 0..4), undone in proptest::collection::vec(change(), 0..4),
            then in proptest::collection::vec(change(), 0..4),
        ) {
            let mut packed = Changes::default();
            kept.iter().for_each(|change| packed.push(&op(change)));
            let (length, count) = (packed.bytes().len(), packed.count());
            undone.iter().for_each(|change| packed.push(&op(change)));
            packed.cut(length, count);
            then.iter().for_each(|change| packed.push(&op(change)));
            let all: Vec<Change> = kept.into_iter().chain(then).collect();
            prop_assert_eq!(packed.bytes(), &encode(&all)[..]);
            prop_assert_eq!(packed.count() as usize, all.len());
        }

        #[test]
        fn a_body_cut_short_is_an_error_or_fewer_changes(
            changes in proptest::collection::vec(change(), 1..4), cut in any::<proptest::sample::Index>(),
        ) {
            let bytes = encode(&changes);
            // At no bytes at all it is an empty body.
            let cut = cut.index(bytes.len() - 1) + 1;
            prop_assert!(Body::decode(&header(Kind::Data, changes.len()), &bytes[..cut]).is_err());
        }

        #[test]
        fn no_bytes_make_it_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..200), kind in 1i64..7, count in 0usize..4,
        ) {
            let kind = Kind::from_number(kind).unwrap();
            let _ = Body::decode(&header(kind, count), &bytes);
        }

        #[test]
        fn a_flipped_byte_does_not_make_it_panic(
            changes in proptest::collection::vec(change(), 1..4), at in any::<proptest::sample::Index>(), by: u8,
        ) {
            let mut bytes = encode(&changes);
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            let _ = Body::decode(&header(Kind::Proposal, changes.len()), &bytes);
        }
    }

    #[test]
    fn the_other_kinds_come_back() {
        let place = Position { epoch: Uuid::from_u128(5), seq: 1 << 40, hash: Hash([3; 16]) };
        for parent in [None, Some(place)] {
            let bytes = Body::epoch_start(parent.as_ref());
            let read = Body::decode(&header(Kind::EpochStart, 0), &bytes);
            assert_eq!(read, Ok(Body::EpochStart(parent)));
        }
        let bytes = Body::schema(0, 300);
        assert_eq!(Body::decode(&header(Kind::Schema, 0), &bytes), Ok(Body::Schema { from: 0, to: 300 }));
        let entries = [
            DigestEntry {
                bucket: Bucket { table: 71, day: NaiveDate::from_ymd_opt(2026, 11, 20) },
                count: 900,
                sum: [9; 16],
            },
            DigestEntry { bucket: Bucket { table: 1, day: None }, count: 1, sum: [0; 16] },
        ];
        let bytes = Body::digest(&entries);
        assert_eq!(Body::decode(&header(Kind::Digest, 2), &bytes), Ok(Body::Digest(entries.to_vec())));
        let mut lost = Changes::default();
        let key = Value::Integer(1);
        lost.push(&Op { table: 71, kind: OpKind::Delete, key, saw: None, columns: Vec::new() });
        let bytes = Body::recovered(&place, lost.bytes());
        match Body::decode(&header(Kind::Recovered, 1), &bytes) {
            Ok(Body::Recovered { origin, ops }) => assert_eq!((origin, ops.len()), (place, 1)),
            other => panic!("{other:?}"),
        }
    }
}
