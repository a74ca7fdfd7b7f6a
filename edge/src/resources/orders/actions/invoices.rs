//! Bills and credit notes. A bill is made once, in the transaction that numbers it; it is never changed, only taken back by
//! credit notes that refer to it.

use super::super::rules::credits::{Remainder, Returned};
use super::super::rules::invoices::{self, Bill, BillLine, BillReference, InvoiceKind, Stamp};
use super::super::rules::refunds::line_worths;
use super::super::rules::signing::SigningKey;
use super::super::rules::{Buyer, OrderError, OrderRecord, OrderStatus, Result};
use super::super::store;
use crate::access::{Actor, Permission};
use crate::db::{Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets::rules::Outlet;
use crate::resources::{outlets, tables};
use tiffin_common::{Cents, Uuid};

/// Makes the bill of an order for `buyer` and answers its id, and whether it is new: the one that is there, when there is one. From then
/// on the lines are frozen.
///
/// # Errors
/// [`OrderError::NotFound`]; an offending tax id; [`OrderError::State`] when there is nothing to bill; [`OrderError::Billed`] when the
/// bill is made out to somebody else.
pub fn invoice(tx: &Tx<'_>, actor: &Actor, id: Uuid, buyer: &Buyer) -> Result<(Uuid, bool)> {
    let mut order = store::find(tx, actor.outlet_id, id)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let buyer = buyer.clone().checked(outlet.profile())?;
    if let Some(made) = order.invoice_id {
        let document = store::find_document(tx, outlet.id, made)?.ok_or(OrderError::NotFound("invoice"))?;
        return match buyer.differs(&document.bill, &order.guest) {
            None => Ok((made, false)),
            Some(field) => Err(OrderError::Billed { number: document.bill.number, field }),
        };
    }
    let guest = buyer.over(&order.guest);
    if guest != order.guest {
        store::set_guest(tx, order.outlet_id, order.id, &guest)?;
        order.guest = guest;
    }
    let made = bill_for(tx, actor, &mut order, &buyer)?;
    store::update(tx, &mut order)?;
    if let Some(session) = order.table_session_id {
        tables::actions::bill_printed(tx, actor, session)?;
    }
    Ok((made, true))
}

/// Makes the bill of `order` when it has none, without writing the order. For actions that close or credit it.
///
/// # Errors
/// [`OrderError::State`] when there is nothing to bill.
pub(super) fn bill(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord) -> Result<Uuid> {
    bill_for(tx, actor, order, &Buyer::default())
}

fn bill_for(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord, buyer: &Buyer) -> Result<Uuid> {
    if let Some(made) = order.invoice_id {
        return Ok(made);
    }
    if order.status == OrderStatus::Cancelled {
        return Err(OrderError::State("The order is CANCELLED: there is nothing to bill".into()));
    }
    if order.is_operator_taxed {
        let why = "The operator of its channel makes the bill: the order gets a slip when it is completed";
        return Err(OrderError::State(why.into()));
    }
    if order.awaits_approval() {
        return Err(OrderError::State(format!("{} waits to be accepted first", order.order_number)));
    }
    if !order.lines.iter().any(|line| line.quantity > 0) {
        return Err(OrderError::State("There is nothing on the order to bill".into()));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let stamp = stamp(tx, actor, &outlet, InvoiceKind::Invoice)?;
    let (number, date) = (stamp.number.clone(), stamp.business_date);
    let taxes = store::list_taxes(tx, order.id)?;
    let bill = Bill::of(order, &outlet, &taxes, &line_worths(order)?, stamp)?.for_buyer(buyer);
    begin_key(tx, actor)?;
    let id = store::insert_invoice(tx, actor, &bill)?;
    order.invoice_id = Some(id);
    order.invoice_number = Some(number);
    order.revenue_date = Some(date);
    Ok(id)
}

/// The bill of `goods` of an order whose food the operator of its channel bills, without writing the order.
pub(super) fn bill_goods(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &mut OrderRecord,
    goods: &OrderRecord,
) -> Result<()> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let stamp = stamp(tx, actor, &outlet, InvoiceKind::Invoice)?;
    let (number, date) = (stamp.number.clone(), stamp.business_date);
    let bill = Bill::of(goods, &outlet, &store::list_taxes(tx, order.id)?, &line_worths(goods)?, stamp)?;
    begin_key(tx, actor)?;
    order.invoice_id = Some(store::insert_invoice(tx, actor, &bill)?);
    (order.invoice_number, order.revenue_date) = (Some(number), Some(date));
    Ok(())
}

/// The bill an order would get now: for a preview.
pub fn preview(conn: &dyn Source, order: &OrderRecord, outlet: &Outlet) -> Result<Bill> {
    let stamp = Stamp {
        kind: InvoiceKind::Invoice,
        fiscal_year: String::new(),
        serial: 0,
        number: String::new(),
        at: order.updated_at,
        business_date: order.business_date,
        by: String::new(),
    };
    Ok(Bill::of(order, outlet, &store::list_taxes(conn, order.id)?, &line_worths(order)?, stamp)?)
}

/// The next number of a series, with the moment and the maker of what it is for.
fn stamp(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, kind: InvoiceKind) -> Result<Stamp> {
    let business_date = outlet.business_date(tx.now());
    let fiscal_year = outlet.fiscal_year(business_date);
    let mark = kind.mark(store::find_life(tx, outlet.id)?);
    let serial = store::next_number(tx, outlet.id, &invoices::series(kind, &fiscal_year, mark))?;
    let number = invoices::number(&outlet.code, &fiscal_year, mark, serial).ok_or_else(|| {
        OrderError::State(format!("The series of {fiscal_year} is full: its next number would be too long"))
    })?;
    Ok(Stamp { kind, fiscal_year, serial, number, at: tx.now(), business_date, by: actor.name.clone() })
}

/// Puts the key that this box signs with on record before its first document; another than the one before is in the audit log, too.
fn begin_key(tx: &Tx<'_>, actor: &Actor) -> Result<()> {
    let Some(signer) = tx.signer() else { return Ok(()) };
    let known = store::list_signing_keys(tx, actor.outlet_id)?;
    if known.iter().any(|key| key.public_key == signer.public()) {
        return Ok(());
    }
    let life = store::find_life(tx, actor.outlet_id)?;
    let new = SigningKey { id: tx.new_id(), life, public_key: signer.public().to_vec(), begun_at: tx.now() };
    store::insert_signing_key(tx, actor.outlet_id, &new)?;
    if !known.is_empty() {
        let entry = Entry::new("invoice.key_begun", "signing_key", Some(new.id));
        audit::actions::record(tx, actor, entry.after(&serde_json::json!({"life": life})))?;
    }
    Ok(())
}

/// What a credit note takes back.
pub(super) struct Credit<'a> {
    /// How much.
    pub amount: Cents,
    /// The lines that came back.
    pub lines: Vec<BillLine>,
    /// What came with these lines; none: in proportion.
    pub returned: Option<Returned>,
    /// Why.
    pub reason: &'a str,
}

