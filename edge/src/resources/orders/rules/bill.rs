//! A bill or credit note as it was made, and what it is made of: what is kept, hashed, shown and printed. Never computes.

use super::kinds::OrderType;
use crate::resources::menu::rules::WeightUnit;
use crate::resources::outlets::rules::{TaxKind, TaxScheme};
use chrono::NaiveDate;
use tiffin_common::{Bps, Cents, Millis, Quantity, Uuid, words};

words! {
    /// A kind of document.
    pub enum InvoiceKind {
        /// A bill.
        Invoice = "INVOICE",
        /// What takes a bill back, in part or whole; where there was no bill yet, the voucher of a refund.
        CreditNote = "CREDIT_NOTE",
    }
}

/// The outlet as the bill names it.
#[apply(value!)]
pub struct BillOutlet {
    /// Id of the outlet.
    pub id: Uuid,
    /// The outlet's short code, as BLR1.
    pub code: String,
    /// The outlet's name, as printed.
    pub name: String,
    /// The outlet's address, as printed.
    pub address: Option<String>,
    /// The outlet's phone number, as printed.
    pub phone: Option<String>,
    /// The number for taxes, such as a GSTIN.
    pub tax_id: Option<String>,
    /// The number of the licence, such as FSSAI's.
    pub licence_number: Option<String>,
    /// ISO 4217 code of all amounts, as INR.
    pub currency: String,
    /// ISO 3166 code of the country whose law the document follows; India's on documents of before.
    #[serde(default = "country_of_before")]
    pub country: String,
    /// The scheme it was taxed under.
    #[serde(default)]
    pub tax_scheme: TaxScheme,
}

fn country_of_before() -> String {
    "IN".into()
}

/// The combo that a line of a bill is a component of.
#[apply(value!)]
pub struct BillCombo {
    /// The order's line of the combo.
    pub order_item_id: Uuid,
    /// The combo, as printed.
    pub name: String,
    /// Of one combo, without what its options ask on top.
    pub unit_price_cents: Cents,
    /// Unit price × quantity: what its components share, without what is asked on top.
    pub price_cents: Cents,
    /// What this component asks on top, with its options.
    pub extra_cents: Cents,
}

/// A line of a bill.
#[apply(value!)]
pub struct BillLine {
    /// The order's line.
    pub order_item_id: Uuid,
    /// The dish, as printed.
    pub name: String,
    /// Chosen options that cost something.
    pub modifiers: Vec<String>,
    /// HSN or SAC code.
    pub hsn_sac: Option<String>,
    /// Portions sold or taken back.
    pub quantity: i64,
    /// Of one portion, options included; of what was sold by weight, of one unit of it, without them.
    pub unit_price_cents: Cents,
    /// Unit price × quantity; of what was sold by weight, × weight, with its options.
    pub gross_cents: Cents,
    /// Its list price without tax; 0 on documents of before.
    #[serde(default)]
    pub subtotal_cents: Cents,
    /// Its discounts and its part of the order's, without tax.
    pub discount_cents: Cents,
    /// Its part of the service charge, without tax.
    pub service_charge_cents: Cents,
    /// All taxes of the line.
    pub tax_cents: Cents,
    /// What it contributes to the total.
    pub amount_cents: Cents,
    /// Its place among the document's `supplies`.
    #[serde(default)]
    pub supply: usize,
    /// The place of its service charge, where that is taxed otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge_supply: Option<usize>,
    /// The combo that it is a component of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combo: Option<BillCombo>,
    /// How much it was, where it was sold by weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Quantity>,
    /// What it was weighed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_unit: Option<WeightUnit>,
    /// What the options of a line that was weighed cost, where they cost something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modifiers_cents: Option<Cents>,
}

/// The sum of one tax component on a bill.
#[apply(value!)]
pub struct BillTax {
    /// Such as CGST.
    pub name: String,
    /// Rate in basis points: 250 is 2.5 %.
    pub rate_bps: Bps,
    /// What it was counted on.
    pub taxable_cents: Cents,
    /// The tax itself, in cents.
    pub tax_cents: Cents,
    /// Which kind of tax it is.
    #[serde(default)]
    pub kind: TaxKind,
}

/// What was supplied under one code and combination of taxes.
#[apply(value!)]
pub struct BillSupply {
    /// HSN or SAC code.
    pub hsn_sac: Option<String>,
    /// Portions; 0 where a credit note names none.
    pub quantity: i64,
    /// After discounts, with its part of the service charge, without tax.
    pub taxable_cents: Cents,
    /// Its taxes by component.
    pub taxes: Vec<BillTax>,
    /// Grams of it, where it was sold by weight: that is a supply of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grams: Option<Quantity>,
}

/// The document another one takes back.
#[apply(value!)]
pub struct BillReference {
    /// Id of the document.
    pub id: Uuid,
    /// Number of the document, as printed.
    pub number: String,
}

/// A bill or credit note as it was made: what is kept, hashed, shown and printed. Who the guest was is not in it: that can be erased.
#[apply(value!)]
pub struct Bill {
    /// Whether it is a bill or a credit note.
    pub kind: InvoiceKind,
    /// Its number; empty on a preview.
    pub number: String,
    /// Such as `2627`.
    pub fiscal_year: String,
    /// Its place in the series.
    pub serial: i64,
    /// When it was made.
    pub at: Millis,
    /// The trading day it was made on.
    pub business_date: NaiveDate,
    /// Who billed: the outlet as it was then.
    pub outlet: BillOutlet,
    /// The order it belongs to.
    pub order_id: Uuid,
    /// The order's number, as called and printed.
    pub order_number: String,
    /// What was called out.
    pub token_number: i64,
    /// How it reached its guest.
    #[schemars(with = "String")]
    pub order_type: OrderType,
    /// The table it was served at, if any.
    pub table_number: Option<String>,
    /// What was sold, or taken back.
    pub lines: Vec<BillLine>,
    /// Taxes by component.
    pub taxes: Vec<BillTax>,
    /// The same by what was supplied: each code and combination of taxes. They add up to the taxes and to what they are counted on;
    /// none on documents of before.
    #[serde(default)]
    pub supplies: Vec<BillSupply>,
    /// Whether prices contain the tax.
    pub prices_include_tax: bool,
    /// Lines before discounts, without tax.
    pub subtotal_cents: Cents,
    /// What discounts took off, without tax.
    pub discount_cents: Cents,
    /// Service charge, before its tax.
    pub service_charge_cents: Cents,
    /// All taxes in it, in cents.
    pub tax_cents: Cents,
    /// What rounding added or took.
    pub rounding_cents: Cents,
    /// What is to be paid, or was given back.
    pub total_cents: Cents,
    /// The document this one takes back.
    pub refers_to: Option<BillReference>,
    /// Why it was taken back; on credit notes.
    pub reason: Option<String>,
    /// Who made it.
    pub by: String,
    /// The tax id of the business it is made out to; on no other bill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer_tax_id: Option<String>,
    /// The registered name of that business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer_legal_name: Option<String>,
    /// The address of that business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer_address: Option<String>,
}
