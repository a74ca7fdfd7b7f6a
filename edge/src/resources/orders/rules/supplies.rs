//! What a document supplied, by code and combination of taxes: what returns to the tax office are made of. The supplies of a document add
//! up to its taxes and to what they were counted on; those of all credit notes of a bill never take back more than it had, and together
//! exactly all of it when they take back all. Never counts a tax anew.

use super::bill::{Bill, BillLine, BillSupply, BillTax};
use super::ledgers::TaxRow;
use super::price::charge_taxes;
use super::record::{LineRecord, OrderRecord};
use crate::resources::menu::rules::weights::Weights;
use crate::resources::menu::rules::{TaxComponent, WeightUnit};
use crate::resources::outlets::rules::TaxKind;
use tiffin_common::{Bps, Cents, Overflow, Quantity};

impl BillSupply {
    /// All rates together.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn rate(&self) -> Result<Bps, Overflow> {
        self.rate_of(|_| true)
    }

    /// The rates of one kind together; none where no tax is of that kind.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn kind_rate(&self, kind: TaxKind) -> Result<Option<Bps>, Overflow> {
        let has = self.taxes.iter().any(|tax| tax.kind == kind);
        has.then(|| self.rate_of(|tax| tax.kind == kind)).transpose()
    }

    fn rate_of(&self, counts: impl Fn(&BillTax) -> bool) -> Result<Bps, Overflow> {
        let rates = self.taxes.iter().filter(|tax| counts(tax)).map(|tax| tax.rate_bps.get());
        rates.into_iter().try_fold(0_i64, |sum, rate| sum.checked_add(rate).ok_or(Overflow)).map(Bps::new)
    }

    /// Whether it is of the same code and combination of taxes.
    pub fn is_like(&self, other: &BillSupply) -> bool {
        let same = |(one, other): (&BillTax, &BillTax)| is_component(one, other) && one.kind == other.kind;
        self.hsn_sac == other.hsn_sac
            && self.grams.is_some() == other.grams.is_some()
            && self.taxes.len() == other.taxes.len()
            && self.taxes.iter().zip(&other.taxes).all(same)
    }

    /// Both of one code and combination, or, with `sign` -1, what is left of this one.
    fn add(&mut self, other: &BillSupply, sign: i64) -> Result<(), Overflow> {
        self.quantity =
            sign.checked_mul(other.quantity).and_then(|n| self.quantity.checked_add(n)).ok_or(Overflow)?;
        if let Some((grams, more)) = self.grams.zip(other.grams) {
            self.grams = Some(grams.plus(more.times(sign)?)?);
        }
        self.taxable_cents = self.taxable_cents.plus(other.taxable_cents.times(sign)?)?;
        for (sum, tax) in self.taxes.iter_mut().zip(&other.taxes) {
            sum.taxable_cents = sum.taxable_cents.plus(tax.taxable_cents.times(sign)?)?;
            sum.tax_cents = sum.tax_cents.plus(tax.tax_cents.times(sign)?)?;
        }
        Ok(())
    }
}

fn is_component(one: &BillTax, other: &BillTax) -> bool {
    one.name == other.name && one.rate_bps == other.rate_bps
}

/// Where a line stands among the supplies: its goods, and the service charge that rests on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Of what was sold.
    pub goods: usize,
    /// Of the service charge, where it is taxed otherwise.
    pub charge: Option<usize>,
}

/// The supplies of an order whose tax lines are `rows`, and for each of its lines its place among them.
///
/// # Errors
/// [`Overflow`].
pub fn of_order(order: &OrderRecord, rows: &[TaxRow]) -> Result<(Vec<BillSupply>, Vec<Place>), Overflow> {
    let mut supplies = Vec::new();
    let mut places = Vec::with_capacity(order.lines.len());
    for line in &order.lines {
        if line.is_combo() {
            // What it supplies is its components'.
            places.push(Place { goods: 0, charge: None });
            continue;
        }
        let taxes = rows.iter().filter(|row| row.order_item_id == line.id).map(|row| BillTax {
            name: row.line.name.clone(),
            rate_bps: row.line.rate,
            taxable_cents: row.line.taxable,
            tax_cents: row.line.tax,
            kind: kind_of(&row.line.name, &[&line.tax_components, &order.terms.service_charge_taxes]),
        });
        let taxes: Vec<BillTax> = taxes.collect();
        let on_charge = charge_taxes(&line.price_line(), &order.terms);
        let net = line.subtotal.minus(line.discount)?;
        let grams = line.grams()?;
        let supply = |hsn_sac, quantity, taxable_cents, taxes| BillSupply {
            hsn_sac,
            quantity,
            taxable_cents,
            taxes,
            grams: None,
        };
        let of_goods =
            |net, taxes| BillSupply { grams, ..supply(line.hsn_sac.clone(), line.quantity, net, taxes) };
        let is_one = line.service_charge == Cents::ZERO || on_charge == line.tax_components;
        let place = if is_one {
            let net = net.plus(line.service_charge)?;
            let goods = put(&mut supplies, of_goods(net, taxes))?;
            Place { goods, charge: None }
        } else {
            let (on_goods, of_charge) = apart(taxes, line, on_charge)?;
            let goods = put(&mut supplies, of_goods(net, on_goods))?;
            let charge = put(&mut supplies, supply(None, 0, line.service_charge, of_charge))?;
            Place { goods, charge: Some(charge) }
        };
        places.push(place);
    }
    Ok((supplies, places))
}