/// Makes a credit note for a part of `order`'s bill.
///
/// # Errors
/// [`OrderError::State`] when there is no bill; an offending `amountCents` when it has less left.
pub(super) fn credit(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &OrderRecord,
    credit: Credit<'_>,
) -> Result<(Uuid, Bill)> {
    let Some(id) = order.invoice_id else {
        return Err(OrderError::State("There is no bill that a credit note could be for".into()));
    };
    let (invoice, left) = remainder(tx, order, id)?;
    if credit.amount > left.total {
        return Err(OrderError::field("amountCents", format!("must be at most {}", left.total.get())));
    }
    let mut lines = credit.lines;
    for line in &mut lines {
        if let Some(billed) = invoice.lines.iter().find(|of| of.order_item_id == line.order_item_id) {
            (line.supply, line.charge_supply) = (billed.supply, billed.charge_supply);
        }
    }
    let part = left.part(credit.amount, credit.returned.as_ref(), &lines)?;
    for line in &mut lines {
        line.supply = part.place_of(&left, line.supply);
        line.charge_supply = line.charge_supply.map(|place| part.place_of(&left, place));
    }
    let goods = credit.amount.minus(part.tax)?.minus(part.service_charge)?.minus(part.rounding)?;
    let discount = Cents::sum(lines.iter().map(|line| line.discount_cents))?;
    let stamp = stamp(tx, actor, outlet, InvoiceKind::CreditNote)?;
    let note = Bill {
        lines,
        taxes: part.taxes,
        supplies: part.supplies,
        subtotal_cents: goods.plus(discount)?,
        discount_cents: discount,
        service_charge_cents: part.service_charge,
        tax_cents: part.tax,
        rounding_cents: part.rounding,
        total_cents: credit.amount,
        refers_to: Some(BillReference { id, number: invoice.number }),
        customer_tax_id: invoice.customer_tax_id,
        customer_legal_name: invoice.customer_legal_name,
        customer_address: invoice.customer_address,
        reason: Some(credit.reason.to_owned()),
        ..Bill::empty(order, outlet, stamp)
    };
    begin_key(tx, actor)?;
    Ok((store::insert_invoice(tx, actor, &note)?, note))
}

