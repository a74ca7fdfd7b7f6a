//! The month's books as this test keeps them: stock batch by batch, bills line by line, hours by the minute, all in whole
//! numbers. Never asks the product for a figure.

use std::collections::BTreeMap;
use tiffin_tests::figures::{price, recipe};

/// Some of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Taken {
    pub item: &'static str,
    pub batch: usize,
    /// Millionths of the unit.
    pub quantity: i64,
}

/// What was bought together.
#[derive(Debug, Clone)]
pub struct Batch {
    pub number: String,
    /// Millionths of the unit.
    pub left: i64,
    /// For one unit.
    pub cents: i64,
    /// `YYYY-MM-DD`; the last day it may be used.
    pub expiry: Option<String>,
}

/// Portions of a dish.
#[derive(Debug, Clone)]
pub struct Line {
    pub id: String,
    pub dish: &'static str,
    pub option: Option<&'static str>,
    pub quantity: i64,
    pub taken: Vec<Taken>,
}

impl Line {
    pub fn gross(&self) -> i64 {
        (price(self.dish) + self.option.map_or(0, price)) * self.quantity
    }
}

/// What an order comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill {
    pub gross: i64,
    pub discount: i64,
    pub service: i64,
    /// CGST; SGST is as much.
    pub half_tax: i64,
    pub taxable: i64,
    pub rounding: i64,
    pub total: i64,
}

/// A share in percent, which must come out even: the figures are chosen so that only tax is ever rounded.
fn percent(cents: i64, percent: i64) -> i64 {
    assert_eq!(cents * percent % 100, 0, "{percent} % of {cents} is no whole cent");
    cents * percent / 100
}

/// What `part` of a bill's `total` has of one of its amounts, half away from zero.
pub fn share(amount: i64, part: i64, total: i64) -> i64 {
    let (twice, sign) = (2 * amount.abs() * part + total, amount.signum());
    sign * (twice / (2 * total))
}

/// 5 % service charge; CGST and SGST of 2.5 % on every line but water; totals in whole units of money.
pub fn bill(lines: &[Line], discount_percent: i64) -> Bill {
    let mut bill = Bill::default();
    for line in lines {
        let net = line.gross() - percent(line.gross(), discount_percent);
        let service = percent(net, 5);
        bill.gross += line.gross();
        bill.discount += line.gross() - net;
        bill.service += service;
        if line.dish != "Bottled Water" {
            bill.taxable += net + service;
            bill.half_tax += ((net + service) * 25 + 500) / 1_000;
        }
    }
    let exact = bill.gross - bill.discount + bill.service + 2 * bill.half_tax;
    bill.total = (exact + 50) / 100 * 100;
    bill.rounding = bill.total - exact;
    bill
}

/// One business day. Costs in millionths of a cent.
#[derive(Debug, Clone, Default)]
pub struct Day {
    pub orders: i64,
    pub guests: i64,
    pub bill: Bill,
    /// Given back, and how much of that is CGST (SGST is as much).
    pub refunded: i64,
    pub refunded_half_tax: i64,
    /// And how much service charge and rounding.
    pub refunded_service: i64,
    pub refunded_rounding: i64,
    /// Amount, tips and what was given back, by method.
    pub money: BTreeMap<&'static str, (i64, i64, i64)>,
    pub cogs: i128,
    pub waste: i128,
    pub variance: i128,
    pub purchases: i128,
    pub labor: i64,
    pub worked_ms: i64,
    pub sessions: i64,
    /// Parties that left before their date was closed, and how long they had stayed.
    pub left: i64,
    pub turned_minutes: i64,
    pub voids: i64,
    /// Portions by dish.
    pub sold: BTreeMap<&'static str, i64>,
}

impl Day {
    /// Of the dishes alone: without tax, service charge and rounding.
    pub fn refunds(&self) -> i64 {
        self.refunded - 2 * self.refunded_half_tax - self.refunded_service - self.refunded_rounding
    }

    pub fn net(&self) -> i64 {
        self.bill.gross - self.bill.discount - self.refunds()
    }
}

/// What became of a stock item's quantities that were not delivered, in millionths of its unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Use {
    pub sold: i64,
    pub wasted: i64,
    pub counted: i64,
    pub spilt: i64,
}

/// The books.
#[derive(Debug, Default)]
pub struct Books {
    pub stock: BTreeMap<&'static str, Vec<Batch>>,
    /// By `YYYY-MM-DD`.
    pub days: BTreeMap<String, Day>,
    pub used: BTreeMap<&'static str, Use>,
    /// Waste by reason, in millionths of a cent.
    pub waste_by_reason: BTreeMap<&'static str, i128>,
}

