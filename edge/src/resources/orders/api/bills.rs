//! Bills, credit notes and the proof of their chain over HTTP.

use super::super::actions;
use super::super::rules::invoices::{Bill, BillReference, Document, InvoiceKind};
use super::super::rules::signing::SigningKey;
use super::super::rules::verify::{Found, Series, Verifier};
use super::super::rules::{Buyer, OrderError};
use super::super::store::{self, InvoiceFilter};
use super::place::text;
use super::view::{OrderDetail, view};
use crate::access::{Cx, Made};
use crate::db::Source;
use crate::exchange::wait_for_all;
use crate::http::{Created, Data, Id, Json, MaybeJson, Paged, Paging, Query, Result, Updated};
use crate::resources::auth::api::pins;
use crate::state::Secrets;
use axum::extract::State;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// A bill or credit note with its place in the chain.
    pub struct InvoiceDetail of document: Document, guest: Option<String> {
        /// Id of the document.
        id: Uuid,
        /// The document as it was made.
        #[serde(flatten)]
        bill: Bill,
        /// The hash of the one before it, in hexadecimal.
        previous_hash: String = hex(&document.previous_hash),
        /// Its own hash, over the one before and its content.
        hash: String = hex(&document.hash),
        clock_suspect: bool,
        /// Name of the guest, as the order has it now; null where it has none, or none any more.
        customer_name: Option<String> = guest,
        /// The box's Ed25519 signature in hexadecimal: of `tiffin invoice signature`, a zero byte, the outlet's id and the hash, as bytes, by
        /// one of the keys that `GET /orders/invoices/verify` lists; null on a document of before.
        signature: Option<String> = document.signature.as_deref().map(hex),
    }
}

impl InvoiceDetail {
    pub(super) fn number(&self) -> &str {
        &self.bill.number
    }

    pub(super) fn total(&self) -> Cents {
        self.bill.total_cents
    }
}

