//! Bills and credit notes: their numbers, the text that is kept of them, and the chain of hashes that proves no gap and no
//! change. Never counts and never stores.
//!
//! A series is one kind of document of one life of an outlet in one fiscal year; its serials run 1, 2, 3 …. The text of a document is
//! canonical JSON (keys sorted, no spaces) of the whole bill as it was made. Its hash is BLAKE3 over the hash before it and
//! that text; the first of a series follows a hash of the series' own name, so that no chain can pass for another.

pub use super::bill::{Bill, BillLine, BillOutlet, BillReference, BillTax, InvoiceKind};
use super::buyer::Buyer;
use super::credits::by_component;
use super::ledgers::TaxRow;
use super::numbers;
use super::record::{LineRecord, OrderRecord};
use super::supplies;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use serde_json::Value;
use std::fmt::Write;
use tiffin_common::{Cents, Millis, Overflow, Uuid};

/// The longest number GST allows.
pub const LONGEST_NUMBER: usize = 16;

impl InvoiceKind {
    /// The mark of the first life.
    const fn first_mark(self) -> char {
        match self {
            InvoiceKind::Invoice => '-',
            InvoiceKind::CreditNote => 'C',
        }
    }

    /// What stands between year and serial in a life, and tells its series from the others of the year.
    pub fn mark(self, life: i64) -> char {
        let letter = match self {
            InvoiceKind::Invoice => numbers::letter(life),
            InvoiceKind::CreditNote => numbers::credit_letter(life),
        };
        letter.unwrap_or(self.first_mark())
    }
}

/// The mark in a printed `number` of `fiscal_year`.
pub fn mark_in(number: &str, fiscal_year: &str) -> Option<char> {
    number.split_once('/')?.1.strip_prefix(fiscal_year)?.chars().next()
}

/// The counter a document is numbered from.
pub fn series(kind: InvoiceKind, fiscal_year: &str, mark: char) -> String {
    let name = kind.name();
    if mark == kind.first_mark() {
        format!("{name}:{fiscal_year}")
    } else {
        format!("{name}:{fiscal_year}:{mark}")
    }
}

/// `{code}/{fy}{mark}{serial:06}`, such as `BLR1/2627-000001`; none once the series is full (16 characters).
pub fn number(outlet_code: &str, fiscal_year: &str, mark: char, serial: i64) -> Option<String> {
    let number = format!("{outlet_code}/{fiscal_year}{mark}{serial:06}");
    (number.len() <= LONGEST_NUMBER).then_some(number)
}

/// What the first document of a series follows.
pub fn genesis(outlet: Uuid, kind: InvoiceKind, fiscal_year: &str, mark: char) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"tiffin invoice series\0");
    hasher.update(outlet.as_bytes());
    hasher.update(series(kind, fiscal_year, mark).as_bytes());
    *hasher.finalize().as_bytes()
}

/// The hash of a document whose text is `body` and which follows `previous`.
pub fn chain(previous: &[u8], body: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(previous);
    hasher.update(body.as_bytes());
    *hasher.finalize().as_bytes()
}

/// Canonical JSON: keys sorted, no spaces. The same value is always the same text.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort();
            text.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                // Writing to a String cannot fail.
                let _ = write!(text, "{}:", Value::String(key.clone()));
                if let Some(member) = members.get(key) {
                    write_canonical(member, text);
                }
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

table! {
    /// A bill or credit note with its place in the chain.
    pub struct Document: invoices {
        /// Its id.
        pub id: Uuid,
        /// The document as it was made.
        pub bill: Bill => json body,
        /// The hash of the one before it.
        pub previous_hash: Vec<u8>,
        /// Its own.
        pub hash: Vec<u8>,
        /// Made while the machine's clock was not followed.
        pub clock_suspect: bool,
        /// The box's signature of what `rules/signing` makes of its hash; none on documents of before.
        pub signature: Option<Vec<u8>>,
    }
}

