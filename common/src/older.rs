//! An older program of this product, as tests play one: what its schema was, and which columns it did not know. A program that is built
//! for use plays none, whatever it is told; only a test build does, one with debug assertions and of the feature `known-bugs`.

use std::cell::Cell;
use std::collections::BTreeSet;

/// Whether one can be played at all.
const CAN: bool = cfg!(all(debug_assertions, feature = "known-bugs"));

thread_local! {
    static PLAYED: Cell<Option<&'static Older>> = const { Cell::new(None) };
}

/// A program of before.
#[derive(Debug)]
pub struct Older {
    /// Its newest schema.
    pub schema: u32,
    /// Columns that it did not know: the table's number, and theirs.
    pub unknown: BTreeSet<(u16, usize)>,
}

/// From now on this thread's programs are this one, or today's; answers which they were.
pub fn play(older: Option<&'static Older>) -> Option<&'static Older> {
    PLAYED.replace(older.filter(|_| CAN))
}

/// The older program that is played, if one is.
pub fn played() -> Option<&'static Older> {
    if CAN { PLAYED.get() } else { None }
}

/// Whether this program knows a column of the registry.
pub(crate) fn knows(table: u16, column: usize) -> bool {
    played().is_none_or(|older| !older.unknown.contains(&(table, column)))
}
