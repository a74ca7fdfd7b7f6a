//! What a bill and a credit note come to, as an accountant works it out from the published rules, in whole cents. Never asks the
//! product for a figure.

/// How a dish is taxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tax {
    /// Restaurant service, 5 %.
    Food,
    /// Goods, 18 %.
    Packed,
    /// Outside GST: VAT of 20 %.
    Beer,
    /// Nothing.
    Free,
}

impl Tax {
    /// Components and their rates in basis points.
    pub fn rates(self) -> &'static [(&'static str, i64)] {
        match self {
            Tax::Food => &[("CGST", 250), ("SGST", 250)],
            Tax::Packed => &[("CGST", 900), ("SGST", 900)],
            Tax::Beer => &[("VAT", 2_000)],
            Tax::Free => &[],
        }
    }

    /// Of all components together, in percent.
    pub fn percent(self) -> i64 {
        self.rates().iter().map(|(_, rate)| rate).sum::<i64>() / 100
    }
}

/// A dish, its price in the menu, and what the one thing that it takes from stock costs; 0 takes nothing.
#[derive(Debug)]
pub struct Dish {
    pub name: &'static str,
    pub price: i64,
    pub tax: Tax,
    pub hsn: &'static str,
    pub cost: i64,
}

/// The code of what has none.
pub const SERVICE: &str = "996331";

const fn dish(name: &'static str, price: i64, tax: Tax, hsn: &'static str, cost: i64) -> Dish {
    Dish { name, price, tax, hsn, cost }
}

pub const DISHES: [Dish; 6] = [
    dish("Thali", 32_000, Tax::Food, SERVICE, 9_000),
    dish("Dosa", 9_050, Tax::Food, SERVICE, 2_150),
    dish("Sweets", 12_345, Tax::Food, "2106", 0),
    dish("Cake", 14_999, Tax::Packed, "1905", 5_001),
    dish("Beer", 25_000, Tax::Beer, "2203", 11_000),
    dish("Water", 3_000, Tax::Free, SERVICE, 0),
];

impl Dish {
    pub fn is_goods(&self) -> bool {
        matches!(self.tax, Tax::Packed | Tax::Beer)
    }
}

/// On which terms a house sells.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    pub included: bool,
    /// Composition: no tax on any bill.
    pub untaxed: bool,
    pub service_bps: i64,
    /// Totals are multiples of it.
    pub step: i64,
    /// The operator of a channel owes the tax of the food.
    pub by_operator: bool,
}

/// A discount: of a line or of all, a share in percent or an amount.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    pub line: Option<usize>,
    pub percent: Option<i64>,
    pub cents: i64,
}

/// What returns tell supplies apart by: the code and the taxes.
pub type Key = (&'static str, Tax);

/// What was supplied under one key; a tax for each component of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supply {
    pub key: Key,
    pub quantity: i64,
    pub taxable: i64,
    pub taxes: Vec<i64>,
}

impl Supply {
    pub fn tax(&self) -> i64 {
        self.taxes.iter().sum()
    }
}

/// A line of an order. `goods` and `charge` are what it puts under which key; the charge of goods has one of its own.
#[derive(Debug, Clone)]
pub struct Line {
    pub id: String,
    pub dish: &'static Dish,
    pub quantity: i64,
    /// Portions that came back.
    pub back: i64,
    pub subtotal: i64,
    pub discount: i64,
    pub service: i64,
    pub goods: Supply,
    pub charge: Option<Supply>,
}

impl Line {
    pub fn new(id: String, dish: &'static Dish, quantity: i64) -> Line {
        let goods = Supply { key: (dish.hsn, dish.tax), quantity, taxable: 0, taxes: Vec::new() };
        Line { id, dish, quantity, back: 0, subtotal: 0, discount: 0, service: 0, goods, charge: None }
    }

    fn supplies(&self) -> impl Iterator<Item = &Supply> {
        std::iter::once(&self.goods).chain(&self.charge)
    }

    pub fn tax(&self) -> i64 {
        self.supplies().map(Supply::tax).sum()
    }

    pub fn amount(&self) -> i64 {
        self.subtotal - self.discount + self.service + self.tax()
    }
}

/// A quotient, half away from zero.
pub fn half_away(number: i64, by: i64) -> i64 {
    number.signum() * ((2 * number.abs() + by) / (2 * by))
}

