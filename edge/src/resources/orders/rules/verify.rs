//! The proof that no bill is missing and none was changed. Never repairs anything.

use super::invoices::{Bill, InvoiceKind, InvoiceRow, chain, genesis, number, series};
use tiffin_common::Uuid;

/// The most problems that are named.
const MOST_NAMED: usize = 100;

/// A series of documents.
#[apply(figures!)]
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
    pub fn look(&mut self, row: &InvoiceRow) {
        let same = |s: &Series| s.kind == row.kind && s.fiscal_year == row.fiscal_year;
        if !self.series.last().is_some_and(same) {
            self.series.push(Series {
                kind: row.kind,
                fiscal_year: row.fiscal_year.clone(),
                count: 0,
                first_number: row.number.clone(),
                last_number: String::new(),
                last_hash: String::new(),
            });
            self.last_serial = 0;
            self.last_hash = genesis(self.outlet, row.kind, &row.fiscal_year).to_vec();
        }
        let expected = self.last_serial.saturating_add(1);
        if row.serial != expected {
            self.problem(format!("{}: number {expected} of its series is missing before it", row.number));
        }
        if row.previous_hash != self.last_hash {
            self.problem(format!("{}: does not follow the one before it", row.number));
        }
        if row.hash != chain(&row.previous_hash, &row.body) {
            self.problem(format!("{}: its text was changed", row.number));
        }
        if !self.agrees(row) {
            self.problem(format!("{}: what is kept beside its text differs from it", row.number));
        }
        self.last_serial = row.serial;
        self.last_hash.clone_from(&row.hash);
        if let Some(series) = self.series.last_mut() {
            series.count = series.count.saturating_add(1);
            row.number.clone_into(&mut series.last_number);
            series.last_hash = row.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        }
    }

    /// Whether the columns say what the text says.
    fn agrees(&self, row: &InvoiceRow) -> bool {
        let Ok(bill) = serde_json::from_str::<Bill>(&row.body) else { return false };
        let made = number(bill.kind, &bill.outlet.code, &bill.fiscal_year, bill.serial);
        bill.outlet.id == self.outlet
            && bill.kind == row.kind
            && bill.fiscal_year == row.fiscal_year
            && bill.serial == row.serial
            && bill.number == row.number
            && made.as_ref() == Some(&row.number)
            && bill.order_id == row.order_id
            && bill.refers_to.as_ref().map(|reference| reference.id) == row.refers_to_id
            && bill.total_cents == row.total
            && bill.tax_cents == row.tax
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
