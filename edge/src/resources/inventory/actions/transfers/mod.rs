//! Stock goes to another outlet, comes there, or is called back. Each outlet writes its own rows only: what was sent is the
//! sender's, that it came is the receiver's. Between two boxes head office delivers the one and the other.

mod cancel;
mod follow;
mod receive;

pub use cancel::cancel_transfer;
pub use follow::follow_transfers;
pub use receive::receive_transfer;

use super::ledger::Ledger;
use crate::access::Actor;
use crate::db::{Source, Tx};
use crate::http::Checks;
use crate::resources::inventory::rules::pick::take;
use crate::resources::inventory::rules::transfers::{
    Destination, NewTransfer, NewTransferItem, Transfer, TransferLine, TransferStatus,
};
use crate::resources::inventory::rules::{
    Cause, Kind, OpenBatch, Result, StockError, StockItem, Taking, units,
};
use crate::resources::inventory::store::{batches, items, levels, transfers};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use std::collections::btree_map::{BTreeMap, Entry};
use tiffin_common::{Overflow, Uuid};

const CAUSE: &str = "TRANSFER";

/// The outlets that stock can be sent to from `outlet`: the others of this box, and those of the chain, by code.
pub fn destinations(from: &dyn Source, outlet: Uuid) -> Result<Vec<Destination>> {
    let here = outlets::store::list(from)?;
    let mut all = outlets::store::list_chain(from)?;
    all.retain(|other| here.iter().all(|own| own.row.id != other.id));
    let elsewhere = all.into_iter().map(|other| Destination {
        id: other.id,
        code: other.code,
        name: other.name,
        currency: other.currency,
        is_elsewhere: true,
    });
    let here = here.into_iter().filter(|own| own.row.id != outlet).map(|own| Destination {
        id: own.row.id,
        code: own.row.code,
        name: own.row.name,
        currency: own.row.settings.currency,
        is_elsewhere: false,
    });
    let mut all: Vec<Destination> = here.chain(elsewhere).collect();
    all.sort_by(|one, other| one.code.cmp(&other.code));
    Ok(all)
}

/// Sends stock to another outlet: from the batches in their order, never what has expired, never more than there is.
///
/// # Errors
/// All offending fields.
pub fn send_transfer(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, new: &NewTransfer) -> Result<Transfer> {
    let date = outlet.business_date(tx.now());
    let mut checks = Checks::new();
    let to = destinations(tx, outlet.id)?.into_iter().find(|other| other.id == new.to_outlet_id);
    checks.require(to.is_some(), "toOutletId", "must be another outlet of the chain that this box knows");
    let is_alike = to.as_ref().is_none_or(|to| to.currency == outlet.row.settings.currency);
    checks.require(is_alike, "toOutletId", "reckons in another currency");
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
    let serial = transfers::count_sent(tx, actor.outlet_id, date)?.saturating_add(1);
    let number = format!("TR-{}-{}-{serial:03}", outlet.code, date.format("%y%m%d"));
    let transfer = sent(tx, actor, new, date, number, to.filter(|to| to.is_elsewhere));
    transfers::insert(tx, actor.account_id, &transfer)?;
    let cause = Cause { note: new.note.clone(), ..Cause::new(CAUSE, Some(transfer.id)) };
    let cause = cause.reason(&*transfer.transfer_number);
    for (line_number, (item, taking)) in (1..).zip(plan) {
        let line = take_out(&mut ledger, &cause, line_number, item, taking)?;
        transfers::insert_line(tx, actor.outlet_id, transfer.id, &line)?;
    }
    ledger.close()?;
    find(tx, actor, transfer.id)
}

fn sent(
    tx: &Tx<'_>,
    actor: &Actor,
    new: &NewTransfer,
    date: NaiveDate,
    number: String,
    elsewhere: Option<Destination>,
) -> Transfer {
    Transfer {
        id: tx.new_id(),
        outlet_id: actor.outlet_id,
        to_outlet_id: new.to_outlet_id,
        transfer_number: number,
        note: new.note.clone(),
        business_date: date,
        sent_at: tx.now(),
        sent_by_name: actor.name.clone(),
        cancelled_at: None,
        cancelled_by_name: None,
        cancel_reason: None,
        recalled_at: None,
        to_outlet_code: elsewhere.as_ref().map(|to| to.code.clone()),
        to_outlet_name: elsewhere.map(|to| to.name),
        from_outlet_code: None,
        from_outlet_name: None,
        received_at: None,
        received_by_name: None,
        receipt_note: None,
        cost_micros: 0,
        lines_count: 0,
    }
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
        category: Some(item.draft.category),
        movement_id: ledger.last()?,
        received: None,
    })
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Transfer> {
    transfers::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("transfer"))
}

/// Refuses what is no longer on its way.
fn on_its_way(transfer: &Transfer) -> Result<()> {
    let refusal = match transfer.status() {
        TransferStatus::Sent => return Ok(()),
        TransferStatus::Received => "The transfer has been received",
        TransferStatus::Cancelled => "The transfer has been cancelled",
        TransferStatus::CancelRequested => "The transfer is being called back",
    };
    Err(StockError::Conflict(refusal.into()))
}

/// Tells the people of `outlet` of a transfer, once: what is on its way everybody, as what is low; what cost something the managers.
fn tell(
    tx: &Tx<'_>,
    outlet: Uuid,
    transfer: &Transfer,
    (kind, severity): (&'static str, Severity),
    title: &str,
    body: String,
) -> Result<()> {
    let notice = Notice {
        kind,
        severity,
        title: format!("{} {title}", transfer.transfer_number),
        body,
        audience: if matches!(kind, "TRANSFER_SENT" | "TRANSFER_RECALLED") {
            Audience::Staff
        } else {
            Audience::Managers
        },
        entity: Some(("stock_transfer", transfer.id)),
        dedupe_key: format!("{kind}:{}", transfer.id),
    };
    Ok(notifications::actions::notify(tx, outlet, notice)?)
}
