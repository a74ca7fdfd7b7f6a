//! The body of a push: log rows in blocks that each stand alone, so that a body that was cut still gives its first blocks. Never
//! trusts a length before the bytes are there, never decompresses past a bound, never panics on any bytes.
//!
//! 16 bytes: the hash of the row before the first. Then blocks, each `length u32 (little-endian) · number of the dictionary ·
//! half the hash of its last row · bytes under zstd`. The rows' own hashes are not sent: they are worked out from the chain, and
//! the block's proves them all.

mod block;
mod dictionary;
mod rows;

pub use dictionary::Dictionary;
pub use rows::{Batch, Frame};

use crate::frame::wire::Reader;
use crate::frame::{DecodeError, Hash};

/// Bodies of a block before compression, about; one larger row is a block of its own.
const BLOCK: usize = 256 * 1024;

/// As much of a block's hash as proves it; the next push proves the rest.
const HALF: usize = 8;

/// Writes `batch`, whose hashes must chain, for this program itself to read.
///
/// # Errors
/// When a row is too large for a block (4 GB), or compression fails.
pub fn encode(batch: &Batch) -> Result<Vec<u8>, DecodeError> {
    encode_with(batch, Dictionary::NEWEST)
}

/// Writes `batch`, whose hashes must chain, for whoever knows `dictionary`.
///
/// # Errors
/// As [`encode`].
pub fn encode_with(batch: &Batch, dictionary: Dictionary) -> Result<Vec<u8>, DecodeError> {
    let mut out = batch.previous.0.to_vec();
    for block in blocks(&batch.frames) {
        let packed = dictionary.compress(&block::write(block))?;
        put_block(&mut out, dictionary.0, &packed, block.last().map_or(batch.previous, |frame| frame.hash))?;
    }
    Ok(out)
}

/// Rows that go together.
fn blocks(frames: &[Frame]) -> impl Iterator<Item = &[Frame]> {
    let mut rest = frames;
    std::iter::from_fn(move || {
        let mut size = 0;
        let count = rest.iter().take_while(|frame| {
            size += frame.body.len();
            size <= BLOCK
        });
        let (block, after) = rest.split_at_checked(count.count().max(1))?;
        rest = after;
        Some(block)
    })
}

fn put_block(out: &mut Vec<u8>, dictionary: u8, bytes: &[u8], end: Hash) -> Result<(), DecodeError> {
    let length = u32::try_from(bytes.len() + 1 + HALF).map_err(|_| DecodeError("a block is too long"))?;
    out.extend_from_slice(&length.to_le_bytes());
    out.push(dictionary);
    out.extend(end.0.iter().take(HALF));
    out.extend_from_slice(bytes);
    Ok(())
}

/// Reads the longest valid prefix of `bytes`, with at most `max_bytes` decompressed. The second part says whether something
/// was cut off or broken after it.
///
/// # Errors
/// When not even the beginning is readable, or the first block needs a dictionary that only a newer version knows.
pub fn decode(bytes: &[u8], max_bytes: usize) -> Result<(Batch, bool), DecodeError> {
    let mut reader = Reader(bytes);
    let mut batch = Batch { previous: Hash(reader.array()?), frames: Vec::new() };
    let mut left = max_bytes;
    while !reader.is_empty() {
        let previous = batch.frames.last().map_or(batch.previous, |frame| frame.hash);
        match read_block(&mut reader, previous, left) {
            Ok(frames) => {
                left -= frames.iter().map(|frame| Frame::SIZE + frame.body.len()).sum::<usize>().min(left);
                batch.frames.extend(frames);
            }
            Err(error) if batch.frames.is_empty() && error == NEWER => return Err(error),
            Err(_) => return Ok((batch, true)),
        }
    }
    Ok((batch, false))
}

const NEWER: DecodeError = DecodeError("a block needs a newer dictionary");

fn read_block(reader: &mut Reader<'_>, previous: Hash, left: usize) -> Result<Vec<Frame>, DecodeError> {
    let length = u32::from_le_bytes(reader.array()?) as usize;
    let mut reader = Reader(reader.bytes(length)?);
    let dictionary = Dictionary::of_byte(reader.byte()?).ok_or(NEWER)?;
    let end = reader.bytes(HALF)?;
    let raw = dictionary.decompress(reader.0, left)?;
    let frames = block::read(&raw, previous, left)?;
    match frames.last() {
        Some(last) if last.hash.0.starts_with(end) => Ok(frames),
        _ => Err(DecodeError("the hash of a block does not follow")),
    }
}

#[cfg(test)]
mod tests;
