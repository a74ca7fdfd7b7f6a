//! Keeping the figures of finished days. Never of the present one: it is read from its rows.

use super::rules::AnalyticsError;
use super::store;
use crate::db::Transaction;
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::Uuid;

/// Keeps the figures of `date` when it is a finished business day of the outlet. Does the same however often it is called.
///
/// # Errors
/// Whatever the store reports.
pub fn keep_day(tx: &Transaction<'_>, outlet: Uuid, date: NaiveDate) -> Result<(), AnalyticsError> {
    if date < outlets::store::find(tx, outlet)?.business_date(tx.now()) {
        store::keep(tx, outlet, date)?;
    }
    Ok(())
}

/// Drops all kept figures of an outlet: its rows were changed by other ways than the branch's own actions.
///
/// # Errors
/// Whatever the store reports.
pub fn forget_days(tx: &Transaction<'_>, outlet: Uuid) -> rusqlite::Result<()> {
    store::forget_days(tx, outlet)
}