fn kind_of(name: &str, components: &[&[TaxComponent]]) -> TaxKind {
    let named = components.iter().flat_map(|some| some.iter()).find(|component| component.name == name);
    named.map_or_else(|| TaxKind::of_component(name), TaxComponent::kind)
}

/// The taxes of a line on what was sold and on its service charge. What both bear at one rate is one tax of the line.
fn apart(
    taxes: Vec<BillTax>,
    line: &LineRecord,
    on_charge: &[TaxComponent],
) -> Result<(Vec<BillTax>, Vec<BillTax>), Overflow> {
    let (mut goods, mut charge) = (Vec::new(), Vec::new());
    let net = line.subtotal.minus(line.discount)?;
    for tax in taxes {
        let is_in =
            |of: &[TaxComponent]| of.iter().any(|one| one.name == tax.name && one.rate == tax.rate_bps);
        match (is_in(&line.tax_components), is_in(on_charge)) {
            (true, true) => {
                let parts = tax.tax_cents.allocate(&[net.get().max(0), line.service_charge.get().max(0)])?;
                for (list, (part, taxable)) in [&mut goods, &mut charge]
                    .into_iter()
                    .zip(parts.into_iter().zip([net, line.service_charge]))
                {
                    list.push(BillTax { taxable_cents: taxable, tax_cents: part, ..tax.clone() });
                }
            }
            (false, true) => charge.push(tax),
            _ => goods.push(tax),
        }
    }
    Ok((goods, charge))
}

/// Adds a supply to those of its code and combination of taxes, and answers its place.
fn put(supplies: &mut Vec<BillSupply>, supply: BillSupply) -> Result<usize, Overflow> {
    let place = supplies.iter().position(|sum| sum.is_like(&supply));
    match place.and_then(|place| supplies.get_mut(place)) {
        Some(sum) => sum.add(&supply, 1)?,
        // A line with nothing on it any more is on no bill.
        None if supply.taxable_cents != Cents::ZERO || supply.quantity > 0 => supplies.push(supply),
        None => {}
    }
    Ok(place.unwrap_or(supplies.len().saturating_sub(1)))
}

/// The supplies of a document; one of all its taxes on a document of before.
///
/// # Errors
/// [`Overflow`].
pub fn of_document(bill: &Bill) -> Result<Vec<BillSupply>, Overflow> {
    let net = bill.total_cents.minus(bill.tax_cents)?.minus(bill.rounding_cents)?;
    if !bill.supplies.is_empty() || (net == Cents::ZERO && bill.taxes.is_empty()) {
        return Ok(bill.supplies.clone());
    }
    let taxes = bill.taxes.clone();
    Ok(vec![BillSupply { hsn_sac: None, quantity: 0, taxable_cents: net, taxes, grams: None }])
}

/// What earlier credit notes left of the supplies of `bill`.
///
/// # Errors
/// [`Overflow`].
pub fn left(bill: &Bill, credits: &[Bill]) -> Result<Vec<BillSupply>, Overflow> {
    let mut left = of_document(bill)?;
    for credit in credits {
        for gone in of_document(credit)? {
            if let Some(of) = left.iter_mut().find(|supply| supply.is_like(&gone)) {
                of.add(&gone, -1)?;
            }
        }
    }
    Ok(left)
}

