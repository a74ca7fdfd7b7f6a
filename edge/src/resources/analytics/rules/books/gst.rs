//! India's GSTR-1 as tables, and its HSN summary (table 12). All of documents of the scheme that the return is
//! of; what is outside GST stands in rows of its own, so that each return sums to the documents.

use crate::report_row;
use crate::resources::analytics::rules::documents::{Class, Document, Heads, class_of};
use crate::resources::analytics::rules::money::Hundredths;
use crate::resources::analytics::rules::report::{Cell, Column, Table, Unit};
use crate::resources::orders::rules::invoices::InvoiceKind;
use crate::resources::outlets::rules::TaxScheme;
use std::collections::BTreeMap;
use tiffin_common::{Bps, Cents, Overflow, Quantity};

/// The code of what a restaurant serves, where a dish has none, comes from the profile.
#[derive(Debug, Clone, Copy)]
pub struct Codes<'a> {
    /// Of a dish without one.
    pub default: &'a str,
}

/// What one return is made of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HsnKey {
    /// Sold to a buyer who is registered.
    pub is_b2b: bool,
    /// Outside GST.
    pub is_outside: bool,
    /// HSN or SAC.
    pub code: String,
    /// The rate of GST.
    pub rate: Bps,
    /// Sold by weight.
    pub is_weighed: bool,
}

/// Documents of the scheme that a return is of.
pub fn of_scheme(documents: Vec<Document>, scheme: TaxScheme) -> Vec<Document> {
    documents.into_iter().filter(|document| document.outlet.tax_scheme == scheme).collect()
}

/// The sums of table 12, and beside them what is outside GST.
///
/// # Errors
/// [`Overflow`].
pub fn hsn_sums(documents: &[Document], codes: Codes<'_>) -> Result<BTreeMap<HsnKey, Heads>, Overflow> {
    let mut sums: BTreeMap<HsnKey, Heads> = BTreeMap::new();
    for document in documents {
        for supply in document.supplied()? {
            let class = class_of(&supply)?;
            let rate = if let Class::Taxed(rate) = class { rate } else { Bps::default() };
            let code = supply.hsn_sac.as_deref().unwrap_or(codes.default).to_owned();
            let is_outside = class == Class::Outside;
            let is_weighed = supply.grams.is_some();
            // What is outside GST is one row, whoever bought it.
            let key = HsnKey { is_b2b: document.is_b2b() && !is_outside, is_outside, code, rate, is_weighed };
            let sum = sums.entry(key).or_default();
            *sum = sum.plus(Heads::of(&supply, document.sign())?)?;
        }
    }
    Ok(sums)
}

const HSN: &[Column] = &[
    Column::new("section", "Section", Unit::Text),
    Column::new("hsnSac", "HSN or SAC", Unit::Text),
    Column::new("uqc", "UQC", Unit::Text),
    Column::new("quantity", "Total quantity", Unit::Count),
    Column::new("rate", "Rate", Unit::Percent),
    Column::new("valueCents", "Total value", Unit::Cents),
    Column::new("taxableCents", "Taxable value", Unit::Cents),
    Column::new("igstCents", "Integrated tax", Unit::Cents),
    Column::new("cgstCents", "Central tax", Unit::Cents),
    Column::new("sgstCents", "State or UT tax", Unit::Cents),
    Column::new("cessCents", "Cess", Unit::Cents),
    Column::new("vatCents", "VAT outside GST", Unit::Cents),
];

impl HsnKey {
    /// What unit it is counted in: services (99…) in none.
    pub fn uqc(&self) -> &'static str {
        match (self.code.starts_with("99"), self.is_weighed) {
            (true, _) => "NA",
            (false, true) => "KGS",
            (false, false) => "NOS",
        }
    }
}

/// The HSN summary: to registered buyers (B2B), to all others (B2C), and outside GST.
///
/// # Errors
/// [`Overflow`].
pub fn hsn(documents: &[Document], codes: Codes<'_>) -> Result<Table, Overflow> {
    let mut rows = Vec::new();
    for (key, sum) in hsn_sums(documents, codes)? {
        let section = match (key.is_outside, key.is_b2b) {
            (true, _) => "OUTSIDE_GST",
            (false, true) => "B2B",
            (false, false) => "B2C",
        };
        let (value, rate) = (sum.taxable.plus(sum.tax()?)?, Hundredths::new(key.rate.get()));
        let Heads { quantity, grams, taxable, igst, cgst, sgst, cess, vat } = sum;
        let quantity = match key.uqc() {
            "KGS" => Cell::Quantity(grams.ratio(1, 1_000)?),
            _ => Cell::Count(quantity),
        };
        rows.push(report_row![
            section,
            key.code.as_str(),
            key.uqc(),
            quantity,
            rate,
            value,
            taxable,
            igst,
            cgst,
            sgst,
            cess,
            vat
        ]);
    }
    Table::new(HSN, rows)
}

