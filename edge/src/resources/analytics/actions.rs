//! Keeping the figures of finished days. Never of the present one: it is read from its rows.

use super::rules::{AnalyticsError, Range};
use super::store;
use crate::db::{self, Sql, Tx};
use crate::resources::outlets;
use tiffin_common::{Millis, Uuid};

/// Keeps the figures of the newest finished business days of the outlet that are not kept, at most `most` of them in a row;
/// answers which. Does nothing when all are. At head office too: nobody else may write the outlet's rows meanwhile.
pub fn keep_missing(
    sql: &dyn Sql,
    outlet: Uuid,
    now: Millis,
    most: usize,
) -> Result<Option<Range>, AnalyticsError> {
    let today = outlets::store::find(sql, outlet)?.business_date(now);
    let missing = store::find_missing(sql, outlet, today, most)?;
    if let Some(range) = missing {
        store::set_kept(sql, outlet, range)?;
    }
    Ok(missing)
}

/// Drops all kept figures of an outlet: its rows were changed by other ways than the branch's own actions.
pub fn forget_days(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    store::delete_days(tx, outlet)
}
