//! What the evening must come to, computed by this test alone: recipes, prices and rounding are written down here a second
//! time, in whole millionths and cents. Never asks the product for a figure.

use std::collections::BTreeMap;
use tiffin_tests::figures::{OPENING, OpeningBatch, price, recipe};

/// Millionths.
const M: i128 = 1_000_000;

/// Portions of a dish.
#[derive(Debug, Clone)]
pub struct Line {
    pub id: String,
    pub dish: &'static str,
    pub options: &'static [&'static str],
    pub quantity: i64,
    /// Cents off this line.
    pub cut: i64,
}

impl Line {
    pub fn unit(&self) -> i64 {
        price(self.dish) + self.options.iter().map(|option| price(option)).sum::<i64>()
    }

    fn takes(&self, portions: i64, stock: &mut BTreeMap<&'static str, i64>) {
        for name in std::iter::once(&self.dish).chain(self.options) {
            for (item, quantity) in recipe(name) {
                *stock.entry(item).or_default() += quantity * portions;
            }
        }
    }
}

/// Money that came in.
#[derive(Debug, Clone)]
pub struct Payment {
    pub method: &'static str,
    pub cents: i64,
    pub tip: i64,
    pub refunded: i64,
}

/// An order as it ought to be.
#[derive(Debug, Clone, Default)]
pub struct Order {
    pub lines: Vec<Line>,
    /// Percent off everything.
    pub percent: i64,
    pub cancelled: bool,
    pub billed: bool,
    /// What a division left on this order so that all parts add up; otherwise the total follows from the lines.
    pub total: Option<i64>,
    pub payments: Vec<Payment>,
}

/// What an order comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bill {
    pub gross: i64,
    pub discount: i64,
    pub service: i64,
    pub cgst: i64,
    pub sgst: i64,
    pub rounding: i64,
    pub total: i64,
}

/// A share in percent, which must come out even: the evening's figures are chosen so that only tax is ever rounded.
fn percent(cents: i64, percent: i64) -> i64 {
    assert_eq!(cents * percent % 100, 0, "{percent} % of {cents} is no whole cent");
    cents * percent / 100
}

impl Order {
    /// 5 % service charge; CGST and SGST of 2.5 % on every line but water; totals in whole rupees.
    pub fn bill(&self) -> Bill {
        let mut bill = Bill::default();
        for line in &self.lines {
            let gross = line.unit() * line.quantity;
            let net = gross - line.cut - percent(gross - line.cut, self.percent);
            let service = percent(net, 5);
            let tax = if line.dish == "Bottled Water" { 0 } else { ((net + service) * 25 + 500) / 1_000 };
            bill.gross += gross;
            bill.discount += gross - net;
            bill.service += service;
            bill.cgst += tax;
            bill.sgst += tax;
        }
        let exact = bill.gross - bill.discount + bill.service + bill.cgst + bill.sgst;
        bill.total = self.total.unwrap_or((exact + 50) / 100 * 100);
        bill.rounding = bill.total - exact;
        bill
    }

    pub fn paid(&self) -> i64 {
        self.payments.iter().map(|payment| payment.cents).sum()
    }

    pub fn refunded(&self) -> i64 {
        self.payments.iter().map(|payment| payment.refunded).sum()
    }

    /// Service charge and rounding in what was refunded, likewise.
    pub fn refunded_rest(&self) -> i64 {
        let (bill, refunded) = (self.bill(), self.refunded());
        let share =
            |amount: i64| amount.signum() * ((2 * amount.abs() * refunded + bill.total) / (2 * bill.total));
        if refunded == 0 { 0 } else { share(bill.service) + share(bill.rounding) }
    }

    /// The tax in what was refunded: of each component its share.
    pub fn refunded_tax(&self) -> i64 {
        let (bill, refunded) = (self.bill(), self.refunded());
        let share = |tax: i64| (2 * tax * refunded + bill.total) / (2 * bill.total);
        if refunded == 0 { 0 } else { share(bill.cgst) + share(bill.sgst) }
    }
}

/// The whole evening.
#[derive(Debug, Default)]
pub struct Model {
    /// By id.
    pub orders: BTreeMap<String, Order>,
    /// Portions that were made and thrown away.
    pub wasted: Vec<Line>,
    /// Portions the kitchen was ever asked for, by dish.
    pub asked: BTreeMap<&'static str, i64>,
    /// Voids: how many, and their price.
    pub voids: Vec<i64>,
}

impl Model {
    pub fn sold(&self) -> impl Iterator<Item = &Order> {
        self.orders.values().filter(|order| !order.cancelled)
    }

    pub fn sold_ids(&self) -> Vec<String> {
        self.orders.iter().filter(|(_, order)| !order.cancelled).map(|(id, _)| id.clone()).collect()
    }

    /// What was used of every stock item.
    pub fn used(&self) -> BTreeMap<&'static str, i64> {
        let mut used = BTreeMap::new();
        for line in self.sold().flat_map(|order| &order.lines).chain(&self.wasted) {
            line.takes(line.quantity, &mut used);
        }
        used
    }

    /// What is left of every stock item.
    pub fn on_hand(&self) -> BTreeMap<&'static str, i64> {
        let used = self.used();
        let left = |name: &str, batches: &[OpeningBatch]| {
            batches.iter().map(|(quantity, ..)| quantity).sum::<i64>() - used.get(name).copied().unwrap_or(0)
        };
        OPENING.iter().map(|(name, batches)| (*name, left(name, batches))).collect()
    }

    /// What the stock that is left cost, in cents, rounded per item.
    pub fn stock_value(&self) -> i64 {
        let used = self.used();
        let value = |name: &str, batches: &[OpeningBatch]| {
            let mut gone = used.get(name).copied().unwrap_or(0);
            let mut value = 0i128;
            for (quantity, cents, _) in batches {
                let taken = gone.min(*quantity);
                gone -= taken;
                value += i128::from(quantity - taken) * i128::from(*cents);
            }
            assert_eq!(gone, 0, "more {name} was used than there was");
            value
        };
        let exact: i128 = OPENING.iter().map(|(name, batches)| value(name, batches)).sum();
        i64::try_from((exact + M / 2) / M).unwrap()
    }
}