/// Sums by rate, of what is taxed.
pub type ByRate = BTreeMap<Bps, Heads>;

/// What is not taxed by GST.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Untaxed {
    /// At a rate of 0.
    pub nil: Cents,
    /// Exempt.
    pub exempt: Cents,
    /// Outside GST.
    pub outside: Cents,
    /// Its VAT.
    pub vat: Cents,
}

/// What GSTR-1 says, before it is a table or a file.
#[derive(Debug, Clone, Default)]
pub struct Gstr1<'a> {
    /// Table 4: bills to registered buyers.
    pub b2b: Vec<(&'a Document, ByRate)>,
    /// Table 7: all others within the state, less their credit notes.
    pub b2cs: ByRate,
    /// Table 9B: credit notes to registered buyers, as amounts above nothing.
    pub cdnr: Vec<(&'a Document, ByRate)>,
    /// Table 8: to registered buyers.
    pub untaxed_b2b: Untaxed,
    /// Table 8: to all others.
    pub untaxed_b2c: Untaxed,
    /// Table 13: documents by kind and series.
    pub issued: Vec<Issued>,
}

/// The documents of one series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// Bills or credit notes.
    pub kind: InvoiceKind,
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
    /// How many.
    pub count: i64,
}

impl Gstr1<'_> {
    /// Of `documents` in the order of their series.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(documents: &[Document]) -> Result<Gstr1<'_>, Overflow> {
        let mut made = Gstr1 { issued: issued(documents), ..Gstr1::default() };
        for document in documents {
            let is_credit = document.kind == InvoiceKind::CreditNote;
            let mut taxed = ByRate::new();
            let untaxed = if document.is_b2b() { &mut made.untaxed_b2b } else { &mut made.untaxed_b2c };
            for supply in document.supplied()? {
                let signed = Heads::of(&supply, document.sign())?;
                match class_of(&supply)? {
                    Class::Taxed(rate) if document.is_b2b() => add(&mut taxed, rate, Heads::of(&supply, 1)?)?,
                    Class::Taxed(rate) => add(&mut made.b2cs, rate, signed)?,
                    Class::Nil => untaxed.nil = untaxed.nil.plus(signed.taxable)?,
                    Class::Exempt => untaxed.exempt = untaxed.exempt.plus(signed.taxable)?,
                    Class::Outside => {
                        untaxed.outside = untaxed.outside.plus(signed.taxable)?;
                        untaxed.vat = untaxed.vat.plus(signed.vat)?;
                    }
                }
            }
            if !taxed.is_empty() {
                if is_credit { made.cdnr.push((document, taxed)) } else { made.b2b.push((document, taxed)) }
            }
        }
        Ok(made)
    }
}

fn add(sums: &mut ByRate, rate: Bps, heads: Heads) -> Result<(), Overflow> {
    let sum = sums.entry(rate).or_default();
    *sum = sum.plus(heads)?;
    Ok(())
}

fn issued(documents: &[Document]) -> Vec<Issued> {
    let mut series: BTreeMap<(InvoiceKind, &str), Vec<&Document>> = BTreeMap::new();
    for document in documents {
        series.entry((document.kind, document.series())).or_default().push(document);
    }
    let of = |((kind, _), mut documents): ((InvoiceKind, &str), Vec<&Document>)| {
        documents.sort_by_key(|document| document.serial);
        let (first, last) = (documents.first()?, documents.last()?);
        let count = i64::try_from(documents.len()).unwrap_or(i64::MAX);
        Some(Issued { kind, from: first.number.clone(), to: last.number.clone(), count })
    };
    series.into_iter().filter_map(of).collect()
}

const GSTR1: &[Column] = &[
    Column::new("section", "Section", Unit::Text),
    Column::new("customerTaxId", "GSTIN of recipient", Unit::Text),
    Column::new("number", "Document number", Unit::Text),
    Column::new("businessDate", "Document date", Unit::Text),
    Column::new("placeOfSupply", "Place of supply", Unit::Text),
    Column::new("rate", "Rate", Unit::Percent),
    Column::new("taxableCents", "Taxable value", Unit::Cents),
    Column::new("igstCents", "Integrated tax", Unit::Cents),
    Column::new("cgstCents", "Central tax", Unit::Cents),
    Column::new("sgstCents", "State or UT tax", Unit::Cents),
    Column::new("cessCents", "Cess", Unit::Cents),
    Column::new("vatCents", "VAT outside GST", Unit::Cents),
    Column::new("to", "To number", Unit::Text),
    Column::new("documentsCount", "Documents", Unit::Count),
];

