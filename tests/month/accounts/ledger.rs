//! The books of one house, kept by hand: every document, every posting, every day. Never asks the product for a figure.

use super::arithmetic::Amounts;
use std::collections::BTreeMap;

/// A bill or a credit note.
#[derive(Debug, Clone)]
pub struct Document {
    pub date: String,
    pub is_credit: bool,
    pub number: String,
    pub refers_to: String,
    pub order: String,
    pub order_type: &'static str,
    pub buyer: Option<(&'static str, &'static str)>,
    pub amounts: Amounts,
}

impl Document {
    pub fn sign(&self) -> i64 {
        if self.is_credit { -1 } else { 1 }
    }
}

/// What stands for a bill where an operator makes it.
#[derive(Debug, Clone)]
pub struct Slip {
    pub date: String,
    pub is_return: bool,
    pub number: String,
    pub refers_to: String,
    pub order: String,
    pub external: String,
    pub total: i64,
    /// What the channel keeps of it.
    pub commission: i64,
}

/// Money of one method on one date.
#[derive(Debug, Clone, Copy, Default)]
pub struct Money {
    pub payments: i64,
    pub amount: i64,
    pub tip: i64,
    pub refunds: i64,
    pub refunded: i64,
}

impl Money {
    pub fn net(&self) -> i64 {
        self.amount + self.tip - self.refunded
    }
}

/// What a date came to.
#[derive(Debug, Clone, Default)]
pub struct Day {
    pub orders: i64,
    pub guests: i64,
    /// What was sold, bills and slips, each with all its order.
    pub sold: Amounts,
    pub tax: i64,
    /// What came back of it, without tax, service charge and rounding.
    pub refunds: i64,
    pub refunds_count: i64,
    pub refunded_tax: i64,
    pub refunded_service: i64,
    pub refunded_rounding: i64,
    pub money: BTreeMap<&'static str, Money>,
    pub cogs: i64,
    pub waste: i64,
    pub written_off: i64,
    pub over_short: i64,
    pub tips_corrected: i64,
    pub tips_out: i64,
    pub corrections: i64,
    pub corrected: i64,
    pub reversals: i64,
    pub cancelled: i64,
    /// Portions and what they brought, by dish.
    pub dishes: BTreeMap<&'static str, (i64, i64)>,
    /// What their ingredients cost, on the date they were taken.
    pub costs: BTreeMap<&'static str, i64>,
    /// Orders, what they brought and their guests, by how they reach them.
    pub types: BTreeMap<&'static str, (i64, i64, i64)>,
    /// Portions voided, at menu prices.
    pub voided: i64,
    /// Orders that were called off, at menu prices.
    pub called_off: i64,
    /// Of orders that came through the channel: orders, gross, discount, tax, total, commission, paid through it, given back.
    pub channel: [i64; 8],
}

impl Day {
    pub fn net(&self) -> i64 {
        self.sold.subtotal - self.sold.discount - self.refunds
    }

    pub fn service(&self) -> i64 {
        self.sold.service - self.refunded_service
    }

    pub fn net_tax(&self) -> i64 {
        self.tax - self.refunded_tax
    }

    pub fn rounding(&self) -> i64 {
        self.sold.rounding - self.refunded_rounding
    }

    pub fn total(&self) -> i64 {
        self.net() + self.service() + self.net_tax() + self.rounding()
    }

    pub fn tips(&self) -> i64 {
        self.money.values().map(|money| money.tip).sum()
    }
}

/// Vouchers of a date in the order the journal has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voucher {
    Sales,
    CreditNotes,
    Receipts,
    Refunds,
    WriteOffs,
    Commission,
    Cash,
    Stock,
}

impl Voucher {
    pub fn name(self) -> &'static str {
        match self {
            Voucher::Sales => "SALES",
            Voucher::CreditNotes => "CREDIT_NOTES",
            Voucher::Receipts => "RECEIPTS",
            Voucher::Refunds => "REFUNDS",
            Voucher::WriteOffs => "WRITE_OFFS",
            Voucher::Commission => "COMMISSION",
            Voucher::Cash => "CASH",
            Voucher::Stock => "STOCK",
        }
    }
}

/// How guests pay who pay at the channel: it owes that to the house.
const THROUGH_CHANNEL: &str = "OTHER";
pub const RECEIVABLE: &str = "Swiggy receivable";

/// The account that money of a method lies in.
fn account(method: &str) -> &str {
    if method == THROUGH_CHANNEL { RECEIVABLE } else { method }
}

/// Accounts of vouchers, debits above nothing.
pub type Postings = BTreeMap<(String, Voucher), BTreeMap<String, i64>>;

