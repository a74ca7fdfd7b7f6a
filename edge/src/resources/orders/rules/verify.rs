//! The proof that no bill is missing and none was changed. Never repairs anything.

use super::invoices::{Bill, InvoiceKind, InvoiceRow, chain, genesis, mark_in, number, series};
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
    /// What stands between year and serial: `-` or `C` in the first life of the outlet's box, a letter in a later one, which began
    /// when it was put back, replaced or copied.
    pub mark: char,
    /// How many there are.
    pub count: i64,
    /// The first number.
    pub first_number: String,
    /// The last one.
    pub last_number: String,
    /// The hash of the last one, in hexadecimal: whoever wrote it down can tell later whether anything before it changed.
    pub last_hash: String,
}

/// Documents of one serial of a series: one, or one of each of the lives that gave it out.
#[derive(Debug, Default)]
struct Place {
    serial: i64,
    hashes: Vec<Vec<u8>>,
}

/// How far a series was walked.
#[derive(Debug)]
struct Walk {
    series: Series,
    before: Place,
    last: Place,
}

/// Walks the documents of an outlet, each series in the order of its serials.
#[derive(Debug)]
pub struct Verifier {
    outlet: Uuid,
    walks: Vec<Walk>,
    shared: Vec<String>,
    problems: Vec<String>,
}

/// What the walk has found.
#[derive(Debug)]
pub struct Found {
    /// The series.
    pub series: Vec<Series>,
    /// Numbers that more than one document has.
    pub shared: Vec<String>,
    /// What is wrong.
    pub problems: Vec<String>,
}

fn note(list: &mut Vec<String>, text: String) {
    if list.len() < MOST_NAMED && list.last() != Some(&text) {
        list.push(text);
    }
}

impl Verifier {
    /// For the documents of `outlet`.
    pub fn new(outlet: Uuid) -> Verifier {
        Verifier { outlet, walks: Vec::new(), shared: Vec::new(), problems: Vec::new() }
    }

    /// The place of the row's series.
    fn walk(&mut self, row: &InvoiceRow) -> usize {
        let mark = mark_in(&row.number, &row.fiscal_year).unwrap_or_default();
        let is_it = |walk: &Walk| {
            let series = &walk.series;
            series.kind == row.kind && series.fiscal_year == row.fiscal_year && series.mark == mark
        };
        self.walks.iter().rposition(is_it).unwrap_or_else(|| {
            let series = Series {
                kind: row.kind,
                fiscal_year: row.fiscal_year.clone(),
                mark,
                count: 0,
                first_number: row.number.clone(),
                last_number: String::new(),
                last_hash: String::new(),
            };
            let start = genesis(self.outlet, row.kind, &row.fiscal_year, mark).to_vec();
            let last = Place { serial: 0, hashes: vec![start] };
            self.walks.push(Walk { series, before: Place::default(), last });
            self.walks.len() - 1
        })
    }

    /// Checks the next document.
    pub fn look(&mut self, row: &InvoiceRow) {
        let agrees = self.agrees(row);
        let place = self.walk(row);
        let Some(walk) = self.walks.get_mut(place) else { return };
        let problems = &mut self.problems;
        if row.serial == walk.last.serial {
            note(&mut self.shared, row.number.clone());
        } else {
            let expected = walk.last.serial.saturating_add(1);
            if row.serial != expected {
                note(
                    problems,
                    format!("{}: number {expected} of its series is missing before it", row.number),
                );
            }
            walk.before = std::mem::take(&mut walk.last);
            walk.last.serial = row.serial;
        }
        if !walk.before.hashes.contains(&row.previous_hash) {
            note(problems, format!("{}: does not follow the one before it", row.number));
        }
        if row.hash != chain(&row.previous_hash, &row.body) {
            note(problems, format!("{}: its text was changed", row.number));
        }
        if !agrees {
            note(problems, format!("{}: what is kept beside its text differs from it", row.number));
        }
        walk.last.hashes.push(row.hash.clone());
        walk.series.count = walk.series.count.saturating_add(1);
        row.number.clone_into(&mut walk.series.last_number);
        walk.series.last_hash = row.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    }

    /// Whether the columns say what the text says.
    fn agrees(&self, row: &InvoiceRow) -> bool {
        let Ok(bill) = serde_json::from_str::<Bill>(&row.body) else { return false };
        let mark = mark_in(&row.number, &row.fiscal_year).unwrap_or_default();
        let made = number(&bill.outlet.code, &bill.fiscal_year, mark, bill.serial);
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

    /// What was found, where `given` are the highest serials that the counters have given.
    pub fn finish(mut self, given: &[(String, i64)]) -> Found {
        for (name, value) in given {
            let is_it =
                |walk: &&Walk| series(walk.series.kind, &walk.series.fiscal_year, walk.series.mark) == *name;
            let last = self.walks.iter().find(is_it).map_or(0, |walk| walk.last.serial);
            if last != *value {
                note(
                    &mut self.problems,
                    format!("{name}: {value} numbers were given, the last document is number {last}"),
                );
            }
        }
        let series = self.walks.into_iter().map(|walk| walk.series).collect();
        Found { series, shared: self.shared, problems: self.problems }
    }
}
