//! What lowers a bill without money going back: a credit note for what was charged wrongly, and a write-off for what will never be
//! paid. Both are entries of their own date; the bill itself never changes.

use super::super::rules::credits::NewCreditNote;
use super::super::rules::refunds::RefundOf;
use super::super::rules::{OrderError, OrderRecord, OrderStatus, Result, WriteOffRow};
use super::super::store;
use super::back::{Back, all_of_bill};
use super::dispatch::follow_kitchen;
use crate::access::{Actor, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets;
use tiffin_common::{Cents, Uuid};

/// Takes something off a bill that is not paid, and answers the id of the credit note.
///
/// # Errors
/// All offending fields, among them more than is due; [`OrderError::State`] without a bill, or when nothing is due; 403 or a wrong
/// PIN without the right.
pub fn credit_note(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    new: &NewCreditNote,
    pin: &ApproverPin,
) -> Result<Uuid> {
    let mut order = owed(tx, actor, id)?;
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    let (due, billed) = (order.due(), order.billed()?);
    let of = match &new.of {
        Some(of) => of.clone(),
        None => RefundOf::Amount(due.min(all_of_bill(tx, &order)?)),
    };
    let back = Back::find(tx, &billed, &of, new.restock)?;
    if back.amount > due {
        let reason = format!("must be at most {}, which is what is due: refund what was paid", due.get());
        return Err(OrderError::field(back.field, reason));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let (note_id, note) = back.credit(tx, actor, (&outlet, &billed), &new.text())?;
    let progress = back.take_back(tx, actor, (&outlet, &billed), note_id, &new.text())?;
    let entry = Entry::new("order.credit_note", "order", Some(order.id))
        .before(&serde_json::json!({"dueCents": due, "invoiceNumber": order.invoice_number}))
        .after(&serde_json::json!({"amountCents": note.total_cents, "creditNoteNumber": note.number}))
        .reason(new.text())
        .approver(approver);
    audit::actions::record(tx, actor, entry)?;
    order.credited = order.credited.plus(back.amount)?;
    store::update(tx, &mut order)?;
    if let Some(progress) = progress {
        follow_kitchen(tx, actor, order.id, progress)?;
    }
    Ok(note_id)
}

/// Gives up what is due of a bill: bad debt. Its tax stays owed.
///
/// # Errors
/// [`OrderError::State`] without a bill, or when nothing is due; 403 or a wrong PIN without the right.
pub fn write_off(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    reason: &str,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = owed(tx, actor, id)?;
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    let row = WriteOffRow {
        id: tx.new_id(),
        amount: order.due(),
        reason: reason.to_owned(),
        business_date: outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()),
        at: tx.now(),
        by_id: actor.account_id,
        by: actor.name.clone(),
        approver_id: approver.as_ref().map(|approver| approver.employee_id),
        clock_suspect: tx.is_clock_doubtful(),
    };
    store::insert_write_off(tx, &order, &row)?;
    let entry = Entry::new("order.write_off", "order", Some(order.id))
        .after(&serde_json::json!({"amountCents": row.amount, "invoiceNumber": order.invoice_number}))
        .reason(reason)
        .approver(approver);
    audit::actions::record(tx, actor, entry)?;
    order.written_off = order.written_off.plus(row.amount)?;
    store::update(tx, &mut order)?;
    Ok(order)
}

/// The order of that id, if something is due of its bill.
fn owed(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<OrderRecord> {
    let order = store::find(tx, actor.outlet_id, id)?;
    if order.invoice_id.is_none() || order.status == OrderStatus::Cancelled {
        return Err(OrderError::State("There is no bill: change the order itself".into()));
    }
    if order.due() == Cents::ZERO {
        return Err(OrderError::State("Nothing is due: refund what was paid".into()));
    }
    Ok(order)
}
