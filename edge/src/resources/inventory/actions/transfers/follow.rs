//! What follows from what head office delivered: it is told, what was called back comes home, and what was taken in though it had been
//! called back goes out again. Looks at how things stand, not at what changed: safe to repeat, whatever was restored meanwhile.

use super::cancel::take_home;
use super::receive::tell_shortfall;
use super::{CAUSE, find, tell};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::actions::ledger::{Ledger, Posting};
use crate::resources::inventory::rules::transfers::{TransferStatus, taking_back};
use crate::resources::inventory::rules::{Cause, Kind, Result};
use crate::resources::inventory::store::movements::Taken;
use crate::resources::inventory::store::{batches, transfers};
use crate::resources::notifications::Severity;
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use tiffin_common::{Overflow, Quantity, Uuid};

/// Does what follows at the outlet of `actor`; `came` are those to it of which head office told something, `ended` those of its own.
///
/// # Errors
/// The store's, or a number that leaves its range.
pub fn follow_transfers(tx: &Tx<'_>, actor: &Actor, came: &[Uuid], ended: &[Uuid]) -> Result<()> {
    let home = transfers::list_to_give_back(tx, actor.outlet_id)?;
    let undone = transfers::list_to_undo(tx, actor.outlet_id)?;
    if !home.is_empty() || !undone.is_empty() {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        for (id, at) in home {
            let transfer = find(tx, actor, id)?;
            take_home(tx, actor, &outlet, &transfer, at, transfer.cancel_reason.as_deref())?;
            let body = "It had not come there: what was sent is back on its shelves here.".to_owned();
            tell(
                tx,
                actor.outlet_id,
                &transfer,
                ("TRANSFER_CANCELLED", Severity::Info),
                "was called back",
                body,
            )?;
        }
        for id in undone {
            undo(tx, actor, &outlet, id)?;
        }
    }
    for id in came {
        tell_came(tx, actor, *id)?;
    }
    for id in ended {
        tell_ended(tx, actor, *id)?;
    }
    Ok(())
}

/// Books out again what was taken in: as far as it is still there from its batches, the rest as what is owed.
fn undo(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, id: Uuid) -> Result<()> {
    let put_in = transfers::list_put_in(tx, actor.outlet_id, id)?;
    let items: Vec<Uuid> = put_in.iter().map(|movement| movement.item).collect();
    let mut ledger = Ledger::open(tx, actor, outlet, &items)?;
    let cause = Cause::new(CAUSE, Some(id)).reason("Called back before it was taken in");
    for movement in &put_in {
        let held = match movement.batch {
            Some(batch) => batches::find(tx, actor.outlet_id, batch)?.map_or(Quantity::ZERO, |b| b.quantity),
            None => Quantity::ZERO,
        };
        let of_batch = held.min(movement.quantity);
        let owed = movement.quantity.minus(of_batch)?;
        take_back(&mut ledger, movement, (movement.batch, of_batch, 0), &cause)?;
        take_back(&mut ledger, movement, (None, owed, 1), &cause)?;
    }
    ledger.close()?;
    transfers::set_undone(tx, actor.outlet_id, id)?;
    let transfer = find(tx, actor, id)?;
    let body = "It had been called back, and its sender has the goods again, before it was taken in here: what was taken in is \
                booked out again. Count what is there.";
    tell(
        tx,
        actor.outlet_id,
        &transfer,
        ("TRANSFER_UNDONE", Severity::Critical),
        "was called back",
        body.to_owned(),
    )
}

fn take_back(
    ledger: &mut Ledger<'_, '_>,
    movement: &Taken,
    (batch, quantity, part): (Option<Uuid>, Quantity, u8),
    cause: &Cause,
) -> Result<()> {
    if !quantity.is_positive() {
        return Ok(());
    }
    let cost_micros = movement.unit_cost.cost_micros(quantity)?.checked_neg().ok_or(Overflow)?;
    let posting = Posting {
        item: movement.item,
        batch,
        kind: Kind::TransferIn,
        delta: quantity.negated(),
        unit_cost: movement.unit_cost,
        cost_micros,
        reverses: Some(movement.id),
    };
    ledger.named = Some(taking_back(movement.id, part));
    ledger.post(posting, cause)
}

/// Something is on its way here, or was called back on the way.
fn tell_came(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<()> {
    let Some(transfer) = transfers::find(tx, actor.outlet_id, id)? else { return Ok(()) };
    let from = transfer.from_outlet_name.as_deref().unwrap_or_default();
    let (kind, title, body) = match transfer.status() {
        TransferStatus::Sent => {
            let body = format!("{from}, lines: {}. Take them in when they are here.", transfer.lines_count);
            ("TRANSFER_SENT", "is on its way here", body)
        }
        TransferStatus::CancelRequested => (
            "TRANSFER_RECALLED",
            "is called back",
            format!("{from} wants it back: it is not taken in any more."),
        ),
        TransferStatus::Received | TransferStatus::Cancelled => return Ok(()),
    };
    tell(tx, actor.outlet_id, &transfer, (kind, Severity::Info), title, body)
}

/// What was sent from here has come.
fn tell_ended(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<()> {
    let found = transfers::find(tx, actor.outlet_id, id)?;
    let Some(transfer) = found.filter(|t| t.status() == TransferStatus::Received) else { return Ok(()) };
    if transfer.recalled_at.is_some() {
        let body = "It had been taken in there before that was known: it stays there.".to_owned();
        let kind = ("TRANSFER_NOT_CANCELLED", Severity::Warning);
        tell(tx, actor.outlet_id, &transfer, kind, "could not be called back", body)?;
    }
    tell_shortfall(tx, actor.outlet_id, &transfer)
}
