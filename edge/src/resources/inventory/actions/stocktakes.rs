//! The store is counted. A count stands beside what the ledger had at its own moment, so that what is sold while others still
//! count is no variance; a close books the differences against the stock as it then is.

use super::ledger::{Ledger, Posting};
use super::receive::receive_into;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::rules::stocktakes::{
    Correction, Count, NewStocktake, Stocktake, StocktakeLine, StocktakeScope, StocktakeStatus, Uncounted,
    lower,
};
use crate::resources::inventory::rules::{Cause, Kind, OpenBatch, Receipt, Result, StockError, units};
use crate::resources::inventory::store::{batches, items, levels, stocktakes};
use crate::resources::outlets::rules::Outlet;
use std::collections::{BTreeMap, HashSet};
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Overflow, Quantity, Uuid};

/// Opens a stocktake.
///
/// # Errors
/// Offending fields; a conflict when another open one covers an item already.
pub fn open_stocktake(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, new: &NewStocktake) -> Result<Stocktake> {
    let date = outlet.business_date(tx.now());
    let (items, category) = covered(tx, actor.outlet_id, &new.scope)?;
    let wanted: HashSet<Uuid> = items.iter().copied().collect();
    let mut taken = stocktakes::list_being_counted(tx, actor.outlet_id)?;
    taken.retain(|(item, _, _)| wanted.contains(item));
    if let Some((_, item, other)) = taken.first() {
        let more = taken.len().saturating_sub(1);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(StockError::Conflict(format!("{item}{more}: being counted in \"{other}\"")));
    }
    let name = match (&new.name, category) {
        (Some(name), _) => name.clone(),
        (None, Some(category)) => format!("{category} {date}"),
        (None, None) => format!("Stocktake {date}"),
    };
    let row = stocktakes::NewRow {
        name: &name,
        category,
        is_blind: new.is_blind,
        note: new.note.as_deref(),
        business_date: date,
        items: &items,
    };
    let id = stocktakes::insert(tx, actor, &row)?;
    find(tx, actor, id)
}

fn covered<'a>(tx: &Tx<'_>, outlet: Uuid, scope: &'a StocktakeScope) -> Result<(Vec<Uuid>, Option<&'a str>)> {
    let all = |category: Option<&str>| -> Result<Vec<Uuid>> {
        Ok(items::list(tx, outlet, category, None)?.into_iter().map(|item| item.id).collect())
    };
    let (found, category) = match scope {
        StocktakeScope::Store => (all(None)?, None),
        StocktakeScope::Category(name) => {
            let found = all(Some(name))?;
            if found.is_empty() {
                return Err(StockError::field("category", "has no items"));
            }
            (found, Some(name.as_str()))
        }
        StocktakeScope::Items(ids) => {
            let mut checks = Checks::new();
            for (i, id) in ids.iter().enumerate() {
                let known = items::find(tx, outlet, *id)?.is_some();
                checks.require(known, format!("inventoryItemIds[{i}]"), "is not an item of this outlet");
            }
            (checks.finish(ids.clone())?, None)
        }
    };
    if found.is_empty() {
        return Err(StockError::Conflict("There are no stock items to count".into()));
    }
    Ok((found, category))
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Stocktake> {
    stocktakes::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("stocktake"))
}

