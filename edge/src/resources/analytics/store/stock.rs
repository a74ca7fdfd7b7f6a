//! Stock in figures: what each item's ledger moved, and what was there at the end of a day.

use super::days::Plan;
use super::families::STOCK;
use super::question::Question;
use crate::db::{self, Row, Source, list};
use crate::resources::analytics::rules::Range;
use crate::resources::analytics::rules::rows::{Moved, Plus};
use crate::resources::inventory::rules::Kind;
use std::collections::BTreeMap;
use tiffin_common::{Overflow, UnitCost, Uuid};

const KEYS: [&str; 2] = ["stock_item_id", "kind"];

fn key(row: &Row<'_>) -> db::Result<(Uuid, Kind)> {
    Ok((row.get("stock_item_id")?, row.get("kind")?))
}

/// What each item's ledger moved, by kind of movement.
pub fn sum_by_kind(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<(Uuid, Kind), Moved>> {
    question.sum_by(conn, &STOCK, &KEYS, key)
}

/// What was there of each item when the range ended: what is there now, less what has moved since. What was sold without stock
/// counts below nothing, at the cost it was booked at.
pub fn sum_at_end(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<Uuid, Moved>> {
    let mut stock = sum_now(conn, question.outlet.id)?;
    let today = question.today();
    let Some(next) = question.range.to.succ_opt().filter(|next| *next <= today) else { return Ok(stock) };
    let since = Plan::find(conn, question.outlet.id, Range { from: next, to: today }, today)?;
    for ((item, _), moved) in since.sum_by::<_, Moved>(conn, &STOCK, &KEYS, key)? {
        let level = stock.entry(item).or_default();
        *level = level.plus(moved.negated()?)?;
    }
    Ok(stock)
}

fn sum_now(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, Moved>> {
    let levels = "SELECT stock_item_id, on_hand, deficit_cost_micros FROM stock_levels WHERE outlet_id = ?1";
    let levels = list(conn, levels, [outlet], |row| {
        let deficit: i64 = row.get("deficit_cost_micros")?;
        let cost_micros = deficit.checked_neg().ok_or(Overflow)?;
        Ok((row.get("stock_item_id")?, Moved { quantity: row.get("on_hand")?, cost_micros }))
    })?;
    let mut stock = BTreeMap::from_iter(levels);
    let batches = "SELECT stock_item_id, quantity, unit_cost FROM stock_batch_levels WHERE outlet_id = ?1";
    for (item, cost) in list(conn, batches, [outlet], |row| {
        let cost = row.get::<_, UnitCost>("unit_cost")?.cost_micros(row.get("quantity")?)?;
        Ok((row.get("stock_item_id")?, cost))
    })? {
        let level: &mut Moved = stock.entry(item).or_default();
        level.cost_micros = level.cost_micros.plus(cost)?;
    }
    Ok(stock)
}