table! {
    /// A document as its row has it: the text, and beside it what lists look for.
    #[expect(missing_docs, reason = "the columns of invoices")]
    pub struct InvoiceRow: invoices {
        pub id: Uuid,
        pub kind: InvoiceKind,
        pub fiscal_year: String,
        pub serial: i64,
        pub number: String,
        pub order_id: Uuid,
        pub refers_to_id: Option<Uuid>,
        pub total: Cents => total_cents,
        pub tax: Cents => tax_cents,
        pub service_charge: Cents => service_charge_cents,
        pub rounding: Cents => rounding_cents,
        pub body: String,
        pub previous_hash: Vec<u8>,
        pub hash: Vec<u8>,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub clock_suspect: bool,
        pub signature: Option<Vec<u8>>,
        pub customer_tax_id: Option<String>,
        pub customer_legal_name: Option<String>,
        pub customer_address: Option<String>,
    }
}

/// What makes a document this one: number, moment, maker.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// Which document.
    pub kind: InvoiceKind,
    /// Such as `2627`.
    pub fiscal_year: String,
    /// Its place in the series.
    pub serial: i64,
    /// Its number.
    pub number: String,
    /// The moment.
    pub at: Millis,
    /// The trading day.
    pub business_date: NaiveDate,
    /// Who.
    pub by: String,
}