/// Millionths of a cent in whole cents, half away from zero.
pub fn cents(micros: i128) -> i64 {
    let half = if micros < 0 { -500_000 } else { 500_000 };
    i64::try_from((micros + half) / 1_000_000).unwrap()
}

impl Books {
    pub fn day(&mut self, date: &str) -> &mut Day {
        self.days.entry(date.to_owned()).or_default()
    }

    /// What can be used on `date`, in millionths.
    pub fn usable(&self, item: &str, date: &str) -> i64 {
        self.stock[item].iter().filter(|batch| batch.is_usable(date)).map(|batch| batch.left).sum()
    }

    pub fn receive(&mut self, item: &'static str, batch: Batch) {
        self.stock.entry(item).or_default().push(batch);
    }

    /// Takes what expires first, then what came first.
    pub fn take(&mut self, item: &'static str, quantity: i64, date: &str) -> Vec<Taken> {
        let batches = self.stock.get_mut(item).unwrap();
        let mut order: Vec<usize> = (0..batches.len()).filter(|i| batches[*i].is_usable(date)).collect();
        order.sort_by_key(|i| (batches[*i].expiry.clone().unwrap_or("9999".into()), *i));
        let mut left = quantity;
        let mut taken = Vec::new();
        for batch in order {
            let part = left.min(batches[batch].left);
            if part > 0 {
                batches[batch].left -= part;
                left -= part;
                taken.push(Taken { item, batch, quantity: part });
            }
        }
        assert_eq!(left, 0, "the plan sells more {item} than there is on {date}");
        taken
    }

    /// What `portions` of a dish take, item by item.
    pub fn take_dish(&mut self, line: &Line, date: &str) -> Vec<Taken> {
        let mut needs: BTreeMap<&'static str, i64> = BTreeMap::new();
        for name in std::iter::once(line.dish).chain(line.option) {
            for (item, quantity) in recipe(name) {
                *needs.entry(item).or_default() += quantity * line.quantity;
            }
        }
        needs.into_iter().flat_map(|(item, quantity)| self.take(item, quantity, date)).collect()
    }

    pub fn put_back(&mut self, taken: &[Taken]) {
        for part in taken {
            self.stock.get_mut(part.item).unwrap()[part.batch].left += part.quantity;
        }
    }

    /// In millionths of a cent.
    pub fn cost(&self, taken: &[Taken]) -> i128 {
        let cost =
            |part: &Taken| i128::from(part.quantity) * i128::from(self.stock[part.item][part.batch].cents);
        taken.iter().map(cost).sum()
    }

    /// Notes that `taken` was sold (or, negative, not sold after all).
    pub fn sell(&mut self, date: &str, taken: &[Taken], sign: i64) {
        let cost = self.cost(taken);
        self.day(date).cogs += cost * i128::from(sign);
        for part in taken {
            self.used.entry(part.item).or_default().sold += part.quantity * sign;
        }
    }

    /// Notes that `taken` was thrown away.
    pub fn waste(&mut self, date: &str, taken: &[Taken], reason: &'static str) {
        let cost = self.cost(taken);
        self.day(date).waste += cost;
        *self.waste_by_reason.entry(reason).or_default() += cost;
        for part in taken {
            self.used.entry(part.item).or_default().wasted += part.quantity;
        }
    }

    /// Notes that `taken` was not there when somebody counted, or was spilt.
    pub fn miss(&mut self, date: &str, taken: &[Taken], was_counted: bool) {
        let cost = self.cost(taken);
        self.day(date).variance -= cost;
        for part in taken {
            let used = self.used.entry(part.item).or_default();
            *(if was_counted { &mut used.counted } else { &mut used.spilt }) += part.quantity;
        }
    }

    /// What the stock that is left cost, in whole cents.
    pub fn stock_value(&self) -> i64 {
        let batches = self.stock.values().flatten();
        cents(batches.map(|batch| i128::from(batch.left) * i128::from(batch.cents)).sum())
    }

    /// The sum of a figure over the month.
    pub fn sum<T: std::iter::Sum>(&self, pick: impl Fn(&Day) -> T) -> T {
        self.days.iter().filter(|(date, _)| date.starts_with("2027-03")).map(|(_, day)| pick(day)).sum()
    }
}

impl Batch {
    pub fn is_usable(&self, date: &str) -> bool {
        self.expiry.as_deref().is_none_or(|last| last >= date)
    }
}
