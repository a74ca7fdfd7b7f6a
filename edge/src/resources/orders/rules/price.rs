//! What an order costs (contract section 6, "Prices"). Pure integer arithmetic; never reads a price from anywhere.
//!
//! - A line is (unit + modifiers) × quantity: its `gross`.
//! - Discounts on a line (a combo with its components counts as one) come first, each a share of the line's gross (or an amount),
//!   never more than what is left of the line. Discounts on the order come next, each a share of what the line discounts left; their amount is spread over the
//!   lines in proportion to what is left of each, to the cent.
//! - The service charge is a share of the discounted lines and is spread over them. It is a part of the restaurant's service: on a
//!   dish it is taxed as the dish is; on goods (beer, what is sold packed) not as they are but as the house's service is; not at
//!   all where the outlet says so.
//! - Tax is counted per line and component, on the discounted line with its service charge, half away from zero. Prices
//!   that include tax are split: a component's tax is base × rate ÷ (1 + all rates), and nothing is added to the total.
//! - The total is rounded to the nearest multiple of the outlet's cash rounding; the difference is `rounding`.
//!
//! `gross` and `reductions` are in the menu's prices (with tax, where those include it). `subtotal` is the list price without
//! tax: a discount or a service charge leaves it as it is. `discount` and `service_charge` are without tax, too. In both schemes,
//! for each line and for the order, to the cent: `subtotal − discount + service_charge + tax = ` what is charged, and with
//! `rounding` the total; Σ of all tax lines = `tax`.

use super::kinds::DiscountKind;
use crate::resources::menu::rules::TaxComponent;
use tiffin_common::{Bps, Cents, Overflow};

table! {
    /// The outlet's terms at the time of ordering.
    #[derive(Default, PartialEq, Eq)]
    pub struct Terms: orders {
        /// Menu prices contain the tax.
        pub prices_include_tax: bool,
        /// Service charge on the discounted lines.
        pub service_charge: Bps => service_charge_bps,
        /// Whether the service charge bears tax.
        pub service_charge_taxed: bool,
        /// What the part of it bears that rests on goods: the taxes of the house's service.
        pub service_charge_taxes: Vec<TaxComponent> => json,
        /// The total is a multiple of this; 0 and 1 round nothing.
        pub cash_rounding: Cents => cash_rounding_cents,
    }
}

/// What a line brings to the bill.
#[derive(Debug, Clone, Copy)]
pub struct PriceLine<'a> {
    /// (unit + modifiers) × quantity.
    pub gross: Cents,
    /// Taxes on it.
    pub taxes: &'a [TaxComponent],
    /// Goods, and no restaurant service.
    pub is_goods: bool,
    /// Somebody else owes these taxes: the operator of a delivery platform. They are in no price that is asked for here.
    pub by_operator: bool,
    /// The index of the line that it is sold with, as a component with its combo: a discount on that is one on all that is sold with it.
    pub part_of: Option<usize>,
}

/// A discount.
#[derive(Debug, Clone, Copy)]
pub struct Reduction {
    /// The index of its line; none: the whole order.
    pub line: Option<usize>,
    /// Share or amount.
    pub kind: DiscountKind,
    /// Basis points or cents.
    pub value: i64,
}

table! {
    /// One component's tax on one line.
    #[derive(PartialEq, Eq)]
    pub struct TaxLine: order_taxes {
        /// The component, such as CGST.
        pub name: String,
        /// Its rate.
        pub rate: Bps => rate_bps,
        /// What it was counted on, without tax.
        pub taxable: Cents => taxable_cents,
        /// The tax.
        pub tax: Cents => tax_cents,
    }
}

/// A line, priced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PricedLine {
    /// Its gross without the tax that menu prices contain.
    pub subtotal: Cents,
    /// Its own discounts and its part of the order's, without tax.
    pub discount: Cents,
    /// Its part of the service charge, without tax.
    pub service_charge: Cents,
    /// All its taxes.
    pub tax: Cents,
    /// Its taxes by component.
    pub taxes: Vec<TaxLine>,
}

