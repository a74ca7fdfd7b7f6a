//! Order lines take their ingredients: recipes expanded, batches picked, all in memory first; then everything is written.

use super::ledger::Ledger;
use crate::access::Actor;
use crate::db::{Source, Tx};
use crate::resources::inventory::rules::making::{self, Portion};
use crate::resources::inventory::rules::pick::take;
use crate::resources::inventory::rules::recipe::Target;
use crate::resources::inventory::rules::units::Ratio;
use crate::resources::inventory::rules::{Cause, Kind, OpenBatch, Result, Shortage, StockError, Taking, Use};
use crate::resources::inventory::store::{levels, recipes};
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use chrono::NaiveDate;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tiffin_common::{Quantity, Uuid};

/// What one line needs of one item.
pub(super) struct Need {
    pub(super) line: usize,
    pub(super) item: Uuid,
    pub(super) quantity: Quantity,
}

/// Takes the ingredients of `lines` out of stock, earliest expiry (or arrival) first; of what is made ahead what there is of it, the
/// ingredients for the rest. A dish without a recipe takes nothing. What is missing is kept as a deficit at the last cost, or refused,
/// as the outlet's stock policy says.
///
/// # Errors
/// [`StockError::Short`] with every line that stock does not suffice for (policy BLOCK): nothing is then taken.
pub fn deduct(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, order_id: Uuid, lines: &[Use<'_>]) -> Result<()> {
    let needs = needs_of(tx, outlet, lines)?;
    if needs.is_empty() {
        return Ok(());
    }
    let mut ledger = open(tx, actor, outlet, &needs, None)?;
    let index = |line: usize| lines.get(line).map_or(line, |line| line.index);
    for (line, item, taking) in take_out(&mut ledger, &needs, &index, outlet.stock_policy)? {
        let order_item_id = lines.get(line).map(|line| line.order_item_id);
        let cause = Cause { order_id: Some(order_id), order_item_id, ..Cause::new("ORDER", Some(order_id)) };
        let delta = taking.quantity.negated();
        ledger.post_at_cost(item, taking.batch_id, Kind::Sale, delta, taking.unit_cost, &cause)?;
    }
    ledger.close().map(drop)
}

/// The levels of what is needed, and of `also`.
pub(super) fn open<'a, 'c>(
    tx: &'a Tx<'c>,
    actor: &'a Actor,
    outlet: &'a Outlet,
    needs: &[Need],
    also: Option<Uuid>,
) -> Result<Ledger<'a, 'c>> {
    let items: BTreeSet<Uuid> = needs.iter().map(|need| need.item).chain(also).collect();
    Ledger::open(tx, actor, outlet, &Vec::from_iter(items))
}

/// Which batch gives what to which line; notes which batches keep something. `index` says which of the request a line is.
pub(super) fn take_out(
    ledger: &mut Ledger<'_, '_>,
    needs: &[Need],
    index: &dyn Fn(usize) -> usize,
    policy: StockPolicy,
) -> Result<Vec<(usize, Uuid, Taking)>> {
    let mut totals = BTreeMap::<Uuid, Quantity>::new();
    for need in needs {
        let total = totals.entry(need.item).or_default();
        *total = total.plus(need.quantity)?;
    }
    let mut shelves = BTreeMap::<Uuid, Vec<OpenBatch>>::new();
    for (item, total) in totals {
        let rotation = ledger.level(item)?.rotation;
        shelves.insert(item, levels::list_shelf(ledger.tx, item, rotation, ledger.date, Some(total))?);
    }
    let plan = plan(ledger, &mut shelves, needs, index, policy)?;
    for batch in shelves.values().flatten().filter(|batch| batch.quantity.is_positive()) {
        ledger.keeps(batch.id);
    }
    Ok(plan)
}

fn needs_of(tx: &Tx<'_>, outlet: &Outlet, lines: &[Use<'_>]) -> Result<Vec<Need>> {
    let mut prepared = Prepared::new(tx, outlet.business_date(tx.now()));
    let mut needs = Vec::new();
    for (line, used) in lines.iter().enumerate() {
        let portions = Ratio::ONE.times_count(used.quantity)?;
        let weighed = used.weight.map_or(Ok(Ratio::ONE), Ratio::units)?.times(portions)?;
        let mut parts = vec![(dish_portion(tx, outlet.id, used)?, weighed)];
        for option in used.option_ids {
            parts.push((find_portion(tx, outlet.id, Target::Option(*option), used)?, portions));
        }
        let known = parts.iter().filter_map(|(known, count)| Some((known.0.as_ref()?, *count)));
        let parts: Vec<(&Portion, Ratio)> = known.collect();
        for (item, quantity) in making::needs_of(&parts, &mut |item, most| prepared.give(item, most))? {
            needs.push(Need { line, item, quantity });
        }
    }
    Ok(needs)
}

/// What is made ahead and may still be used, as it is given out. Reads each item once, and changes nothing but what it remembers.
pub(super) struct Prepared<'a> {
    conn: &'a dyn Source,
    date: NaiveDate,
    left: BTreeMap<Uuid, Quantity>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(conn: &'a dyn Source, date: NaiveDate) -> Self {
        Prepared { conn, date, left: BTreeMap::new() }
    }

    /// As much of the item as there is, and no more than `most`.
    pub(super) fn give(&mut self, item: Uuid, most: Quantity) -> Result<Quantity> {
        let left = match self.left.get(&item) {
            Some(left) => *left,
            None => levels::sum_shelf(self.conn, item, self.date)?,
        };
        let given = most.min(left);
        self.left.insert(item, left.minus(given)?);
        Ok(given)
    }
}

/// What one portion of a dish, or one choice of an option, takes; none without a recipe.
#[derive(Debug, PartialEq)]
struct Known(Option<Portion>);

/// What a portion takes: by the variant's recipe, else by the dish's.
fn dish_portion(tx: &Tx<'_>, outlet: Uuid, used: &Use<'_>) -> Result<Arc<Known>> {
    if let Some(variant) = used.variant_id {
        let own = find_portion(tx, outlet, Target::Dish(variant), used)?;
        if own.0.is_some() {
            return Ok(own);
        }
    }
    find_portion(tx, outlet, Target::Dish(used.menu_item_id), used)
}

fn find_portion(tx: &Tx<'_>, outlet: Uuid, target: Target, used: &Use<'_>) -> Result<Arc<Known>> {
    let (Target::Dish(id) | Target::Option(id)) = target else { return Ok(Arc::new(Known(None))) };
    tx.keep(id, || {
        let Some((root, book)) = recipes::find_book(tx, outlet, &target)? else {
            return Ok(Known(None));
        };
        making::portion(&book, root).map(|portion| Known(Some(portion))).map_err(|fault| {
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
    index: &dyn Fn(usize) -> usize,
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
                let index = index(need.line);
                match short.last_mut() {
                    Some(last) if last.index == index => last.missing.push(level.name.clone()),
                    _ => short.push(Shortage { index, missing: vec![level.name.clone()] }),
                }
            }
        }
    }
    if short.is_empty() { Ok(plan) } else { Err(StockError::Short(short)) }
}
