//! What is made ahead: ingredients become a batch of what they make, at what they cost, so that making neither earns nor loses anything.

use super::deduct::{self, Need, Prepared};
use super::items::create_item;
use super::ledger::{Ledger, Posting};
use super::recipes::preparation;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::rules::making::{self, Making};
use crate::resources::inventory::rules::recipe::{Book, Head, Source, Target};
use crate::resources::inventory::rules::units::{self, Ratio};
use crate::resources::inventory::rules::{
    BatchSource, Cause, ItemDraft, Kind, Result, Rotation, StockError, StockItem,
};
use crate::resources::inventory::store::batches::{self, Batch};
use crate::resources::inventory::store::movements::{self, Movement};
use crate::resources::inventory::store::{items, recipes};
use crate::resources::outlets::rules::{Outlet, StockPolicy};
use chrono::{Days, NaiveDate};
use std::collections::BTreeMap;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Overflow, Quantity, UnitCost, Uuid};

/// What the movements of a making name as their cause; its id is the batch's.
pub(super) const CAUSE: &str = "PREPARATION";

/// The shelf of what is made here, where it is the first of its kind.
const SHELF: &str = "Prepared";

/// A batch that was made.
#[derive(Debug, Clone)]
pub struct Produced {
    /// The batch.
    pub batch: Batch,
    /// The stock item it is of.
    pub item: StockItem,
    /// What it was made of: the movements that took it.
    pub taken: Vec<Movement>,
    /// What all of it cost, in millionths of a cent.
    pub cost_micros: i64,
    /// What there was too little of, and was taken all the same.
    pub short: Vec<Missing>,
}

/// What there was too little of.
#[derive(Debug, Clone)]
pub struct Missing {
    /// The stock item's name.
    pub name: String,
    /// How much more was taken than there is.
    pub quantity: Quantity,
    /// Of which unit.
    pub unit: String,
}

/// Makes a batch of a preparation by its recipe: of what it is made of itself and lies ready, of that first.
///
/// # Errors
/// Unknown preparation; offending fields: an amount that is not positive, a last date in the past; under the policy BLOCK also the
/// amount, where stock does not suffice. A conflict where another stock item has its name.
pub fn produce(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, id: Uuid, making: &Making) -> Result<Produced> {
    let head = preparation(tx, actor, id)?;
    let date = outlet.business_date(tx.now());
    if !making.quantity.is_positive() {
        return Err(StockError::field("quantity", "must be more than 0"));
    }
    if making.expiry_date.is_some_and(|expiry| expiry < date) {
        return Err(StockError::field("expiryDate", "must not be in the past"));
    }
    let days = head.shelf_life_days.and_then(|days| u64::try_from(days).ok());
    let expiry_date = making.expiry_date.or_else(|| date.checked_add_days(Days::new(days?)));
    let item = shelf(tx, actor, &head)?;
    let made = units::convert(making.quantity, &head.yield_unit, &item.draft.unit, &[])
        .map_err(|_| StockError::field("quantity", "is too large"))?
        .filter(|made| made.is_positive())
        .ok_or_else(|| StockError::field("quantity", format!("is no amount in {}", item.draft.unit)))?;
    let needs = needs_of(tx, outlet, id, making.quantity)?;
    let mut ledger = deduct::open(tx, actor, outlet, &needs, Some(item.id))?;
    let cause = Cause::new(CAUSE, Some(tx.new_id()));
    let (cost_micros, short) = take(&mut ledger, &needs, outlet.stock_policy, &cause)?;
    let batch = Batch {
        id: cause.id.unwrap_or_default(),
        stock_item_id: item.id,
        batch_number: number(tx, outlet, date)?,
        expiry_date,
        received_at: tx.now(),
        unit_cost: unit_cost(cost_micros, made)?,
        supplier_id: None,
        source_type: BatchSource::Production,
        quantity: made,
    };
    batches::insert(tx, actor.outlet_id, &batch, Some(id))?;
    put_in(&mut ledger, &batch, cost_micros, &cause)?;
    let written = ledger.close()?;
    let taken = movements::list_of_ids(tx, &written)?
        .into_iter()
        .filter(|movement| movement.kind == Kind::Production && movement.quantity_delta.get() < 0)
        .collect();
    let entry = Entry::new("inventory.produce", "preparation", Some(id)).after(&serde_json::json!({
        "name": head.name, "quantity": making.quantity, "unit": head.yield_unit, "batchNumber": batch.batch_number
    }));
    audit::actions::record(tx, actor, entry)?;
    Ok(Produced { batch, item, taken, cost_micros, short })
}

