//! Stock goes to another outlet, comes there, or is called back. Each outlet writes its own rows only: what was sent is the
//! sender's, that it came is the receiver's.

use super::ledger::Ledger;
use super::receive::receive_into;
use super::returns::give_back;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::inventory::rules::pick::take;
use crate::resources::inventory::rules::transfers::{
    Arrival, NewTransfer, NewTransferItem, Transfer, TransferLine, TransferStatus,
};
use crate::resources::inventory::rules::{
    Cause, Kind, OpenBatch, Receipt, Result, StockError, StockItem, Taking, units,
};
use crate::resources::inventory::store::movements::Taken;
use crate::resources::inventory::store::{batches, items, levels, transfers};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use tiffin_common::{Overflow, Quantity, Uuid};

const CAUSE: &str = "TRANSFER";

/// Sends stock to another outlet: from the batches in their order, never what has expired, never more than there is.
///
/// # Errors
/// All offending fields.
pub fn send_transfer(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, new: &NewTransfer) -> Result<Transfer> {
    let date = outlet.business_date(tx.now());
    let mut checks = Checks::new();
    let known = outlets::store::list(tx)?.iter().any(|other| other.id == new.to_outlet_id);
    let other = known && new.to_outlet_id != outlet.id;
    checks.require(other, "toOutletId", "must be another outlet that this box knows");
    let mut shelves = BTreeMap::new();
    let mut plan: Vec<(StockItem, Taking)> = Vec::new();
    for (i, wanted) in new.items.iter().enumerate() {
        let field = |name: &str| format!("items[{i}].{name}");
        if let Some((item, takings)) =
            pick(tx, actor.outlet_id, date, wanted, &mut shelves, &field, &mut checks)?
        {
            plan.extend(takings.into_iter().map(|taking| (item.clone(), taking)));
        }
    }
    checks.finish(())?;
    let ids: Vec<Uuid> = shelves.keys().copied().collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &ids)?;
    let id = tx.new_id();
    let serial = transfers::count_sent(tx, actor.outlet_id, date)?.saturating_add(1);
    let number = format!("TR-{}-{}-{serial:03}", outlet.code, date.format("%y%m%d"));
    let transfer = Transfer {
        id,
        outlet_id: actor.outlet_id,
        to_outlet_id: new.to_outlet_id,
        transfer_number: number.clone(),
        note: new.note.clone(),
        business_date: date,
        sent_at: tx.now(),
        sent_by_name: actor.name.clone(),
        cancelled_at: None,
        cancelled_by_name: None,
        cancel_reason: None,
        received_at: None,
        received_by_name: None,
        receipt_note: None,
        cost_micros: 0,
        lines_count: 0,
    };
    transfers::insert(tx, actor.account_id, &transfer)?;
    let cause = Cause { note: new.note.clone(), ..Cause::new(CAUSE, Some(id)) }.reason(&*number);
    for (line_number, (item, taking)) in (1..).zip(plan) {
        let line = take_out(&mut ledger, &cause, line_number, item, taking)?;
        transfers::insert_line(tx, actor.outlet_id, id, &line)?;
    }
    ledger.close()?;
    find(tx, actor, id)
}

/// Which batches give what is wanted; notes why they cannot.
fn pick(
    tx: &Tx<'_>,
    outlet: Uuid,
    date: NaiveDate,
    wanted: &NewTransferItem,
    shelves: &mut BTreeMap<Uuid, Vec<OpenBatch>>,
    field: &impl Fn(&str) -> String,
    checks: &mut Checks,
) -> Result<Option<(StockItem, Vec<Taking>)>> {
    let Some(item) = items::find(tx, outlet, wanted.stock_item_id)? else {
        checks.add(field("inventoryItemId"), "is not an item of this outlet");
        return Ok(None);
    };
    let to = &item.draft;
    let unit = wanted.unit.as_deref().unwrap_or(&to.unit);
    let quantity = match units::convert(wanted.quantity, unit, &to.unit, &to.unit_conversions) {
        Ok(Some(quantity)) if quantity.is_positive() => quantity,
        Ok(Some(_)) => {
            checks.add(field("quantity"), "must be more than 0");
            return Ok(None);
        }
        Ok(None) => {
            checks.add(field("unit"), format!("does not convert to {}", to.unit));
            return Ok(None);
        }
        Err(Overflow) => {
            checks.add(field("quantity"), "is too large");
            return Ok(None);
        }
    };
    let shelf = match shelves.entry(item.id) {
        Entry::Occupied(shelf) => shelf.into_mut(),
        Entry::Vacant(none) => none.insert(levels::list_shelf(tx, item.id, to.rotation, date, None)?),
    };
    let (takings, missing) = match &wanted.batch_number {
        None => take(shelf, quantity)?,
        Some(number) => {
            let Some(batch) = batches::find_by_number(tx, outlet, item.id, number)? else {
                checks.add(field("batchNumber"), "is not a batch of this item");
                return Ok(None);
            };
            if !batch.is_usable(date) {
                checks.add(field("batchNumber"), "has expired");
                return Ok(None);
            }
            match shelf.iter_mut().find(|open| open.id == batch.id) {
                Some(open) => take(std::slice::from_mut(open), quantity)?,
                None => (Vec::new(), quantity),
            }
        }
    };
    if missing.is_positive() {
        let there = quantity.minus(missing)?;
        checks.add(field("quantity"), format!("is more than there is: only {there} {} can be sent", to.unit));
        return Ok(None);
    }
    Ok(Some((item, takings)))
}

