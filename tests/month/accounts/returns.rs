//! What goes to the tax office and to the accountant's program, each worked out from the books kept by hand, against what a server
//! says: the branch, or head office.

use super::arithmetic::{Supply, Tax};
use super::ledger::{Document, Ledger, Slip, Voucher, percent};
use super::shop::{House, OPERATOR};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiffin_tests::Client;

/// Dates, both included.
#[derive(Debug, Clone, Copy)]
pub struct Range<'d> {
    pub from: &'d str,
    pub to: &'d str,
}

impl Range<'_> {
    pub fn query(&self) -> String {
        format!("from={}&to={}", self.from, self.to)
    }
}

/// A report of a range.
pub async fn report(client: &Client, name: &str, range: Range<'_>) -> Value {
    client.get(&format!("/analytics/reports/{name}?{}", range.query())).await.expect(200).data()
}

/// Rows in an order of their own.
fn sorted(rows: &[Value]) -> Vec<String> {
    let mut texts: Vec<String> = rows.iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

#[track_caller]
fn equal(name: &str, shown: &Value, known: &[Value]) {
    let (shown, known) = (sorted(shown["rows"].as_array().unwrap()), sorted(known));
    let lacking: Vec<&String> = known.iter().filter(|row| !shown.contains(row)).collect();
    let foreign: Vec<&String> = shown.iter().filter(|row| !known.contains(row)).collect();
    assert!(
        lacking.is_empty() && foreign.is_empty(),
        "{name}: not shown {lacking:#?}, shown instead {foreign:#?}"
    );
    assert_eq!(shown.len(), known.len(), "{name}");
}

/// Sums of supplies: quantity, taxable, CGST, SGST, VAT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Heads([i64; 5]);

impl Heads {
    fn add(&mut self, supply: &Supply, sign: i64) {
        let tax = |name: &str| {
            let at = supply.key.1.rates().iter().position(|(component, _)| *component == name);
            at.map_or(0, |at| supply.taxes[at])
        };
        let of = [supply.quantity, supply.taxable, tax("CGST"), tax("SGST"), tax("VAT")];
        self.0.iter_mut().zip(of).for_each(|(sum, cents)| *sum += sign * cents);
    }
}

/// All reports of documents and money of `range`.
pub async fn check(client: &Client, house: &House, books: &Ledger, range: Range<'_>) {
    let documents = books.documents(range.from, range.to);
    let slips: Vec<&Slip> =
        books.slips.iter().filter(|slip| (range.from..=range.to).contains(&slip.date.as_str())).collect();
    equal("register", &report(client, "register", range).await, &register(&documents));
    check_tax(&report(client, "tax", range).await, &documents);
    equal("slips", &report(client, "slips", range).await, &slip_rows(&slips));
    let sold: i64 = slips.iter().map(|slip| if slip.is_return { -slip.total } else { slip.total }).sum();
    if house.scheme == "REGULAR" {
        equal("hsn", &report(client, "hsn", range).await, &hsn(&documents));
        let eco = (!slips.is_empty()).then_some(sold);
        equal("gstr1", &report(client, "gstr1", range).await, &gstr1(house, &documents, eco));
        equal("gstr3b", &report(client, "gstr3b", range).await, &gstr3b(&documents, sold));
    } else {
        for name in ["hsn", "gstr1", "gstr3b"] {
            let path = format!("/analytics/reports/{name}?{}", range.query());
            client.get(&path).await.refused(409, "CONFLICT");
        }
        equal("cmp08", &report(client, "cmp08", range).await, &cmp08(&documents));
    }
    check_journal(client, books, range).await;
}

fn register(documents: &[&Document]) -> Vec<Value> {
    let row = |of: &&Document| {
        let (sign, a) = (of.sign(), &of.amounts);
        let vat: i64 = a.supplies.iter().filter(|s| s.key.1 == Tax::Beer).map(Supply::tax).sum();
        let (id, name) = of.buyer.unwrap_or_default();
        json!([
            of.date,
            if of.is_credit { "CREDIT_NOTE" } else { "INVOICE" },
            of.number,
            of.refers_to,
            of.order,
            of.order_type,
            id,
            name,
            sign * a.subtotal,
            sign * a.discount,
            sign * a.service,
            sign * a.net(),
            sign * (a.tax() - vat),
            0,
            sign * vat,
            sign * a.rounding,
            sign * a.total
        ])
    };
    documents.iter().map(row).collect()
}

/// By component and rate, bills and credit notes apart.
fn check_tax(shown: &Value, documents: &[&Document]) {
    let mut sums: BTreeMap<(&str, i64), [i64; 4]> = BTreeMap::new();
    for document in documents {
        for supply in &document.amounts.supplies {
            for (component, tax) in supply.key.1.rates().iter().zip(&supply.taxes) {
                let sum = sums.entry(*component).or_default();
                let at = if document.is_credit { 2 } else { 0 };
                (sum[at], sum[at + 1]) = (sum[at] + supply.taxable, sum[at + 1] + tax);
            }
        }
    }
    let rows: Vec<Value> = sums
        .iter()
        .map(|((name, rate), [taxable, tax, back, credited])| {
            json!([name, number(*rate), taxable, tax, back, credited, taxable - back, tax - credited])
        })
        .collect();
    equal("tax", shown, &rows);
}

/// A rate as a JSON number of percent.
fn number(bps: i64) -> Value {
    serde_json::from_str(&percent(bps)).unwrap()
}

fn slip_rows(slips: &[&Slip]) -> Vec<Value> {
    let row = |of: &&Slip| {
        let (kind, total, reason) =
            if of.is_return { ("RETURN", -of.total, "spilled") } else { ("SLIP", of.total, "") };
        json!([
            of.date,
            kind,
            of.number,
            of.refers_to,
            of.order,
            "Swiggy",
            OPERATOR,
            of.external,
            total,
            reason,
            of.commission
        ])
    };
    slips.iter().map(row).collect()
}

fn supplied<'d>(documents: &'d [&Document]) -> impl Iterator<Item = (&'d Document, &'d Supply)> {
    documents
        .iter()
        .flat_map(|document| document.amounts.supplies.iter().map(move |supply| (*document, supply)))
}