/// The supplies in a part of what is `left`: `net` before tax and `taxes`, spread over the supplies of the portions in `lines`, or where
/// none are named over all in proportion to what is left of them.
///
/// # Errors
/// [`Overflow`].
pub fn part(
    left: &[BillSupply],
    lines: &[BillLine],
    net: Cents,
    taxes: &[BillTax],
) -> Result<Vec<BillSupply>, Overflow> {
    let mut weights: Vec<i64> = left.iter().map(|supply| supply.taxable_cents.get().max(0)).collect();
    let mut quantities = vec![(0_i64, Quantity::ZERO); left.len()];
    if !lines.is_empty() {
        weights.fill(0);
        for line in lines {
            let net = line.subtotal_cents.minus(line.discount_cents)?;
            let charge = line.charge_supply.unwrap_or(line.supply);
            for (place, worth) in [(line.supply, net), (charge, line.service_charge_cents)] {
                if let Some(weight) = weights.get_mut(place) {
                    *weight = weight.checked_add(worth.get().max(0)).ok_or(Overflow)?;
                }
            }
            if let Some((quantity, grams)) = quantities.get_mut(line.supply) {
                *quantity = quantity.checked_add(line.quantity).ok_or(Overflow)?;
                if let Some((weight, unit)) = line.weight.zip(line.weight_unit) {
                    let weight = Weights::of(weight.times(line.quantity)?, unit)?;
                    *grams = grams.plus(weight.within(WeightUnit::G)?)?;
                }
            }
        }
    }
    let mut parts: Vec<BillSupply> = Vec::with_capacity(left.len());
    for ((supply, (quantity, grams)), taxable) in left.iter().zip(quantities).zip(spread(net, &weights)?) {
        let none = |tax: &BillTax| BillTax { taxable_cents: taxable, tax_cents: Cents::ZERO, ..tax.clone() };
        let (hsn_sac, taxes) = (supply.hsn_sac.clone(), supply.taxes.iter().map(none).collect());
        let grams = supply.grams.map(|_| grams);
        parts.push(BillSupply { hsn_sac, quantity, taxable_cents: taxable, taxes, grams });
    }
    for tax in taxes {
        let has = |supply: &BillSupply| supply.taxes.iter().any(|own| is_component(own, tax));
        let of_it = parts.iter().zip(&weights).map(|(part, weight)| if has(part) { *weight } else { 0 });
        let mut of_it: Vec<i64> = of_it.collect();
        if of_it.iter().all(|weight| *weight == 0) {
            of_it = parts.iter().map(|part| i64::from(has(part))).collect();
        }
        for (part, share) in parts.iter_mut().zip(spread(tax.tax_cents, &of_it)?) {
            if let Some(own) = part.taxes.iter_mut().find(|own| is_component(own, tax)) {
                own.tax_cents = share;
            }
        }
    }
    // What was on the house and came back took no money with it, and counts all the same.
    parts.retain(|part| {
        part.quantity != 0
            || part.taxable_cents != Cents::ZERO
            || part.taxes.iter().any(|tax| tax.tax_cents != Cents::ZERO)
    });
    Ok(parts)
}

/// What the component that `tax` is of was counted on.
///
/// # Errors
/// [`Overflow`].
pub fn taxable(supplies: &[BillSupply], tax: &BillTax) -> Result<Cents, Overflow> {
    let has = |supply: &&BillSupply| supply.taxes.iter().any(|own| is_component(own, tax));
    Cents::sum(supplies.iter().filter(has).map(|supply| supply.taxable_cents))
}

fn spread(amount: Cents, weights: &[i64]) -> Result<Vec<Cents>, Overflow> {
    if weights.is_empty() { Ok(Vec::new()) } else { amount.allocate(weights) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn supply(code: &str, rate: i64, taxable: i64) -> BillSupply {
        let taxable_cents = Cents::new(taxable);
        let tax = |name: &str| BillTax {
            name: name.into(),
            rate_bps: Bps::new(rate),
            taxable_cents,
            tax_cents: taxable_cents.share(Bps::new(rate)).unwrap(),
            kind: TaxKind::Gst,
        };
        let taxes = vec![tax("CGST"), tax("SGST")];
        BillSupply { hsn_sac: Some(code.into()), quantity: 1, taxable_cents, taxes, grams: None }
    }

    proptest! {
        #[test]
        fn parts_add_up_to_what_the_credit_note_takes_back(
            amounts in proptest::collection::vec((0i64..100_000, 0i64..3), 1..5), share in 1i64..10_000,
        ) {
            let left: Vec<BillSupply> = (0..).zip(&amounts).map(|(i, (taxable, rate))| supply(&format!("{i}"), rate * 250 + 1, *taxable)).collect();
            let net = Cents::sum(left.iter().map(|s| s.taxable_cents)).unwrap().share(Bps::new(share)).unwrap();
            let all = super::super::credits::by_component(left.iter().flat_map(|s| s.taxes.clone())).unwrap();
            let taxes: Vec<BillTax> = all.into_iter().map(|tax| BillTax { tax_cents: tax.tax_cents.share(Bps::new(share)).unwrap(), ..tax }).collect();
            let parts = part(&left, &[], net, &taxes).unwrap();
            prop_assert_eq!(Cents::sum(parts.iter().map(|s| s.taxable_cents)).unwrap(), net);
            for tax in &taxes {
                let of = parts.iter().flat_map(|s| &s.taxes).filter(|own| is_component(own, tax));
                prop_assert_eq!(Cents::sum(of.map(|own| own.tax_cents)).unwrap(), tax.tax_cents);
            }
        }
    }

    #[test]
    fn portions_that_come_back_are_of_their_own_supply() {
        let left = [supply("996331", 250, 10_000), supply("2202", 900, 5_000)];
        let line = BillLine {
            order_item_id: tiffin_common::Uuid::nil(),
            name: "Water".into(),
            modifiers: Vec::new(),
            hsn_sac: Some("2202".into()),
            quantity: 2,
            unit_price_cents: Cents::new(2_500),
            gross_cents: Cents::new(5_000),
            subtotal_cents: Cents::new(5_000),
            discount_cents: Cents::ZERO,
            service_charge_cents: Cents::ZERO,
            tax_cents: Cents::new(900),
            amount_cents: Cents::new(5_900),
            supply: 1,
            charge_supply: None,
            combo: None,
            weight: None,
            weight_unit: None,
            modifiers_cents: None,
        };
        let parts = part(&left, &[line], Cents::new(5_000), &left[1].taxes).unwrap();
        assert_eq!(parts, [BillSupply { quantity: 2, ..left[1].clone() }]);
    }
}