/// The books of a house.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    pub documents: Vec<Document>,
    pub slips: Vec<Slip>,
    pub days: BTreeMap<String, Day>,
    pub journal: Postings,
    serials: BTreeMap<String, i64>,
}

/// 25 for 0.25 %, written as people do.
pub fn percent(bps: i64) -> String {
    let text = format!("{}.{:02}", bps / 100, bps % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `2627` for a date from April 2026 to March 2027.
pub fn fiscal_year(date: &str) -> String {
    let (year, month): (i64, i64) = (date[..4].parse().unwrap(), date[5..7].parse().unwrap());
    let begin = if month < 4 { year - 1 } else { year } % 100;
    format!("{begin:02}{:02}", begin + 1)
}

impl Ledger {
    pub fn day(&mut self, date: &str) -> &mut Day {
        self.days.entry(date.to_owned()).or_default()
    }

    /// The next number of a series, 1 at first.
    pub fn next(&mut self, series: &str) -> i64 {
        let serial = self.serials.entry(series.to_owned()).or_default();
        *serial += 1;
        *serial
    }

    /// Debits and credits; an amount below nothing the other way round.
    pub fn post(&mut self, date: &str, voucher: Voucher, debit: &str, credit: &str, cents: i64) {
        let accounts = self.journal.entry((date.to_owned(), voucher)).or_default();
        *accounts.entry(debit.to_owned()).or_default() += cents;
        *accounts.entry(credit.to_owned()).or_default() -= cents;
    }

    /// Enters a document.
    pub fn enter(&mut self, document: Document) {
        let (date, sign, of) = (document.date.clone(), document.sign(), document.amounts.clone());
        let voucher = if document.is_credit { Voucher::CreditNotes } else { Voucher::Sales };
        let mut post = |account: &str, cents: i64| self.post(&date, voucher, "Guests", account, sign * cents);
        post("Sales", of.subtotal);
        post("Discounts", -of.discount);
        post("Service charge", of.service);
        post("Rounding", of.rounding);
        for supply in &of.supplies {
            for ((name, rate), tax) in supply.key.1.rates().iter().zip(&supply.taxes) {
                post(&format!("{name} {}.{:02} %", rate / 100, rate % 100), *tax);
            }
        }
        let day = self.day(&date);
        if document.is_credit {
            day.refunds_count += 1;
            day.refunds += of.goods();
            day.refunded_tax += of.tax();
            day.refunded_service += of.service;
            day.refunded_rounding += of.rounding;
        }
        self.documents.push(document);
    }

    /// Money that came in by `method` (a correction, where it is below nothing).
    pub fn receive(&mut self, date: &str, method: &'static str, (count, amount, tip): (i64, i64, i64)) {
        let money = self.day(date).money.entry(method).or_default();
        money.payments += count;
        money.amount += amount;
        money.tip += tip;
        self.post(date, Voucher::Receipts, account(method), "Guests", amount);
        self.post(date, Voucher::Receipts, account(method), "Tips owed", tip);
        if method == THROUGH_CHANNEL {
            self.day(date).channel[6] += amount + tip;
        }
    }

    pub fn give_back(&mut self, date: &str, method: &'static str, amount: i64) {
        let money = self.day(date).money.entry(method).or_default();
        money.refunds += 1;
        money.refunded += amount;
        self.post(date, Voucher::Refunds, "Guests", account(method), amount);
        if method == THROUGH_CHANNEL {
            self.day(date).channel[6] -= amount;
        }
    }

    /// What the channel keeps of a document; below nothing, what it keeps no more.
    pub fn keep(&mut self, date: &str, commission: i64) {
        self.post(date, Voucher::Commission, "Commission", RECEIVABLE, commission);
        self.day(date).channel[5] += commission;
    }

    /// What portions cost that were sold, or, below nothing, were not sold after all; and what was thrown away.
    pub fn use_stock(&mut self, date: &str, dish: &'static str, (sold, wasted): (i64, i64)) {
        let day = self.day(date);
        *day.costs.entry(dish).or_default() += sold;
        day.cogs += sold;
        day.waste += wasted;
        self.post(date, Voucher::Stock, "Cost of goods sold", "Stock", sold);
        self.post(date, Voucher::Stock, "Food waste", "Stock", wasted);
    }

    /// The sum of a figure over dates.
    pub fn sum<T: std::iter::Sum>(&self, from: &str, to: &str, pick: impl Fn(&Day) -> T) -> T {
        self.days.range(from.to_owned()..=to.to_owned()).map(|(_, day)| pick(day)).sum()
    }

    /// The documents of dates.
    pub fn documents(&self, from: &str, to: &str) -> Vec<&Document> {
        self.documents.iter().filter(|of| (from..=to).contains(&of.date.as_str())).collect()
    }
}