/// `amount` in proportion to `weights`: floors, and the cents left over to the largest remainders, the earlier first.
pub fn spread(amount: i64, weights: &[i64]) -> Vec<i64> {
    let all: i64 = weights.iter().sum();
    let (weights, all) =
        if all == 0 { (vec![1; weights.len()], weights.len() as i64) } else { (weights.to_vec(), all) };
    let size = amount.abs();
    let mut parts: Vec<i64> = weights.iter().map(|weight| size * weight / all).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|at| (-(size * weights[*at] % all), *at));
    let left = size - parts.iter().sum::<i64>();
    for at in order.into_iter().take(usize::try_from(left).unwrap()) {
        parts[at] += 1;
    }
    parts.into_iter().map(|part| part * amount.signum()).collect()
}

/// The multiple of `step` nearest to `amount`.
pub fn rounded(amount: i64, step: i64) -> i64 {
    if step > 1 { half_away(amount, step) * step } else { amount }
}

/// The taxes on `amount`, or in it.
fn taxes(amount: i64, tax: Tax, included: bool) -> Vec<i64> {
    let by = if included { 10_000 + tax.percent() * 100 } else { 10_000 };
    tax.rates().iter().map(|(_, rate)| half_away(amount * rate, by)).collect()
}

fn without(amount: i64, tax: Tax, included: bool) -> i64 {
    if included { amount - taxes(amount, tax, true).iter().sum::<i64>() } else { amount }
}

/// What the discounts leave of each line, in menu prices.
fn reduced(lines: &[Line], cuts: &[Cut]) -> Vec<i64> {
    let mut left: Vec<i64> = lines.iter().map(|line| line.dish.price * line.quantity).collect();
    let wanted = |cut: &Cut, of: i64| cut.percent.map_or(cut.cents, |percent| half_away(of * percent, 100));
    for cut in cuts {
        let Some(line) = cut.line else { continue };
        left[line] -= wanted(cut, lines[line].dish.price * lines[line].quantity).min(left[line]);
    }
    let base: i64 = left.iter().sum();
    for cut in cuts.iter().filter(|cut| cut.line.is_none()) {
        let amount = wanted(cut, base).min(left.iter().sum());
        let off = spread(amount, &left);
        left.iter_mut().zip(off).for_each(|(part, off)| *part -= off);
    }
    left
}

/// Prices the lines, and answers what rounding adds to their sum.
pub fn price(terms: &Terms, lines: &mut [Line], cuts: &[Cut]) -> i64 {
    let left = reduced(lines, cuts);
    let service = half_away(left.iter().sum::<i64>() * terms.service_bps, 10_000);
    let shares = if service == 0 { vec![0; left.len()] } else { spread(service, &left) };
    for ((line, left), share) in lines.iter_mut().zip(left).zip(shares) {
        price_line(terms, line, left, share);
    }
    let exact: i64 = lines.iter().map(Line::amount).sum();
    rounded(exact, terms.step) - exact
}

fn price_line(terms: &Terms, line: &mut Line, left: i64, share: i64) {
    let known = |tax: Tax| if terms.untaxed { Tax::Free } else { tax };
    let (own, on_charge) = (known(line.dish.tax), known(Tax::Food));
    let net = |amount: i64, tax: Tax| without(amount, tax, terms.included && !terms.untaxed);
    let included = terms.included && !terms.untaxed;
    let is_apart = line.dish.is_goods() && share != 0;
    line.subtotal = net(line.dish.price * line.quantity, own);
    line.discount = line.subtotal - net(left, own);
    let (taxed, charged) = if is_apart {
        line.service = net(share, on_charge);
        let taxes = taxes(share, on_charge, included);
        let charge = Supply { key: (SERVICE, on_charge), quantity: 0, taxable: line.service, taxes };
        (left, (charge.key != (line.dish.hsn, own)).then_some(charge))
    } else {
        line.service = net(left + share, own) - net(left, own);
        (left + share, None)
    };
    let mut of_goods = taxes(taxed, own, included);
    if terms.by_operator && !line.dish.is_goods() {
        of_goods.iter_mut().for_each(|tax| *tax = 0);
    }
    let taxable = line.subtotal - line.discount + if is_apart { 0 } else { line.service };
    line.goods = Supply { key: (line.dish.hsn, own), quantity: line.quantity, taxable, taxes: of_goods };
    line.charge = charged;
}

/// What lines supplied, each key once.
pub fn supplies<'l>(lines: impl IntoIterator<Item = &'l Line>) -> Vec<Supply> {
    let mut sums: Vec<Supply> = Vec::new();
    for supply in lines.into_iter().flat_map(Line::supplies) {
        match sums.iter_mut().find(|sum| sum.key == supply.key) {
            Some(sum) => add(sum, supply, 1),
            None if supply.taxable != 0 || supply.quantity > 0 => sums.push(supply.clone()),
            None => {}
        }
    }
    sums
}