/// The document of that id.
///
/// # Errors
/// [`OrderError::NotFound`], also for another outlet's.
pub(super) fn detail(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<InvoiceDetail, OrderError> {
    let document = store::find_document(conn, outlet, id)?.ok_or(OrderError::NotFound("invoice"))?;
    let guest = store::find_guest(conn, outlet, document.bill.order_id)?;
    Ok(InvoiceDetail::of(document, guest.name))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A bill and the order as it is now.
#[apply(answer!)]
pub struct BilledOrder {
    /// The bill.
    #[serde(flatten)]
    invoice: InvoiceDetail,
    /// Its number, as the order has it.
    invoice_number: String,
    /// The order as it is now.
    order: OrderDetail,
}

/// Whom the bill is made out to.
#[apply(filters!)]
pub struct CreateInvoice {
    /// The tax id of a business, checked as the country has it: with it the bill is one between businesses.
    #[schemars(length(max = 40))]
    customer_tax_id: Option<String>,
    /// The buyer's registered name. Without a tax id it is the guest's name, which stands with the order and can be erased.
    #[schemars(length(max = 120))]
    customer_legal_name: Option<String>,
    /// The buyer's address. Without a tax id it stands with the order's guest.
    #[schemars(length(max = 300))]
    customer_address: Option<String>,
}

/// Makes the bill. Asked again it answers the one that is there, with 200; 409 where that is made out to somebody else.
pub async fn create_invoice(
    cx: Cx,
    Id(id): Id,
    MaybeJson(body): MaybeJson<CreateInvoice>,
) -> Result<Created<BilledOrder>> {
    let buyer = Buyer {
        tax_id: text(body.customer_tax_id),
        legal_name: text(body.customer_legal_name),
        address: text(body.customer_address),
    };
    cx.make(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        let (made, is_new) = actions::invoice(tx, actor, id, &buyer, None)?;
        let invoice = detail(tx, actor.outlet_id, made)?;
        let invoice_number = invoice.bill.number.clone();
        let billed = BilledOrder { invoice, invoice_number, order: view(tx, actor.outlet_id, id)? };
        Ok((billed, if is_new { Made::New } else { Made::Found }))
    })
    .await
}

/// Why a bill is taken back.
#[apply(request!)]
pub struct WithdrawInvoice {
    /// Why the bill is taken back; on its credit note.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may refund.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Takes an unpaid bill back by a credit note.
pub async fn withdraw_invoice(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<WithdrawInvoice>,
) -> Result<Updated<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    cx.update(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        actions::withdraw(tx, actor, id, &body.reason, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// Which documents to list.
#[apply(filters!)]
pub struct ListInvoices {
    /// Of this kind.
    kind: Option<InvoiceKind>,
    /// Of this business date or later.
    from: Option<NaiveDate>,
    /// Of this business date or earlier.
    to: Option<NaiveDate>,
    /// Of this order.
    order_id: Option<Uuid>,
    /// Of this number.
    #[schemars(length(max = 16))]
    number: Option<String>,
    /// Only those made while the machine's clock was not followed, or only the others.
    clock_suspect: Option<bool>,
    /// Only those made out to a business, or only the others.
    b2b: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

view! {
    /// A bill or credit note in a list.
    pub struct InvoiceSummary of document: Document {
        /// Id of the document.
        id: Uuid,
        /// Whether it is a bill or a credit note.
        kind: InvoiceKind = document.bill.kind,
        /// Number of the document, as printed.
        number: String = document.bill.number,
        /// Such as `2627`.
        fiscal_year: String = document.bill.fiscal_year,
        /// Its place in the series.
        serial: i64 = document.bill.serial,
        /// The order it belongs to.
        order_id: Uuid = document.bill.order_id,
        /// The document it takes back.
        #[serde(skip_serializing_if = "Option::is_none")]
        refers_to: Option<BillReference> = document.bill.refers_to,
        /// What was to be paid, or was given back.
        total_cents: Cents = document.bill.total_cents,
        /// All taxes in it, in cents.
        tax_cents: Cents = document.bill.tax_cents,
        /// The trading day.
        business_date: NaiveDate = document.bill.business_date,
        /// When it was made.
        at: Millis = document.bill.at,
        /// Whether it is made out to a business.
        b2b: bool = document.bill.customer_tax_id.is_some(),
        /// The tax id of that business.
        #[serde(skip_serializing_if = "Option::is_none")]
        customer_tax_id: Option<String> = document.bill.customer_tax_id,
        /// Its registered name.
        #[serde(skip_serializing_if = "Option::is_none")]
        customer_legal_name: Option<String> = document.bill.customer_legal_name,
        /// Where the business is that the bill is made out to.
        #[serde(skip_serializing_if = "Option::is_none")]
        customer_address: Option<String> = document.bill.customer_address,
        clock_suspect: bool,
    }
}

/// Lists bills and credit notes, newest first.
pub async fn list_invoices(cx: Cx, Query(query): Query<ListInvoices>) -> Result<Paged<InvoiceSummary>> {
    let ListInvoices { kind, from, to, order_id, number, clock_suspect, b2b, paging } = query;
    let filter = InvoiceFilter { kind, from, to, order_id, number, clock_suspect, b2b };
    cx.list(paging, move |conn, outlet| store::list_invoices(conn, outlet, &filter, paging)).await
}

/// One bill or credit note.
pub async fn get_invoice(cx: Cx, Id(id): Id) -> Result<Data<InvoiceDetail>> {
    cx.get(move |conn, outlet| detail(conn, outlet, id)).await
}

view! {
    /// The public half of a key that a box of the outlet signs its documents with.
    #[schemars(rename = "SigningKey")]
    pub struct SigningKeyView of key: SigningKey {
        /// Id of the key.
        id: Uuid,
        /// The life of the box's numbers that it began in; a box that was put back or replaced begins another.
        life: i64,
        /// The Ed25519 key, in hexadecimal.
        public_key: String = hex(&key.public_key),
        /// When it signed its first document.
        begun_at: Millis,
    }
}

/// Whether the documents of the outlet are whole: no gap in a series, no change of a document.
#[apply(answer!)]
pub struct InvoiceProof {
    /// No gap, no change and no wrong signature was found.
    valid: bool,
    /// Documents that were checked.
    checked: i64,
    /// The keys that boxes of the outlet have signed with, of all lives; documents of before them have no signature.
    keys: Vec<SigningKeyView>,
    /// Each series of numbers, bills and credit notes by year and life of the box.
    series: Vec<Series>,
    /// Numbers that two lives of the box gave out, which nobody could tell apart then; the first hundred. Both documents stand.
    shared_numbers: Vec<String>,
    /// What is wrong; the first hundred.
    problems: Vec<String>,
}

/// Proves the chain, where all of it is here.
pub async fn verify_invoices(cx: Cx) -> Result<Data<InvoiceProof>> {
    let is_copy = cx.db.is_copy();
    cx.get(move |conn, outlet| -> Result<_, OrderError> {
        let waits = if is_copy { None } else { wait_for_all(conn, "ask for proof")? };
        if let Some(why) = waits {
            return Err(OrderError::State(why));
        }
        let mut verifier = Verifier::new(outlet, store::list_signing_keys(conn, outlet)?);
        store::each_invoice(conn, outlet, |row| verifier.look(&row))?;
        let Found { keys, series, shared, problems } = verifier.finish(&store::list_serials(conn, outlet)?);
        let checked = series.iter().map(|series| series.count).fold(0i64, i64::saturating_add);
        let keys = keys.into_iter().map(SigningKeyView::from).collect();
        let valid = problems.is_empty();
        Ok(InvoiceProof { valid, checked, keys, series, shared_numbers: shared, problems })
    })
    .await
}
