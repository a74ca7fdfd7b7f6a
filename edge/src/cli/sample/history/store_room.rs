//! The storekeeper's day: what is short is ordered in the evening and comes in the morning; what has expired goes.

use super::Branch;
use crate::access::Role;
use crate::cli::sample::dice::Dice;
use crate::cli::sample::seed::{Result, expiry, making};
use crate::db::Tx;
use crate::resources::inventory::rules::WasteReason;
use crate::resources::inventory::store::levels;
use crate::resources::purchase_orders;
use crate::resources::purchase_orders::actions::{NewDelivery, NewPurchaseOrder};
use crate::resources::purchase_orders::rules::delivery::Arrival;
use crate::resources::purchase_orders::rules::lines::LineDraft;
use crate::resources::purchase_orders::rules::{Mode, PurchaseOrder, Status};
use crate::resources::waste_logs;
use crate::resources::waste_logs::rules::WasteDraft;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Quantity, UnitCost, Uuid};

/// Takes out of stock every batch whose last day has passed.
pub(super) fn throw_away_expired(branch: &Branch, tx: &Tx<'_>, date: NaiveDate) -> Result<()> {
    let outlet = branch.seeded.outlet.id;
    let actor = branch.seeded.actor(Role::Storekeeper);
    for (item, batch_number, batch) in levels::list_open(tx, outlet, None).map_err(making("stock"))? {
        if batch.expiry_date >= date {
            continue;
        }
        let gone = WasteDraft { batch_number: Some(batch_number), ..spoilt(item, batch.quantity) };
        let gone = WasteDraft { reason: WasteReason::Expired, ..gone };
        waste_logs::actions::log(tx, &actor, gone).map_err(making("what has expired"))?;
    }
    Ok(())
}

/// Orders what will be low or half gone on the morning of `tomorrow` from whoever delivers it, to come that morning.
pub(super) fn order(branch: &Branch, tx: &Tx<'_>, tomorrow: NaiveDate) -> Result<()> {
    let outlet = &branch.seeded.outlet;
    let actor = branch.seeded.actor(Role::Storekeeper);
    let usable = usable(tx, outlet.id, tomorrow)?;
    let deficits = levels::list_deficits(tx, outlet.id).map_err(making("stock"))?;
    let on_order = purchase_orders::store::list_on_order(tx, outlet.id).map_err(making("purchase orders"))?;
    let mut wanted: BTreeMap<&str, Vec<LineDraft>> = BTreeMap::new();
    for (item, id) in branch.restaurant.stock_items.iter().zip(&branch.seeded.stock_items) {
        let of = |amounts: &BTreeMap<Uuid, Quantity>| amounts.get(id).copied().unwrap_or_default();
        let there = of(&usable).minus(of(&deficits))?.plus(of(&on_order))?;
        if there > item.min_stock_threshold && there > item.par_level.ratio(1, 2)? {
            continue;
        }
        wanted.entry(&item.supplier).or_default().push(LineDraft {
            stock_item_id: *id,
            quantity: whole(item.par_level.minus(there)?, &item.unit)?,
            unit: None,
            unit_cost: None,
        });
    }
    for (supplier, lines) in wanted {
        let Some(supplier_id) = branch.seeded.suppliers.get(supplier).copied() else { continue };
        let new = NewPurchaseOrder {
            supplier_id,
            mode: Mode::Auto,
            expected_on: Some(tomorrow),
            notes: None,
            lines,
        };
        let written = purchase_orders::actions::create(tx, &actor, new).map_err(making(supplier))?;
        purchase_orders::actions::send(tx, &actor, written.id).map_err(making(supplier))?;
    }
    Ok(())
}

/// What may still be used of each item on `date`.
fn usable(tx: &Tx<'_>, outlet: Uuid, date: NaiveDate) -> Result<BTreeMap<Uuid, Quantity>> {
    let mut usable: BTreeMap<Uuid, Quantity> = BTreeMap::new();
    for (item, _, batch) in levels::list_open(tx, outlet, None).map_err(making("stock"))? {
        if batch.expiry_date >= date {
            let sum = usable.entry(item).or_default();
            *sum = sum.plus(batch.quantity)?;
        }
    }
    Ok(usable)
}

