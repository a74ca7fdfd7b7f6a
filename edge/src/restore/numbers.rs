//! How far the numbers of bills, credit notes, orders and purchase orders must move on in a database that was put back: none may be
//! given out twice. Never gives one out.

use crate::backup::copying;
use crate::db::{self, Tx};
use crate::resources::orders::rules::invoices::{self, InvoiceKind};
use crate::resources::orders::rules::numbers::order_series;
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

/// Moves the series that are counting now on by `by`: a gap can be explained, a number that is on two bills cannot.
pub(super) fn skip(tx: &Tx<'_>, by: i64) -> db::Result<()> {
    if by <= 0 {
        return Ok(());
    }
    let now = tx.now();
    let mut moved = Given::new();
    for outlet in outlets::store::list(tx)? {
        let today = outlet.business_date(now);
        let year = outlet.fiscal_year(today);
        let kinds = [InvoiceKind::Invoice, InvoiceKind::CreditNote];
        let documents = kinds.map(|kind| invoices::series(kind, &year));
        for series in documents.into_iter().chain([order_series(today), po_series(today)]) {
            let value = sync::last_number(tx, outlet.id, &series)?;
            moved.push((outlet.id, series, value.saturating_add(by)));
        }
    }
    sync::keep_numbers(tx, &moved)
}
