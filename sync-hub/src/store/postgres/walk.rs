//! A connection within a transaction whose answers come a few rows at a time, however many there are, through the server's cursors:
//! for what is more than memory holds. Slower for the small answers that everything else asks for. Never writes.

use super::error::said;
use super::source::PgSource;
use super::value::Answer;
use edge::db::Result;
use edge::db::{Row, Source, Sql};
use rusqlite::types::ToSql;
use std::cell::Cell;

/// Rows that are fetched at a time.
const ROWS: usize = 500;

/// A connection in a transaction.
pub(super) struct Walk<'c> {
    source: PgSource<'c>,
    /// Cursors that are open: `each` may ask for more.
    depth: Cell<u32>,
}

impl<'c> Walk<'c> {
    pub(super) fn of(source: PgSource<'c>) -> Walk<'c> {
        Walk { source, depth: Cell::new(0) }
    }

    /// Hands over what the cursor has left.
    fn fetched(&self, cursor: &str, each: &mut dyn FnMut(&Row<'_>) -> Result<bool>) -> Result<()> {
        // Never kept prepared: the cursor of this name has other columns the next time.
        let fetch = format!("FETCH FORWARD {ROWS} FROM {cursor}");
        loop {
            let query = self.source.client.query(&fetch, &[]);
            let rows = self.source.waiter.wait(query).map_err(|error| said(&error))?;
            for row in &rows {
                if !each(&Row::of(&Answer::of(row)?))? {
                    return Ok(());
                }
            }
            if rows.len() < ROWS {
                return Ok(());
            }
        }
    }
}

impl Source for Walk<'_> {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        let depth = self.depth.get();
        let cursor = format!("walk_{depth}");
        self.source.execute(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {sql}"), params)?;
        self.depth.set(depth + 1);
        let fetched = self.fetched(&cursor, each);
        self.depth.set(depth);
        // Where it failed the transaction goes with its cursors.
        fetched?;
        self.source.waiter.wait(self.source.batch(&format!("CLOSE {cursor}")))
    }
}
