//! Log rows on their way. Never encodes them.

use crate::frame::{Hash, Header};

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

impl Frame {
    /// What a row takes in memory besides its body.
    pub(super) const SIZE: usize = size_of::<Frame>();
}

/// Rows on their way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The hash of the row before the first.
    pub previous: Hash,
    /// The rows, contiguous.
    pub frames: Vec<Frame>,
}