/// Takes what is needed, and answers what it cost and what there was too little of.
fn take(
    ledger: &mut Ledger<'_, '_>,
    needs: &[Need],
    policy: StockPolicy,
    cause: &Cause,
) -> Result<(i64, Vec<Missing>)> {
    let plan = deduct::take_out(ledger, needs, &|_| 0, policy).map_err(|error| match error {
        StockError::Short(short) => {
            let missing: Vec<String> = short.into_iter().flat_map(|short| short.missing).collect();
            StockError::field("quantity", format!("not enough stock: {}", missing.join(", ")))
        }
        other => other,
    })?;
    let (mut cost_micros, mut short) = (0i64, Vec::new());
    for (_, item, taking) in plan {
        let cost = taking.unit_cost.cost_micros(taking.quantity)?;
        cost_micros = cost_micros.checked_add(cost).ok_or(Overflow)?;
        if taking.batch_id.is_none() {
            let level = ledger.level(item)?;
            short.push(Missing {
                name: level.name.clone(),
                quantity: taking.quantity,
                unit: level.unit.clone(),
            });
        }
        let delta = taking.quantity.negated();
        ledger.post_at_cost(item, taking.batch_id, Kind::Production, delta, taking.unit_cost, cause)?;
    }
    Ok((cost_micros, short))
}

/// The batch comes in at the very sum, though the cost of a unit is rounded: what goes in is what comes out.
fn put_in(ledger: &mut Ledger<'_, '_>, batch: &Batch, cost_micros: i64, cause: &Cause) -> Result<()> {
    let posting = Posting {
        item: batch.stock_item_id,
        batch: Some(batch.id),
        kind: Kind::Production,
        delta: batch.quantity,
        unit_cost: batch.unit_cost,
        cost_micros,
        reverses: None,
    };
    ledger.post(posting, cause)?;
    ledger.settle(batch.stock_item_id, batch.id, batch.unit_cost, batch.quantity)?;
    if batch.unit_cost.get() > 0 {
        ledger.cost_now(batch.stock_item_id, batch.unit_cost)?;
    }
    Ok(())
}

/// What the ingredients cost, by the unit of what they make.
fn unit_cost(cost_micros: i64, made: Quantity) -> Result<UnitCost> {
    let micros = i128::from(cost_micros) * i128::from(MILLION);
    Ok(UnitCost::from_millionths(round_div(micros, i128::from(made.get()))?))
}

/// What so much of the preparation takes, one ingredient once.
fn needs_of(tx: &Tx<'_>, outlet: &Outlet, preparation: Uuid, quantity: Quantity) -> Result<Vec<Need>> {
    let book = recipes::find_whole_book(tx, outlet.id)?;
    let portion = making::portion(&book, preparation)
        .map_err(|fault| StockError::Conflict(format!("Its recipe {fault}")))?;
    let mut prepared = Prepared::new(tx, outlet.business_date(tx.now()));
    let amount = Ratio::units(quantity)?;
    let needs =
        making::needs_of(&[(&portion, amount)], &mut |item, most| prepared.give(item, most))?.into_iter();
    let mut sum = BTreeMap::<Uuid, Quantity>::new();
    for (item, quantity) in needs {
        let entry = sum.entry(item).or_default();
        *entry = entry.plus(quantity)?;
    }
    if sum.is_empty() {
        return Err(StockError::field("quantity", "is too little to take anything out of stock"));
    }
    Ok(sum.into_iter().map(|(item, quantity)| Need { line: 0, item, quantity }).collect())
}

