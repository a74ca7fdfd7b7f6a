//! Whatever goes in comes out; whatever is cut or broken gives the blocks before it, and nothing else.

use super::*;
use crate::frame::{Body, Changes, Header, Kind, Op, OpKind, Value};
use crate::ids::Ids;
use crate::{Hlc, Millis, Uuid};
use proptest::prelude::*;

/// More than any test decodes.
const ROOM: usize = 64 << 20;

/// Rows that follow each other.
fn chain(previous: Hash, rows: impl IntoIterator<Item = (Header, Vec<u8>)>) -> Batch {
    let mut hash = previous;
    let frames = rows.into_iter().map(|(header, body)| {
        hash = hash.next(&header, &body);
        Frame { header, body, hash }
    });
    Batch { previous, frames: frames.collect() }
}

/// A kind, steps of number, clocks, epoch and schema, a count, a body.
type Row = (u8, i64, i64, i64, bool, u32, Vec<u8>);

fn row() -> impl Strategy<Value = Row> {
    let step = || prop_oneof![4 => Just(1i64), 2 => -90i64..90_000, 1 => any::<i64>()];
    let body = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..60),
        proptest::collection::vec(0u8..12, 0..60),
        (0u64..5, 0usize..30).prop_map(|(seed, count)| changes(seed, count)),
    ];
    (1u8..9, step(), step(), step(), any::<bool>(), prop_oneof![0u32..4, any::<u32>()], body)
}

fn batch(rows: Vec<Row>, previous: u128) -> Batch {
    let (mut seq, mut hlc, mut wall, mut epoch) = (0i64, 0i64, 1_763_640_000_000i64, 1u128);
    let rows = rows.into_iter().map(|(kind, next, ticks, ms, goes_on, count, body)| {
        (seq, hlc, wall) = (seq.wrapping_add(next), hlc.wrapping_add(ticks), wall.wrapping_add(ms));
        epoch += u128::from(!goes_on);
        let header = Header {
            seq,
            epoch: Uuid::from_u128(epoch),
            kind: Kind::from_number(i64::from(kind)).unwrap(),
            hlc: Hlc::new(hlc),
            wall: Millis::new(wall),
            schema: 11 + u32::try_from(epoch % 2).unwrap(),
            count,
        };
        (header, body)
    });
    chain(Hash(previous.to_le_bytes()), rows)
}

/// A packed body such as the capture writes.
fn changes(seed: u64, count: usize) -> Vec<u8> {
    let ids = Ids::new(seed);
    let outlet = ids.next(Millis::new(1_700_000_000_000));
    let mut packed = Changes::default();
    for i in 0..count {
        let at = 1_763_640_000_000 + i as i64 * 17;
        let id = ids.next(Millis::new(at));
        let columns = vec![
            (0, Value::Id(id)),
            (1, Value::Id(outlet)),
            (2, Value::Text(["PENDING", "READY", "SERVED"][i % 3])),
            (4, Value::Integer(at)),
            (7, Value::Integer(-(i as i64) * 250_000)),
            (12, Value::Real(0.5)),
            (30, Value::Blob(&[1, 2, 3])),
        ];
        let kind = [OpKind::Insert, OpKind::Update, OpKind::Delete][(i + seed as usize) % 3];
        packed.push(&Op {
            table: 70 + (i % 3) as u16,
            kind,
            key: if kind == OpKind::Insert { Value::Null } else { Value::Id(id) },
            saw: (kind == OpKind::Update).then_some(i as i64),
            columns: if kind == OpKind::Delete { Vec::new() } else { columns },
        });
    }
    packed.bytes().to_vec()
}

/// An hour of trade.
fn trade(rows: u64) -> Batch {
    batch((0..rows).map(|i| (1, 1, 65_536, 900, true, 20, changes(i % 4, 20))).collect(), 7)
}

proptest! {
    #[test]
    fn rows_come_back(rows in proptest::collection::vec(row(), 0..12), previous: u128) {
        let batch = batch(rows, previous);
        for dictionary in [Dictionary::NEWEST, Dictionary::NONE] {
            let bytes = encode_with(&batch, dictionary).unwrap();
            prop_assert_eq!(decode(&bytes, ROOM), Ok((batch.clone(), false)));
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), by in 0u8..2) {
        let _ = decode(&bytes, 1 << 20);
        let mut body = Hash::START.0.to_vec();
        put_block(&mut body, by, &bytes, Hash::START).unwrap();
        let read = decode(&body, 1 << 20).unwrap();
        prop_assert!(read.0.frames.is_empty() && read.1);
    }

    #[test]
    fn no_rows_make_it_panic(
        rows in proptest::collection::vec(row(), 1..4), bytes in proptest::collection::vec(any::<u8>(), 0..300),
        at in any::<proptest::sample::Index>(), by: u8,
    ) {
        let _ = block::read(&bytes, Hash::START, 1 << 20);
        // Well packed, and wrong: what zstd's own checks would keep away.
        let mut raw = block::write(&batch(rows, 3).frames);
        let at = at.index(raw.len());
        raw[at] ^= by;
        let _ = block::read(&raw, Hash::START, 1 << 20);
        let _ = block::read(&raw[..at], Hash::START, 1 << 20);
    }

    #[test]
    fn a_flipped_byte_gives_rows_of_the_batch_or_none(
        rows in proptest::collection::vec(row(), 1..8), at in any::<proptest::sample::Index>(), by in 1u8..,
    ) {
        let batch = batch(rows, 3);
        for dictionary in [Dictionary::NEWEST, Dictionary::NONE] {
            let mut bytes = encode_with(&batch, dictionary).unwrap();
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            if let Ok((read, cut)) = decode(&bytes, ROOM) {
                prop_assert!(cut || read == batch);
                prop_assert_eq!(&batch.frames[..read.frames.len()], &read.frames[..]);
            }
        }
    }
}

