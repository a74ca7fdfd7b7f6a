//! A transfer comes to the outlet it was sent to: batches with the number, date and cost they had. What no item of this outlet is
//! like becomes one.

use super::{CAUSE, find, on_its_way, tell};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::inventory::actions::items::create_item_as;
use crate::resources::inventory::actions::ledger::Ledger;
use crate::resources::inventory::actions::produce::keep_by_name;
use crate::resources::inventory::actions::receive::receive_into;
use crate::resources::inventory::rules::transfers::{
    Arrival, Transfer, TransferLine, TransferStatus, shortfalls,
};
use crate::resources::inventory::rules::{
    Cause, ItemDraft, Kind, Receipt, Result, Rotation, StockError, StockItem,
};
use crate::resources::inventory::store::{items, transfers};
use crate::resources::notifications::Severity;
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use std::collections::HashMap;
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Quantity, Uuid};

/// What came of a line, and which item of the receiver it is: none yet where it is to be made.
struct Arrived {
    line: TransferLine,
    quantity: Quantity,
    item: Option<StockItem>,
}

/// What the receiver says of one line.
struct Said {
    /// The place in what was said.
    place: usize,
    quantity: Option<Quantity>,
    item: Option<Uuid>,
}

/// Takes a transfer in at the outlet it went to: batches of the same number, expiry and cost. What is short is told to the
/// managers. One that has come already stays as it is.
///
/// # Errors
/// Offending fields; a conflict when it was called back, or went elsewhere.
pub fn receive_transfer(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    id: Uuid,
    arrivals: &[Arrival],
    note: Option<&str>,
) -> Result<Transfer> {
    let transfer = find(tx, actor, id)?;
    if transfer.to_outlet_id != actor.outlet_id {
        return Err(StockError::Conflict("Only the outlet it was sent to can receive it".into()));
    }
    if transfer.status() == TransferStatus::Received {
        return Ok(transfer);
    }
    on_its_way(&transfer)?;
    let mut arrived = arrived(tx, actor.outlet_id, transfers::list_lines(tx, &transfer)?, arrivals)?;
    make_items(tx, actor, &transfer, &mut arrived)?;
    for item in arrived.iter().filter_map(|arrived| arrived.item.as_ref()) {
        keep_by_name(tx, actor, item)?;
    }
    let items: Vec<Uuid> = arrived.iter().filter_map(|a| a.item.as_ref().map(|item| item.id)).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let cause = Cause { note: note.map(str::to_owned), ..Cause::new(CAUSE, Some(id)) };
    let cause = cause.reason(&*transfer.transfer_number);
    transfers::insert_receipt(tx, actor, &transfer, note, ledger.date)?;
    for Arrived { line, quantity, item } in &arrived {
        let batch = match item.as_ref().filter(|_| quantity.is_positive()) {
            Some(item) => Some(put_in(&mut ledger, &cause, line, *quantity, item)?),
            None => None,
        };
        let to = (batch.and(item.as_ref()).map(|item| item.id), batch);
        transfers::insert_receipt_line(tx, actor.outlet_id, id, line.id, to, *quantity)?;
    }
    ledger.close()?;
    let received = find(tx, actor, id)?;
    tell_shortfall(tx, actor.outlet_id, &received)?;
    if !received.is_delivered() {
        tell_shortfall(tx, received.outlet_id, &received)?;
    }
    Ok(received)
}

/// Tells the managers of one of the two outlets what did not come, and what it had cost.
pub(super) fn tell_shortfall(tx: &Tx<'_>, at: Uuid, transfer: &Transfer) -> Result<()> {
    let (short, micros) = shortfalls(&transfers::list_lines(tx, transfer)?)?;
    if short.is_empty() {
        return Ok(());
    }
    let currency = outlets::store::find(tx, at)?.row.settings.currency;
    let cost = tiffin_common::currency::major(micro_cents_to_cents(micros)?, &currency);
    let body = format!("Received: {short}. What is missing had cost {cost} {currency}.");
    tell(tx, at, transfer, ("TRANSFER_SHORT", Severity::Warning), "came short", body)
}

/// What is said of which line: an arrival without a line is spread over the lines of its item, in their order.
fn said(lines: &[TransferLine], arrivals: &[Arrival], checks: &mut Checks) -> Result<HashMap<Uuid, Said>> {
    let mut all: HashMap<Uuid, Said> = HashMap::new();
    for (place, arrival) in arrivals.iter().enumerate() {
        let field = |name: &str| format!("items[{place}].{name}");
        let named = |line: &&TransferLine| match arrival.line_id {
            Some(id) => line.id == id,
            None => arrival.stock_item_id == Some(line.stock_item_id),
        };
        let of: Vec<&TransferLine> = lines.iter().filter(named).collect();
        let name = if arrival.line_id.is_some() { "lineId" } else { "inventoryItemId" };
        checks.require(!of.is_empty(), field(name), "is not a line of this transfer");
        let mut left = arrival.quantity;
        let last = of.len().saturating_sub(1);
        for (i, line) in of.into_iter().enumerate() {
            let quantity = match left {
                Some(quantity) if i < last => Some(quantity.min(line.quantity)),
                rest => rest,
            };
            left = left.map(|left| left.minus(quantity.unwrap_or(left))).transpose()?;
            let item = arrival.line_id.and(arrival.stock_item_id);
            let new = all.insert(line.id, Said { place, quantity, item }).is_none();
            checks.require(new, field(name), "must not repeat another");
        }
    }
    Ok(all)
}

