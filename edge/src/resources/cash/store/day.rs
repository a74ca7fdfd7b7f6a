//! The day that figures are read of, and how one of them is read.

use super::super::rules::sums::CountAndSum;
use crate::db::{self, Source, one};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// The day a report is of.
#[derive(Debug, Clone)]
pub struct Day {
    /// The outlet.
    pub outlet: Uuid,
    /// The business date.
    pub date: NaiveDate,
    /// When it began.
    pub start: Millis,
    /// When it ends.
    pub end: Millis,
}

/// What `sql` counts and sums up of the outlet (`?1`) and the date (`?2`) of `day`.
pub(super) fn count_and_sum(conn: &dyn Source, sql: &str, day: &Day) -> db::Result<CountAndSum> {
    one(conn, sql, params![day.outlet, day.date], |row| Ok(read!(row => CountAndSum { count, amount_cents })))
}