fn hsn(documents: &[&Document]) -> Vec<Value> {
    let mut sums: BTreeMap<(&str, &str, i64), Heads> = BTreeMap::new();
    for (document, supply) in supplied(documents) {
        let section = match (supply.key.1, document.buyer) {
            (Tax::Beer, _) => "OUTSIDE_GST",
            (_, Some(_)) => "B2B",
            (_, None) => "B2C",
        };
        let rate = if supply.key.1 == Tax::Beer { 0 } else { supply.key.1.percent() };
        sums.entry((section, supply.key.0, rate)).or_default().add(supply, document.sign());
    }
    let row = |((section, code, rate), Heads([quantity, taxable, cgst, sgst, vat])): (
        &(&str, &str, i64),
        &Heads,
    )| {
        let unit = if code.starts_with("99") { "NA" } else { "NOS" };
        json!([
            section,
            code,
            unit,
            quantity,
            rate,
            taxable + cgst + sgst + vat,
            taxable,
            0,
            cgst,
            sgst,
            0,
            vat
        ])
    };
    sums.iter().map(row).collect()
}

fn gstr1(house: &House, documents: &[&Document], eco: Option<i64>) -> Vec<Value> {
    let state = &house.tax_id[..2];
    let mut sums: BTreeMap<(String, &str, &str, &str, i64), Heads> = BTreeMap::new();
    for (document, supply) in supplied(documents) {
        let (section, rate) = match (supply.key.1, document.buyer) {
            (Tax::Beer, Some(_)) => ("OUTSIDE_GST_B2B", 0),
            (Tax::Beer, None) => ("OUTSIDE_GST_B2C", 0),
            (Tax::Free, Some(_)) => ("EXEMPT_B2B", 0),
            (Tax::Free, None) => ("EXEMPT_B2C", 0),
            (tax, Some(_)) if document.is_credit => ("CDNR", tax.percent()),
            (tax, Some(_)) => ("B2B", tax.percent()),
            (tax, None) => ("B2CS", tax.percent()),
        };
        let (id, number, date) = match section {
            "B2B" | "CDNR" => (document.buyer.unwrap().0, document.number.as_str(), document.date.as_str()),
            _ => ("", "", ""),
        };
        sums.entry((section.to_owned(), id, number, date, rate)).or_default().add(supply, document.sign());
    }
    let is_something = |heads: &Heads| heads.0[1..] != [0; 4];
    let mut rows: Vec<Value> = sums
        .iter()
        .filter(|((section, ..), heads)| !section.contains('_') || is_something(heads))
        .map(|((section, id, number, date, rate), Heads([_, taxable, cgst, sgst, vat]))| {
            json!([section, id, number, date, state, rate, taxable, 0, cgst, sgst, 0, vat, "", 0])
        })
        .collect();
    if let Some(sold) = eco {
        rows.push(json!(["ECO_9_5", OPERATOR, "", "", "", 0, sold, 0, 0, 0, 0, 0, "", 0]));
    }
    rows.extend(issued(documents));
    rows
}

/// The first and the last number of each series, and how many.
fn issued(documents: &[&Document]) -> Vec<Value> {
    let mut series: BTreeMap<(bool, &str), Vec<&str>> = BTreeMap::new();
    for document in documents {
        let (name, _) = document.number.split_at(document.number.len() - 6);
        series.entry((document.is_credit, name)).or_default().push(&document.number);
    }
    let row = |((is_credit, _), numbers): (&(bool, &str), &Vec<&str>)| {
        let kind = if *is_credit { "DOCS_CREDIT_NOTE" } else { "DOCS_INVOICE" };
        let (first, last) = (numbers.iter().min().unwrap(), numbers.iter().max().unwrap());
        json!([kind, "", first, "", "", 0, 0, 0, 0, 0, 0, 0, last, numbers.len()])
    };
    series.iter().map(row).collect()
}

