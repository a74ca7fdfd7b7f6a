//! Order lines take their ingredients: recipes expanded, batches picked, all in memory first; then everything is written.

use super::ledger::Ledger;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::pick::take;
use crate::resources::inventory::rules::recipe::{self, Needs, Target};
use crate::resources::inventory::rules::{Cause, Kind, OpenBatch, Result, Shortage, StockError, Taking, Use};
use crate::resources::inventory::store::{levels, recipes};
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use std::collections::BTreeMap;
use std::sync::Arc;
use tiffin_common::{Quantity, Uuid};

/// What one line needs of one item.
struct Need {
    line: usize,
    item: Uuid,
    quantity: Quantity,
}

/// Takes the ingredients of `lines` out of stock, earliest expiry (or arrival) first. A dish without a recipe takes nothing.
/// What is missing is kept as a deficit at the last cost, or refused, as the outlet's stock policy says.
///
/// # Errors
/// [`StockError::Short`] with every line that stock does not suffice for (policy BLOCK): nothing is then taken.
pub fn deduct(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, order_id: Uuid, lines: &[Use<'_>]) -> Result<()> {
    let needs = needs_of(tx, actor.outlet_id, lines)?;
    let mut totals = BTreeMap::<Uuid, Quantity>::new();
    for need in &needs {
        let total = totals.entry(need.item).or_default();
        *total = total.plus(need.quantity)?;
    }
    if totals.is_empty() {
        return Ok(());
    }
    let items: Vec<Uuid> = totals.keys().copied().collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let mut shelves = BTreeMap::<Uuid, Vec<OpenBatch>>::new();
    for (item, total) in totals {
        let rotation = ledger.level(item)?.rotation;
        shelves.insert(item, levels::list_shelf(tx, item, rotation, ledger.date, Some(total))?);
    }
    let plan = plan(&ledger, &mut shelves, &needs, lines, outlet.stock_policy)?;
    for batch in shelves.values().flatten().filter(|batch| batch.quantity.is_positive()) {
        ledger.keeps(batch.id);
    }
    for (line, item, taking) in plan {
        let order_item_id = lines.get(line).map(|line| line.order_item_id);
        let cause = Cause { order_id: Some(order_id), order_item_id, ..Cause::new("ORDER", Some(order_id)) };
        let delta = taking.quantity.negated();
        ledger.post_at_cost(item, taking.batch_id, Kind::Sale, delta, taking.unit_cost, &cause)?;
    }
    ledger.close().map(drop)
}

fn needs_of(tx: &Tx<'_>, outlet: Uuid, lines: &[Use<'_>]) -> Result<Vec<Need>> {
    let mut needs = Vec::new();
    for (line, used) in lines.iter().enumerate() {
        let mut parts = vec![dish_portion(tx, outlet, used)?];
        for option in used.option_ids {
            parts.push(find_portion(tx, outlet, Target::Option(*option), used)?);
        }
        let parts: Vec<&Needs> = parts.iter().filter_map(|portion| portion.0.as_ref()).collect();
        for (item, quantity) in recipe::line_needs(&parts, used.quantity)? {
            needs.push(Need { line, item, quantity });
        }
    }
    Ok(needs)
}

/// What one portion of a dish, or one choice of an option, takes; none without a recipe.
#[derive(Debug, PartialEq)]
struct Portion(Option<Needs>);

/// What a portion takes: by the variant's recipe, else by the dish's.
fn dish_portion(tx: &Tx<'_>, outlet: Uuid, used: &Use<'_>) -> Result<Arc<Portion>> {
    if let Some(variant) = used.variant_id {
        let own = find_portion(tx, outlet, Target::Dish(variant), used)?;
        if own.0.is_some() {
            return Ok(own);
        }
    }
    find_portion(tx, outlet, Target::Dish(used.menu_item_id), used)
}

fn find_portion(tx: &Tx<'_>, outlet: Uuid, target: Target, used: &Use<'_>) -> Result<Arc<Portion>> {
    let (Target::Dish(id) | Target::Option(id)) = target else { return Ok(Arc::new(Portion(None))) };
    tx.keep(id, || {
        let Some((root, book)) = recipes::find_book(tx, outlet, &target)? else {
            return Ok(Portion(None));
        };
        recipe::expand(&book, root).map(|needs| Portion(Some(needs))).map_err(|fault| {
            tracing::error!(%fault, recipe = %root, "a stored recipe cannot be computed");
            StockError::field(format!("items[{}].menuItemId", used.index), format!("its recipe {fault}"))
        })
    })
}

/// Which batch gives what to which line. Changes nothing but the shelves in memory.
fn plan(
    ledger: &Ledger<'_, '_>,
    shelves: &mut BTreeMap<Uuid, Vec<OpenBatch>>,
    needs: &[Need],
    lines: &[Use<'_>],
    policy: StockPolicy,
) -> Result<Vec<(usize, Uuid, Taking)>> {
    let mut plan = Vec::with_capacity(needs.len());
    let mut short: Vec<Shortage> = Vec::new();
    for need in needs {
        let shelf = shelves.entry(need.item).or_default();
        let (takings, missing) = take(shelf, need.quantity)?;
        plan.extend(takings.into_iter().map(|taking| (need.line, need.item, taking)));
        if !missing.is_positive() {
            continue;
        }
        let level = ledger.level(need.item)?;
        match policy {
            StockPolicy::AllowNegative => {
                let taking = Taking { batch_id: None, quantity: missing, unit_cost: level.last_unit_cost };
                plan.push((need.line, need.item, taking));
            }
            StockPolicy::Block => {
                let index = lines.get(need.line).map_or(need.line, |line| line.index);
                match short.last_mut() {
                    Some(last) if last.index == index => last.missing.push(level.name.clone()),
                    _ => short.push(Shortage { index, missing: vec![level.name.clone()] }),
                }
            }
        }
    }
    if short.is_empty() { Ok(plan) } else { Err(StockError::Short(short)) }
}