/// An order, priced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// The lines, in their order.
    pub lines: Vec<PricedLine>,
    /// What each discount came to in the menu's prices, in their order.
    pub reductions: Vec<Cents>,
    /// The same without tax: Σ is `discount`.
    pub net_reductions: Vec<Cents>,
    /// Σ lines in menu prices.
    pub gross: Cents,
    /// Σ lines at list price, without tax.
    pub subtotal: Cents,
    /// Σ discounts, without tax.
    pub discount: Cents,
    /// The service charge, without tax.
    pub service_charge: Cents,
    /// Σ taxes.
    pub tax: Cents,
    /// What rounding added (or took).
    pub rounding: Cents,
    /// What is to be paid.
    pub total: Cents,
}

/// Prices an order.
///
/// # Errors
/// [`Overflow`] when a sum leaves the range of money.
pub fn price(terms: &Terms, lines: &[PriceLine<'_>], reductions: &[Reduction]) -> Result<Priced, Overflow> {
    let gross = Cents::sum(lines.iter().map(|line| line.gross))?;
    let (left, amounts) = reduce(lines, reductions)?;
    let net = Cents::sum(left.iter().copied())?;
    let service_charge = net.share(terms.service_charge)?;
    let weights: Vec<i64> = left.iter().map(|amount| amount.get()).collect();
    let shares = if service_charge == Cents::ZERO {
        vec![Cents::ZERO; lines.len()]
    } else {
        service_charge.allocate(&weights)?
    };
    let mut priced = Vec::with_capacity(lines.len());
    for ((line, left), share) in lines.iter().zip(&left).zip(shares) {
        priced.push(price_line(line, *left, share, terms)?);
    }
    let sum = |pick: fn(&PricedLine) -> Cents| Cents::sum(priced.iter().map(pick));
    let (subtotal, discount, tax) =
        (sum(|line| line.subtotal)?, sum(|line| line.discount)?, sum(|line| line.tax)?);
    let service_charge = sum(|line| line.service_charge)?;
    let exact = subtotal.minus(discount)?.plus(service_charge)?.plus(tax)?;
    let total = round_to(exact, terms.cash_rounding)?;
    Ok(Priced {
        net_reductions: without_tax(discount, &amounts)?,
        lines: priced,
        reductions: amounts,
        gross,
        subtotal,
        discount,
        service_charge,
        tax,
        rounding: total.minus(exact)?,
        total,
    })
}

/// A line of which discounts leave `left`, with its `share` of the service charge, both in the menu's prices.
fn price_line(
    line: &PriceLine<'_>,
    left: Cents,
    share: Cents,
    terms: &Terms,
) -> Result<PricedLine, Overflow> {
    let included = terms.prices_include_tax;
    let without = |amount: Cents| -> Result<Cents, Overflow> {
        if included { amount.minus(sum_of(&tax(amount, line.taxes, true)?)?) } else { Ok(amount) }
    };
    let on_charge = charge_taxes(line, terms);
    let (mut taxes, charged) = if share == Cents::ZERO || on_charge == line.taxes {
        (tax(left.plus(share)?, line.taxes, included)?, without(left.plus(share)?)?)
    } else {
        let (goods, charge) = (tax(left, line.taxes, included)?, tax(share, on_charge, included)?);
        let of_charge = if included { share.minus(sum_of(&charge)?)? } else { share };
        (together(goods, charge)?, without(left)?.plus(of_charge)?)
    };
    // A cent of rounding is neither a discount nor a service charge.
    let net = without(left)?.min(charged);
    let subtotal = if left == line.gross { net } else { without(line.gross)?.max(net) };
    if line.by_operator {
        taxes.clear();
    }
    Ok(PricedLine {
        subtotal,
        discount: subtotal.minus(net)?,
        service_charge: charged.minus(net)?,
        tax: sum_of(&taxes)?,
        taxes,
    })
}

/// What the part of the service charge bears that rests on `line`.
pub(super) fn charge_taxes<'t>(line: &PriceLine<'t>, terms: &'t Terms) -> &'t [TaxComponent] {
    match (terms.service_charge_taxed, line.is_goods) {
        (false, _) => &[],
        (true, true) => &terms.service_charge_taxes,
        (true, false) => line.taxes,
    }
}

/// Both, with one line for what has the same name and rate.
fn together(mut these: Vec<TaxLine>, those: Vec<TaxLine>) -> Result<Vec<TaxLine>, Overflow> {
    for other in those {
        match these.iter_mut().find(|line| line.name == other.name && line.rate == other.rate) {
            Some(same) => {
                same.taxable = same.taxable.plus(other.taxable)?;
                same.tax = same.tax.plus(other.tax)?;
            }
            None => these.push(other),
        }
    }
    Ok(these)
}

fn sum_of(taxes: &[TaxLine]) -> Result<Cents, Overflow> {
    Cents::sum(taxes.iter().map(|line| line.tax))
}

/// The parts of `discount` that reductions of these `amounts` have in it.
fn without_tax(discount: Cents, amounts: &[Cents]) -> Result<Vec<Cents>, Overflow> {
    let weights: Vec<i64> = amounts.iter().map(|amount| amount.get()).collect();
    if weights.iter().all(|weight| *weight == 0) {
        return Ok(vec![Cents::ZERO; amounts.len()]);
    }
    discount.allocate(&weights)
}

/// What the discounts leave of each line, and what each discount came to.
fn reduce(lines: &[PriceLine<'_>], reductions: &[Reduction]) -> Result<(Vec<Cents>, Vec<Cents>), Overflow> {
    let mut left: Vec<Cents> = lines.iter().map(|line| line.gross).collect();
    let mut amounts = vec![Cents::ZERO; reductions.len()];
    for (reduction, amount) in reductions.iter().zip(&mut amounts) {
        let Some(index) = reduction.line else { continue };
        let is_meant = |(at, line): (usize, &PriceLine<'_>)| at == index || line.part_of == Some(index);
        let meant: Vec<bool> = lines.iter().enumerate().map(is_meant).collect();
        let gross = lines.iter().zip(&meant).filter(|(_, meant)| **meant).map(|(line, _)| line.gross);
        *amount = take_off(reduction, Cents::sum(gross)?, &meant, &mut left)?;
    }
    let base = Cents::sum(left.iter().copied())?;
    for (reduction, amount) in reductions.iter().zip(&mut amounts) {
        if reduction.line.is_some() {
            continue;
        }
        *amount = take_off(reduction, base, &vec![true; left.len()], &mut left)?;
    }
    Ok((left, amounts))
}

/// Takes a discount on `base` off what is `left` of the lines that are `meant`, in proportion to that; answers what it came to.
fn take_off(
    reduction: &Reduction,
    base: Cents,
    meant: &[bool],
    left: &mut [Cents],
) -> Result<Cents, Overflow> {
    let weight = |(part, meant): (&Cents, &bool)| if *meant { part.get() } else { 0 };
    let weights: Vec<i64> = left.iter().zip(meant).map(weight).collect();
    let rest = Cents::sum(weights.iter().map(|weight| Cents::new(*weight)))?;
    let amount = wanted(reduction, base)?.min(rest);
    if amount == Cents::ZERO {
        return Ok(amount);
    }
    for (part, share) in left.iter_mut().zip(amount.allocate(&weights)?) {
        *part = part.minus(share)?;
    }
    Ok(amount)
}

fn wanted(reduction: &Reduction, base: Cents) -> Result<Cents, Overflow> {
    let amount = match reduction.kind {
        DiscountKind::Percent => base.share(Bps::new(reduction.value))?,
        DiscountKind::Fixed => Cents::new(reduction.value),
    };
    Ok(amount.max(Cents::ZERO))
}

/// The taxes on `base`, or contained in it.
fn tax(base: Cents, components: &[TaxComponent], included: bool) -> Result<Vec<TaxLine>, Overflow> {
    let mut lines: Vec<TaxLine> = Vec::with_capacity(components.len());
    for component in components {
        // Two components of one name would be one line of the bill.
        if let Some(same) = lines.iter_mut().find(|line| line.name == component.name) {
            same.rate = Bps::new(same.rate.get().checked_add(component.rate.get()).ok_or(Overflow)?);
            continue;
        }
        let (name, rate) = (component.name.clone(), component.rate);
        lines.push(TaxLine { name, rate, taxable: base, tax: Cents::ZERO });
    }
    if !included {
        for line in &mut lines {
            line.tax = base.share(line.rate)?;
        }
        return Ok(lines);
    }
    let rates =
        lines.iter().try_fold(Bps::WHOLE, |sum, line| sum.checked_add(line.rate.get()).ok_or(Overflow))?;
    let mut net = base;
    for line in &mut lines {
        line.tax = base.ratio(line.rate.get(), rates)?.min(net);
        net = net.minus(line.tax)?;
    }
    for line in &mut lines {
        line.taxable = net;
    }
    Ok(lines)
}

/// The multiple of `step` nearest to `amount`, half away from zero.
///
/// # Errors
/// [`Overflow`].
pub fn round_to(amount: Cents, step: Cents) -> Result<Cents, Overflow> {
    if step.get() <= 1 {
        Ok(amount)
    } else {
        Cents::new(amount.ratio(1, step.get())?.get()).times(step.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gst() -> Vec<TaxComponent> {
        [("CGST", 250), ("SGST", 250)]
            .map(|(name, rate)| TaxComponent { name: name.into(), rate: Bps::new(rate), kind: None })
            .to_vec()
    }

    fn line(gross: i64, taxes: &[TaxComponent]) -> PriceLine<'_> {
        PriceLine { gross: Cents::new(gross), taxes, is_goods: false, by_operator: false, part_of: None }
    }

    fn terms(included: bool, service: i64, rounding: i64) -> Terms {
        Terms {
            prices_include_tax: included,
            service_charge: Bps::new(service),
            service_charge_taxed: true,
            service_charge_taxes: gst(),
            cash_rounding: Cents::new(rounding),
        }
    }

    #[test]
    fn exclusive_tax_is_counted_per_line_and_component() {
        let taxes = gst();
        let lines = [1010, 1030].map(|gross| line(gross, &taxes));
        let bill = price(&terms(false, 0, 0), &lines, &[]).unwrap();
        // 25.25 → 25 twice, 25.75 → 26 twice: not 5 % of the sum.
        assert_eq!(bill.tax, Cents::new(102));
        assert_eq!(bill.subtotal, Cents::new(2040));
        assert_eq!(bill.total, Cents::new(2142));
    }

    #[test]
    fn included_tax_is_split_and_nothing_is_added() {
        let taxes = gst();
        let lines = [line(10500, &taxes)];
        let bill = price(&terms(true, 0, 0), &lines, &[]).unwrap();
        assert_eq!(
            (bill.subtotal, bill.tax, bill.total),
            (Cents::new(10000), Cents::new(500), Cents::new(10500))
        );
        assert_eq!(bill.lines[0].taxes[0].taxable, Cents::new(10000));
    }

    #[test]
    fn a_discount_or_a_service_charge_leaves_the_gross_as_it_was() {
        let taxes = gst();
        let lines = [56_000].map(|gross| line(gross, &taxes));
        let cut = |percent: i64| Reduction { line: None, kind: DiscountKind::Percent, value: percent * 100 };
        for (service, cuts) in [(0, vec![]), (1_000, vec![]), (0, vec![cut(50)]), (0, vec![cut(100)])] {
            let bill = price(&terms(true, service, 0), &lines, &cuts).unwrap();
            assert_eq!(bill.subtotal, Cents::new(53_334), "{service} {cuts:?}");
        }
        let comp = price(&terms(true, 0, 0), &lines, &[cut(100)]).unwrap();
        assert_eq!((comp.discount, comp.tax, comp.total), (Cents::new(53_334), Cents::ZERO, Cents::ZERO));
    }

    #[test]
    fn a_discount_on_a_combo_is_one_on_all_its_components() {
        let taxes = gst();
        let part = |gross, taxes| PriceLine { part_of: Some(1), ..line(gross, taxes) };
        let lines = [line(5_000, &taxes), line(0, &[]), part(7_001, &taxes), part(2_999, &[])];
        let cut = |kind, value| Reduction { line: Some(1), kind, value };
        let bill = price(&terms(false, 0, 0), &lines, &[cut(DiscountKind::Percent, 1_000)]).unwrap();
        let discounts: Vec<i64> = bill.lines.iter().map(|line| line.discount.get()).collect();
        assert_eq!((bill.reductions, discounts), (vec![Cents::new(1_000)], vec![0, 0, 700, 300]));
        let all = price(&terms(false, 0, 0), &lines, &[cut(DiscountKind::Fixed, 99_999)]).unwrap();
        assert_eq!((all.discount, all.total), (Cents::new(10_000), Cents::new(5_250)));
    }

    #[test]
    fn the_service_charge_is_taxed_like_its_lines() {
        let taxes = gst();
        let lines = [line(10000, &taxes), line(10000, &[])];
        let bill = price(&terms(false, 1000, 0), &lines, &[]).unwrap();
        assert_eq!(bill.service_charge, Cents::new(2000));
        assert_eq!(bill.tax, Cents::new(550));
        assert_eq!(bill.total, Cents::new(22550));
    }

    #[test]
    fn the_service_charge_on_beer_bears_the_tax_of_the_service() {
        let vat = [TaxComponent { name: "VAT".into(), rate: Bps::new(2_000), kind: None }];
        let beer = PriceLine { is_goods: true, ..line(50_000, &vat) };
        let bill = price(&terms(false, 1_000, 0), &[beer], &[]).unwrap();
        let taxes: Vec<(&str, i64, i64)> =
            bill.lines[0].taxes.iter().map(|t| (t.name.as_str(), t.taxable.get(), t.tax.get())).collect();
        assert_eq!(taxes, [("VAT", 50_000, 10_000), ("CGST", 5_000, 125), ("SGST", 5_000, 125)]);
        assert_eq!((bill.service_charge, bill.total), (Cents::new(5_000), Cents::new(65_250)));
        let untaxed = Terms { service_charge_taxed: false, ..terms(false, 1_000, 0) };
        assert_eq!(price(&untaxed, &[beer], &[]).unwrap().tax, Cents::new(10_000));
        let included = price(&terms(true, 1_000, 0), &[beer], &[]).unwrap();
        assert_eq!((included.total, included.subtotal), (Cents::new(55_000), Cents::new(41_667)));
    }

    #[test]
    fn what_the_operator_owes_is_in_no_price() {
        let taxes = gst();
        for (included, total) in [(false, 10_500), (true, 10_000)] {
            let food = PriceLine { by_operator: true, ..line(10_500, &taxes) };
            let bill = price(&terms(included, 0, 0), &[food], &[]).unwrap();
            assert_eq!(
                (bill.total, bill.subtotal, bill.tax),
                (Cents::new(total), Cents::new(total), Cents::ZERO)
            );
        }
    }

    #[test]
    fn discounts_of_the_order_are_spread_in_proportion() {
        let lines = [3000, 1000].map(|gross| line(gross, &[]));
        let cuts = [
            Reduction { line: Some(0), kind: DiscountKind::Percent, value: 1000 },
            Reduction { line: None, kind: DiscountKind::Fixed, value: 370 },
        ];
        let bill = price(&terms(false, 0, 100), &lines, &cuts).unwrap();
        assert_eq!(bill.reductions, [Cents::new(300), Cents::new(370)]);
        assert_eq!(bill.lines[0].discount, Cents::new(570));
        assert_eq!(bill.lines[1].discount, Cents::new(100));
        assert_eq!((bill.total, bill.rounding), (Cents::new(3300), Cents::new(-30)));
    }

    #[test]
    fn a_discount_never_exceeds_what_is_left() {
        let lines = [line(500, &[])];
        let cut = Reduction { line: None, kind: DiscountKind::Fixed, value: 900 };
        let bill = price(&terms(false, 0, 0), &lines, &[cut]).unwrap();
        assert_eq!((bill.reductions[0], bill.total), (Cents::new(500), Cents::ZERO));
    }

    proptest! {
        #[test]
        fn everything_adds_up_to_the_cent(
            grosses in proptest::collection::vec(0i64..5_000_000, 0..12),
            rates in proptest::collection::vec(0i64..3_000, 0..4),
            cuts in proptest::collection::vec((proptest::option::of(0usize..12), any::<bool>(), 0i64..20_000), 0..5),
            included in any::<bool>(), service in 0i64..2_000, rounding in prop::sample::select(vec![0i64, 1, 5, 100]),
        ) {
            let taxes: Vec<TaxComponent> = rates.iter().enumerate()
                .map(|(i, rate)| TaxComponent { name: format!("T{i}"), rate: Bps::new(*rate), kind: None }).collect();
            let lines: Vec<PriceLine> = grosses.iter().enumerate()
                .map(|(i, g)| PriceLine { is_goods: i % 3 == 2, by_operator: i % 5 == 4, ..line(*g, &taxes[..i.min(taxes.len())]) }).collect();
            let cuts: Vec<Reduction> = cuts.iter().map(|(line, percent, value)| Reduction {
                line: *line,
                kind: if *percent { DiscountKind::Percent } else { DiscountKind::Fixed },
                value: *value,
            }).collect();
            let bill = price(&terms(included, service, rounding), &lines, &cuts).unwrap();
            let sum = |pick: fn(&PricedLine) -> Cents| Cents::sum(bill.lines.iter().map(pick)).unwrap();
            prop_assert_eq!(sum(|l| l.tax), bill.tax);
            prop_assert_eq!(sum(|l| l.discount), bill.discount);
            prop_assert_eq!(sum(|l| l.service_charge), bill.service_charge);
            if !included {
                prop_assert_eq!(Cents::sum(bill.reductions.iter().copied()).unwrap(), bill.discount);
            }
            for (line, priced) in lines.iter().zip(&bill.lines) {
                prop_assert!(!line.by_operator || priced.tax == Cents::ZERO);
                prop_assert_eq!(Cents::sum(priced.taxes.iter().map(|t| t.tax)).unwrap(), priced.tax);
                prop_assert!(priced.discount <= line.gross && priced.discount >= Cents::ZERO);
                prop_assert!(priced.taxes.iter().all(|t| t.tax >= Cents::ZERO && t.taxable >= Cents::ZERO));
            }
            let total = bill.subtotal.get() - bill.discount.get() + bill.service_charge.get() + bill.tax.get()
                + bill.rounding.get();
            prop_assert_eq!(total, bill.total.get());
            prop_assert!(rounding <= 1 || bill.total.get() % rounding == 0);
            prop_assert!(bill.rounding.get().abs() * 2 <= rounding.max(0));
            let reductions = Cents::sum(bill.reductions.iter().copied()).unwrap().get();
            if included && service == 0 && lines.iter().all(|line| !line.by_operator) {
                prop_assert_eq!(bill.gross.get() - reductions + bill.rounding.get(), bill.total.get());
            }
            prop_assert_eq!(Cents::sum(bill.net_reductions.iter().copied()).unwrap(), bill.discount);
            prop_assert!(bill.service_charge >= Cents::ZERO);
        }
    }
}