/// What each line came to; all that does not fit is named.
fn arrived(
    tx: &Tx<'_>,
    outlet: Uuid,
    lines: Vec<TransferLine>,
    arrivals: &[Arrival],
) -> Result<Vec<Arrived>> {
    let mut checks = Checks::new();
    let said = said(&lines, arrivals, &mut checks)?;
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        let found = said.get(&line.id);
        let quantity = found.and_then(|said| said.quantity).unwrap_or(line.quantity);
        if let Some(said) = found {
            let reason = format!("must be at most {} {}, as was sent", line.quantity, line.unit);
            let field = format!("items[{}].quantityReceived", said.place);
            checks.require(quantity <= line.quantity, field, reason);
        }
        let mut item = None;
        if quantity.is_positive() {
            let named = found.and_then(|said| said.item);
            item = own_item(tx, outlet, &line, named)?;
            let place = found.map(|said| said.place);
            let field = place.map_or_else(|| "items".to_owned(), |i| format!("items[{i}].inventoryItemId"));
            let words = format!("line {} ({}, {})", line.line_number, line.name, line.unit);
            match &item {
                None if named.is_some() => {
                    checks.add(field, format!("{words}: is not an item of this outlet"))
                }
                Some(item) if line.in_units_of(item, quantity)?.is_none() => {
                    checks.add(field, format!("{words}: does not convert to {}", item.draft.unit));
                }
                _ => {}
            }
        }
        all.push(Arrived { line, quantity, item });
    }
    Ok(checks.finish(all)?)
}

/// The receiver's item: the one named, or that of the same id or code, or of the same name and a unit that converts.
fn own_item(
    tx: &Tx<'_>,
    outlet: Uuid,
    line: &TransferLine,
    named: Option<Uuid>,
) -> Result<Option<StockItem>> {
    if let Some(id) = named {
        return Ok(items::find(tx, outlet, id)?);
    }
    if let Some(item) = items::find(tx, outlet, line.stock_item_id)? {
        return Ok(Some(item));
    }
    if let Some(sku) = &line.sku
        && let Some(item) = items::find_by_sku(tx, outlet, sku)?
    {
        return Ok(Some(item));
    }
    let Some(item) = items::find_by_name(tx, outlet, &line.name)? else { return Ok(None) };
    Ok(line.in_units_of(&item, line.quantity)?.map(|_| item))
}

/// Makes the items that are not there, as the sender has them: with its id, so that the next transfer finds them by it.
fn make_items(tx: &Tx<'_>, actor: &Actor, transfer: &Transfer, arrived: &mut [Arrived]) -> Result<()> {
    let mut made: Vec<(Uuid, StockItem)> = Vec::new();
    for Arrived { line, item, .. } in
        arrived.iter_mut().filter(|a| a.item.is_none() && a.quantity.is_positive())
    {
        if let Some((_, same)) = made.iter().find(|(id, _)| *id == line.stock_item_id) {
            *item = Some(same.clone());
            continue;
        }
        let id = match transfers::has_item_id(tx, line.stock_item_id)? {
            true => tx.new_id(),
            false => line.stock_item_id,
        };
        let free =
            |name: &String| items::find_by_name(tx, actor.outlet_id, name).map(|found| found.is_none());
        let mut name = line.name.clone();
        for other in [
            format!("{} ({})", line.name, line.unit),
            format!("{} ({})", line.name, transfer.transfer_number),
        ] {
            if free(&name)? {
                break;
            }
            name = other;
        }
        let draft = ItemDraft {
            name,
            category: line.category.clone().unwrap_or_else(|| "Transfers".to_owned()),
            unit: line.unit.clone(),
            sku: line.sku.clone(),
            rotation: Rotation::Fefo,
            min_stock_threshold: Quantity::ZERO,
            par_level: None,
            supplier_id: None,
            unit_conversions: Vec::new(),
        };
        let new = create_item_as(tx, actor, id, draft)?;
        made.push((line.stock_item_id, new.clone()));
        *item = Some(new);
    }
    Ok(())
}

/// Books what came into a batch of the same number, expiry and cost, or one that tells in its number that it came with this transfer.
fn put_in(
    ledger: &mut Ledger<'_, '_>,
    cause: &Cause,
    line: &TransferLine,
    quantity: Quantity,
    item: &StockItem,
) -> Result<Uuid> {
    let unfit = || StockError::field("items", format!("{} does not convert", line.name));
    let (quantity, unit_cost) = line.in_units_of(item, quantity)?.ok_or_else(unfit)?;
    let receipt = Receipt {
        stock_item_id: item.id,
        quantity,
        unit_cost,
        batch_number: Some(line.batch_number.clone()),
        expiry_date: line.expiry_date,
        supplier_id: None,
        kind: Kind::TransferIn,
        cause: cause.clone(),
    };
    // Whoever takes it in twice, before and after a restored backup, makes the same batch and the same movement.
    ledger.named = Some(line.id);
    receive_into(ledger, &receipt)
}
