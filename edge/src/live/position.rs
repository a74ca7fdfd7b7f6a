//! Where a client stands in the change log: the id of an event. Durable: it names a row of the log by number and hash, so that a restart
//! goes on and another history is seen. Never holds a clock.

use crate::db::{self, Source, opt};
use std::fmt::{Display, Formatter};
use tiffin_common::frame::Hash;

/// A place in the change log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The number of the log's row.
    pub seq: i64,
    /// How many of its changes are told.
    pub told: u32,
    /// The beginning of the row's hash.
    pub mark: u32,
}

/// Before the first row of a log.
pub const START: Position = Position { seq: 0, told: 0, mark: 0 };

/// What stands for a row's hash in an id.
pub fn mark_of(hash: Hash) -> u32 {
    let [a, b, c, d, ..] = hash.0;
    u32::from_be_bytes([a, b, c, d])
}

impl Position {
    /// The end of the log.
    pub fn head(conn: &dyn Source) -> db::Result<Position> {
        let sql = "SELECT seq, n, hash FROM sync_log ORDER BY seq DESC LIMIT 1";
        let head = opt(conn, sql, [], |row| {
            let (seq, told, hash) = (row.get("seq")?, row.get("n")?, Hash(row.get("hash")?));
            Ok(Position { seq, told, mark: mark_of(hash) })
        });
        Ok(head?.unwrap_or(START))
    }

    /// Reads what [`Display`] wrote; none of anything else.
    pub fn parse(text: &str) -> Option<Position> {
        let mut parts = text.trim().split('.');
        let (seq, told, mark) = (parts.next()?, parts.next()?, parts.next()?);
        let position = Position {
            seq: seq.parse().ok().filter(|seq| *seq >= 0)?,
            told: told.parse().ok()?,
            mark: u32::from_str_radix(mark, 16).ok()?,
        };
        parts.next().is_none().then_some(position)
    }
}

impl Display for Position {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{:08x}", self.seq, self.told, self.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_was_written_and_nothing_else_is() {
        let position = Position { seq: 12, told: 3, mark: 0x00ab_cdef };
        assert_eq!(position.to_string(), "12.3.00abcdef");
        assert_eq!(Position::parse(" 12.3.00abcdef "), Some(position));
        for other in ["", "12", "12.3", "-1.0.00000000", "12.3.zz", "12.3.00abcdef.1", "a.b.c"] {
            assert_eq!(Position::parse(other), None, "{other}");
        }
    }
}
