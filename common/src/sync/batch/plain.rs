//! The plain form of a block: its rows one after the other, under zstd. Stands alone; needs nothing that went before.

use super::{FRAME, Frame};
use crate::frame::wire::{Reader, put_signed, put_varint};
use crate::frame::{DecodeError, Hash, Header, Kind};
use crate::{Hlc, Millis};

/// Flag: epoch and schema are those of the row before.
const SAME: u8 = 0x80;

/// The most that a block holds.
const MOST: usize = 1 << 30;

/// Writes rows, before compression.
pub(super) fn write(block: &[Frame]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last: Option<&Header> = None;
    for Frame { header, body, .. } in block {
        let is_same = last.is_some_and(|last| last.epoch == header.epoch && last.schema == header.schema);
        out.push(header.kind as u8 | if is_same { SAME } else { 0 });
        if !is_same {
            out.extend_from_slice(header.epoch.as_bytes());
            put_varint(&mut out, u64::from(header.schema));
        }
        let (seq, hlc, wall) = last.map_or((0, 0, 0), |last| (last.seq, last.hlc.get(), last.wall.get()));
        put_signed(&mut out, header.seq.wrapping_sub(seq));
        put_signed(&mut out, header.hlc.get().wrapping_sub(hlc));
        put_signed(&mut out, header.wall.get().wrapping_sub(wall));
        put_varint(&mut out, u64::from(header.count));
        put_varint(&mut out, body.len() as u64);
        out.extend_from_slice(body);
        last = Some(header);
    }
    out
}

/// Decompresses and reads rows that follow `previous`; at most `left` bytes.
pub(super) fn read(bytes: &[u8], previous: Hash, mut left: usize) -> Result<Vec<Frame>, DecodeError> {
    let raw = zstd::bulk::decompress(bytes, left.min(MOST))
        .map_err(|_| DecodeError("a block cannot be decompressed"))?;
    let mut reader = Reader(&raw);
    let mut frames: Vec<Frame> = Vec::new();
    let too_large = |_| DecodeError("a number is too large");
    while !reader.is_empty() {
        let flags = reader.byte()?;
        let kind = Kind::from_number(i64::from(flags & !SAME))?;
        let last = frames.last();
        let (epoch, schema) = match last.map(|last| last.header) {
            Some(last) if flags & SAME != 0 => (last.epoch, last.schema),
            _ if flags & SAME != 0 => return Err(DecodeError("there is no epoch to repeat")),
            _ => (reader.uuid()?, u32::try_from(reader.varint()?).map_err(too_large)?),
        };
        let (seq, hlc, wall) =
            last.map_or((0, 0, 0), |last| (last.header.seq, last.header.hlc.get(), last.header.wall.get()));
        let header = Header {
            seq: seq.wrapping_add(reader.signed()?),
            epoch,
            kind,
            hlc: Hlc::new(hlc.wrapping_add(reader.signed()?)),
            wall: Millis::new(wall.wrapping_add(reader.signed()?)),
            schema,
            count: u32::try_from(reader.varint()?).map_err(too_large)?,
        };
        let length = reader.length()?;
        let body = reader.bytes(length)?.to_vec();
        left = left.checked_sub(FRAME + length).ok_or(DecodeError("a body is too large"))?;
        let hash = last.map_or(previous, |last| last.hash).next(&header, &body);
        frames.push(Frame { header, body, hash });
    }
    Ok(frames)
}
