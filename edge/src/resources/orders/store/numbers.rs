//! Gapless numbers: the highest one given, per outlet and series. Never gives a number outside the transaction that uses it.

use crate::db::{self, Source, Tx, opt};
use crate::resources::orders::rules::numbers::LIFE;
use rusqlite::params;
use tiffin_common::Uuid;

/// The next number of `series`, from 1. Given back by itself when the transaction fails: no gap, no repeat.
pub fn next_number(tx: &Tx<'_>, outlet: Uuid, series: &str) -> db::Result<i64> {
    let sql = "SELECT value FROM counters WHERE outlet_id = ?1 AND series = ?2";
    let last: Option<i64> = opt(tx, sql, params![outlet, series], |row| row.get(0))?;
    let next = last.unwrap_or(0).saturating_add(1);
    if last.is_some() {
        update!(tx, counters { value: next } where { outlet_id: outlet, series: series })?;
    } else {
        insert!(tx, counters { id: tx.new_id(), outlet_id: outlet, series: series, value: next })?;
    }
    Ok(next)
}

/// The life of the outlet's box that numbers are given in.
pub fn find_life(from: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT value FROM counters WHERE outlet_id = ?1 AND series = ?2";
    Ok(opt(from, sql, params![outlet, LIFE], |row| row.get(0))?.unwrap_or(1))
}
