//! The body of a push: log rows, in blocks that each stand alone, so that a body that was cut still gives its first blocks.
//! Never trusts a length before the bytes are there, never decompresses past a bound.
//!
//! This first form is the log's rows one after the other under zstd.

use crate::frame::{DecodeError, Hash, Header};

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

/// Writes `batch`.
///
/// # Errors
/// When compression fails.
pub fn encode(_batch: &Batch) -> Result<Vec<u8>, DecodeError> {
    Err(DecodeError("not yet"))
}

/// Reads the longest valid prefix of `bytes`, with at most `max_bytes` decompressed. The second part says whether something
/// was cut off or broken after it.
///
/// # Errors
/// When not even the beginning is readable.
pub fn decode(_bytes: &[u8], _max_bytes: usize) -> Result<(Batch, bool), DecodeError> {
    Err(DecodeError("not yet"))
}