/// Books what one batch gives.
fn take_out(
    ledger: &mut Ledger<'_, '_>,
    cause: &Cause,
    line_number: i64,
    item: StockItem,
    taking: Taking,
) -> Result<TransferLine> {
    let (tx, outlet) = (ledger.tx, ledger.actor.outlet_id);
    let missing = StockError::NotFound("batch");
    let batch =
        taking.batch_id.map(|id| batches::find(tx, outlet, id)).transpose()?.flatten().ok_or(missing)?;
    let (quantity, unit_cost) = (taking.quantity, taking.unit_cost);
    ledger.post_at_cost(item.id, Some(batch.id), Kind::TransferOut, quantity.negated(), unit_cost, cause)?;
    Ok(TransferLine {
        id: tx.new_id(),
        line_number,
        stock_item_id: item.id,
        name: item.draft.name,
        sku: item.draft.sku,
        unit: item.draft.unit,
        batch_id: batch.id,
        batch_number: batch.batch_number,
        expiry_date: batch.expiry_date,
        unit_cost,
        quantity,
        cost_micros: unit_cost.cost_micros(quantity)?,
        movement_id: ledger.last()?,
        received: None,
    })
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Transfer> {
    transfers::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("transfer"))
}

/// The transfer, which must still be on its way and be `whose` to end.
fn find_sent(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    whose: impl FnOnce(&Transfer) -> (Uuid, &'static str),
) -> Result<Transfer> {
    let transfer = find(tx, actor, id)?;
    let (outlet, refusal) = whose(&transfer);
    if outlet != actor.outlet_id {
        return Err(StockError::Conflict(refusal.into()));
    }
    match transfer.status() {
        TransferStatus::Sent => Ok(transfer),
        TransferStatus::Received => Err(StockError::Conflict("The transfer has been received".into())),
        TransferStatus::Cancelled => Err(StockError::Conflict("The transfer has been cancelled".into())),
    }
}

/// Calls a transfer back before it has come: each quantity returns to its own batch, once.
///
/// # Errors
/// A conflict when it has come, was called back already, or is another outlet's to call back.
pub fn cancel_transfer(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    id: Uuid,
    reason: Option<&str>,
) -> Result<Transfer> {
    let whose = |t: &Transfer| (t.outlet_id, "Only the outlet that sent it can call it back");
    let transfer = find_sent(tx, actor, id, whose)?;
    let lines = transfers::list_lines(tx, &transfer)?;
    let items: Vec<Uuid> = lines.iter().map(|line| line.stock_item_id).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let cause = Cause { reason: reason.map(str::to_owned), ..Cause::new(CAUSE, Some(id)) };
    for line in lines {
        let taken = Taken {
            id: line.movement_id,
            item: line.stock_item_id,
            batch: Some(line.batch_id),
            order_id: None,
            order_item_id: None,
            quantity: line.quantity,
            unit_cost: line.unit_cost,
            cost_micros: line.cost_micros,
        };
        give_back(&mut ledger, &taken, Kind::TransferOut, &cause)?;
    }
    ledger.close()?;
    transfers::set_cancelled(tx, actor, id, reason)?;
    find(tx, actor, id)
}

/// What came of a line, and which item of the receiver it is.
struct Arrived {
    line: TransferLine,
    quantity: Quantity,
    item: Option<StockItem>,
}

/// Takes a transfer in at the outlet it went to: batches of the same number, expiry and cost. What is short is told to the
/// managers.
///
/// # Errors
/// Offending fields; a conflict when it has come already, was called back, or went elsewhere.
pub fn receive_transfer(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    id: Uuid,
    arrivals: &[Arrival],
    note: Option<&str>,
) -> Result<Transfer> {
    let whose = |t: &Transfer| (t.to_outlet_id, "Only the outlet it was sent to can receive it");
    let transfer = find_sent(tx, actor, id, whose)?;
    let arrived = arrived(tx, actor.outlet_id, transfers::list_lines(tx, &transfer)?, arrivals)?;
    let items: Vec<Uuid> = arrived.iter().filter_map(|a| a.item.as_ref().map(|item| item.id)).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let cause = Cause { note: note.map(str::to_owned), ..Cause::new(CAUSE, Some(id)) };
    let cause = cause.reason(&*transfer.transfer_number);
    let receipt = transfers::insert_receipt(tx, actor, &transfer, note, ledger.date)?;
    for Arrived { line, quantity, item } in &arrived {
        let batch = match item {
            Some(item) => Some(put_in(&mut ledger, &transfer, &cause, line, *quantity, item)?),
            None => None,
        };
        let to = (item.as_ref().map(|item| item.id), batch);
        transfers::insert_receipt_line(tx, actor.outlet_id, receipt, line.id, to, *quantity)?;
    }
    ledger.close()?;
    tell_shortfall(tx, actor, &transfer, &arrived)?;
    find(tx, actor, id)
}

/// What each line came to; all that does not fit is named.
fn arrived(
    tx: &Tx<'_>,
    outlet: Uuid,
    lines: Vec<TransferLine>,
    arrivals: &[Arrival],
) -> Result<Vec<Arrived>> {
    let mut checks = Checks::new();
    let mut by_line = HashMap::new();
    for (i, arrival) in arrivals.iter().enumerate() {
        let known = lines.iter().any(|line| line.id == arrival.line_id);
        let new = by_line.insert(arrival.line_id, (i, arrival)).is_none();
        checks.require(known, format!("items[{i}].lineId"), "is not a line of this transfer");
        checks.require(new, format!("items[{i}].lineId"), "must not repeat another");
    }
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        let found = by_line.get(&line.id).copied();
        let quantity = found.and_then(|(_, arrival)| arrival.quantity).unwrap_or(line.quantity);
        if let Some((i, _)) = found {
            let fits = quantity <= line.quantity;
            let reason = format!("must be at most {} {}, as was sent", line.quantity, line.unit);
            checks.require(fits, format!("items[{i}].quantityReceived"), reason);
        }
        let mut item = None;
        if quantity.is_positive() {
            item = own_item(tx, outlet, &line, found.and_then(|(_, arrival)| arrival.stock_item_id))?;
            let field =
                found.map_or_else(|| "items".to_owned(), |(i, _)| format!("items[{i}].inventoryItemId"));
            let named = format!("line {} ({}, {})", line.line_number, line.name, line.unit);
            match &item {
                None => {
                    checks.add(field, format!("{named}: no such item here; name it by its inventoryItemId"))
                }
                Some(item) if line.in_units_of(item, quantity)?.is_none() => {
                    checks.add(field, format!("{named}: does not convert to {}", item.draft.unit));
                }
                Some(_) => {}
            }
        }
        all.push(Arrived { line, quantity, item });
    }
    Ok(checks.finish(all)?)
}