impl Bill {
    /// The bill of `order`, whose tax lines are `taxes`, in `worths` what each line contributes.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(
        order: &OrderRecord,
        outlet: &Outlet,
        taxes: &[TaxRow],
        worths: &[Cents],
        stamp: Stamp,
    ) -> Result<Bill, Overflow> {
        let mut lines = Vec::with_capacity(order.lines.len());
        let (supplies, places) = supplies::of_order(order, taxes)?;
        let worths = worths.iter().zip(places);
        // The money of a combo is on its components' lines.
        let is_billed = |line: &LineRecord| line.quantity > 0 && !line.is_combo();
        for (line, (worth, place)) in order.lines.iter().zip(worths).filter(|(line, _)| is_billed(line)) {
            let options = line.modifiers.iter().filter(|modifier| modifier.price != Cents::ZERO);
            lines.push(BillLine {
                order_item_id: line.id,
                name: line.name.clone(),
                modifiers: options.map(|modifier| modifier.name.clone()).collect(),
                hsn_sac: line.hsn_sac.clone(),
                quantity: line.quantity,
                unit_price_cents: line.billed_price()?,
                gross_cents: line.gross,
                subtotal_cents: line.subtotal,
                discount_cents: line.discount,
                service_charge_cents: line.service_charge,
                tax_cents: line.tax,
                amount_cents: *worth,
                supply: place.goods,
                charge_supply: place.charge,
                combo: order.bill_combo(line, line.quantity)?,
                weight: line.weight,
                weight_unit: line.weight_unit,
                modifiers_cents: line.billed_apart(),
            });
        }
        let taxes = supplies.iter().flat_map(|supply| supply.taxes.iter().cloned());
        Ok(Bill {
            lines,
            taxes: by_component(taxes)?,
            supplies,
            subtotal_cents: order.subtotal,
            discount_cents: order.discount,
            service_charge_cents: order.service_charge,
            tax_cents: order.tax,
            rounding_cents: order.rounding,
            total_cents: order.total,
            ..Bill::empty(order, outlet, stamp)
        })
    }

    /// The bill, made out to `buyer` where that is a business.
    #[must_use]
    pub fn for_buyer(mut self, buyer: &Buyer) -> Bill {
        if let Some(id) = &buyer.tax_id {
            self.customer_tax_id = Some(id.clone());
            (self.customer_legal_name, self.customer_address) =
                (buyer.legal_name.clone(), buyer.address.clone());
        }
        self
    }

    /// A document about `order` with nothing on it yet.
    pub fn empty(order: &OrderRecord, outlet: &Outlet, stamp: Stamp) -> Bill {
        Bill {
            kind: stamp.kind,
            number: stamp.number,
            fiscal_year: stamp.fiscal_year,
            serial: stamp.serial,
            at: stamp.at,
            business_date: stamp.business_date,
            outlet: BillOutlet {
                id: outlet.id,
                code: outlet.code.clone(),
                name: outlet.name.clone(),
                address: outlet.address.clone(),
                phone: outlet.phone.clone(),
                tax_id: outlet.tax_id.clone(),
                licence_number: outlet.licence_number.clone(),
                currency: outlet.currency.clone(),
                country: outlet.country.clone(),
                tax_scheme: outlet.tax_scheme,
            },
            order_id: order.id,
            order_number: order.order_number.clone(),
            token_number: order.token_number,
            order_type: order.order_type,
            table_number: order.table_number.clone(),
            lines: Vec::new(),
            taxes: Vec::new(),
            supplies: Vec::new(),
            prices_include_tax: order.terms.prices_include_tax,
            subtotal_cents: Cents::ZERO,
            discount_cents: Cents::ZERO,
            service_charge_cents: Cents::ZERO,
            tax_cents: Cents::ZERO,
            rounding_cents: Cents::ZERO,
            total_cents: Cents::ZERO,
            refers_to: None,
            reason: None,
            by: stamp.by,
            customer_tax_id: None,
            customer_legal_name: None,
            customer_address: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_fit_gst_and_the_two_series_never_meet() {
        let (bill, credit) = (InvoiceKind::Invoice, InvoiceKind::CreditNote);
        let first = number("BLR2", "2627", bill.mark(1), 123).unwrap();
        assert_eq!(first, "BLR2/2627-000123");
        assert_eq!(first.len(), LONGEST_NUMBER);
        assert_eq!(number("BLR2", "2627", credit.mark(1), 1).unwrap(), "BLR2/2627C000001");
        assert_eq!(number("BLR2", "2627", bill.mark(1), 1_000_000), None);
        assert_eq!(number("B1", "2627", bill.mark(1), 1_000_000).unwrap(), "B1/2627-1000000");
        assert_eq!(number("BLR2", "2627", bill.mark(2), 1).unwrap(), "BLR2/2627A000001");
        assert_eq!(number("BLR2", "2627", credit.mark(2), 1).unwrap(), "BLR2/2627N000001");
        let marks: std::collections::BTreeSet<char> =
            (1..=12).flat_map(|life| [bill.mark(life), credit.mark(life)]).collect();
        assert_eq!(marks.len(), 24, "no mark of one kind or life is another's");
        assert_eq!(
            (mark_in("BLR2/2627A000001", "2627"), mark_in("BLR2/2627-1", "2627")),
            (Some('A'), Some('-'))
        );
        assert_eq!(
            (series(bill, "2627", '-'), series(credit, "2627", 'C')),
            ("INVOICE:2627".into(), "CREDIT_NOTE:2627".into())
        );
        assert_eq!(series(bill, "2627", 'A'), "INVOICE:2627:A");
    }

    #[test]
    fn canonical_json_sorts_keys_at_every_depth() {
        let value = json!({"b": [{"z": 1, "a": "x\"y"}], "a": null});
        assert_eq!(canonical(&value), r#"{"a":null,"b":[{"a":"x\"y","z":1}]}"#);
    }

    #[test]
    fn every_link_depends_on_all_before_it() {
        let start = genesis(Uuid::from_u128(1), InvoiceKind::Invoice, "2627", '-');
        assert_ne!(start, genesis(Uuid::from_u128(1), InvoiceKind::CreditNote, "2627", 'C'));
        assert_ne!(start, genesis(Uuid::from_u128(1), InvoiceKind::Invoice, "2627", 'A'));
        assert_ne!(start, genesis(Uuid::from_u128(2), InvoiceKind::Invoice, "2627", '-'));
        let first = chain(&start, "{}");
        assert_ne!(chain(&first, "{}"), chain(&chain(&start, "{ }"), "{}"));
    }
}
