//! Bills and credit notes as the accountant's reports read them: slim, each supply with its place in the law of its country. Every report
//! of documents is made of these, so that all of them agree to the cent. Pure.

use crate::resources::orders::rules::OrderType;
use crate::resources::orders::rules::bill::{BillReference, BillSupply, BillTax, InvoiceKind};
use crate::resources::outlets::rules::{TaxKind, TaxScheme};
use chrono::NaiveDate;
use serde::Deserialize;
use tiffin_common::{Bps, Cents, Overflow, Quantity};

/// A document, as far as reports need it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "named as the document's own fields, which say what they are")]
pub struct Document {
    pub kind: InvoiceKind,
    pub number: String,
    pub fiscal_year: String,
    pub serial: i64,
    pub business_date: NaiveDate,
    pub outlet: DocumentOutlet,
    pub order_number: String,
    pub order_type: OrderType,
    pub taxes: Vec<BillTax>,
    #[serde(default)]
    pub supplies: Vec<BillSupply>,
    pub subtotal_cents: Cents,
    pub discount_cents: Cents,
    pub service_charge_cents: Cents,
    pub tax_cents: Cents,
    pub rounding_cents: Cents,
    pub total_cents: Cents,
    #[serde(default)]
    pub refers_to: Option<BillReference>,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub customer_tax_id: Option<String>,
    #[serde(default)]
    pub customer_legal_name: Option<String>,
    pub by: String,
}

/// Who billed, as far as reports need it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentOutlet {
    /// The scheme the document was taxed under; the regular one on those of before.
    #[serde(default)]
    pub tax_scheme: TaxScheme,
}

/// What India's returns tell a supply apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Taxed at this rate.
    Taxed(Bps),
    /// Taxed at 0.
    Nil,
    /// Not taxed.
    Exempt,
    /// Outside GST, such as alcohol.
    Outside,
}

/// Sums of what returns ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the taxes")]
pub struct Heads {
    pub quantity: i64,
    pub grams: Quantity,
    pub taxable: Cents,
    pub igst: Cents,
    pub cgst: Cents,
    pub sgst: Cents,
    pub cess: Cents,
    pub vat: Cents,
}

impl Heads {
    /// Of a supply, a credit note's with `sign` -1. A component that is called neither CGST, SGST, UTGST nor IGST is both of the first
    /// two: the place of supply is the outlet's state.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(supply: &BillSupply, sign: i64) -> Result<Heads, Overflow> {
        let mut heads = Heads {
            quantity: supply.quantity.checked_mul(sign).ok_or(Overflow)?,
            grams: supply.grams.unwrap_or_default().times(sign)?,
            taxable: supply.taxable_cents.times(sign)?,
            ..Heads::default()
        };
        for tax in &supply.taxes {
            heads.add_tax(tax, sign)?;
        }
        Ok(heads)
    }

    fn add_tax(&mut self, tax: &BillTax, sign: i64) -> Result<(), Overflow> {
        let amount = tax.tax_cents.times(sign)?;
        let name = tax.name.to_uppercase();
        let head = match tax.kind {
            TaxKind::Cess => &mut self.cess,
            TaxKind::Vat => &mut self.vat,
            TaxKind::Gst if name.contains("IGST") => &mut self.igst,
            TaxKind::Gst if name.contains("CGST") => &mut self.cgst,
            TaxKind::Gst if name.contains("SGST") || name.contains("UTGST") => &mut self.sgst,
            TaxKind::Gst => {
                let central = amount.ratio(1, 2)?;
                self.cgst = self.cgst.plus(central)?;
                self.sgst = self.sgst.plus(amount.minus(central)?)?;
                return Ok(());
            }
        };
        *head = head.plus(amount)?;
        Ok(())
    }

    /// Both.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn plus(self, other: Heads) -> Result<Heads, Overflow> {
        Ok(Heads {
            quantity: self.quantity.checked_add(other.quantity).ok_or(Overflow)?,
            grams: self.grams.plus(other.grams)?,
            taxable: self.taxable.plus(other.taxable)?,
            igst: self.igst.plus(other.igst)?,
            cgst: self.cgst.plus(other.cgst)?,
            sgst: self.sgst.plus(other.sgst)?,
            cess: self.cess.plus(other.cess)?,
            vat: self.vat.plus(other.vat)?,
        })
    }

    /// The tax of all heads.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn tax(&self) -> Result<Cents, Overflow> {
        Cents::sum([self.igst, self.cgst, self.sgst, self.cess, self.vat])
    }
}