/// What an item costs today and how long it keeps.
struct Today {
    unit_cost: UnitCost,
    expiry_date: Option<NaiveDate>,
}

/// Takes in what comes this morning at today's price. Now and then a supplier is a day late, or leaves a part of the order for
/// the next morning.
pub(super) fn take_deliveries(branch: &Branch, tx: &Tx<'_>, date: NaiveDate, day: u32) -> Result<()> {
    let today = prices(branch, date, day)?;
    let mut dice = Dice::new(branch.seed, 2 << 32 | u64::from(day));
    let awaited = purchase_orders::store::list_awaited(tx, branch.seeded.outlet.id, date);
    for order in awaited.map_err(making("purchase orders"))? {
        let (late, short) = (dice.chance(30), dice.chance(60));
        let first_try = order.expected_on == date;
        if !(first_try && late) {
            take_in(branch, tx, &order, &today, first_try && short)?;
        }
    }
    Ok(())
}

fn prices(branch: &Branch, date: NaiveDate, day: u32) -> Result<BTreeMap<Uuid, Today>> {
    let mut dice = Dice::new(branch.seed, 1 << 32 | u64::from(day));
    let mut today = BTreeMap::new();
    for (item, id) in branch.restaurant.stock_items.iter().zip(&branch.seeded.stock_items) {
        // Thrown for every item, so that one item's stock does not shift another's price.
        let per_mille = i64::from(dice.between(965, 1045));
        let Some(last) = item.batches.last() else { continue };
        let cost = Quantity::from_millionths(last.unit_cost_cents.get()).ratio(per_mille, 1000)?;
        let unit_cost = UnitCost::from_millionths(cost.get());
        today.insert(*id, Today { unit_cost, expiry_date: expiry(date, last.shelf_life_days) });
    }
    Ok(today)
}

/// Takes in what is still owed of `order`; when it comes `short`, half of its first item is left for the next time.
fn take_in(
    branch: &Branch,
    tx: &Tx<'_>,
    order: &PurchaseOrder,
    today: &BTreeMap<Uuid, Today>,
    short: bool,
) -> Result<()> {
    let actor = branch.seeded.actor(Role::Storekeeper);
    let mut arrivals = Vec::new();
    let lines = purchase_orders::store::list_lines(tx, actor.outlet_id, order.id);
    for line in lines.map_err(making(&order.po_number))? {
        let (owed, price) = (line.outstanding_stock()?, today.get(&line.ordered.stock_item_id));
        let Some(price) = price.filter(|_| owed.is_positive()) else { continue };
        let part = if short && arrivals.is_empty() { owed.ratio(1, 2)? } else { owed };
        arrivals.push(Arrival {
            stock_item_id: line.ordered.stock_item_id,
            quantity: whole(part, &line.ordered.stock_unit)?.min(owed),
            unit: Some(line.ordered.stock_unit),
            unit_cost: price.unit_cost,
            batch_number: None,
            expiry_date: price.expiry_date,
        });
    }
    let part = if order.status == Status::PartiallyReceived { "B" } else { "A" };
    let invoice_ref = Some(format!("{}-{part}", order.po_number.replacen("PO", "INV", 1)));
    let delivery = NewDelivery { arrivals, invoice_ref, note: None, is_confirmed: true };
    purchase_orders::actions::deliver(tx, &actor, order.id, delivery)
        .map(drop)
        .map_err(making(&order.po_number))
}

/// So much of a stock item that has gone bad.
pub(super) fn spoilt(item: Uuid, quantity: Quantity) -> WasteDraft {
    WasteDraft {
        variant_id: None,
        inventory_item_id: Some(item),
        menu_item_id: None,
        quantity,
        unit: None,
        batch_number: None,
        reason: WasteReason::Spoilage,
        note: None,
    }
}

/// What a supplier delivers: whole grams, millilitres and pieces, tenths of kilos and litres.
pub(super) fn whole(quantity: Quantity, unit: &str) -> Result<Quantity> {
    let step = if matches!(unit, "kg" | "l") { 100_000 } else { 1_000_000 };
    let steps = quantity.get().max(1).saturating_add(step - 1) / step;
    Ok(Quantity::from_millionths(step).times(steps)?)
}
