//! What an order line took comes back to its own batches, or is thrown away. Each portion once: what came back is counted
//! against the very movements that took it.

use super::ledger::{Ledger, Posting};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::pick::share;
use crate::resources::inventory::rules::waste::CAUSE;
use crate::resources::inventory::rules::{Cause, Kind, MadeDish, Portions, Result, WasteLog, WasteReason};
use crate::resources::inventory::store::movements::{Taken, list_taken_by_line};
use crate::resources::inventory::store::{self, batches, movements};
use crate::resources::outlets::rules::Outlet;
use std::collections::BTreeMap;
use tiffin_common::{Overflow, Quantity, UnitCost, Uuid};

/// Gives the ingredients of some portions of a line back to the batches they came from. The last portion takes the exact
/// rest; a line that holds nothing any more gives nothing.
pub fn return_line(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    portions: Portions,
    cause: &Cause,
) -> Result<()> {
    let taken = list_taken_by_line(tx, actor.outlet_id, portions.order_item_id)?;
    let mut ledger = open(tx, actor, outlet, &taken)?;
    for part in parts(&taken, portions)? {
        let cause = of_line(cause, portions, part.order_id);
        give_back(&mut ledger, &part, Kind::Return, &cause)?;
    }
    ledger.close().map(drop)
}

/// Gives back what a movement took, to the batch it came from; what was taken without stock lessens the deficit.
pub(super) fn give_back(ledger: &mut Ledger<'_, '_>, part: &Taken, kind: Kind, cause: &Cause) -> Result<()> {
    match part.batch {
        Some(batch) => {
            post_back(ledger, part, Some(batch), part.quantity, part.cost_micros, kind, cause)?;
            settle_from(ledger, part, batch)
        }
        None => return_deficit(ledger, part, kind, cause),
    }
}

/// Throws away the ingredients of some portions of a line that were made: they leave the order's cost and become an entry of
/// waste, from the same batches at the same cost. The levels do not change. A dish that took nothing leaves no entry. Answers what
/// they had cost, in millionths of a cent.
pub fn waste_line(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    made: &MadeDish<'_>,
    cause: &Cause,
) -> Result<i64> {
    let portions = made.portions;
    let taken = list_taken_by_line(tx, actor.outlet_id, portions.order_item_id)?;
    let mut ledger = open(tx, actor, outlet, &taken)?;
    let parts = parts(&taken, portions)?;
    if parts.is_empty() {
        return Ok(0);
    }
    let id = tx.new_id();
    let thrown_away = Cause::new(CAUSE, Some(id)).reason(WasteReason::VoidAfterPrep.name());
    let mut cost_micros = 0i64;
    for part in &parts {
        let cause = of_line(cause, portions, part.order_id);
        // The pair moves the level up and down again, so the batch (or the deficit) need not have room for it.
        post_back(&mut ledger, part, part.batch, part.quantity, part.cost_micros, Kind::Return, &cause)?;
        let posting = Posting {
            item: part.item,
            batch: part.batch,
            kind: Kind::Waste,
            delta: part.quantity.negated(),
            unit_cost: part.unit_cost,
            cost_micros: part.cost_micros.checked_neg().ok_or(Overflow)?,
            reverses: None,
        };
        ledger.post(posting, &of_line(&thrown_away, portions, part.order_id))?;
        cost_micros = cost_micros.checked_add(part.cost_micros).ok_or(Overflow)?;
    }
    let log = entry(&ledger, id, made, parts.first().and_then(|part| part.order_id), cost_micros)?;
    ledger.close()?;
    store::waste::insert(tx, actor.outlet_id, &log)?;
    Ok(cost_micros)
}

fn entry(
    ledger: &Ledger<'_, '_>,
    id: Uuid,
    made: &MadeDish<'_>,
    order_id: Option<Uuid>,
    cost_micros: i64,
) -> Result<WasteLog> {
    let (quantity, unit) = made.amount()?;
    Ok(WasteLog {
        id,
        stock_item_id: None,
        menu_item_id: Some(made.menu_item_id),
        variant_id: made.variant_id,
        name: made.name.to_owned(),
        quantity,
        unit: unit.to_owned(),
        batch_number: None,
        reason: WasteReason::VoidAfterPrep,
        note: None,
        station_id: made.station_id,
        order_id,
        order_item_id: Some(made.order_item_id),
        cost_micros,
        business_date: ledger.date,
        at: ledger.tx.now(),
        by_id: ledger.actor.account_id,
        by_name: ledger.actor.name.clone(),
        clock_suspect: ledger.tx.is_clock_doubtful(),
        reversed_at: None,
        reversed_by_name: None,
        reversal_reason: None,
    })
}

