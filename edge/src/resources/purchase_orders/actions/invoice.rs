//! A supplier's invoice is entered, a difference to what came is accepted by whoever may, and one that was entered wrongly goes again.

use super::super::rules::invoices::{self, Brought, Match, Matched, SupplierInvoice};
use super::super::rules::{PurchaseError, PurchaseOrder, Result, Status};
use super::super::store;
use super::find;
use crate::access::Actor;
use crate::db::{DbError, Tx};
use crate::http::Checks;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use serde_json::{Value, json};
use tiffin_common::{Cents, Uuid};

/// An invoice to be entered.
#[derive(Debug, Clone)]
pub struct NewInvoice {
    /// Its number; each once per supplier.
    pub reference: String,
    /// What is to be paid, with tax.
    pub total: Cents,
    /// The tax in it.
    pub tax: Cents,
}

/// Enters an invoice and answers its id.
///
/// # Errors
/// [`PurchaseError::State`] of a draft; offending fields; a number that was entered before, of whichever order.
pub fn enter_invoice(tx: &Tx<'_>, actor: &Actor, id: Uuid, new: NewInvoice) -> Result<Uuid> {
    let order = find(tx, actor, id)?;
    if order.status == Status::Draft {
        return Err(PurchaseError::State("A DRAFT was not sent yet: nobody can have billed it".into()));
    }
    let mut checks = Checks::new();
    checks.require(!new.reference.is_empty(), "ref", "must not be blank");
    checks.require(new.tax <= new.total, "taxCents", "must not be more than totalCents");
    checks.finish(())?;
    if let Some(number) = store::find_invoiced(tx, actor.outlet_id, order.supplier_id, &new.reference)? {
        let why = format!("{} of {} was entered before, on {number}", new.reference, order.supplier_name);
        return Err(PurchaseError::Invoiced(why));
    }
    let invoice = SupplierInvoice {
        id: tx.new_id(),
        reference: new.reference,
        total: new.total,
        tax: new.tax,
        business_date: outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()),
        at: tx.now(),
        by_name: actor.name.clone(),
        accepted_difference: None,
        accepted_at: None,
        accepted_by_name: None,
        accepted_reason: None,
    };
    store::insert_invoice(tx, actor, &order, &invoice)?;
    record(tx, actor, ("purchase_order.invoice", &order), None, &shown(&invoice))?;
    Ok(invoice.id)
}

/// Accepts that an invoice is not for what came. Another difference, after a further delivery, is looked at again.
///
/// # Errors
/// Unknown invoice; [`PurchaseError::State`] where there is nothing to accept.
pub fn accept_invoice(tx: &Tx<'_>, actor: &Actor, id: Uuid, invoice: Uuid, reason: &str) -> Result<()> {
    let order = find(tx, actor, id)?;
    let (invoice, matched) = find_matched(tx, actor, &order, invoice)?;
    if !matched.is_open {
        let why = match matched.status {
            Match::Matched => "The invoice is for what came: there is nothing to accept",
            _ => "The difference was accepted before",
        };
        return Err(PurchaseError::State(why.into()));
    }
    store::set_accepted(tx, actor, invoice.id, matched.difference, reason)?;
    let after =
        json!({"poNumber": order.po_number, "ref": invoice.reference, "differenceCents": matched.difference});
    record(tx, actor, ("purchase_order.accept_invoice", &order), Some(reason), &after)
}

/// Takes an invoice away that was entered wrongly.
///
/// # Errors
/// Unknown invoice; [`PurchaseError::State`] once its difference was accepted.
pub fn remove_invoice(tx: &Tx<'_>, actor: &Actor, id: Uuid, invoice: Uuid) -> Result<()> {
    let order = find(tx, actor, id)?;
    let (invoice, _) = find_matched(tx, actor, &order, invoice)?;
    if invoice.accepted_at.is_some() {
        return Err(PurchaseError::State("Its difference was accepted: it stays".into()));
    }
    store::delete_invoice(tx, actor.outlet_id, invoice.id)?;
    let entry = Entry::new("purchase_order.remove_invoice", "purchase_order", Some(order.id));
    Ok(audit::actions::record(tx, actor, entry.before(&shown(&invoice)))?)
}

/// The order's invoice of that id, and what it is against what came.
fn find_matched(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &PurchaseOrder,
    id: Uuid,
) -> Result<(SupplierInvoice, Matched)> {
    let all = store::list_invoices(tx, actor.outlet_id, order.id)?;
    let came: Vec<Brought> =
        store::list_deliveries(tx, actor.outlet_id, order.id)?.iter().map(Brought::from).collect();
    let matched = invoices::matched(&all, &came)?;
    let found = all.into_iter().zip(matched).find(|(invoice, _)| invoice.id == id);
    found.ok_or(PurchaseError::NotFound("invoice"))
}

fn shown(invoice: &SupplierInvoice) -> Value {
    json!({"ref": invoice.reference, "totalCents": invoice.total, "taxCents": invoice.tax})
}

fn record(
    tx: &Tx<'_>,
    actor: &Actor,
    (action, order): (&'static str, &PurchaseOrder),
    reason: Option<&str>,
    after: &Value,
) -> Result<()> {
    let mut entry = Entry::new(action, "purchase_order", Some(order.id)).after(after);
    if let Some(reason) = reason {
        entry = entry.reason(reason);
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// Refuses a delivery whose invoice was taken in before.
pub(super) fn check_new(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &PurchaseOrder,
    reference: Option<&str>,
) -> Result<()> {
    let Some(reference) = reference else { return Ok(()) };
    if store::is_delivered(tx, actor.outlet_id, order.supplier_id, reference)? {
        let taken = DbError::Taken { table: "purchase_deliveries".into(), column: "invoice_ref".into() };
        return Err(taken.into());
    }
    Ok(())
}