fn find_open(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Stocktake> {
    let found = find(tx, actor, id)?;
    match found.status {
        StocktakeStatus::Open => Ok(found),
        StocktakeStatus::Closed => Err(StockError::Conflict("The stocktake has been closed".into())),
        StocktakeStatus::Cancelled => Err(StockError::Conflict("The stocktake has been cancelled".into())),
    }
}

/// Puts counts on record, each beside what the ledger has now. A recount replaces the count before; one of the whole item
/// replaces those of its batches, and one of a batch that of the whole item. What has expired is never part of the whole: it
/// is counted by its batch.
///
/// # Errors
/// Every offending field; a conflict unless the stocktake is open.
pub fn count_stock(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    id: Uuid,
    counts: &[Count],
) -> Result<Stocktake> {
    find_open(tx, actor, id)?;
    let date = outlet.business_date(tx.now());
    let covered: HashSet<Uuid> =
        stocktakes::list_lines(tx, actor.outlet_id, id)?.into_iter().map(|line| line.stock_item_id).collect();
    let ids: Vec<Uuid> = counts.iter().map(|count| count.stock_item_id).collect();
    let levels = levels::list(tx, actor.outlet_id, &ids, date)?;
    let mut checks = Checks::new();
    let mut seen = HashSet::new();
    for (i, count) in counts.iter().enumerate() {
        let item = count.stock_item_id;
        let field = |name: &str| format!("lines[{i}].{name}");
        let (Some(level), true) = (levels.get(&item), covered.contains(&item)) else {
            checks.add(field("inventoryItemId"), "is not part of this stocktake");
            continue;
        };
        let new = seen.insert((item, count.batch_number.as_deref()));
        checks.require(new, field("inventoryItemId"), "must not repeat another line");
        let Some(counted) = converted(tx, actor.outlet_id, count, &level.unit, &field, &mut checks)? else {
            continue;
        };
        let Some(number) = &count.batch_number else {
            stocktakes::set_batches_uncounted(tx, id, item, date)?;
            stocktakes::set_count(tx, actor, id, (item, None), (level.current()?, counted))?;
            continue;
        };
        let Some(batch) = batches::find_by_number(tx, actor.outlet_id, item, number)? else {
            checks.add(field("batchNumber"), "is not a batch of this item");
            continue;
        };
        if batch.is_usable(date) {
            stocktakes::set_item_uncounted(tx, id, item)?;
        }
        stocktakes::set_count(tx, actor, id, (item, Some(batch.id)), (batch.quantity, counted))?;
    }
    checks.finish(())?;
    find(tx, actor, id)
}

/// What was counted in the item's unit; notes why there is no such.
fn converted(
    tx: &Tx<'_>,
    outlet: Uuid,
    count: &Count,
    to: &str,
    field: &impl Fn(&str) -> String,
    checks: &mut Checks,
) -> Result<Option<Quantity>> {
    let Some(unit) = &count.unit else { return Ok(Some(count.quantity)) };
    let own = items::find(tx, outlet, count.stock_item_id)?.map(|item| item.draft.unit_conversions);
    match units::convert(count.quantity, unit, to, &own.unwrap_or_default()) {
        Ok(Some(quantity)) => return Ok(Some(quantity)),
        Ok(None) => checks.add(field("unit"), format!("does not convert to {to}")),
        Err(Overflow) => checks.add(field("countedQuantity"), "is too large"),
    }
    Ok(None)
}

/// Gives a stocktake up: nothing is booked.
///
/// # Errors
/// A conflict unless it is open.
pub fn cancel_stocktake(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Stocktake> {
    find_open(tx, actor, id)?;
    stocktakes::set_ended(tx, actor, id, StocktakeStatus::Cancelled)?;
    find(tx, actor, id)
}

/// Books the differences of all counts, and of what was not counted as `uncounted` says.
///
/// # Errors
/// A conflict unless it is open.
pub fn close_stocktake(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    id: Uuid,
    uncounted: Uncounted,
) -> Result<Stocktake> {
    let stocktake = find_open(tx, actor, id)?;
    let mut by_item = BTreeMap::<Uuid, Vec<StocktakeLine>>::new();
    for line in stocktakes::list_lines(tx, actor.outlet_id, id)? {
        by_item.entry(line.stock_item_id).or_default().push(line);
    }
    let ids: Vec<Uuid> = by_item.keys().copied().collect();
    let mut closing = Closing {
        ledger: Ledger::open(tx, actor, outlet, &ids)?,
        cause: Cause::new("STOCKTAKE", Some(id)).reason(&*stocktake.name),
        line: None,
        variances: BTreeMap::new(),
    };
    for (item, lines) in &by_item {
        closing.item(*item, lines, uncounted)?;
    }
    let Closing { ledger, variances, .. } = closing;
    ledger.close()?;
    let mut total = 0i64;
    for (line, (quantity, micros)) in variances {
        total = total.checked_add(micros).ok_or(Overflow)?;
        stocktakes::set_variance(tx, line, quantity, micros)?;
    }
    stocktakes::set_closed(tx, actor, id, uncounted, total)?;
    let entry = Entry::new("inventory.stocktake", "stocktake", Some(id)).after(&serde_json::json!({
        "name": stocktake.name, "itemsCount": stocktake.items_count, "countedCount": stocktake.counted_count,
        "uncounted": uncounted, "varianceCents": micro_cents_to_cents(total)?,
    }));
    audit::actions::record(tx, actor, entry)?;
    find(tx, actor, id)
}

/// A close at work: the ledger, and what each line's correction came to.
struct Closing<'a, 'c> {
    ledger: Ledger<'a, 'c>,
    cause: Cause,
    /// The line that corrections are counted to.
    line: Option<Uuid>,
    variances: BTreeMap<Uuid, (Quantity, i64)>,
}

impl Closing<'_, '_> {
    fn item(&mut self, item: Uuid, lines: &[StocktakeLine], uncounted: Uncounted) -> Result<()> {
        let mut differences = Vec::new();
        for line in lines {
            if let Some(count) = &line.count {
                differences.push((line, count.difference()?));
                self.variances.insert(line.id, (Quantity::ZERO, 0));
            }
        }
        let whole = lines.iter().find(|line| line.batch_id.is_none());
        let rest = whole.filter(|line| line.count.is_none() && uncounted == Uncounted::Zero);
        differences.retain(|(_, delta)| *delta != Quantity::ZERO);
        if differences.is_empty() && rest.is_none() {
            return Ok(());
        }
        let (tx, date) = (self.ledger.tx, self.ledger.date);
        let rotation = self.ledger.level(item)?.rotation;
        let mut shelf = levels::list_shelf(tx, item, rotation, date, None)?;
        if let Some(line) = rest {
            self.line = Some(line.id);
            self.clear(item, &mut shelf, lines)?;
        }
        // What is missing first, so that the shelf need not know what was found.
        let (missing, found): (Vec<_>, Vec<_>) =
            differences.into_iter().partition(|(_, delta)| !delta.is_positive());
        for (line, delta) in missing {
            self.line = Some(line.id);
            self.missing(item, &mut shelf, line.batch_id, delta.negated())?;
        }
        for (line, delta) in found {
            self.line = Some(line.id);
            self.found(item, line.batch_id, delta)?;
        }
        Ok(())
    }

    fn correct(&mut self, item: Uuid, correction: Correction) -> Result<()> {
        let Correction { batch_id: batch, delta, unit_cost } = correction;
        let cost_micros = unit_cost.cost_micros(delta)?;
        let kind = Kind::Stocktake;
        let posting = Posting { item, batch, kind, delta, unit_cost, cost_micros, reverses: None };
        self.ledger.post(posting, &self.cause)?;
        self.count_in(delta, cost_micros)
    }

    fn count_in(&mut self, delta: Quantity, micros: i64) -> Result<()> {
        let Some(line) = self.line else { return Ok(()) };
        let (quantity, sum) = self.variances.entry(line).or_default();
        *quantity = quantity.plus(delta)?;
        *sum = sum.checked_add(micros).ok_or(Overflow)?;
        Ok(())
    }

    fn missing(
        &mut self,
        item: Uuid,
        shelf: &mut Vec<OpenBatch>,
        counted: Option<Uuid>,
        quantity: Quantity,
    ) -> Result<()> {
        // A counted batch that has expired is not on the shelf.
        if let Some(id) = counted
            && !shelf.iter().any(|batch| batch.id == id)
            && let Some(batch) = batches::find(self.ledger.tx, self.ledger.actor.outlet_id, id)?
        {
            shelf.push(batch.open());
        }
        let last_cost = self.ledger.level(item)?.last_unit_cost;
        for correction in lower(shelf, counted, quantity, last_cost)? {
            self.correct(item, correction)?;
        }
        Ok(())
    }

    /// More than expected: into the batch that was counted, or into the newest that may still be used, at its cost; a new one
    /// only where there is none. It meets a deficit first.
    fn found(&mut self, item: Uuid, counted: Option<Uuid>, delta: Quantity) -> Result<()> {
        let (tx, outlet) = (self.ledger.tx, self.ledger.actor.outlet_id);
        let batch = match counted {
            Some(id) => batches::find(tx, outlet, id)?,
            None => batches::find_newest_usable(tx, outlet, item, self.ledger.date)?,
        };
        let Some(batch) = batch else {
            let unit_cost = self.ledger.level(item)?.last_unit_cost;
            let receipt = Receipt {
                stock_item_id: item,
                quantity: delta,
                unit_cost,
                batch_number: None,
                expiry_date: None,
                supplier_id: None,
                kind: Kind::Stocktake,
                cause: self.cause.clone(),
            };
            receive_into(&mut self.ledger, &receipt)?;
            return self.count_in(delta, unit_cost.cost_micros(delta)?);
        };
        self.correct(item, Correction { batch_id: Some(batch.id), delta, unit_cost: batch.unit_cost })?;
        if batch.is_usable(self.ledger.date) {
            self.ledger.settle(item, batch.id, batch.unit_cost, delta)?;
        }
        Ok(())
    }

    /// Nobody has found any of it: batches that were not counted are empty, and nothing is owed.
    fn clear(&mut self, item: Uuid, shelf: &mut Vec<OpenBatch>, lines: &[StocktakeLine]) -> Result<()> {
        let counted = |batch: &OpenBatch| lines.iter().any(|line| line.batch_id == Some(batch.id));
        for batch in shelf.iter().filter(|batch| !counted(batch)) {
            let (batch_id, unit_cost) = (Some(batch.id), batch.unit_cost);
            self.correct(item, Correction { batch_id, delta: batch.quantity.negated(), unit_cost })?;
        }
        shelf.retain(counted);
        // Found and settled, so that a line that was sold without stock can still give back what it took.
        let owed = self.ledger.level(item)?.deficit;
        if owed.is_positive() { self.found(item, None, owed) } else { Ok(()) }
    }
}