/// The bill of `order` and what earlier credit notes left of it.
pub(super) fn remainder(conn: &dyn Source, order: &OrderRecord, id: Uuid) -> Result<(Bill, Remainder)> {
    let document = store::find_document(conn, order.outlet_id, id)?.ok_or(OrderError::NotFound("invoice"))?;
    let credits = store::list_credits(conn, order.id, id)?.into_iter().map(|credit| credit.bill);
    let left = Remainder::of(&document.bill, &credits.collect::<Vec<_>>())?;
    Ok((document.bill, left))
}

/// Takes an unpaid bill back, so that the order can be changed and billed anew under another number.
///
/// # Errors
/// [`OrderError::State`] when there is no bill, money is kept for it, or its business date is over: its figures stay as they
/// are. 403 or a wrong PIN without the right.
pub fn withdraw(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    reason: &str,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = store::find(tx, actor.outlet_id, id)?;
    if order.invoice_id.is_none() {
        return Err(OrderError::State("There is no bill to take back".into()));
    }
    if order.status.is_final() {
        return Err(OrderError::State(format!("The order is {}: refund it instead", order.status)));
    }
    if order.is_operator_taxed {
        let why = "The bill stands beside a slip: make a credit note instead";
        return Err(OrderError::State(why.into()));
    }
    let approver = auth::actions::approve(tx, actor, Permission::RefundsMake, pin)?;
    take_back(tx, actor, &order, reason)?;
    let entry = Entry::new("order.bill_withdrawn", "order", Some(order.id))
        .before(&serde_json::json!({"invoiceNumber": order.invoice_number, "totalAmountCents": order.total}))
        .reason(reason)
        .approver(approver);
    audit::actions::record(tx, actor, entry)?;
    // What came in was given back in full: nothing of it counts for the next bill.
    order.paid = order.paid.minus(order.refunded)?;
    (order.refunded, order.credited) = (Cents::ZERO, Cents::ZERO);
    order.revenue_date = None;
    order.invoice_id = None;
    order.invoice_number = None;
    store::update(tx, &mut order)?;
    Ok(order)
}

/// Credits all that is left of `order`'s unpaid bill, on the date that it was made.
fn take_back(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord, reason: &str) -> Result<()> {
    let Some(id) = order.invoice_id else { return Ok(()) };
    if order.paid.minus(order.refunded)? > Cents::ZERO {
        return Err(OrderError::State("The bill has been paid: give the money back first".into()));
    }
    if order.written_off > Cents::ZERO {
        return Err(OrderError::State("The bill has been written off: it stays as it is".into()));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    if order.revenue_date != Some(outlet.business_date(tx.now())) {
        return Err(OrderError::State(
            "The bill is of a date that is over: make a credit note instead".into(),
        ));
    }
    let (bill, left) = remainder(tx, order, id)?;
    if left.total <= Cents::ZERO && left.total != bill.total_cents {
        return Ok(());
    }
    let lines = if left.total == bill.total_cents { bill.lines } else { Vec::new() };
    credit(tx, actor, &outlet, order, Credit { amount: left.total, lines, returned: None, reason }).map(drop)
}
