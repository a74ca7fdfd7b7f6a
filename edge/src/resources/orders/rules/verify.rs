//! The proof that no bill is missing and none was changed. Never repairs anything.

use super::invoices::{Bill, InvoiceKind, chain, genesis, number, series};
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Cents, Uuid};

/// The most problems that are named.
const MOST_NAMED: usize = 100;

/// A document as kept, for checking.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the columns of invoices")]
pub struct Link<'a> {
    pub kind: InvoiceKind,
    pub fiscal_year: &'a str,
    pub serial: i64,
    pub number: &'a str,
    pub order_id: Uuid,
    pub refers_to_id: Option<Uuid>,
    pub total: Cents,
    pub tax: Cents,
    pub body: &'a str,
    pub previous_hash: &'a [u8],
    pub hash: &'a [u8],
}

/// A series of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Series {
    /// The kind of its documents.
    pub kind: InvoiceKind,
    /// Its fiscal year.
    pub fiscal_year: String,
    /// How many there are.
    pub count: i64,
    /// The first number.
    pub first_number: String,
    /// The last one.
    pub last_number: String,
    /// The hash of the last one, in hexadecimal: whoever wrote it down can tell later whether anything before it changed.
    pub last_hash: String,
}

/// Walks the documents of an outlet, series by series, in the order of their serials.
#[derive(Debug)]
pub struct Verifier {
    outlet: Uuid,
    series: Vec<Series>,
    problems: Vec<String>,
    last_serial: i64,
    last_hash: Vec<u8>,
}

impl Verifier {
    /// For the documents of `outlet`.
    pub fn new(outlet: Uuid) -> Verifier {
        Verifier { outlet, series: Vec::new(), problems: Vec::new(), last_serial: 0, last_hash: Vec::new() }
    }

    fn problem(&mut self, text: String) {
        if self.problems.len() < MOST_NAMED {
            self.problems.push(text);
        }
    }

    /// Checks the next document.
    pub fn look(&mut self, link: &Link<'_>) {
        let same = |s: &Series| s.kind == link.kind && s.fiscal_year == link.fiscal_year;
        if !self.series.last().is_some_and(same) {
            self.series.push(Series {
                kind: link.kind,
                fiscal_year: link.fiscal_year.to_owned(),
                count: 0,
                first_number: link.number.to_owned(),
                last_number: String::new(),
                last_hash: String::new(),
            });
            self.last_serial = 0;
            self.last_hash = genesis(self.outlet, link.kind, link.fiscal_year).to_vec();
        }
        let expected = self.last_serial.saturating_add(1);
        if link.serial != expected {
            self.problem(format!("{}: number {expected} of its series is missing before it", link.number));
        }
        if link.previous_hash != self.last_hash.as_slice() {
            self.problem(format!("{}: does not follow the one before it", link.number));
        }
        if link.hash != chain(link.previous_hash, link.body).as_slice() {
            self.problem(format!("{}: its text was changed", link.number));
        }
        if !self.agrees(link) {
            self.problem(format!("{}: what is kept beside its text differs from it", link.number));
        }
        self.last_serial = link.serial;
        self.last_hash = link.hash.to_vec();
        if let Some(series) = self.series.last_mut() {
            series.count = series.count.saturating_add(1);
            link.number.clone_into(&mut series.last_number);
            series.last_hash = link.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        }
    }

    /// Whether the columns say what the text says.
    fn agrees(&self, link: &Link<'_>) -> bool {
        let Ok(bill) = serde_json::from_str::<Bill>(link.body) else { return false };
        let made = number(bill.kind, &bill.outlet.code, &bill.fiscal_year, bill.serial);
        bill.outlet.id == self.outlet
            && bill.kind == link.kind
            && bill.fiscal_year == link.fiscal_year
            && bill.serial == link.serial
            && bill.number == link.number
            && made.as_deref() == Some(link.number)
            && bill.order_id == link.order_id
            && bill.refers_to.as_ref().map(|reference| reference.id) == link.refers_to_id
            && bill.total_cents == link.total
            && bill.tax_cents == link.tax
    }

    /// The series and what is wrong, where `given` are the highest serials that the counters have given.
    pub fn finish(mut self, given: &[(String, i64)]) -> (Vec<Series>, Vec<String>) {
        for (name, value) in given {
            let found = self.series.iter().find(|s| series(s.kind, &s.fiscal_year) == *name);
            let count = found.map_or(0, |series| series.count);
            if count != *value {
                self.problem(format!("{name}: {value} numbers were given, {count} documents are there"));
            }
        }
        (self.series, self.problems)
    }
}
