//! Stock in figures: what each item's ledger moved, and what was there at the end of a day.

use super::families::STOCK;
use super::{Plan, Question};
use crate::db::{DbError, Source, list};
use crate::resources::analytics::rules::Range;
use crate::resources::analytics::rules::rows::Moved;
use std::collections::BTreeMap;
use tiffin_common::{Overflow, Quantity, UnitCost, Uuid};

fn moved(conn: &dyn Source, plan: &Plan) -> Result<BTreeMap<(Uuid, String), Moved>, DbError> {
    let found = plan.read(conn, &STOCK, &["stock_item_id", "kind"], ["quantity", "cost"], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?))
    })?;
    let moved = found.into_iter().map(|(key, [quantity, cost_micros])| {
        (key, Moved { quantity: Quantity::from_millionths(quantity), cost_micros })
    });
    Ok(moved.collect())
}

/// What each item's ledger moved, by kind of movement.
///
/// # Errors
/// A sum that leaves its range.
pub fn by_kind(conn: &dyn Source, question: &Question) -> Result<BTreeMap<(Uuid, String), Moved>, DbError> {
    moved(conn, &question.plan)
}

/// What was there of each item when the range ended: what is there now, less what has moved since. What was sold without stock
/// counts below nothing, at the cost it was booked at.
///
/// # Errors
/// A sum that leaves its range.
pub fn at_end(conn: &dyn Source, question: &Question) -> Result<BTreeMap<Uuid, Moved>, DbError> {
    let mut stock = now(conn, question.outlet.id)?;
    let today = question.today();
    let Some(next) = question.range.to.succ_opt().filter(|next| *next <= today) else { return Ok(stock) };
    let since = Plan::of(conn, question.outlet.id, Range { from: next, to: today })?;
    for ((item, _), moved) in moved(conn, &since)? {
        let level = stock.entry(item).or_default();
        *level = level.plus(moved.negated()?)?;
    }
    Ok(stock)
}

fn now(conn: &dyn Source, outlet: Uuid) -> Result<BTreeMap<Uuid, Moved>, DbError> {
    let levels = "SELECT stock_item_id, on_hand, deficit_cost_micros FROM stock_levels WHERE outlet_id = ?1";
    let mut stock = BTreeMap::new();
    for (item, quantity, deficit) in list(conn, levels, [outlet], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, Quantity>(1)?, row.get::<_, i64>(2)?))
    })? {
        stock.insert(item, Moved { quantity, cost_micros: deficit.checked_neg().ok_or(Overflow)? });
    }
    let batches = "SELECT stock_item_id, quantity, unit_cost FROM stock_batch_levels WHERE outlet_id = ?1";
    for (item, quantity, unit_cost) in list(conn, batches, [outlet], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, Quantity>(1)?, row.get::<_, UnitCost>(2)?))
    })? {
        let level: &mut Moved = stock.entry(item).or_default();
        let cost = unit_cost.cost_micros(quantity)?;
        level.cost_micros = level.cost_micros.checked_add(cost).ok_or(Overflow)?;
    }
    Ok(stock)
}
