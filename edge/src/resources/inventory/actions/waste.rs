//! What is thrown away by hand, and a wrong entry undone. Never throws away what is not there.

use super::deduct::Prepared;
use super::ledger::Ledger;
use super::returns::give_back;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::rules::pick::take;
use crate::resources::inventory::rules::recipe::Target;
use crate::resources::inventory::rules::units::Ratio;
use crate::resources::inventory::rules::waste::CAUSE;
use crate::resources::inventory::rules::{
    Cause, Kind, OpenBatch, Result, StockError, StockItem, Taking, Waste, WasteLog, WasteReason, Wasted,
    making, units,
};
use crate::resources::inventory::store::{batches, items, levels, recipes, waste};
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use tiffin_common::{Quantity, Uuid};

/// What is taken of one item, and the batches it may come from in their order.
struct Need {
    item: Uuid,
    quantity: Quantity,
    shelf: Vec<OpenBatch>,
}

/// What an entry says beside its movements.
struct Head {
    name: String,
    unit: String,
    needs: Vec<Need>,
}

/// Throws something away: a stock item, or a dish by its recipe.
///
/// # Errors
/// Offending fields: something unknown, a dish without a recipe, more than there is.
pub fn log_waste(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, draft: &Waste) -> Result<WasteLog> {
    let date = outlet.business_date(tx.now());
    let head = match &draft.what {
        Wasted::Item { id, unit, batch_number } => {
            of_item(tx, actor.outlet_id, date, draft, *id, unit.as_deref(), batch_number.as_deref())?
        }
        Wasted::Dish { id, variant_id, name, unit, .. } => {
            of_dish(tx, actor.outlet_id, date, draft, (*id, *variant_id), (name, unit))?
        }
    };
    let items: Vec<Uuid> = head.needs.iter().map(|need| need.item).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let takings = pick(&ledger, head.needs, draft)?;
    let id = tx.new_id();
    let cause = Cause { note: draft.note.clone(), ..Cause::new(CAUSE, Some(id)) };
    let cause = cause.reason(draft.reason.name());
    let mut cost_micros = 0i64;
    for (item, taking) in takings {
        let cost = taking.unit_cost.cost_micros(taking.quantity)?;
        cost_micros = cost_micros.checked_add(cost).ok_or(tiffin_common::Overflow)?;
        let delta = taking.quantity.negated();
        ledger.post_at_cost(item, taking.batch_id, Kind::Waste, delta, taking.unit_cost, &cause)?;
    }
    ledger.close()?;
    let log = entry(tx, actor, date, id, draft, (head.name, head.unit), cost_micros);
    waste::insert(tx, actor.outlet_id, &log)?;
    Ok(log)
}

fn of_item(
    tx: &Tx<'_>,
    outlet: Uuid,
    date: NaiveDate,
    draft: &Waste,
    id: Uuid,
    unit: Option<&str>,
    batch_number: Option<&str>,
) -> Result<Head> {
    let item = items::find(tx, outlet, id)?
        .ok_or_else(|| StockError::field("inventoryItemId", "is not an item of this outlet"))?;
    let unit = units::normal(unit.unwrap_or(&item.draft.unit));
    let mut checks = Checks::new();
    let converted = units::convert(draft.quantity, &unit, &item.draft.unit, &item.draft.unit_conversions);
    let quantity = match converted {
        Ok(Some(quantity)) => quantity,
        Ok(None) => {
            checks.add("unit", format!("does not convert to {}", item.draft.unit));
            Quantity::ZERO
        }
        Err(_) => {
            checks.add("quantity", "is too large");
            Quantity::ZERO
        }
    };
    if checks.is_empty() {
        checks.require(quantity.is_positive(), "quantity", "must be more than 0");
    }
    let shelf = match batch_number {
        None => shelf_of(tx, outlet, date, &item, quantity, draft.reason)?,
        Some(number) => match batches::find_by_number(tx, outlet, id, number)? {
            Some(batch) => vec![batch.open()],
            None => {
                checks.add("batchNumber", "is not a batch of this item");
                Vec::new()
            }
        },
    };
    let name = item.draft.name;
    Ok(checks.finish(Head { name, unit, needs: vec![Need { item: id, quantity, shelf }] })?)
}

/// The batches it may come from: for what has expired, the expired ones first.
fn shelf_of(
    tx: &Tx<'_>,
    outlet: Uuid,
    date: NaiveDate,
    item: &StockItem,
    quantity: Quantity,
    reason: WasteReason,
) -> Result<Vec<OpenBatch>> {
    let mut shelf = match reason {
        WasteReason::Expired => batches::list_expired(tx, outlet, item.id, date)?,
        _ => Vec::new(),
    };
    shelf.extend(levels::list_shelf(tx, item.id, item.draft.rotation, date, Some(quantity))?);
    Ok(shelf)
}

