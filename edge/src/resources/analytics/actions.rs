//! Keeping the figures of finished days. Never of the present one: it is read from its rows.

use super::rules::{AnalyticsError, Range};
use super::store::{self, Figures};
use crate::db::{self, Sql, Tx};
use crate::resources::outlets;
use tiffin_common::{Millis, Uuid};

/// Keeps the figures of the newest finished business days of the outlet that are not kept, at most `most` of them in a row;
/// answers which. Does nothing when all are. Where nobody else may write the outlet's rows meanwhile: at head office.
pub fn keep_missing(
    sql: &dyn Sql,
    outlet: Uuid,
    now: Millis,
    most: usize,
) -> Result<Option<Range>, AnalyticsError> {
    let today = outlets::store::find(sql, outlet)?.business_date(now);
    let missing = store::find_missing(sql, outlet, today, most)?;
    if let Some(range) = missing {
        store::set_kept(sql, outlet, range, &store::list_figures(sql, outlet, range)?)?;
    }
    Ok(missing)
}

/// Claims a finished business date that is not kept, so that its rows can be summed up beside the writer: a change of one of them
/// drops the claim.
pub fn claim(tx: &Tx<'_>, outlet: Uuid, range: Range) -> Result<(), AnalyticsError> {
    Ok(store::days::insert_claim(tx, outlet, range.to)?)
}

/// Keeps figures of a claimed date that were summed up since; false when its rows have changed meanwhile.
pub fn keep_claimed(
    tx: &Tx<'_>,
    outlet: Uuid,
    range: Range,
    figures: &Figures,
) -> Result<bool, AnalyticsError> {
    let is_claimed = store::days::is_claimed(tx, outlet, range.to)?;
    if is_claimed {
        store::set_kept(tx, outlet, range, figures)?;
    }
    Ok(is_claimed)
}

/// Drops all kept figures of an outlet: its rows were changed by other ways than the branch's own actions.
pub fn forget_days(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    store::delete_days(tx, outlet)
}