fn add(sum: &mut Supply, other: &Supply, sign: i64) {
    sum.quantity += sign * other.quantity;
    sum.taxable += sign * other.taxable;
    for (tax, other) in sum.taxes.iter_mut().zip(&other.taxes) {
        *tax += sign * other;
    }
}

/// What is left of a bill, or a part of it that a credit note takes back.
#[derive(Debug, Clone, Default)]
pub struct Amounts {
    pub subtotal: i64,
    pub discount: i64,
    pub service: i64,
    pub rounding: i64,
    pub total: i64,
    pub supplies: Vec<Supply>,
}

impl Amounts {
    /// Of a bill of these lines.
    pub fn of<'l>(lines: impl IntoIterator<Item = &'l Line> + Clone, rounding: i64) -> Amounts {
        let sum = |pick: fn(&Line) -> i64| lines.clone().into_iter().map(pick).sum::<i64>();
        Amounts {
            subtotal: sum(|line| line.subtotal),
            discount: sum(|line| line.discount),
            service: sum(|line| line.service),
            rounding,
            total: sum(Line::amount) + rounding,
            supplies: supplies(lines),
        }
    }

    pub fn tax(&self) -> i64 {
        self.supplies.iter().map(Supply::tax).sum()
    }

    /// Without tax and rounding.
    pub fn net(&self) -> i64 {
        self.total - self.tax() - self.rounding
    }

    /// The dishes alone.
    pub fn goods(&self) -> i64 {
        self.net() - self.service
    }

    /// What `part` leaves.
    pub fn less(&mut self, part: &Amounts) {
        self.service -= part.service;
        self.rounding -= part.rounding;
        self.total -= part.total;
        for gone in &part.supplies {
            let of = self.supplies.iter_mut().find(|supply| supply.key == gone.key).unwrap();
            add(of, gone, -1);
        }
    }

    /// `amount` of what is left, everything in proportion.
    pub fn share(&self, amount: i64) -> Amounts {
        let share = |of: i64| half_away(of * amount, self.total);
        let mut parts: Vec<Supply> = self.supplies.clone();
        parts.iter_mut().for_each(|part| part.quantity = 0);
        let mut components: Vec<(&str, i64)> = Vec::new();
        for component in self.supplies.iter().flat_map(|supply| supply.key.1.rates()) {
            if !components.contains(component) {
                components.push(*component);
            }
        }
        let mut tax = 0;
        for component in components {
            let place = |supply: &Supply| supply.key.1.rates().iter().position(|rate| *rate == component);
            let held =
                self.supplies.iter().filter_map(|supply| place(supply).map(|at| supply.taxes[at])).sum();
            let weights: Vec<i64> =
                self.supplies.iter().map(|s| if place(s).is_some() { s.taxable.max(0) } else { 0 }).collect();
            tax += share(held);
            for (part, cents) in parts.iter_mut().zip(spread(share(held), &weights)) {
                if let Some(at) = place(part) {
                    part.taxes[at] = cents;
                }
            }
        }
        let (service, rounding) = (share(self.service), share(self.rounding));
        let weights: Vec<i64> = self.supplies.iter().map(|supply| supply.taxable.max(0)).collect();
        for (part, taxable) in parts.iter_mut().zip(spread(amount - tax - rounding, &weights)) {
            part.taxable = taxable;
        }
        parts.retain(|part| part.taxable != 0 || part.tax() != 0);
        let subtotal = amount - tax - rounding - service;
        Amounts { subtotal, discount: 0, service, rounding, total: amount, supplies: parts }
    }
}

/// The part of a line that its portions from `line.back` to `to` are.
pub fn portions(line: &Line, to: i64) -> Line {
    let part =
        |whole: i64| half_away(whole * to, line.quantity) - half_away(whole * line.back, line.quantity);
    let supply = |of: &Supply, quantity: i64| Supply {
        key: of.key,
        quantity,
        taxable: 0,
        taxes: of.taxes.iter().map(|tax| part(*tax)).collect(),
    };
    let (subtotal, discount, service) = (part(line.subtotal), part(line.discount), part(line.service));
    let mut goods = supply(&line.goods, to - line.back);
    let charge = line.charge.as_ref().map(|of| Supply { taxable: service, ..supply(of, 0) });
    goods.taxable = subtotal - discount + if charge.is_some() { 0 } else { service };
    Line {
        id: line.id.clone(),
        quantity: to - line.back,
        back: 0,
        subtotal,
        discount,
        service,
        goods,
        charge,
        ..*line
    }
}