fn of_dish(
    tx: &Tx<'_>,
    outlet: Uuid,
    date: NaiveDate,
    draft: &Waste,
    (id, variant): (Uuid, Option<Uuid>),
    (name, unit): (&str, &str),
) -> Result<Head> {
    let own = variant.map(|id| recipes::find_book(tx, outlet, &Target::Dish(id))).transpose()?.flatten();
    let of_dish = || recipes::find_book(tx, outlet, &Target::Dish(id));
    let (root, book) = own
        .map_or_else(of_dish, |own| Ok(Some(own)))?
        .ok_or_else(|| StockError::field("menuItemId", "has no recipe: name the stock item"))?;
    let portion = making::portion(&book, root)
        .map_err(|fault| StockError::field("menuItemId", format!("its recipe {fault}")))?;
    let mut needs = Vec::new();
    let (mut prepared, portions) = (Prepared::new(tx, date), Ratio::units(draft.quantity)?);
    let give = &mut |item, most| prepared.give(item, most);
    for (item, quantity) in making::needs_of::<StockError>(&[(&portion, portions)], give)? {
        let found = items::find(tx, outlet, item)?.ok_or(StockError::NotFound("inventory item"))?;
        let shelf = levels::list_shelf(tx, item, found.draft.rotation, date, Some(quantity))?;
        needs.push(Need { item, quantity, shelf });
    }
    if needs.is_empty() {
        return Err(StockError::field("quantity", "is too little to take anything out of stock"));
    }
    Ok(Head { name: name.to_owned(), unit: unit.to_owned(), needs })
}

/// What each item gives; a refusal names all that there is too little of.
fn pick(ledger: &Ledger<'_, '_>, needs: Vec<Need>, draft: &Waste) -> Result<Vec<(Uuid, Taking)>> {
    let (mut all, mut short) = (Vec::new(), Vec::new());
    for mut need in needs {
        let (takings, missing) = take(&mut need.shelf, need.quantity)?;
        if missing.is_positive() {
            let level = ledger.level(need.item)?;
            let there = need.quantity.minus(missing)?;
            short.push(format!("{there} {} {}", level.unit, level.name));
        }
        all.extend(takings.into_iter().map(|taking| (need.item, taking)));
    }
    if short.is_empty() {
        return Ok(all);
    }
    let reason = format!("is more than there is: only {} could be thrown away", short.join(", "));
    let hint = if draft.reason == WasteReason::Expired || matches!(draft.what, Wasted::Dish { .. }) {
        ""
    } else {
        " (what has expired goes by its batchNumber, or with the reason EXPIRED)"
    };
    Err(StockError::field("quantity", format!("{reason}{hint}")))
}

fn entry(
    tx: &Tx<'_>,
    actor: &Actor,
    date: NaiveDate,
    id: Uuid,
    draft: &Waste,
    (name, unit): (String, String),
    cost_micros: i64,
) -> WasteLog {
    let (item, dish, variant_id, batch, station) = match &draft.what {
        Wasted::Item { id, batch_number, .. } => (Some(*id), None, None, batch_number.clone(), None),
        Wasted::Dish { id, variant_id, station_id, .. } => (None, Some(*id), *variant_id, None, *station_id),
    };
    WasteLog {
        id,
        stock_item_id: item,
        menu_item_id: dish,
        variant_id,
        name,
        quantity: draft.quantity,
        unit,
        batch_number: batch,
        reason: draft.reason,
        note: draft.note.clone(),
        station_id: station,
        order_id: None,
        order_item_id: None,
        cost_micros,
        business_date: date,
        at: tx.now(),
        by_id: actor.account_id,
        by_name: actor.name.clone(),
        clock_suspect: tx.is_clock_doubtful(),
        reversed_at: None,
        reversed_by_name: None,
        reversal_reason: None,
    }
}

/// Undoes an entry that was wrong: each quantity goes back to the batch it came from, once, on the date of the correction.
/// The entry stays.
///
/// # Errors
/// No such entry; a conflict when it has been undone already.
pub fn reverse_waste(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    id: Uuid,
    reason: &str,
) -> Result<WasteLog> {
    let log = waste::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("waste log"))?;
    if log.reversed_at.is_some() {
        return Err(StockError::Conflict("The entry has been reversed already".into()));
    }
    let taken = waste::list_taken(tx, actor.outlet_id, &log)?;
    let items: Vec<Uuid> = taken.iter().map(|part| part.item).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let cause = Cause::new(CAUSE, Some(id)).reason(reason);
    for part in &taken {
        // An order's line is named again, so that what the line took and lost still adds up.
        let of = (part.order_id, part.order_item_id);
        let cause = Cause { order_id: of.0, order_item_id: of.1, ..cause.clone() };
        give_back(&mut ledger, part, Kind::Waste, &cause)?;
    }
    ledger.close()?;
    waste::set_reversed(tx, actor, id, reason)?;
    let record = Entry::new("waste.reverse", "waste_log", Some(id))
        .before(&serde_json::json!({"name": log.name, "quantity": log.quantity, "unit": log.unit, "reason": log.reason}))
        .after(&serde_json::json!({"reversed": true}))
        .reason(reason);
    audit::actions::record(tx, actor, record)?;
    waste::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("waste log"))
}
