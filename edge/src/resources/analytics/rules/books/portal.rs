//! GSTR-1 as the file that the GST portal and its offline tool take: names, order and forms are theirs. Amounts are rupees with two
//! decimals, dates DD-MM-YYYY, periods MMYYYY. Restaurants sell within their state, so that all of it is CGST and SGST. Where each name
//! comes from stands beside the tests of the month.

use super::gst::{ByRate, Codes, Gstr1, Operators, Untaxed, hsn_sums};
use crate::resources::analytics::rules::documents::{Document, Heads};
use crate::resources::analytics::rules::money::Hundredths;
use crate::resources::orders::rules::invoices::InvoiceKind;
use chrono::NaiveDate;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Bps, Cents, Overflow};

/// The format's version, as the offline tool of 2025 writes it.
const VERSION: &str = "GST3.2.4";

/// Whose return it is, and of which month: of a quarter its last.
#[derive(Debug, Clone, Copy)]
pub struct Filing<'a> {
    /// The house's GSTIN.
    pub gstin: &'a str,
    /// Its state's code.
    pub state: &'a str,
    /// The last date.
    pub to: NaiveDate,
}

/// The file.
///
/// # Errors
/// [`Overflow`].
pub fn gstr1_json(
    documents: &[Document],
    filing: &Filing<'_>,
    codes: Codes<'_>,
    operators: &Operators,
) -> Result<Value, Overflow> {
    let made = Gstr1::of(documents)?;
    let mut file = Map::new();
    // What holds nothing is left out, as the offline tool leaves it out: an empty list is refused.
    let mut put = |name: &str, value: Value| {
        if !is_empty(&value) {
            file.insert(name.to_owned(), value);
        }
    };
    put("gstin", json!(filing.gstin));
    put("fp", json!(filing.to.format("%m%Y").to_string()));
    put("version", json!(VERSION));
    put("hash", json!("hash"));
    let b2b = by_buyer(&made.b2b, |document, rates| invoice(document, rates, filing.state));
    put("b2b", by_ctin(b2b, "inv"));
    put(
        "b2cs",
        json!(made.b2cs.iter().map(|(rate, heads)| b2cs(*rate, heads, filing.state)).collect::<Vec<_>>()),
    );
    let cdnr = by_buyer(&made.cdnr, |document, rates| note(document, rates, filing.state));
    put("cdnr", by_ctin(cdnr, "nt"));
    let untaxed = [("INTRAB2B", made.untaxed_b2b), ("INTRAB2C", made.untaxed_b2c)];
    let untaxed = untaxed.into_iter().filter(|(_, of)| *of != Untaxed::default()).map(|(kind, of)| {
        json!({"sply_ty": kind, "expt_amt": money(of.exempt), "nil_amt": money(of.nil), "ngsup_amt": money(of.outside)})
    });
    put("nil", filled([("inv", untaxed.collect())]));
    put("hsn", hsn(documents, codes)?);
    put("doc_issue", doc_issue(&made));
    // Table 14: (a) what the house taxed and an aggregator collects TCS of (section 52), (b) what its operator taxed (section 9(5)).
    let collecting = operators.collecting.iter().map(|(tax_id, heads)| through(tax_id, heads));
    let paying = operators
        .paying
        .iter()
        .map(|of| through(&of.tax_id, &Heads { taxable: of.value, ..Heads::default() }));
    put("supeco", filled([("clttx", collecting.collect()), ("paytx", paying.collect())]));
    Ok(Value::Object(file))
}

fn through(tax_id: &str, heads: &Heads) -> Value {
    json!({
        "etin": tax_id, "suppval": money(heads.taxable), "igst": money(heads.igst), "cgst": money(heads.cgst), "sgst": money(heads.sgst),
        "cess": money(heads.cess), "flag": "N",
    })
}

/// Those of the lists that hold anything.
fn filled<const N: usize>(lists: [(&str, Vec<Value>); N]) -> Value {
    let some = lists.into_iter().filter(|(_, list)| !list.is_empty());
    Value::Object(some.map(|(name, list)| (name.to_owned(), Value::Array(list))).collect())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Rupees: a number with at most two decimals.
fn money(amount: Cents) -> Value {
    json!(Hundredths::new(amount.get()))
}

fn rate(rate: Bps) -> Value {
    json!(Hundredths::new(rate.get()))
}

fn date(date: NaiveDate) -> String {
    date.format("%d-%m-%Y").to_string()
}

type Rated<'a> = (&'a Document, ByRate);

