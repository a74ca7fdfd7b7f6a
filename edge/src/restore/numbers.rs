//! How far the numbers of purchase orders must move on in a database that was put back: none may be given out twice. Bills and orders
//! begin a life of their own. Never gives one out.

use crate::backup::copying;
use crate::db::{self, Tx};
use crate::resources::outlets;
use crate::resources::purchase_orders::rules::po_series;
use crate::sync;
use std::path::Path;
use tiffin_common::Uuid;

/// The highest number of each series: outlet, series, value.
pub(super) type Given = Vec<(Uuid, String, i64)>;

/// What the database at `path` has given out. Works on a damaged one whose damage lies elsewhere.
pub(super) fn given(path: &Path) -> rusqlite::Result<Given> {
    let conn = copying::reading(path)?;
    let mut statement = conn.prepare("SELECT outlet_id, series, value FROM counters")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

/// Moves the series that are counting now and that no life of the box tells apart on by `by`: those of bills and orders begin anew.
pub(super) fn skip(tx: &Tx<'_>, by: i64) -> db::Result<()> {
    let now = tx.now();
    let mut moved = Given::new();
    for outlet in outlets::store::list(tx)? {
        let series = po_series(outlet.business_date(now));
        let value = sync::last_number(tx, outlet.id, &series)?;
        moved.push((outlet.id, series, value.saturating_add(by)));
    }
    sync::keep_numbers(tx, &moved)
}
