//! What two boxes did with the same stock before one took over what the other had: of a batch that both sold from, what it never held is
//! sold without stock; of a deficit that both met, what was met once too often is in a batch again. Never changes how much there is.

use super::ledger::{Ledger, Posting};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::pick::share;
use crate::resources::inventory::rules::{Cause, Kind, Result};
use crate::resources::inventory::store::{levels, movements};
use crate::resources::outlets;
use std::collections::BTreeSet;
use tiffin_common::{Quantity, UnitCost, Uuid};

/// Posts what evens that out, beside the levels: they are made anew after it. Whether there was any.
pub(super) fn even_out(tx: &Tx<'_>, known: &levels::LedgerSums) -> Result<bool> {
    let (owing, met_twice) = (levels::list_owing(tx, known)?, levels::list_met_twice(tx, known.outlet)?);
    let items: BTreeSet<Uuid> = owing.iter().map(|(item, ..)| *item).chain(met_twice).collect();
    if items.is_empty() {
        return Ok(false);
    }
    let (outlet, actor) = (outlets::store::find(tx, known.outlet)?, Actor::system(known.outlet));
    let mut ledger = Ledger::open(tx, &actor, &outlet, &Vec::from_iter(items.iter().copied()))?;
    for (item, batch, quantity, unit_cost) in owing {
        let booked = unit_cost.cost_micros(quantity.negated())?;
        give_back(&mut ledger, item, batch, (quantity, unit_cost), booked)?;
    }
    for item in items {
        for (batch, met, unit_cost) in movements::list_settlements(tx, item)? {
            let level = ledger.level(item)?;
            let (left, cost) = (level.deficit.negated(), level.deficit_cost_micros);
            let quantity = met.min(left);
            if quantity.is_positive() {
                let booked = share(cost, quantity.get(), left.get())?;
                give_back(&mut ledger, item, batch, (quantity, unit_cost), booked)?;
            }
        }
    }
    ledger.write()?;
    Ok(true)
}

/// A pair of movements, as a settlement the other way round: `batch` has that much more at its cost, and the item owes that much, booked at
/// `booked` millionths of a cent, with the sign of what is taken.
fn give_back(
    ledger: &mut Ledger<'_, '_>,
    item: Uuid,
    batch: Uuid,
    (quantity, unit_cost): (Quantity, UnitCost),
    booked: i64,
) -> Result<()> {
    let cause = Cause::new("SETTLEMENT", Some(batch));
    ledger.post_at_cost(item, Some(batch), Kind::Settlement, quantity, unit_cost, &cause)?;
    let owed = Posting {
        item,
        batch: None,
        kind: Kind::Settlement,
        delta: quantity.negated(),
        unit_cost,
        cost_micros: booked,
        reverses: None,
    };
    ledger.post(owed, &cause)
}
