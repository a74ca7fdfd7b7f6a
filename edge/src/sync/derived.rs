//! What is derived from rows, made anew after many of them came at once. Never changes a row that has an origin of its own.

use super::store;
use crate::db::{DbError, Source, Tx};
use crate::resources::inventory;
use crate::resources::inventory::store::levels::LedgerSums;

/// Adds up the ledgers for the last step, which then need not: tills would wait for seconds.
pub(super) fn sum_ledgers(from: &dyn Source) -> Result<Vec<LedgerSums>, DbError> {
    let outlets = store::list_outlets(from)?;
    let sums = outlets.into_iter().map(|outlet| inventory::actions::sum_ledger(from, outlet));
    sums.collect::<Result<_, _>>()
}

/// Makes anew what is derived from the rows.
pub(super) fn derive(tx: &Tx<'_>, sums: &[LedgerSums]) -> Result<(), DbError> {
    let is_filled = store::find_peer(tx)?.is_none_or(|peer| peer.restore.is_none());
    for outlet in store::list_outlets(tx)? {
        // Levels are the sum of a ledger that must be whole.
        if is_filled {
            let known = sums.iter().find(|sums| sums.outlet == outlet).cloned();
            let known = known.unwrap_or_else(|| LedgerSums::none(outlet));
            inventory::actions::rebuild_levels(tx, &known).map_err(DbError::unavailable)?;
        }
        inventory::actions::rebuild_needs(tx, &crate::access::Actor::system(outlet))?;
        crate::resources::menu::store::next_revision(tx, outlet)?;
        crate::resources::analytics::actions::forget_days(tx, outlet)?;
    }
    super::follow::transfers(tx, &[], &[])?;
    Ok(())
}
