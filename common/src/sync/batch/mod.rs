//! The body of a push: log rows in blocks, so that a body that was cut still gives its first blocks. Never trusts a length
//! before the bytes are there, never decompresses past a bound, never panics on any bytes.
//!
//! 16 bytes: the hash of the row before the first. Then blocks, each `length u32 (little-endian) · form byte · bytes`. A block
//! ends with the hash of its last row; the rows' own hashes are worked out from the chain, which proves the whole block.

use crate::frame::wire::{Reader, put_signed, put_varint};
use crate::frame::{DecodeError, Hash, Header, Kind};
use crate::{Hlc, Millis};

/// One log row on its way: what [`Header`] says, and its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The header.
    pub header: Header,
    /// The body, as the log has it.
    pub body: Vec<u8>,
    /// The row's hash; the receiver works it out again from the row before.
    pub hash: Hash,
}

/// Rows on their way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The hash of the row before the first.
    pub previous: Hash,
    /// The rows, contiguous.
    pub frames: Vec<Frame>,
}

/// Bodies of a block before compression, about; one larger row is a block of its own.
const BLOCK: usize = 256 * 1024;

/// A block as zstd of the rows one after the other.
const PLAIN: u8 = 1;

/// What a row takes in memory besides its body.
const FRAME: usize = size_of::<Frame>();

/// Writes `batch`, whose hashes must chain.
///
/// # Errors
/// When compression fails.
pub fn encode(batch: &Batch) -> Result<Vec<u8>, DecodeError> {
    let mut out = batch.previous.0.to_vec();
    let mut rest = &batch.frames[..];
    while !rest.is_empty() {
        let mut size = 0;
        let mut fits = |frame: &Frame| {
            size += frame.body.len();
            size <= BLOCK
        };
        let (block, after) = rest.split_at(rest.iter().take_while(|frame| fits(frame)).count().max(1));
        let packed = zstd::bulk::compress(&plain(block), 6).map_err(|_| DecodeError("compression failed"))?;
        let length = u32::try_from(packed.len() + 1).map_err(|_| DecodeError("a block is too long"))?;
        out.extend_from_slice(&length.to_le_bytes());
        out.push(PLAIN);
        out.extend_from_slice(&packed);
        rest = after;
    }
    Ok(out)
}

/// Reads the longest valid prefix of `bytes`, with at most `max_bytes` decompressed. The second part says whether something
/// was cut off or broken after it.
///
/// # Errors
/// When not even the beginning is readable, or the first block is of a form that only a newer version knows.
pub fn decode(bytes: &[u8], max_bytes: usize) -> Result<(Batch, bool), DecodeError> {
    let mut reader = Reader(bytes);
    let mut batch = Batch { previous: Hash(reader.array()?), frames: Vec::new() };
    let mut left = max_bytes;
    while !reader.is_empty() {
        match block(&mut reader, batch.frames.last().map_or(batch.previous, |frame| frame.hash), left) {
            Ok(frames) => {
                left -= frames.iter().map(|frame| FRAME + frame.body.len()).sum::<usize>().min(left);
                batch.frames.extend(frames);
            }
            Err(error) if batch.frames.is_empty() && error == NEWER => return Err(error),
            Err(_) => return Ok((batch, true)),
        }
    }
    Ok((batch, false))
}

const NEWER: DecodeError = DecodeError("a block is of a newer form");

fn block(reader: &mut Reader<'_>, previous: Hash, left: usize) -> Result<Vec<Frame>, DecodeError> {
    let length = u32::from_le_bytes(reader.array()?) as usize;
    let mut reader = Reader(reader.bytes(length)?);
    if reader.byte()? != PLAIN {
        return Err(NEWER);
    }
    let raw =
        zstd::bulk::decompress(reader.0, left).map_err(|_| DecodeError("a block cannot be decompressed"))?;
    rows(&raw, previous, left)
}

fn plain(block: &[Frame]) -> Vec<u8> {
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
    out.push(0);
    out.extend_from_slice(&block.last().map_or(Hash::START, |frame| frame.hash).0);
    out
}

/// Flag: epoch and schema are those of the row before.
const SAME: u8 = 0x80;

fn rows(raw: &[u8], previous: Hash, left: usize) -> Result<Vec<Frame>, DecodeError> {
    let mut reader = Reader(raw);
    let mut frames: Vec<Frame> = Vec::new();
    let mut left = left;
    let too_large = |_| DecodeError("a number is too large");
    loop {
        let flags = reader.byte()?;
        if flags == 0 {
            break;
        }
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
    let end = Hash(reader.array()?);
    reader.end()?;
    match frames.last() {
        Some(last) if last.hash == end => Ok(frames),
        _ => Err(DecodeError("the hash of a block does not follow")),
    }
}

#[cfg(test)]
mod tests;
