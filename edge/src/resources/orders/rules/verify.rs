//! The proof that no bill is missing and none was changed: by the hashes, which everybody can count again, and by the signatures, which only
//! a box of the outlet can make. Never repairs anything.

use super::invoices::{Bill, InvoiceKind, InvoiceRow, chain, genesis, mark_in, number, series};
use super::signing::{SigningKey, signed};
use crate::db::is_signed;
use tiffin_common::{Millis, Uuid};

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
    /// How many of them carry a signature: none was made before boxes had keys.
    pub signed: i64,
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

/// A signature that is still to be checked.
#[derive(Debug)]
struct Signature {
    number: String,
    at: Millis,
    hash: Vec<u8>,
    bytes: Vec<u8>,
}

/// How far a series was walked.
#[derive(Debug)]
struct Walk {
    series: Series,
    before: Place,
    last: Place,
    signatures: Vec<Signature>,
    /// Whether some of its documents have a serial in common: the last one then does not follow from all of them.
    parts: bool,
}

/// Walks the documents of an outlet, each series in the order of its serials.
#[derive(Debug)]
pub struct Verifier {
    outlet: Uuid,
    keys: Vec<SigningKey>,
    walks: Vec<Walk>,
    shared: Vec<String>,
    problems: Vec<String>,
}

/// What the walk has found.
#[derive(Debug)]
pub struct Found {
    /// The keys it was told of.
    pub keys: Vec<SigningKey>,
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
    /// For the documents of `outlet`, whose boxes had `keys`, in the order in which they began.
    pub fn new(outlet: Uuid, keys: Vec<SigningKey>) -> Verifier {
        Verifier { outlet, keys, walks: Vec::new(), shared: Vec::new(), problems: Vec::new() }
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
                signed: 0,
                first_number: row.number.clone(),
                last_number: String::new(),
                last_hash: String::new(),
            };
            let start = genesis(self.outlet, row.kind, &row.fiscal_year, mark).to_vec();
            let last = Place { serial: 0, hashes: vec![start] };
            let (before, signatures) = (Place::default(), Vec::new());
            self.walks.push(Walk { series, before, last, signatures, parts: false });
            self.walks.len() - 1
        })
    }

    /// Checks the next document.
    pub fn look(&mut self, row: &InvoiceRow) {
        let agrees = self.agrees(row);
        let place = self.walk(row);
        self.look_at_signature(row, place);
        let Some(walk) = self.walks.get_mut(place) else { return };
        let problems = &mut self.problems;
        if row.serial == walk.last.serial {
            note(&mut self.shared, row.number.clone());
            walk.parts = true;
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

    /// Notes the signature of a document, or that it should have one.
    fn look_at_signature(&mut self, row: &InvoiceRow, place: usize) {
        let Verifier { keys, walks, problems, .. } = self;
        let Some(walk) = walks.get_mut(place) else { return };
        let number = &row.number;
        let Some(bytes) = &row.signature else {
            let since: Option<Millis> = keys.first().map(|key| key.begun_at);
            if !walk.signatures.is_empty() || since.is_some_and(|since| row.at >= since) {
                note(
                    problems,
                    format!("{number}: has no signature, though the box signed its documents then"),
                );
            }
            return;
        };
        walk.series.signed = walk.series.signed.saturating_add(1);
        let (number, hash, bytes) = (number.clone(), row.hash.clone(), bytes.clone());
        walk.signatures.push(Signature { number, at: row.at, hash, bytes });
    }

    /// Checks signatures. One stands for all documents that its own follows from: each is looked at by itself only where the last does not
    /// fit, or where the chain parts.
    fn check_signatures(&mut self) {
        let Verifier { outlet, keys, walks, problems, .. } = self;
        let fits = |signature: &Signature| {
            let message = signed(*outlet, &signature.hash);
            let mut begun = keys.iter().rev().filter(|key| key.begun_at <= signature.at);
            begun.any(|key| is_signed(&key.public_key, &message, &signature.bytes))
        };
        for walk in walks.iter() {
            if !walk.parts && walk.signatures.last().is_none_or(fits) {
                continue;
            }
            for signature in walk.signatures.iter().filter(|signature| !fits(signature)) {
                note(problems, format!("{}: its signature is not the box's", signature.number));
            }
        }
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
            && bill.customer_tax_id == row.customer_tax_id
    }

    /// What was found, where `given` are the highest serials that the counters have given.
    pub fn finish(mut self, given: &[(String, i64)]) -> Found {
        self.check_signatures();
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
        Found { keys: self.keys, series, shared: self.shared, problems: self.problems }
    }
}