fn gstr3b(documents: &[&Document], sold: i64) -> Vec<Value> {
    let mut sums = [Heads::default(); 3];
    for (document, supply) in supplied(documents) {
        let at = match supply.key.1 {
            Tax::Food | Tax::Packed => 0,
            Tax::Free => 1,
            Tax::Beer => 2,
        };
        sums[at].add(supply, document.sign());
    }
    let [taxed, free, outside] = sums.map(|Heads([_, taxable, cgst, sgst, _])| (taxable, cgst, sgst));
    let none = (0, 0, 0);
    let lines = [
        ("3.1(a)", "Outward taxable supplies (other than zero rated, nil rated and exempted)", taxed),
        ("3.1(b)", "Outward taxable supplies (zero rated)", none),
        ("3.1(c)", "Other outward supplies (nil rated, exempted)", free),
        ("3.1(d)", "Inward supplies (liable to reverse charge)", none),
        ("3.1(e)", "Non-GST outward supplies", outside),
        ("3.1.1(i)", "Supplies on which the electronic commerce operator pays tax, furnished by it", none),
        (
            "3.1.1(ii)",
            "Supplies made through an electronic commerce operator which pays their tax (section 9(5))",
            (sold, 0, 0),
        ),
    ];
    lines
        .map(|(table, nature, (taxable, cgst, sgst))| json!([table, nature, taxable, 0, cgst, sgst, 0]))
        .to_vec()
}

/// Turnover, and 2.5 % of it to the centre and to the state.
fn cmp08(documents: &[&Document]) -> Vec<Value> {
    let turnover: i64 = documents.iter().map(|of| of.sign() * of.amounts.net()).sum();
    let half = super::arithmetic::half_away(turnover * 25, 1_000);
    vec![
        json!(["3.1", "Outward supplies (including exempt supplies)", turnover, 0, half, half, 0]),
        json!([
            "3.2",
            "Inward supplies attracting reverse charge including import of services",
            0,
            0,
            0,
            0,
            0
        ]),
        json!(["3.3", "Tax payable (3.1 + 3.2)", 0, 0, half, half, 0]),
    ]
}

/// The postings of a range that came to something.
fn postings<'b>(books: &'b Ledger, range: Range<'_>) -> Vec<(&'b str, Voucher, &'b str, i64)> {
    let vouchers =
        books.journal.iter().filter(|((date, _), _)| (range.from..=range.to).contains(&date.as_str()));
    let lines = vouchers.flat_map(|((date, voucher), accounts)| {
        accounts.iter().map(move |(account, cents)| (date.as_str(), *voucher, account.as_str(), *cents))
    });
    lines.filter(|(.., cents)| *cents != 0).collect()
}

async fn check_journal(client: &Client, books: &Ledger, range: Range<'_>) {
    let known = postings(books, range);
    assert_eq!(known.iter().map(|(.., cents)| cents).sum::<i64>(), 0, "the hand-kept journal balances");
    let journal = report(client, "journal", range).await;
    let rows: Vec<Value> = known
        .iter()
        .map(|(date, voucher, account, cents)| {
            json!([date, voucher.name(), account, (*cents).max(0), (-cents).max(0)])
        })
        .collect();
    equal("journal", &journal, &rows);
    assert_eq!(journal["totals"]["debit"], journal["totals"]["credit"]);
    let path = format!("/analytics/reports/tally?format=portal&{}", range.query());
    let xml = client.get(&path).await.expect(200).text;
    let known: Vec<String> = known
        .iter()
        .map(|(date, voucher, account, cents)| {
            format!("{}-{} {account} {}", voucher.name(), date.replace('-', ""), -cents)
        })
        .collect();
    assert_eq!(vouchers_of(&xml), known, "Tally's vouchers");
}

/// What stands between `<tag>` and `</tag>`, each time.
fn between<'x>(xml: &'x str, tag: &str) -> Vec<&'x str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    xml.split(&open).skip(1).map(|rest| rest.split_once(&close).unwrap().0).collect()
}

/// Each entry of Tally's file: its voucher, ledger and amount in cents, debits below nothing.
fn vouchers_of(xml: &str) -> Vec<String> {
    let mut entries = Vec::new();
    for voucher in xml.split("<TALLYMESSAGE").skip(1) {
        let number = between(voucher, "VOUCHERNUMBER")[0];
        for (ledger, amount) in between(voucher, "LEDGERNAME").iter().zip(between(voucher, "AMOUNT")) {
            let cents: i64 = amount.replace('.', "").parse().unwrap();
            entries.push(format!("{number} {} {cents}", ledger.replace("&amp;", "&")));
        }
    }
    entries
}
