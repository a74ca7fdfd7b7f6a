//! A transfer is called back. At another box nobody knows whether it has come there: there the answer is head office's.

use super::{CAUSE, find, on_its_way};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::actions::ledger::Ledger;
use crate::resources::inventory::actions::returns::give_back;
use crate::resources::inventory::rules::transfers::{Transfer, TransferStatus};
use crate::resources::inventory::rules::{Cause, Kind, Result, StockError};
use crate::resources::inventory::store::movements::Taken;
use crate::resources::inventory::store::transfers;
use crate::resources::outlets::rules::Outlet;
use tiffin_common::{Millis, Uuid};

/// Calls a transfer back before it has come: each quantity returns to its own batch, once. One to another box's outlet is asked
/// back, and returns when head office has decided; asked again, it stays as it is.
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
    let transfer = find(tx, actor, id)?;
    if transfer.outlet_id != actor.outlet_id {
        return Err(StockError::Conflict("Only the outlet that sent it can call it back".into()));
    }
    if transfer.status() == TransferStatus::CancelRequested {
        return Ok(transfer);
    }
    on_its_way(&transfer)?;
    let now = tx.now();
    let elsewhere = transfer.is_for_delivery();
    transfers::set_called_back(tx, actor, id, elsewhere.then_some(now), reason)?;
    if !elsewhere {
        take_home(tx, actor, outlet, &transfer, now, reason)?;
    }
    find(tx, actor, id)
}

/// Each quantity of a transfer returns to its own batch.
pub(super) fn take_home(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    transfer: &Transfer,
    at: Millis,
    reason: Option<&str>,
) -> Result<()> {
    let lines = transfers::list_lines(tx, transfer)?;
    let items: Vec<Uuid> = lines.iter().map(|line| line.stock_item_id).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let cause = Cause { reason: reason.map(str::to_owned), ..Cause::new(CAUSE, Some(transfer.id)) };
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
        // Of a box that was put back, both lives make the same movement.
        ledger.named = Some(line.id);
        give_back(&mut ledger, &taken, Kind::TransferOut, &cause)?;
    }
    ledger.close()?;
    Ok(transfers::set_cancelled(tx, actor.outlet_id, transfer.id, at)?)
}
