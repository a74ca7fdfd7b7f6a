//! The body of a push: log rows in blocks, so that a body that was cut still gives its first blocks. Never trusts a length
//! before the bytes are there, never decompresses past a bound, never panics on any bytes.
//!
//! 16 bytes: the hash of the row before the first. Then blocks, each `length u32 (little-endian) · form byte · hash of its last
//! row · bytes`. The rows' own hashes are not sent: they are worked out from the chain, and the block's proves them all.

mod letters;
mod memory;
mod plain;
mod range;
mod rows;
mod rules;
mod values;

use crate::frame::wire::Reader;
use crate::frame::{DecodeError, Hash, Header};
use range::{Coder, Scanner, Writer};
use rows::Model;

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
const BLOCK: usize = 64 * 1024;

/// A block as zstd of the rows one after the other.
const PLAIN: u8 = 1;

/// A block as values that are guessed first; what is remembered goes on from block to block.
const GUESSED: u8 = 2;

/// What a row takes in memory besides its body.
const FRAME: usize = size_of::<Frame>();

/// Writes `batch`, whose hashes must chain.
///
/// # Errors
/// When a row is too large for a block (1 GB), or compression fails.
pub fn encode(batch: &Batch) -> Result<Vec<u8>, DecodeError> {
    let mut out = batch.previous.0.to_vec();
    let mut model = Model::primed();
    let mut previous = batch.previous;
    for block in blocks(&batch.frames) {
        let mut writer = Writer::new();
        model.begin();
        model.number(&mut writer, 7, block.len() as i64)?;
        for frame in block {
            model.frame(&mut writer, Some(frame), previous, usize::MAX)?;
            previous = frame.hash;
        }
        put_block(&mut out, GUESSED, &writer.finish(), previous)?;
    }
    Ok(out)
}

/// As [`encode`], by zstd alone: quicker, and larger.
///
/// # Errors
/// As [`encode`].
pub fn encode_plain(batch: &Batch) -> Result<Vec<u8>, DecodeError> {
    let mut out = batch.previous.0.to_vec();
    for block in blocks(&batch.frames) {
        let packed =
            zstd::bulk::compress(&plain::write(block), 19).map_err(|_| DecodeError("compression failed"))?;
        put_block(&mut out, PLAIN, &packed, block.last().map_or(batch.previous, |frame| frame.hash))?;
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

fn put_block(out: &mut Vec<u8>, form: u8, bytes: &[u8], end: Hash) -> Result<(), DecodeError> {
    let length = u32::try_from(bytes.len() + 17).map_err(|_| DecodeError("a block is too long"))?;
    out.extend_from_slice(&length.to_le_bytes());
    out.push(form);
    out.extend_from_slice(&end.0);
    out.extend_from_slice(bytes);
    Ok(())
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
    let mut model = None;
    while !reader.is_empty() {
        let previous = batch.frames.last().map_or(batch.previous, |frame| frame.hash);
        match block(&mut reader, &mut model, previous, left) {
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

fn block(
    reader: &mut Reader<'_>,
    model: &mut Option<Model>,
    previous: Hash,
    left: usize,
) -> Result<Vec<Frame>, DecodeError> {
    let length = u32::from_le_bytes(reader.array()?) as usize;
    let mut reader = Reader(reader.bytes(length)?);
    let form = reader.byte()?;
    let end = Hash(reader.array()?);
    let frames = match form {
        PLAIN => plain::read(reader.0, previous, left)?,
        GUESSED => guessed(reader.0, model.get_or_insert_with(Model::primed), previous, left)?,
        _ => return Err(NEWER),
    };
    match frames.last() {
        Some(last) if last.hash == end => Ok(frames),
        _ => Err(DecodeError("the hash of a block does not follow")),
    }
}

fn guessed(
    bytes: &[u8],
    model: &mut Model,
    mut previous: Hash,
    mut left: usize,
) -> Result<Vec<Frame>, DecodeError> {
    let mut scanner = Scanner::new(bytes);
    let mut frames = Vec::new();
    model.begin();
    for _ in 0..model.number(&mut scanner, 7, 0)? {
        let frame = model.frame(&mut scanner, None, previous, left)?;
        left = left.checked_sub(FRAME + frame.body.len()).ok_or(DecodeError("a body is too large"))?;
        previous = frame.hash;
        frames.push(frame);
    }
    if scanner.is_over() { Err(DecodeError("it ends early")) } else { Ok(frames) }
}

#[cfg(test)]
mod tests;
