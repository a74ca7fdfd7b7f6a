//! Bills on paper: at whose printer, when by themselves, and which copy. Never waits for a printer.

use super::super::rules::invoices::{Bill, Document};
use super::super::rules::payments::NewPayment;
use super::super::rules::receipt::{self, Paid, Settlement};
use super::super::rules::{Buyer, OrderError, OrderRecord, OrderStatus, PaymentMethod, Result};
use super::super::store;
use super::channels::demand_reach;
use super::invoices;
use crate::access::Actor;
use crate::db::{Source, Tx};
use crate::paper::Row;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::normal_code;
use crate::resources::printers::rules::{
    AutoPrint, Codes, Job, JobKind, Paper, Printer, PrinterError, PrinterRole,
};
use crate::resources::{menu, outlets, printers, tables};
use serde_json::json;
use tiffin_common::{Cents, Uuid};

/// The paper of an order.
#[derive(Debug)]
pub struct Shown {
    /// What stands on it.
    pub rows: Vec<Row>,
    /// What it is called: the number of the bill, of the order while there is none.
    pub title: String,
    /// The path of its page for the guest's phone; none of a credit note.
    pub page: Option<String>,
}

/// An order's bill, a preview where it has not been made. `with_page`: the code of its page may stand on it.
///
/// # Errors
/// [`OrderError::NotFound`].
pub fn receipt(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    language: Option<&str>,
    with_page: bool,
) -> Result<Shown> {
    shown(conn, store::find(conn, outlet, id)?, language, with_page)
}

/// What the guest sees on a phone that has the code of an order's receipt; none where no order has it, or it was called off.
pub fn on_phone(conn: &dyn Source, code: &str, language: Option<&str>) -> Result<Option<Shown>> {
    match store::find_by_receipt_code(conn, &normal_code(code))? {
        Some(order) if order.status != OrderStatus::Cancelled => {
            let order = store::find(conn, order.outlet_id, order.id)?;
            shown(conn, order, language, false).map(Some)
        }
        _ => Ok(None),
    }
}

fn shown(conn: &dyn Source, order: OrderRecord, language: Option<&str>, with_page: bool) -> Result<Shown> {
    let page = page_of(&order);
    let rows = rows_of(conn, &order, language, page.as_deref().filter(|_| with_page))?;
    let title = order.invoice_number.or(order.slip_number).unwrap_or(order.order_number);
    Ok(Shown { rows, title, page })
}

/// The path of the page of an order's bill.
fn page_of(order: &OrderRecord) -> Option<String> {
    order.receipt_code.as_ref().map(|code| format!("/r/{code}"))
}

/// A bill or credit note: the bill that its order has now with what was paid of it.
///
/// # Errors
/// [`OrderError::NotFound`].
pub fn document(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    language: Option<&str>,
    with_page: bool,
) -> Result<Shown> {
    let document = find_document(conn, outlet, id)?;
    let order = store::find(conn, outlet, document.bill.order_id)?;
    if order.invoice_id == Some(id) {
        return shown(conn, order, language, with_page);
    }
    let rows = rows_of_document(conn, &order, &document, language)?;
    Ok(Shown { rows, title: document.bill.number, page: None })
}

