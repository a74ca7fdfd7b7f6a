//! Stock comes in: a batch (new, or the same one again) with its movement; what was sold without stock is settled first.

use super::ledger::Ledger;
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::resources::inventory::rules::{Kind, Receipt, Result, StockError};
use crate::resources::inventory::store::batches::{self, Batch};
use crate::resources::inventory::store::{levels, movements};
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use tiffin_common::{Quantity, Uuid};

/// Books a receipt and answers the batch it is in.
///
/// # Errors
/// Offending fields: an amount that is not positive, a batch number that stands for another expiry or cost.
pub fn receive(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, receipt: &Receipt) -> Result<Batch> {
    let mut ledger = Ledger::open(tx, actor, outlet, &[receipt.stock_item_id])?;
    let id = receive_into(&mut ledger, receipt)?;
    ledger.close()?;
    batches::find(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("batch"))
}

/// As [`receive`], into a ledger that is open.
pub(super) fn receive_into(ledger: &mut Ledger<'_, '_>, receipt: &Receipt) -> Result<Uuid> {
    let item = receipt.stock_item_id;
    ledger.level(item)?;
    if !receipt.quantity.is_positive() {
        return Err(StockError::field("quantity", "must be more than 0"));
    }
    let batch = batch_for(ledger, receipt)?;
    ledger.post_at_cost(
        item,
        Some(batch.id),
        receipt.kind,
        receipt.quantity,
        batch.unit_cost,
        &receipt.cause,
    )?;
    if batch.is_usable(ledger.date) {
        ledger.settle(item, batch.id, batch.unit_cost, receipt.quantity)?;
    }
    if receipt.unit_cost.get() > 0 {
        ledger.cost_now(item, receipt.unit_cost)?;
    }
    Ok(batch.id)
}

fn batch_for(ledger: &Ledger<'_, '_>, receipt: &Receipt) -> Result<Batch> {
    let (tx, outlet, item) = (ledger.tx, ledger.actor.outlet_id, receipt.stock_item_id);
    if let Some(number) = &receipt.batch_number
        && let Some(same) = batches::find_by_number(tx, outlet, item, number)?
    {
        let fits = same.expiry_date == receipt.expiry_date && same.unit_cost == receipt.unit_cost;
        return if fits {
            Ok(same)
        } else {
            Err(StockError::field(
                "batchNumber",
                "is another batch of this item, with another expiry or cost",
            ))
        };
    }
    let batch_number = match &receipt.batch_number {
        Some(number) => number.clone(),
        None => made_up_number(ledger, receipt)?,
    };
    let batch = Batch {
        id: ledger.named.unwrap_or_else(|| tx.new_id()),
        stock_item_id: item,
        batch_number,
        expiry_date: receipt.expiry_date,
        received_at: tx.now(),
        unit_cost: receipt.unit_cost,
        supplier_id: receipt.supplier_id,
        source_type: receipt.kind.source(),
        quantity: Quantity::ZERO,
    };
    batches::insert(tx, outlet, &batch, receipt.cause.id)?;
    Ok(batch)
}

/// `OPN-261120-1`: what kind, which day, the how-manieth of the item.
fn made_up_number(ledger: &Ledger<'_, '_>, receipt: &Receipt) -> Result<String> {
    let kind = match receipt.kind {
        Kind::Opening => "OPN",
        Kind::Receipt => "DEL",
        Kind::TransferIn => "TRF",
        _ => "ADJ",
    };
    let prefix = format!("{kind}-{}-", ledger.date.format("%y%m%d"));
    let mut next = batches::count_numbered(ledger.tx, receipt.stock_item_id, &prefix)?.saturating_add(1);
    loop {
        let number = format!("{prefix}{next}");
        let taken =
            batches::find_by_number(ledger.tx, ledger.actor.outlet_id, receipt.stock_item_id, &number)?
                .is_some();
        if !taken {
            return Ok(number);
        }
        next = next.saturating_add(1);
    }
}

/// Makes the levels anew from the ledger (after a restore).
pub fn rebuild_levels(tx: &Tx<'_>, outlet: Uuid) -> Result<()> {
    Ok(levels::set_from_ledger(tx, outlet)?)
}

/// Files the movements of a finished date by item; the dates before it are filed.
pub fn file_movements(tx: &Tx<'_>, outlet: Uuid, date: NaiveDate) -> db::Result<()> {
    movements::insert_filed(tx, outlet, date)
}

/// Sets the levels from sums that head office made of the ledger, which is not here yet.
pub fn carry_levels(tx: &Tx<'_>, outlet: Uuid, carried: &[levels::Carried]) -> Result<()> {
    Ok(levels::set_carried(tx, outlet, carried)?)
}