fn open<'a, 'c>(
    tx: &'a Tx<'c>,
    actor: &'a Actor,
    outlet: &'a Outlet,
    taken: &[Taken],
) -> Result<Ledger<'a, 'c>> {
    let mut items: Vec<Uuid> = taken.iter().map(|t| t.item).collect();
    items.sort_unstable();
    items.dedup();
    Ledger::open(tx, actor, outlet, &items)
}

/// The share of each movement that belongs to the portions. The shares of one item are cut from the share of their sum: rounded one by
/// one they would not add up to it.
fn parts(taken: &[Taken], portions: Portions) -> Result<Vec<Taken>> {
    let mut parts = Vec::with_capacity(taken.len());
    if portions.quantity <= 0 || portions.outstanding <= 0 {
        return Ok(parts);
    }
    let all = portions.quantity >= portions.outstanding;
    let mut sums: BTreeMap<Uuid, i64> = BTreeMap::new();
    for t in taken.iter().filter(|t| t.quantity.is_positive()) {
        let before = sums.entry(t.item).or_default();
        let sum = before.checked_add(t.quantity.get()).ok_or(Overflow)?;
        let up_to = |sum: i64| share(sum, portions.quantity, portions.outstanding);
        let quantity =
            Quantity::from_millionths(up_to(sum)?).minus(Quantity::from_millionths(up_to(*before)?))?;
        *before = sum;
        let cost_micros =
            if all || quantity == t.quantity { t.cost_micros } else { t.unit_cost.cost_micros(quantity)? };
        if quantity.is_positive() {
            parts.push(Taken { quantity, cost_micros, ..t.clone() });
        }
    }
    // What was sold without stock first: it lessens the deficit, which then need not be met from what comes back.
    parts.sort_by_key(|part| part.batch.is_some());
    Ok(parts)
}

fn of_line(cause: &Cause, portions: Portions, order_id: Option<Uuid>) -> Cause {
    Cause {
        order_id: cause.order_id.or(order_id),
        order_item_id: Some(portions.order_item_id),
        ..cause.clone()
    }
}

fn post_back(
    ledger: &mut Ledger<'_, '_>,
    part: &Taken,
    batch: Option<Uuid>,
    quantity: Quantity,
    cost_micros: i64,
    kind: Kind,
    cause: &Cause,
) -> Result<()> {
    let posting = Posting {
        item: part.item,
        batch,
        kind,
        delta: quantity,
        unit_cost: part.unit_cost,
        cost_micros,
        reverses: Some(part.id),
    };
    ledger.post(posting, cause)
}

/// What came back to a usable batch meets what others sold without stock meanwhile.
fn settle_from(ledger: &mut Ledger<'_, '_>, part: &Taken, batch: Uuid) -> Result<()> {
    if !ledger.level(part.item)?.deficit.is_positive() {
        return Ok(());
    }
    let Some(found) = batches::find(ledger.tx, ledger.actor.outlet_id, batch)? else { return Ok(()) };
    if found.is_usable(ledger.date) {
        ledger.settle(part.item, batch, found.unit_cost, part.quantity)?;
    }
    Ok(())
}

/// What was sold without stock comes back: first it lessens the deficit; what a receipt has met since goes to the batches
/// that met it, at what they cost, the latest first.
fn return_deficit(ledger: &mut Ledger<'_, '_>, part: &Taken, kind: Kind, cause: &Cause) -> Result<()> {
    let open = part.quantity.min(ledger.level(part.item)?.deficit.max(Quantity::ZERO));
    let mut left = part.quantity.minus(open)?;
    if open.is_positive() {
        let cost = if left.is_positive() { part.unit_cost.cost_micros(open)? } else { part.cost_micros };
        post_back(ledger, part, None, open, cost, kind, cause)?;
    }
    if !left.is_positive() {
        return Ok(());
    }
    ledger.write()?;
    let settled: Vec<(Uuid, Quantity, UnitCost)> = movements::list_settlements(ledger.tx, part.item)?;
    let last = settled.len().saturating_sub(1);
    for (i, (batch, met, unit_cost)) in settled.into_iter().enumerate() {
        let quantity = if i == last { left } else { left.min(met) };
        if quantity.is_positive() {
            let at_cost = Taken { unit_cost, ..part.clone() };
            let cost = unit_cost.cost_micros(quantity)?;
            post_back(ledger, &at_cost, Some(batch), quantity, cost, kind, cause)?;
            left = left.minus(quantity)?;
        }
    }
    Ok(())
}