/// The receiver's item: the one named, or that of the same code, or of the same name and unit.
fn own_item(
    tx: &Tx<'_>,
    outlet: Uuid,
    line: &TransferLine,
    named: Option<Uuid>,
) -> Result<Option<StockItem>> {
    if let Some(id) = named {
        return Ok(items::find(tx, outlet, id)?);
    }
    if let Some(sku) = &line.sku
        && let Some(item) = items::find_by_sku(tx, outlet, sku)?
    {
        return Ok(Some(item));
    }
    let item = items::find_by_name(tx, outlet, &line.name)?;
    Ok(item.filter(|item| units::normal(&item.draft.unit) == units::normal(&line.unit)))
}

/// Books what came into a batch of the same number, expiry and cost.
fn put_in(
    ledger: &mut Ledger<'_, '_>,
    transfer: &Transfer,
    cause: &Cause,
    line: &TransferLine,
    quantity: Quantity,
    item: &StockItem,
) -> Result<Uuid> {
    let unfit = || StockError::field("items", format!("{} does not convert", line.name));
    let (quantity, unit_cost) = line.in_units_of(item, quantity)?.ok_or_else(unfit)?;
    let same = batches::find_by_number(ledger.tx, ledger.actor.outlet_id, item.id, &line.batch_number)?;
    // This outlet may have had the same batch at another price: both keep their own cost, and the number is still found.
    let other = same.is_some_and(|b| b.expiry_date != line.expiry_date || b.unit_cost != unit_cost);
    let batch_number = if other {
        format!("{} ({})", line.batch_number, transfer.transfer_number)
    } else {
        line.batch_number.clone()
    };
    let receipt = Receipt {
        stock_item_id: item.id,
        quantity,
        unit_cost,
        batch_number: Some(batch_number),
        expiry_date: line.expiry_date,
        supplier_id: None,
        kind: Kind::TransferIn,
        cause: cause.clone(),
    };
    receive_into(ledger, &receipt)
}

fn tell_shortfall(tx: &Tx<'_>, actor: &Actor, transfer: &Transfer, arrived: &[Arrived]) -> Result<()> {
    let mut short = Vec::new();
    for Arrived { line, quantity, .. } in arrived {
        if *quantity < line.quantity {
            short.push(format!("{} of {} {} {}", quantity, line.quantity, line.unit, line.name));
        }
    }
    if short.is_empty() {
        return Ok(());
    }
    let notice = Notice {
        kind: "TRANSFER_SHORT",
        severity: Severity::Warning,
        title: format!("{} came short", transfer.transfer_number),
        body: format!("Received: {}.", short.join(", ")),
        audience: Audience::Managers,
        entity: Some(("stock_transfer", transfer.id)),
        dedupe_key: format!("TRANSFER_SHORT:{}", transfer.id),
    };
    Ok(notifications::actions::notify(tx, actor.outlet_id, notice)?)
}
