//! What two boxes did with the same stock before one took over what the other had: of a batch that both sold from, what it never held is
//! sold without stock; of a deficit that both met, what was met once too often is in a batch again. Never changes how much there is.

use super::ledger::Ledger;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::Result;
use crate::resources::inventory::rules::pick::share;
use crate::resources::inventory::store::{levels, movements};
use crate::resources::outlets;

/// Posts what evens that out, beside the levels: they are made anew before it and after it. Whether there may be any.
pub(super) fn even_out(tx: &Tx<'_>, known: &levels::LedgerSums) -> Result<bool> {
    let items = levels::list_uneven(tx, known.outlet)?;
    if items.is_empty() {
        return Ok(false);
    }
    let (outlet, actor) = (outlets::store::find(tx, known.outlet)?, Actor::system(known.outlet));
    let mut ledger = Ledger::open(tx, &actor, &outlet, &items)?;
    for (item, batch, quantity, unit_cost) in levels::list_owing(tx, known)? {
        let owed = quantity.negated();
        ledger.post_settlement(item, batch, unit_cost, owed, unit_cost.cost_micros(owed)?)?;
    }
    for item in items {
        for (batch, met, unit_cost) in movements::list_settlements(tx, item)? {
            let level = ledger.level(item)?;
            let (left, cost) = (level.deficit.negated(), level.deficit_cost_micros);
            let quantity = met.min(left);
            if quantity.is_positive() {
                let booked = share(cost, quantity.get(), left.get())?;
                ledger.post_settlement(item, batch, unit_cost, quantity.negated(), booked)?;
            }
        }
    }
    ledger.write()?;
    Ok(true)
}
