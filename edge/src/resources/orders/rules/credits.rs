//! What a credit note takes back of a bill: which taxes, on which lines. All credit notes of a bill together never take back
//! more of a component than the bill held, and together take back exactly all of it when they add up to the total.

use super::bill::{Bill, BillLine, BillSupply, BillTax};
use super::refunds::RefundOf;
use super::supplies;
use tiffin_common::{Cents, Overflow, words};

/// What is left of a bill's taxes and total once earlier credit notes are taken off.
#[derive(Debug, Clone)]
pub struct Remainder {
    /// By component, in the bill's order.
    pub taxes: Vec<BillTax>,
    /// The service charge, without tax.
    pub service_charge: Cents,
    /// What rounding added or took.
    pub rounding: Cents,
    /// The total.
    pub total: Cents,
    /// By what was supplied, in the bill's order.
    pub supplies: Vec<BillSupply>,
}

words! {
    /// Why a bill is lowered without money going back.
    pub enum CreditReason {
        /// More was charged than was right.
        Overcharged = "OVERCHARGED",
        /// Something came back.
        Returned = "RETURNED",
        /// What was served was not as it should be.
        Deficient = "DEFICIENT",
    }
}

/// A credit note as asked for.
#[derive(Debug, Clone)]
pub struct NewCreditNote {
    /// Why.
    pub reason: CreditReason,
    /// More about it.
    pub note: Option<String>,
    /// What is taken off; none: all that is due.
    pub of: Option<RefundOf>,
    /// Put the ingredients of what was not made back into stock.
    pub restock: bool,
}

impl NewCreditNote {
    /// The reason as documents state it.
    pub fn text(&self) -> String {
        match &self.note {
            Some(note) => format!("{}: {note}", self.reason),
            None => self.reason.to_string(),
        }
    }
}

/// What portions that come back bring with them, beside their price.
#[derive(Debug, Clone)]
pub struct Returned {
    /// Their list price less their discounts, without tax.
    pub goods: Cents,
    /// Their part of the service charge.
    pub service_charge: Cents,
    /// Their taxes.
    pub taxes: Vec<BillTax>,
}

/// What a credit note takes back.
#[derive(Debug, Clone)]
pub struct Part {
    /// By component, in the bill's order.
    pub taxes: Vec<BillTax>,
    /// All of these.
    pub tax: Cents,
    /// Of the service charge.
    pub service_charge: Cents,
    /// Of the rounding.
    pub rounding: Cents,
    /// By what was supplied.
    pub supplies: Vec<BillSupply>,
}

impl Part {
    /// Where the supply at `place` of what was `left` stands in this part.
    pub fn place_of(&self, left: &Remainder, place: usize) -> usize {
        let like = |of: &BillSupply| self.supplies.iter().position(|supply| supply.is_like(of));
        left.supplies.get(place).and_then(like).unwrap_or(0)
    }
}

