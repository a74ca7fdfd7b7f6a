//! The rows of a block, before compression: of every header what does not follow from the one before, and the body as the log has
//! it. Never compresses, never trusts a count.

use super::rows::Frame;
use crate::frame::wire::{Reader, put_signed, put_varint};
use crate::frame::{DecodeError, Hash, Header, Kind};
use crate::{Hlc, Millis};

/// Flag of a row: epoch and schema are those of the row before.
const SAME: u8 = 0x80;

/// Writes rows.
pub(super) fn write(block: &[Frame]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last = None;
    for Frame { header, body, .. } in block {
        put_header(&mut out, header, last);
        last = Some(header);
        put_varint(&mut out, body.len() as u64);
        out.extend_from_slice(body);
    }
    out
}

fn put_header(out: &mut Vec<u8>, header: &Header, last: Option<&Header>) {
    let is_same = last.is_some_and(|last| last.epoch == header.epoch && last.schema == header.schema);
    out.push(header.kind as u8 | if is_same { SAME } else { 0 });
    if !is_same {
        out.extend_from_slice(header.epoch.as_bytes());
        put_varint(out, u64::from(header.schema));
    }
    let (seq, hlc, wall) = expected(last, header.wall);
    put_signed(out, header.seq.wrapping_sub(seq));
    put_signed(out, header.wall.get().wrapping_sub(wall));
    put_signed(out, header.hlc.get().wrapping_sub(hlc));
    put_varint(out, u64::from(header.count));
}

/// Number, logical clock and wall clock that `last` lets expect of a row written at `wall`.
fn expected(last: Option<&Header>, wall: Millis) -> (i64, i64, i64) {
    let (seq, hlc, before) = last.map_or((0, Hlc::ZERO, 0), |last| (last.seq, last.hlc, last.wall.get()));
    (seq.wrapping_add(1), hlc.tick(wall).get(), before)
}

/// Reads rows that follow `hash`, at most `left` bytes of them in memory.
pub(super) fn read(raw: &[u8], mut hash: Hash, mut left: usize) -> Result<Vec<Frame>, DecodeError> {
    let mut reader = Reader(raw);
    let mut frames: Vec<Frame> = Vec::new();
    while !reader.is_empty() {
        let header = header(&mut reader, frames.last().map(|frame| &frame.header))?;
        let length = reader.length()?;
        let body = reader.bytes(length)?.to_vec();
        left = left.checked_sub(Frame::SIZE + length).ok_or(DecodeError("there are too many rows"))?;
        hash = hash.next(&header, &body);
        frames.push(Frame { header, body, hash });
    }
    Ok(frames)
}

fn header(reader: &mut Reader<'_>, last: Option<&Header>) -> Result<Header, DecodeError> {
    let small = |number: u64| u32::try_from(number).map_err(|_| DecodeError("a number is too large"));
    let flags = reader.byte()?;
    let kind = Kind::from_number(i64::from(flags & !SAME))?;
    let (epoch, schema) = match last {
        Some(last) if flags & SAME != 0 => (last.epoch, last.schema),
        None if flags & SAME != 0 => return Err(DecodeError("there is no epoch to repeat")),
        _ => (reader.uuid()?, small(reader.varint()?)?),
    };
    let (number, step) = (reader.signed()?, reader.signed()?);
    let wall = Millis::new(last.map_or(0, |last| last.wall.get()).wrapping_add(step));
    let (seq, hlc, _) = expected(last, wall);
    let hlc = Hlc::new(hlc.wrapping_add(reader.signed()?));
    Ok(Header {
        seq: seq.wrapping_add(number),
        epoch,
        kind,
        hlc,
        wall,
        schema,
        count: small(reader.varint()?)?,
    })
}