fn by_buyer(
    documents: &[Rated<'_>],
    form: impl Fn(&Document, &ByRate) -> Value,
) -> BTreeMap<String, Vec<Value>> {
    let mut buyers: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (document, rates) in documents {
        let buyer = document.customer_tax_id.clone().unwrap_or_default();
        buyers.entry(buyer).or_default().push(form(document, rates));
    }
    buyers
}

fn by_ctin(buyers: BTreeMap<String, Vec<Value>>, list: &str) -> Value {
    let of = |(ctin, documents): (String, Vec<Value>)| {
        let mut buyer = Map::new();
        buyer.insert("ctin".into(), json!(ctin));
        buyer.insert(list.into(), json!(documents));
        Value::Object(buyer)
    };
    json!(buyers.into_iter().map(of).collect::<Vec<_>>())
}

/// The items of a document, one for each rate; the portal numbers them by it: 501 for 5 %.
fn items(rates: &ByRate) -> Vec<Value> {
    let of = |(of_rate, heads): (&Bps, &Heads)| {
        json!({"num": of_rate.get() + 1, "itm_det": {
            "txval": money(heads.taxable), "rt": rate(*of_rate), "iamt": money(heads.igst), "camt": money(heads.cgst),
            "samt": money(heads.sgst), "csamt": money(heads.cess),
        }})
    };
    rates.iter().map(of).collect()
}

fn invoice(document: &Document, rates: &ByRate, state: &str) -> Value {
    json!({
        "inum": document.number, "idt": date(document.business_date), "val": money(document.total_cents), "pos": state,
        "rchrg": "N", "inv_typ": "R", "itms": items(rates),
    })
}

fn note(document: &Document, rates: &ByRate, state: &str) -> Value {
    json!({
        "ntty": "C", "nt_num": document.number, "nt_dt": date(document.business_date), "val": money(document.total_cents),
        "pos": state, "rchrg": "N", "inv_typ": "R", "itms": items(rates),
    })
}

fn b2cs(of_rate: Bps, heads: &Heads, state: &str) -> Value {
    json!({
        "sply_ty": "INTRA", "rt": rate(of_rate), "typ": "OE", "pos": state, "txval": money(heads.taxable),
        "camt": money(heads.cgst), "samt": money(heads.sgst), "csamt": money(heads.cess),
    })
}

fn hsn(documents: &[Document], codes: Codes<'_>) -> Result<Value, Overflow> {
    let (mut b2b, mut b2c): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for (key, heads) in hsn_sums(documents, codes)?.into_iter().filter(|(key, _)| !key.is_outside) {
        let list = if key.is_b2b { &mut b2b } else { &mut b2c };
        let unit = key.uqc();
        // The portal takes two decimals.
        let quantity = match unit {
            "NA" => json!(0),
            "KGS" => json!(Hundredths::new(heads.grams.ratio(1, 10 * MILLION)?.get())),
            _ => json!(heads.quantity),
        };
        list.push(json!({
            "num": list.len() + 1, "hsn_sc": key.code, "uqc": unit, "qty": quantity, "rt": rate(key.rate),
            "txval": money(heads.taxable), "iamt": money(heads.igst), "camt": money(heads.cgst), "samt": money(heads.sgst),
            "csamt": money(heads.cess),
        }));
    }
    Ok(filled([("hsn_b2b", b2b), ("hsn_b2c", b2c)]))
}

/// Table 13: 1 is invoices for outward supply, 5 credit notes. A bill that was withdrawn was issued, and has a credit note.
fn doc_issue(made: &Gstr1<'_>) -> Value {
    let kinds = [
        (InvoiceKind::Invoice, 1, "Invoices for outward supply"),
        (InvoiceKind::CreditNote, 5, "Credit Note"),
    ];
    let of = |(kind, number, name): (InvoiceKind, i64, &str)| {
        let series = made.issued.iter().filter(|of| of.kind == kind);
        let docs: Vec<Value> = (1..)
            .zip(series)
            .map(|(num, of): (i64, _)| {
                json!({"num": num, "from": of.from, "to": of.to, "totnum": of.count, "cancel": 0, "net_issue": of.count})
            })
            .collect();
        (!docs.is_empty()).then(|| json!({"doc_num": number, "doc_typ": name, "docs": docs}))
    };
    filled([("doc_det", kinds.into_iter().filter_map(of).collect())])
}