/// What a supply is in India's returns.
///
/// # Errors
/// [`Overflow`].
pub fn class_of(supply: &BillSupply) -> Result<Class, Overflow> {
    Ok(match supply.kind_rate(TaxKind::Gst)? {
        Some(rate) if rate == Bps::default() => Class::Nil,
        Some(rate) => Class::Taxed(rate),
        None if supply.kind_rate(TaxKind::Vat)?.is_some() => Class::Outside,
        None => Class::Exempt,
    })
}

impl Document {
    /// What it counts by: a credit note takes back.
    pub fn sign(&self) -> i64 {
        match self.kind {
            InvoiceKind::Invoice => 1,
            InvoiceKind::CreditNote => -1,
        }
    }

    /// What it comes to before tax and rounding.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn net(&self) -> Result<Cents, Overflow> {
        self.total_cents.minus(self.tax_cents)?.minus(self.rounding_cents)
    }

    /// Its supplies; one of all its taxes on a document of before.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn supplied(&self) -> Result<Vec<BillSupply>, Overflow> {
        let net = self.net()?;
        if !self.supplies.is_empty() || (net == Cents::ZERO && self.taxes.is_empty()) {
            return Ok(self.supplies.clone());
        }
        let taxes = self.taxes.clone();
        Ok(vec![BillSupply { hsn_sac: None, quantity: 0, taxable_cents: net, taxes, grams: None }])
    }

    /// Its taxes by head.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn heads(&self) -> Result<Heads, Overflow> {
        let supplies = self.supplied()?;
        supplies.iter().try_fold(Heads::default(), |sum, supply| sum.plus(Heads::of(supply, self.sign())?))
    }

    /// Whether its buyer is registered for the tax.
    pub fn is_b2b(&self) -> bool {
        self.customer_tax_id.is_some()
    }

    /// The series it is numbered in: its number without the serial.
    pub fn series(&self) -> &str {
        let digits = format!("{:06}", self.serial);
        self.number.strip_suffix(digits.as_str()).unwrap_or(&self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(taxes: &[(&str, TaxKind, i64, i64)]) -> BillSupply {
        let tax = |(name, kind, rate, tax): &(&str, TaxKind, i64, i64)| BillTax {
            name: (*name).into(),
            rate_bps: Bps::new(*rate),
            taxable_cents: Cents::new(10_000),
            tax_cents: Cents::new(*tax),
            kind: *kind,
        };
        let taxes = taxes.iter().map(tax).collect();
        BillSupply { hsn_sac: None, quantity: 1, taxable_cents: Cents::new(10_000), taxes, grams: None }
    }

    #[test]
    fn alcohol_is_outside_gst_and_what_carries_no_tax_is_exempt() {
        use TaxKind::{Cess, Gst, Vat};
        let food = supply(&[("CGST", Gst, 250, 250), ("SGST", Gst, 250, 250)]);
        let cola = supply(&[("GST", Gst, 2_800, 2_801), ("Cess", Cess, 1_200, 1_200)]);
        let beer = supply(&[("VAT", Vat, 2_000, 2_000)]);
        let classes = [&food, &cola, &beer, &supply(&[]), &supply(&[("IGST", Gst, 0, 0)])]
            .map(|s| class_of(s).unwrap());
        let taxed = |rate| Class::Taxed(Bps::new(rate));
        assert_eq!(classes, [taxed(500), taxed(2_800), Class::Outside, Class::Exempt, Class::Nil]);
        let sum = Heads::of(&food, 1).unwrap().plus(Heads::of(&cola, -1).unwrap()).unwrap();
        let amounts = [sum.taxable, sum.cgst, sum.sgst, sum.cess].map(Cents::get);
        assert_eq!(amounts, [0, 250 - 1_401, 250 - 1_400, -1_200]);
        assert_eq!(Heads::of(&beer, 1).unwrap().vat, Cents::new(2_000));
    }
}
