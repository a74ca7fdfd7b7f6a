//! Every bill and credit note, a row each.

use crate::report_row;
use crate::resources::analytics::rules::documents::Document;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use tiffin_common::{Cents, Overflow};

const REGISTER: &[Column] = &[
    Column::new("businessDate", "Business date", Unit::Date),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("number", "Number", Unit::Text),
    Column::new("refersTo", "Refers to", Unit::Text),
    Column::new("orderNumber", "Order", Unit::Text),
    Column::new("orderType", "Order type", Unit::Text),
    Column::new("customerTaxId", "Buyer's tax id", Unit::Text),
    Column::new("customerLegalName", "Buyer", Unit::Text),
    Column::new("subtotalCents", "Gross", Unit::Cents),
    Column::new("discountCents", "Discounts", Unit::Cents),
    Column::new("serviceChargeCents", "Service charge", Unit::Cents),
    Column::new("taxableCents", "Net of tax", Unit::Cents),
    Column::new("gstCents", "GST", Unit::Cents),
    Column::new("cessCents", "Cess", Unit::Cents),
    Column::new("vatCents", "VAT and sales tax", Unit::Cents),
    Column::new("roundingCents", "Rounding", Unit::Cents),
    Column::new("totalCents", "Total", Unit::Cents),
];

/// The documents in their order, credit notes below nothing: the sums are those of the books.
///
/// # Errors
/// [`Overflow`].
pub fn register(documents: &[Document]) -> Result<Table, Overflow> {
    let mut rows = Vec::with_capacity(documents.len());
    for document in documents {
        let of = |amount: Cents| amount.times(document.sign());
        let heads = document.heads()?;
        rows.push(report_row![
            document.business_date,
            document.kind.name(),
            document.number.as_str(),
            document.refers_to.as_ref().map(|reference| reference.number.clone()).unwrap_or_default(),
            document.order_number.as_str(),
            document.order_type.name(),
            document.customer_tax_id.clone().unwrap_or_default(),
            document.customer_legal_name.clone().unwrap_or_default(),
            of(document.subtotal_cents)?,
            of(document.discount_cents)?,
            of(document.service_charge_cents)?,
            of(document.net()?)?,
            Cents::sum([heads.igst, heads.cgst, heads.sgst])?,
            heads.cess,
            heads.vat,
            of(document.rounding_cents)?,
            of(document.total_cents)?,
        ]);
    }
    Table::new(REGISTER, rows)
}