/// The stock item that the preparation lies in the store room as: the one it has, one of its name that is counted in a unit it converts
/// to (so it came from another branch, or was counted by hand before), or a new one.
fn shelf(tx: &Tx<'_>, actor: &Actor, head: &Head) -> Result<StockItem> {
    if let Some(item) = items::find_shelf(tx, actor.outlet_id, head.id)? {
        return Ok(item);
    }
    let name = head.name.clone().ok_or(StockError::NotFound("preparation"))?;
    let item = match items::find_by_name(tx, actor.outlet_id, &name)? {
        Some(item) => item,
        None => {
            let draft = ItemDraft {
                name,
                category: SHELF.into(),
                unit: head.yield_unit.clone(),
                sku: None,
                rotation: Rotation::Fefo,
                min_stock_threshold: Quantity::ZERO,
                par_level: None,
                supplier_id: None,
                unit_conversions: Vec::new(),
            };
            create_item(tx, actor, draft)?
        }
    };
    if !may_keep(tx, actor, &item, head)? {
        let reason =
            format!("Another stock item is called {}: one of the two needs another name", item.draft.name);
        return Err(StockError::Conflict(reason));
    }
    keep_as(tx, actor, &item, head.id)?;
    items::find_shelf(tx, actor.outlet_id, head.id)?.ok_or(StockError::NotFound("inventory item"))
}

/// From now on the item is the stock of the preparation, and dishes take it first.
fn keep_as(tx: &Tx<'_>, actor: &Actor, item: &StockItem, preparation: Uuid) -> Result<()> {
    items::set_preparation(tx, actor.outlet_id, item.id, preparation)?;
    Ok(super::availability::rebuild_needs(tx, actor)?)
}

/// What came from another branch, or was made before, is the stock of the preparation of its name, where there is one that has none.
pub(super) fn keep_by_name(tx: &Tx<'_>, actor: &Actor, item: &StockItem) -> Result<()> {
    let target = Target::Preparation(item.draft.name.clone());
    let Some(head) = recipes::find_for(tx, actor.outlet_id, &target)? else { return Ok(()) };
    if items::find_shelf(tx, actor.outlet_id, head.id)?.is_none() && may_keep(tx, actor, item, &head)? {
        keep_as(tx, actor, item, head.id)?;
    }
    Ok(())
}

/// Whether an item can be the stock of the preparation: it is of no other, does not go into it, and its unit converts.
fn may_keep(tx: &Tx<'_>, actor: &Actor, item: &StockItem, head: &Head) -> Result<bool> {
    let fits = units::factor(&head.yield_unit, &item.draft.unit, &[]).is_some();
    if !fits || item.preparation_id.is_some() {
        return Ok(false);
    }
    let book = recipes::find_whole_book(tx, actor.outlet_id)?;
    Ok(!uses(&book, head.id, item.id))
}

/// Whether the item goes into the preparation, directly or through others.
fn uses(book: &Book, preparation: Uuid, item: Uuid) -> bool {
    let Some(recipe) = book.get(&preparation) else { return false };
    recipe.ingredients.iter().any(|ingredient| match &ingredient.source {
        Source::Stock { id, .. } => *id == item,
        Source::Preparation(other) => uses(book, *other, item),
    })
}

/// `PRD-BLR1-261120-3`: which branch and day, the how-manieth of all that was made. It goes with what is sent to other branches, and is
/// nobody else's there.
fn number(tx: &Tx<'_>, outlet: &Outlet, date: NaiveDate) -> Result<String> {
    let prefix = format!("PRD-{}-{}-", outlet.row.code, date.format("%y%m%d"));
    let made = batches::count_made(tx, outlet.id, &prefix)?;
    Ok(format!("{prefix}{}", made.saturating_add(1)))
}