/// GSTR-1 as a table: B2B (4), B2CS (7), NIL, EXEMPT and OUTSIDE_GST (8), CDNR (9B, below nothing), ECO (14(b)) and DOCS (13), which
/// carries no amounts. The rest sums to the documents.
///
/// # Errors
/// [`Overflow`].
pub fn gstr1(made: &Gstr1<'_>, state: &str, eco: &[Eco]) -> Result<Table, Overflow> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut row = |section: &str, document: Option<&Document>, rate: Bps, heads: &Heads| {
        let buyer = document.and_then(|document| document.customer_tax_id.clone()).unwrap_or_default();
        let (number, date) = document
            .map(|document| (document.number.clone(), document.business_date.to_string()))
            .unwrap_or_default();
        let Heads { taxable, igst, cgst, sgst, cess, vat, .. } = *heads;
        rows.push(report_row![
            section,
            buyer,
            number,
            date,
            state,
            Hundredths::new(rate.get()),
            taxable,
            igst,
            cgst,
            sgst,
            cess,
            vat,
            "",
            0
        ]);
    };
    for (document, rates) in &made.b2b {
        rates.iter().for_each(|(rate, heads)| row("B2B", Some(document), *rate, heads));
    }
    made.b2cs.iter().for_each(|(rate, heads)| row("B2CS", None, *rate, heads));
    for (section, untaxed) in [("B2B", made.untaxed_b2b), ("B2C", made.untaxed_b2c)] {
        let plain = |taxable| Heads { taxable, ..Heads::default() };
        let outside = Heads { vat: untaxed.vat, ..plain(untaxed.outside) };
        let parts =
            [("NIL", plain(untaxed.nil)), ("EXEMPT", plain(untaxed.exempt)), ("OUTSIDE_GST", outside)];
        for (name, heads) in parts.iter().filter(|(_, heads)| *heads != Heads::default()) {
            row(&format!("{name}_{section}"), None, Bps::default(), heads);
        }
    }
    for (document, rates) in &made.cdnr {
        for (rate, heads) in rates {
            let back = Heads {
                quantity: 0,
                grams: Quantity::ZERO,
                taxable: heads.taxable.times(-1)?,
                igst: heads.igst.times(-1)?,
                cgst: heads.cgst.times(-1)?,
                sgst: heads.sgst.times(-1)?,
                cess: heads.cess.times(-1)?,
                vat: Cents::ZERO,
            };
            row("CDNR", Some(document), *rate, &back);
        }
    }
    for operator in eco {
        rows.push(eco_row(operator));
    }
    rows.extend(made.issued.iter().map(issued_row));
    Table::new(GSTR1, rows)
}

/// Which numbers of a series were given out.
fn issued_row(of: &Issued) -> Vec<Cell> {
    let (kind, zero) = (format!("DOCS_{}", of.kind.name()), Cents::ZERO);
    let (from, to) = (of.from.as_str(), of.to.as_str());
    report_row![kind, "", from, "", "", Hundredths::new(0), zero, zero, zero, zero, zero, zero, to, of.count]
}

/// What an operator sold on the house's behalf and pays the tax of (section 9(5)).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Eco {
    /// Its GSTIN.
    pub tax_id: String,
    /// Net of tax.
    pub value: Cents,
}

/// What was supplied through operators of channels, by their GSTIN.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operators {
    /// Which collect TCS of what the house taxes (section 52).
    pub collecting: BTreeMap<String, Heads>,
    /// Which pay the tax (section 9(5)).
    pub paying: Vec<Eco>,
}

/// What the house taxed of `documents`, each beside the GSTIN of the aggregator that its order came through.
///
/// # Errors
/// [`Overflow`].
pub fn collecting(documents: &[(String, Document)]) -> Result<BTreeMap<String, Heads>, Overflow> {
    let mut operators: BTreeMap<String, Heads> = BTreeMap::new();
    for (tax_id, document) in documents {
        for supply in document.supplied()? {
            if matches!(class_of(&supply)?, Class::Taxed(_)) {
                let sum = operators.entry(tax_id.clone()).or_default();
                *sum = sum.plus(Heads::of(&supply, document.sign())?)?;
            }
        }
    }
    Ok(operators)
}

fn eco_row(operator: &Eco) -> Vec<Cell> {
    let zero = Cents::ZERO;
    report_row![
        "ECO_9_5",
        operator.tax_id.as_str(),
        "",
        "",
        "",
        Hundredths::new(0),
        operator.value,
        zero,
        zero,
        zero,
        zero,
        zero,
        "",
        0
    ]
}
