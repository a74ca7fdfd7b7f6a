//! The numbers in a body's bytes: what begins it, the flags of a change, the tags of a value. Written down in logs, so none ever
//! means something else.

use super::DecodeError;
use super::op::OpKind;

/// What the changes of a body begin with: the only form there is.
pub(super) const PACKED: u8 = 0;

pub(super) const INSERT: u8 = 1;
pub(super) const UPDATE: u8 = 2;
pub(super) const DELETE: u8 = 3;
pub(super) const KIND_BITS: u8 = 0x0F;
/// Flag: the version that the change was based on follows.
pub(super) const SAW: u8 = 0x10;

/// Flag: the mask is that of the table's last change of this kind.
pub(super) const SAME_MASK: u8 = 0x20;

/// The column whose memory a key shares: the id is the first column of every table.
pub(super) const KEY_COLUMN: usize = 0;

pub(super) const NULL: u8 = 0;
pub(super) const REAL: u8 = 2;
pub(super) const TEXT: u8 = 3;
pub(super) const BLOB: u8 = 4;
pub(super) const ID: u8 = 5;
/// What the column held last.
pub(super) const SAME: u8 = 6;
/// An id of a generator that was met: which one, milliseconds on, ids on.
pub(super) const ID_STEP: u8 = 8;
/// An id that was met: its place.
pub(super) const ID_KNOWN: u8 = 9;
/// 0x0A…0x0D: an integer that follows from others of its row, in one of `memory::WAYS`.
pub(super) const DERIVED: u8 = 0x0A;
/// 0x10…0x17: a large integer that was met. 0x18…0x1F: the next id of a generator that was met, of the same millisecond.
/// 0x20…0x2F: a text that was met.
pub(super) const INTEGER_KNOWN: u8 = 0x10;
pub(super) const ID_NEXT: u8 = 0x18;
pub(super) const TEXT_KNOWN: u8 = 0x20;
/// 0x30…0x37: an integer, without 0…7 decimal zeros at its end. 0x38…0x3F: more (or less) than the column held last, likewise.
pub(super) const INTEGER: u8 = 0x30;
pub(super) const STEP: u8 = 0x38;
/// What stands in a tag of eight.
pub(super) const EIGHT: u8 = 7;
/// 0x40…0x7F: the integers 0…63. 0x80…0xBF: text of 0…63 bytes. 0xC0…0xFF: a step of −32…31.
pub(super) const SMALL_INTEGER: u8 = 0x40;
pub(super) const SHORT_TEXT: u8 = 0x80;
pub(super) const SMALL_STEP: u8 = 0xC0;
pub(super) const SMALL: u8 = 0x3F;

impl OpKind {
    pub(super) fn of_flags(flags: u8) -> Result<OpKind, DecodeError> {
        match flags & KIND_BITS {
            INSERT => Ok(OpKind::Insert),
            UPDATE => Ok(OpKind::Update),
            DELETE => Ok(OpKind::Delete),
            _ => Err(DecodeError("unknown change")),
        }
    }
}
