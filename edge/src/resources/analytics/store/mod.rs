//! Reads of every figure, all of one answer in one snapshot; and the kept days. Never decides what a figure means beyond
//! `families`, and never writes another resource's table.

pub mod books;
pub mod channels;
pub mod days;
pub mod families;
pub mod losses;
pub mod names;
pub mod question;
pub mod reaches;
pub mod reports;
pub mod stock;

pub use days::{Figures, delete_days, find_missing, list_figures, set_kept};
pub use question::Question;

use crate::db::{self, Source, one};
use tiffin_common::Uuid;

/// How many tables the outlet has.
pub fn count_tables(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM dining_tables WHERE outlet_id = ?1 AND archived_at IS NULL";
    one(conn, sql, [outlet], |row| row.get(0))
}

#[cfg(test)]
mod tests;
