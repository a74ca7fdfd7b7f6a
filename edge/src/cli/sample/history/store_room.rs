//! The storekeeper's morning: what has expired goes, what is short comes.

use super::Branch;
use crate::access::Role;
use crate::cli::sample::dice::Dice;
use crate::cli::sample::seed::{SampleError, expiry, making};
use crate::db::Transaction;
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::{Adjustment, Amount, Cause, Kind, Receipt};
use crate::resources::inventory::store::levels;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Quantity, UnitCost, Uuid};

/// Takes out of stock every batch whose last day has passed.
pub(super) fn throw_away_expired(
    branch: &Branch,
    tx: &Transaction<'_>,
    date: NaiveDate,
) -> Result<(), SampleError> {
    let outlet = &branch.seeded.outlet;
    let actor = branch.seeded.actor(Role::Storekeeper);
    for (item, batch_number, batch) in levels::all_open(tx, outlet.id, None).map_err(making("stock"))? {
        if batch.expiry_date.is_none_or(|last| last >= date) {
            continue;
        }
        let gone = Adjustment {
            stock_item_id: item,
            batch_number: Some(batch_number),
            amount: Amount::Delta(batch.quantity.negated()),
            unit: None,
            unit_cost: None,
            expiry_date: None,
            reason: "EXPIRED".into(),
            note: None,
        };
        actions::adjust(tx, &actor, outlet, &gone).map_err(making("what has expired"))?;
    }
    Ok(())
}

/// Fills up to par what is low or half gone, at today's price.
pub(super) fn restock(
    branch: &Branch,
    tx: &Transaction<'_>,
    date: NaiveDate,
    day: u32,
) -> Result<(), SampleError> {
    let outlet = &branch.seeded.outlet;
    let actor = branch.seeded.actor(Role::Storekeeper);
    let mut dice = Dice::new(branch.seed, 1 << 32 | u64::from(day));
    let mut usable: BTreeMap<Uuid, Quantity> = BTreeMap::new();
    for (item, _, batch) in levels::all_open(tx, outlet.id, None).map_err(making("stock"))? {
        if batch.expiry_date.is_none_or(|last| last >= date) {
            let sum = usable.entry(item).or_default();
            *sum = sum.plus(batch.quantity)?;
        }
    }
    let deficits = levels::deficits(tx, outlet.id).map_err(making("stock"))?;
    for (item, id) in branch.restaurant.stock_items.iter().zip(&branch.seeded.stock_items) {
        // Thrown for every item, so that one item's stock does not shift another's price.
        let per_mille = i64::from(dice.between(965, 1045));
        let deficit = deficits.get(id).copied().unwrap_or_default();
        let there = usable.get(id).copied().unwrap_or_default().minus(deficit)?;
        if there > item.min_stock_threshold && there > item.par_level.ratio(1, 2)? {
            continue;
        }
        let Some(last) = item.batches.last() else { continue };
        let cost = Quantity::from_millionths(last.unit_cost_cents.get()).ratio(per_mille, 1000)?;
        let receipt = Receipt {
            stock_item_id: *id,
            quantity: whole(item.par_level.minus(there)?, &item.unit)?,
            unit_cost: UnitCost::from_millionths(cost.get()),
            batch_number: None,
            expiry_date: expiry(date, last.shelf_life_days),
            supplier_id: branch.seeded.suppliers.get(&item.supplier).copied(),
            kind: Kind::Receipt,
            cause: Cause::new("DELIVERY", None),
        };
        actions::receive(tx, &actor, outlet, &receipt).map_err(making(&item.name))?;
    }
    Ok(())
}

/// What a supplier delivers: whole grams, millilitres and pieces, tenths of kilos and litres.
fn whole(quantity: Quantity, unit: &str) -> Result<Quantity, SampleError> {
    let step = if matches!(unit, "kg" | "l") { 100_000 } else { 1_000_000 };
    let steps = quantity.get().max(1).saturating_add(step - 1) / step;
    Ok(Quantity::from_millionths(step).times(steps)?)
}