impl Remainder {
    /// Of `bill` after `credits`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(bill: &Bill, credits: &[Bill]) -> Result<Remainder, Overflow> {
        let mut left = Remainder {
            taxes: bill.taxes.clone(),
            service_charge: bill.service_charge_cents,
            rounding: bill.rounding_cents,
            total: bill.total_cents,
            supplies: supplies::left(bill, credits)?,
        };
        for credit in credits {
            left.total = left.total.minus(credit.total_cents)?;
            left.service_charge = left.service_charge.minus(credit.service_charge_cents)?;
            left.rounding = left.rounding.minus(credit.rounding_cents)?;
            for gone in &credit.taxes {
                let same =
                    left.taxes.iter_mut().find(|tax| tax.name == gone.name && tax.rate_bps == gone.rate_bps);
                if let Some(tax) = same {
                    tax.tax_cents = tax.tax_cents.minus(gone.tax_cents)?;
                    tax.taxable_cents = tax.taxable_cents.minus(gone.taxable_cents)?;
                }
            }
        }
        Ok(left)
    }

    /// What is in `amount` of what is left: what comes with returned portions where they are named, otherwise in proportion; all
    /// that is left when nothing of the total remains. Rounding is what the portions do not explain.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn part(
        &self,
        amount: Cents,
        returned: Option<&Returned>,
        lines: &[BillLine],
    ) -> Result<Part, Overflow> {
        let mut taxes = self.taxes_in(amount, returned.map(|returned| returned.taxes.as_slice()))?;
        let tax = Cents::sum(taxes.iter().map(|tax| tax.tax_cents))?;
        let (service_charge, rounding) = match returned {
            _ if amount >= self.total => (self.service_charge, self.rounding),
            Some(returned) => {
                let service = returned.service_charge.min(self.service_charge);
                (service, amount.minus(returned.goods)?.minus(service)?.minus(tax)?)
            }
            None => {
                let share = |of: Cents| of.ratio(amount.get(), self.total.get());
                (share(self.service_charge)?, share(self.rounding)?)
            }
        };
        if amount >= self.total {
            return Ok(Part { taxes, tax, service_charge, rounding, supplies: self.supplies.clone() });
        }
        let net = amount.minus(tax)?.minus(rounding)?;
        let supplies = supplies::part(&self.supplies, lines, net, &taxes)?;
        for tax in &mut taxes {
            tax.taxable_cents = supplies::taxable(&supplies, tax)?;
        }
        Ok(Part { taxes, tax, service_charge, rounding, supplies })
    }

    /// The taxes in `amount` of what is left: `wanted` (the taxes of returned lines) where it is given, otherwise in
    /// proportion; never more than is left, and all that is left when nothing of the total remains.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn taxes_in(&self, amount: Cents, wanted: Option<&[BillTax]>) -> Result<Vec<BillTax>, Overflow> {
        let everything = amount >= self.total;
        let mut taxes = Vec::with_capacity(self.taxes.len());
        for left in &self.taxes {
            let part = match wanted {
                _ if everything => left.clone(),
                Some(wanted) => {
                    let same =
                        wanted.iter().find(|tax| tax.name == left.name && tax.rate_bps == left.rate_bps);
                    let (taxable, tax) =
                        same.map_or((Cents::ZERO, Cents::ZERO), |t| (t.taxable_cents, t.tax_cents));
                    BillTax {
                        taxable_cents: taxable.min(left.taxable_cents),
                        tax_cents: tax.min(left.tax_cents),
                        ..left.clone()
                    }
                }
                None => BillTax {
                    taxable_cents: left.taxable_cents.ratio(amount.get(), self.total.get())?,
                    tax_cents: left.tax_cents.ratio(amount.get(), self.total.get())?,
                    ..left.clone()
                },
            };
            if part.tax_cents != Cents::ZERO || part.taxable_cents != Cents::ZERO {
                taxes.push(part);
            }
        }
        Ok(taxes)
    }
}

/// Tax lines summed by component and rate, in the order they first appear.
///
/// # Errors
/// [`Overflow`].
pub fn by_component(taxes: impl IntoIterator<Item = BillTax>) -> Result<Vec<BillTax>, Overflow> {
    let mut sums: Vec<BillTax> = Vec::new();
    for tax in taxes {
        match sums.iter_mut().find(|sum| sum.name == tax.name && sum.rate_bps == tax.rate_bps) {
            Some(sum) => {
                sum.taxable_cents = sum.taxable_cents.plus(tax.taxable_cents)?;
                sum.tax_cents = sum.tax_cents.plus(tax.tax_cents)?;
            }
            None => sums.push(tax),
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::outlets::rules::TaxKind;
    use proptest::prelude::*;
    use tiffin_common::Bps;

    fn tax(name: &str, taxable: i64, tax: i64) -> BillTax {
        BillTax {
            name: name.into(),
            rate_bps: Bps::new(250),
            taxable_cents: Cents::new(taxable),
            tax_cents: Cents::new(tax),
            kind: TaxKind::default(),
        }
    }

    #[test]
    fn components_are_summed_in_order() {
        let sums = by_component([tax("CGST", 100, 3), tax("SGST", 100, 3), tax("CGST", 50, 1)]).unwrap();
        assert_eq!(sums, [tax("CGST", 150, 4), tax("SGST", 100, 3)]);
    }

    proptest! {
        #[test]
        fn credit_notes_take_back_the_whole_tax_and_no_more(
            total in 1i64..1_000_000, share in 0i64..3_000, parts in proptest::collection::vec(1i64..50_000, 1..12),
        ) {
            let held = Cents::new(total).share(Bps::new(share)).unwrap();
            let mut left = Remainder {
                taxes: vec![tax("CGST", total - held.get(), held.get())],
                service_charge: Cents::ZERO,
                rounding: Cents::ZERO,
                total: Cents::new(total),
                supplies: Vec::new(),
            };
            let mut gone = 0;
            for part in parts.into_iter().chain([i64::MAX]) {
                let amount = Cents::new(part.min(left.total.get()));
                if amount == Cents::ZERO { break; }
                for t in left.taxes_in(amount, None).unwrap() {
                    gone += t.tax_cents.get();
                    left.taxes[0].tax_cents = left.taxes[0].tax_cents.minus(t.tax_cents).unwrap();
                    left.taxes[0].taxable_cents = left.taxes[0].taxable_cents.minus(t.taxable_cents).unwrap();
                }
                left.total = left.total.minus(amount).unwrap();
                prop_assert!(gone <= held.get());
            }
            prop_assert_eq!(gone, held.get());
        }
    }
}