fn find_document(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Document> {
    store::find_document(conn, outlet, id)?.ok_or(OrderError::NotFound("invoice"))
}

/// The rows of a document that is not the bill of `order`, or no longer. A credit note says how the money went back.
fn rows_of_document(
    conn: &dyn Source,
    order: &OrderRecord,
    document: &Document,
    language: Option<&str>,
) -> Result<Vec<Row>> {
    let given_back = store::list_refunds(conn, order.id)?.into_iter();
    let given_back = given_back.filter(|refund| refund.credit_note_id == Some(document.id));
    let payments = given_back.map(|refund| Paid {
        method: refund.method.name(),
        amount: refund.amount,
        tip: Cents::ZERO,
        tendered: None,
        change: Cents::ZERO,
    });
    let settlement = Settlement {
        payments: payments.collect(),
        due: Cents::ZERO,
        refunded: Cents::ZERO,
        code: order.receipt_code.clone(),
        slip: None,
        guest: order.guest.name.clone(),
        address: order.guest.address.clone(),
    };
    let house = outlets::store::find(conn, order.outlet_id)?;
    let code = receipt::code(&document.bill, &settlement);
    let bill = worded(conn, order, document.bill.clone(), language)?;
    let rows = receipt::rows(&bill, &settlement, house.timezone);
    around(conn, order, rows, language, Codes { bill: code.as_deref(), page: None })
}

/// The rows of an order's paper with what the house says above and below, in `language` where it has that: its bill or what that would be;
/// where the operator of its channel makes the bill, a slip, and below it the bill of its goods.
fn rows_of(
    conn: &dyn Source,
    order: &OrderRecord,
    language: Option<&str>,
    page: Option<&str>,
) -> Result<Vec<Row>> {
    let (bill, settlement) = settled(conn, order)?;
    let bill = worded(conn, order, bill, language)?;
    let house = outlets::store::find(conn, order.outlet_id)?;
    let code = receipt::code(&bill, &settlement);
    let mut rows = receipt::rows(&bill, &settlement, house.timezone);
    if order.is_operator_taxed {
        let preview = worded(conn, order, invoices::preview(conn, order, &house)?, language)?;
        let slip = Some(order.slip_number.clone().unwrap_or_default());
        let of_slip = receipt::rows(&preview, &Settlement { slip, ..settlement }, house.timezone);
        rows = if order.invoice_id.is_some() { [of_slip, rows].concat() } else { of_slip };
    }
    around(conn, order, rows, language, Codes { bill: code.as_deref(), page })
}

/// The bill to be read in `language`: dishes, sizes and choices as the menu calls them in it now. The document stays as it was made.
fn worded(conn: &dyn Source, order: &OrderRecord, mut bill: Bill, language: Option<&str>) -> Result<Bill> {
    let Some(language) = language else { return Ok(bill) };
    let dishes = order.lines.iter().map(|line| (line.menu_item_id, line.variant_id));
    let said = menu::store::list_said(conn, order.outlet_id, language, dishes)?;
    if let Some(number) = &mut bill.table_number
        && let Some(texts) =
            tables::store::list_texts(conn, order.outlet_id, [number.as_str()])?.get(number.as_str())
    {
        texts.put(language, number, None);
    }
    for printed in &mut bill.lines {
        let Some(line) = order.lines.iter().find(|line| line.id == printed.order_item_id) else { continue };
        if let Some(name) = said.dish(line.menu_item_id, line.variant_id) {
            printed.name = name.to_owned();
        }
        let combo = line.combo_id.and_then(|id| said.dish(id, None));
        if let (Some(of), Some(name)) = (&mut printed.combo, combo) {
            of.name = name.to_owned();
        }
        for modifier in &mut printed.modifiers {
            if let Some(name) = said.option(line.menu_item_id, modifier) {
                *modifier = name.to_owned();
            }
        }
    }
    Ok(bill)
}

/// `rows` with what the house says above and below.
fn around(
    conn: &dyn Source,
    order: &OrderRecord,
    rows: Vec<Row>,
    language: Option<&str>,
    codes: Codes<'_>,
) -> Result<Vec<Row>> {
    let layout = printers::store::find_layout(conn, order.outlet_id)?;
    let layout = layout.map(|layout| layout.fields).unwrap_or_default();
    Ok(layout.around(rows, language, codes))
}

/// The bill of an order, or what it would be, and what was paid of it.
fn settled(conn: &dyn Source, order: &OrderRecord) -> Result<(Bill, Settlement)> {
    let outlet = order.outlet_id;
    let bill = match order.invoice_id {
        Some(id) => store::find_document(conn, outlet, id)?.ok_or(OrderError::NotFound("invoice"))?.bill,
        None => invoices::preview(conn, order, &outlets::store::find(conn, outlet)?)?,
    };
    let payments = store::list_payments(conn, order.id)?;
    let refunded = Cents::sum(payments.iter().map(|payment| payment.refunded))?;
    let payments = payments.into_iter().filter(|payment| !payment.is_reversed).map(|payment| Paid {
        method: payment.method.name(),
        amount: payment.amount,
        tip: payment.tip,
        tendered: payment.tendered,
        change: payment.change,
    });
    let settlement = Settlement {
        payments: payments.collect(),
        due: order.due(),
        refunded,
        code: order.receipt_code.clone(),
        slip: None,
        guest: order.guest.name.clone(),
        address: order.guest.address.clone(),
    };
    Ok((bill, settlement))
}

/// Queues the bill of an order for the printer that was named, or the first for receipts.
///
/// # Errors
/// [`OrderError::NotFound`]; an offending `printerId`; a conflict where there is no printer for receipts.
pub fn print(tx: &Tx<'_>, actor: &Actor, id: Uuid, wanted: Option<Uuid>) -> Result<Job> {
    demand_reach(tx, actor, id)?;
    let order = store::find(tx, actor.outlet_id, id)?;
    let printer = printers::actions::choose(tx, actor.outlet_id, wanted, PrinterRole::Receipt)?;
    queue_on_record(tx, actor, &order, &printer)
}

fn queue_on_record(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord, printer: &Printer) -> Result<Job> {
    let job = queue(tx, actor, order, printer)?;
    let after = json!({"printer": printer.fields.name, "copyNumber": job.copy_number});
    audit::actions::record(tx, actor, Entry::new("receipt.print", "order", Some(order.id)).after(&after))?;
    Ok(job)
}

/// Queues a bill or credit note for the printer that was named, or the first for receipts.
///
/// # Errors
/// As [`print()`].
pub fn print_document(tx: &Tx<'_>, actor: &Actor, id: Uuid, wanted: Option<Uuid>) -> Result<Job> {
    let document = find_document(tx, actor.outlet_id, id)?;
    demand_reach(tx, actor, document.bill.order_id)?;
    let order = store::find(tx, actor.outlet_id, document.bill.order_id)?;
    let printer = printers::actions::choose(tx, actor.outlet_id, wanted, PrinterRole::Receipt)?;
    if order.invoice_id == Some(id) {
        return queue_on_record(tx, actor, &order, &printer);
    }
    let rows = rows_of_document(tx, &order, &document, printer.fields.language.as_deref())?;
    let copy_number = printers::store::next_copy(tx, actor.outlet_id, id)?;
    let job = send(tx, &order, &printer, rows, copy_number)?;
    let after = json!({"printer": printer.fields.name, "copyNumber": copy_number});
    audit::actions::record(tx, actor, Entry::new("receipt.print", "invoice", Some(id)).after(&after))?;
    Ok(job)
}

fn queue(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord, printer: &Printer) -> Result<Job> {
    let outlet = actor.outlet_id;
    // A preview is no document: it may be printed any number of times.
    let copy_number = match order.invoice_id.or(order.slip_id) {
        Some(document) => printers::store::next_copy(tx, outlet, document)?,
        None => 0,
    };
    let rows = rows_of(tx, order, printer.fields.language.as_deref(), page_of(order).as_deref())?;
    send(tx, order, printer, rows, copy_number)
}

fn send(tx: &Tx<'_>, order: &OrderRecord, to: &Printer, rows: Vec<Row>, copy_number: i64) -> Result<Job> {
    let paper = Paper {
        kind: JobKind::Receipt,
        rows,
        language: None,
        ticket_id: None,
        order_id: Some(order.id),
        copy_number,
    };
    Ok(printers::actions::print(tx, order.outlet_id, &to.destination(), paper)?)
}

/// The printer of a till: the one it named, else the first for receipts, if there is any.
fn tills_printer(tx: &Tx<'_>, actor: &Actor, named: Option<Uuid>) -> Result<Option<Printer>> {
    match printers::actions::choose(tx, actor.outlet_id, named, PrinterRole::Receipt) {
        Ok(printer) => Ok(Some(printer)),
        Err(PrinterError::Conflict(_)) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

/// Makes the bill of an order and answers its id, and whether it is new. A new one prints by itself where the printer for receipts (the
/// `named` one, where there is one) is told to print bills.
///
/// # Errors
/// As [`invoices::invoice`].
pub fn invoice(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    buyer: &Buyer,
    named: Option<Uuid>,
) -> Result<(Uuid, bool)> {
    let (made, is_new) = invoices::invoice(tx, actor, id, buyer)?;
    if !is_new {
        return Ok((made, false));
    }
    let printer = tills_printer(tx, actor, named)?;
    if let Some(printer) = printer.filter(|printer| printer.fields.auto_print == AutoPrint::Invoice) {
        queue(tx, actor, &store::find(tx, actor.outlet_id, id)?, &printer)?;
    }
    Ok((made, true))
}

/// Money came in: cash opens the drawer at the till's printer, and what settles a billed order prints its receipt there.
pub(super) fn paid(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord, new: &NewPayment) -> Result<()> {
    let Some(printer) = tills_printer(tx, actor, new.printer_id)? else { return Ok(()) };
    if new.method == PaymentMethod::Cash && printer.fields.drawer {
        printers::actions::open_drawer(tx, actor, &printer, Some(order.id))?;
    }
    let is_settled = order.due() == Cents::ZERO && order.invoice_id.is_some();
    if is_settled && printer.fields.auto_print == AutoPrint::Payment {
        queue(tx, actor, &store::find(tx, actor.outlet_id, order.id)?, &printer)?;
    }
    Ok(())
}
