//! Stock comes in: a batch (new, or the same one again) with its movement; what was sold without stock is settled first.

use super::even::even_out;
use super::ledger::Ledger;
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::resources::inventory::rules::{Cause, Kind, Receipt, Result, StockError};
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

/// Takes something of a batch off stock that goes back to who delivered it, at what it had cost.
///
/// # Errors
/// More than is left of the batch.
pub fn take_back(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    batch: &Batch,
    quantity: Quantity,
    cause: &Cause,
) -> Result<()> {
    let mut ledger = Ledger::open(tx, actor, outlet, &[batch.stock_item_id])?;
    let item = batch.stock_item_id;
    ledger.post_at_cost(item, Some(batch.id), Kind::Receipt, quantity.negated(), batch.unit_cost, cause)?;
    ledger.close().map(drop)
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
    let batch_number = match &receipt.batch_number {
        Some(number) => match place_in_lot(ledger, receipt, number)? {
            Place::There(batch) => return Ok(batch),
            Place::Free(number) => number,
        },
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

/// Where something of a lot goes.
enum Place {
    /// A batch that it may be added to.
    There(Batch),
    /// A new one of this number.
    Free(String),
}

/// A lot may come again at another price: both batches keep their own cost, and the second says after the number what it came
/// with, so that whoever looks for the lot finds it, too. Nothing else is added to a batch of another cost, nor is what has another last
/// date, unless a branch sends it so.
fn place_in_lot(ledger: &Ledger<'_, '_>, receipt: &Receipt, number: &str) -> Result<Place> {
    let comes = matches!(receipt.kind, Kind::Receipt | Kind::TransferIn);
    let origin = receipt.cause.reason.as_deref().filter(|_| comes);
    let mut name = number.to_owned();
    let mut times = 1u32;
    while let Some(same) =
        batches::find_by_number(ledger.tx, ledger.actor.outlet_id, receipt.stock_item_id, &name)?
    {
        let is_same_date = same.expiry_date == receipt.expiry_date;
        if is_same_date && same.unit_cost == receipt.unit_cost {
            return Ok(Place::There(same));
        }
        let Some(origin) = origin.filter(|_| is_same_date || receipt.kind == Kind::TransferIn) else {
            let reason = "is another batch of this item, with another expiry or cost";
            return Err(StockError::field("batchNumber", reason));
        };
        name =
            if times == 1 { format!("{number} ({origin})") } else { format!("{number} ({origin}, {times})") };
        times = times.saturating_add(1);
    }
    Ok(Place::Free(name))
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

/// Whether the levels are what the ledger gives: for a reader, as a year's ledger takes seconds.
pub fn are_levels_right(conn: &dyn Source, outlet: Uuid) -> db::Result<bool> {
    levels::is_of_ledger(conn, outlet)
}

/// The ledger is here, and the levels are right: what was paid last is taken from it, too.
pub fn take_last_costs(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    levels::set_last_costs(tx, outlet)
}

/// Adds up the ledger for [`rebuild_levels`]: for a reader, as a year's ledger takes seconds.
pub fn sum_ledger(conn: &dyn Source, outlet: Uuid) -> db::Result<levels::LedgerSums> {
    levels::sum_ledger(conn, outlet)
}

/// Makes the levels of an outlet anew from the sums of its ledger and what came after them, and evens out what two boxes did.
pub fn rebuild_levels(tx: &Tx<'_>, known: &levels::LedgerSums) -> Result<()> {
    levels::set_from_ledger(tx, known)?;
    if even_out(tx, known)? {
        levels::set_from_ledger(tx, known)?;
    }
    Ok(())
}

/// Files the movements of a finished date by item; the dates before it are filed.
pub fn file_movements(tx: &Tx<'_>, outlet: Uuid, date: NaiveDate) -> db::Result<()> {
    movements::insert_filed(tx, outlet, date)
}

/// Sets the levels from sums that head office made of the ledger, which is not here yet.
pub fn carry_levels(tx: &Tx<'_>, outlet: Uuid, carried: &[levels::Carried]) -> Result<()> {
    Ok(levels::set_carried(tx, outlet, carried)?)
}