#[test]
fn a_body_cut_anywhere_gives_the_blocks_before_the_cut() {
    let batch = trade(2_000);
    let bytes = encode(&batch).unwrap();
    assert_eq!(decode(&bytes, ROOM).unwrap(), (batch.clone(), false));
    let ends = ends(&bytes);
    assert!(ends.len() > 3, "{ends:?}");
    let cuts =
        (0..400).chain((400..bytes.len()).step_by(173)).chain(ends.iter().flat_map(|end| end - 2..end + 2));
    for cut in cuts.filter(|cut| *cut < bytes.len()) {
        match decode(&bytes[..cut], ROOM) {
            Err(_) => assert!(cut < 16, "at {cut}"),
            Ok((read, is_cut)) => {
                let whole = ends.iter().rposition(|end| *end <= cut);
                assert_eq!(is_cut, !ends.contains(&cut), "at {cut}");
                assert_eq!(read.frames.is_empty(), whole == Some(0), "at {cut}");
                assert_eq!(batch.frames[..read.frames.len()], read.frames[..], "at {cut}");
            }
        }
    }
}

/// Where the blocks end; the first entry is where they begin.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![16];
    while let Some(length) = bytes.get(ends[ends.len() - 1]..).and_then(|rest| rest.first_chunk::<4>()) {
        ends.push(ends[ends.len() - 1] + 4 + u32::from_le_bytes(*length) as usize);
    }
    ends
}

#[test]
fn nothing_is_decompressed_beyond_the_bound() {
    let bomb = batch(vec![(1, 1, 1, 1, true, 1, vec![0; 8 << 20])], 1);
    let bytes = encode(&bomb).unwrap();
    assert!(bytes.len() < 4_000, "{}", bytes.len());
    assert_eq!(
        decode(&bytes, 1 << 20).unwrap(),
        (Batch { previous: bomb.previous, frames: Vec::new() }, true)
    );
    let rows = trade(500);
    let (read, cut) = decode(&encode(&rows).unwrap(), 200_000).unwrap();
    assert!(cut && read.frames.len() < 500);
}

#[test]
fn bodies_that_the_capture_writes_are_what_the_tests_send() {
    let body = changes(1, 20);
    let header = trade(1).frames[0].header;
    assert_eq!(Body::decode(&header, &body).unwrap().ops().len(), 20);
}

/// A row takes more room in memory than on its way.
#[test]
fn many_small_rows_are_bounded_too() {
    let rows = batch((0..1_000).map(|_| (1, 1, 65_536, 900, true, 0, Vec::new())).collect(), 1);
    let raw = block::write(&rows.frames);
    assert!(raw.len() < 20_000, "{}", raw.len());
    assert_eq!(block::read(&raw, rows.previous, 1_000 * Frame::SIZE).unwrap(), rows.frames);
    assert!(block::read(&raw, rows.previous, 1_000 * Frame::SIZE - 1).is_err());
}

#[test]
fn sides_pack_with_what_both_know() {
    let known = Dictionary::known();
    assert_eq!(Dictionary::among(&known), Dictionary::NEWEST);
    assert_eq!(Dictionary::among(&[0, 200, 4_000_000_000]), Dictionary::NONE);
    assert_eq!(Dictionary::shared(&[known[0], 77]), [known[0]]);
    assert_eq!((Dictionary::NONE.number(), Dictionary::NEWEST.number()), (None, known.last().copied()));
    let batch = trade(3);
    let mut bytes = encode(&batch).unwrap();
    bytes[20] = 200;
    assert_eq!(decode(&bytes, ROOM), Err(NEWER));
}

/// Never rewritten: logs of branches and of head offices are kept in this form, and boxes of older versions send it.
#[test]
fn what_was_written_once_is_read_for_ever() {
    let golden: [&[u8]; 3] =
        [include_bytes!("golden_0.bin"), include_bytes!("golden_1.bin"), include_bytes!("golden_2.bin")];
    for (bytes, dictionary) in golden.into_iter().zip(0..) {
        assert_eq!(bytes[20], dictionary);
        assert_eq!(decode(bytes, ROOM), Ok((trade(3), false)), "dictionary {dictionary}");
    }
}
