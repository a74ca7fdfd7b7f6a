//! What suppliers want to be paid, held against what they delivered. Pure: every sum is worked out from the rows each time.

use super::record::{Delivery, PurchaseOrder};
use chrono::NaiveDate;
use tiffin_common::money::round_div;
use tiffin_common::{Cents, Millis, Overflow, Uuid, words};

table! {
    /// An invoice of a supplier.
    pub struct SupplierInvoice: purchase_invoices {
        /// Id.
        pub id: Uuid,
        /// Its number.
        pub reference: String => invoice_ref,
        /// What is to be paid, with tax.
        pub total: Cents => total_cents,
        /// The tax in it.
        pub tax: Cents => tax_cents,
        /// The business date it was entered on.
        pub business_date: NaiveDate,
        /// When.
        pub at: Millis,
        /// Who entered it.
        pub by_name: String,
        /// The difference that somebody accepted.
        pub accepted_difference: Option<Cents> => accepted_difference_cents,
        /// When.
        pub accepted_at: Option<Millis>,
        /// Who.
        pub accepted_by_name: Option<String>,
        /// Why.
        pub accepted_reason: Option<String>,
    }
}

impl SupplierInvoice {
    /// What is to be paid without tax: what deliveries cost.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn net(&self) -> Result<Cents, Overflow> {
        self.total.minus(self.tax)
    }
}

words! {
    /// What an invoice is against what came.
    pub enum Match {
        /// It is for as much as came.
        Matched = "MATCHED",
        /// It is for more than came.
        Over = "OVER",
        /// It is for less than came.
        Short = "SHORT",
    }
}

/// An invoice held against what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matched {
    /// What came cost.
    pub delivered: Cents,
    /// What the invoice has more than that; less: below 0.
    pub difference: Cents,
    /// In a word.
    pub status: Match,
    /// Whether somebody has to look at it: there is a difference that nobody accepted.
    pub is_open: bool,
}

/// What of a delivery an invoice is held against.
#[derive(Debug, Clone)]
pub struct Brought {
    /// The number it came with.
    pub reference: Option<String>,
    /// What it cost, without tax.
    pub total: Cents,
}

impl From<&Delivery> for Brought {
    fn from(delivery: &Delivery) -> Self {
        Brought { reference: delivery.invoice_ref.clone(), total: delivery.total }
    }
}

/// An order with what was delivered and billed of it.
#[derive(Debug, Clone)]
pub struct Billed {
    /// The order.
    pub order: PurchaseOrder,
    /// Its invoices.
    pub invoices: Vec<SupplierInvoice>,
    /// Its deliveries, each with its date.
    pub deliveries: Vec<(NaiveDate, Brought)>,
}

/// Which of an order's `invoices` each of its deliveries is billed by: the one whose number it came with; what came with none of their
/// numbers, by the first that no delivery names.
pub fn billed_by(invoices: &[SupplierInvoice], deliveries: &[Brought]) -> Vec<Option<usize>> {
    let named = |delivery: &Brought| {
        let reference = delivery.reference.as_deref()?;
        invoices.iter().position(|invoice| invoice.reference.eq_ignore_ascii_case(reference))
    };
    let places: Vec<Option<usize>> = deliveries.iter().map(named).collect();
    let other = (0..invoices.len()).find(|place| !places.contains(&Some(*place)));
    places.into_iter().map(|place| place.or(other)).collect()
}

/// Each of `invoices` held against those of `deliveries` that it bills.
///
/// # Errors
/// [`Overflow`].
pub fn matched(invoices: &[SupplierInvoice], deliveries: &[Brought]) -> Result<Vec<Matched>, Overflow> {
    let places = billed_by(invoices, deliveries);
    let mut all = Vec::with_capacity(invoices.len());
    for (place, invoice) in invoices.iter().enumerate() {
        let of = deliveries.iter().zip(&places).filter(|(_, billed)| **billed == Some(place));
        let delivered = Cents::sum(of.map(|(delivery, _)| delivery.total))?;
        let difference = invoice.net()?.minus(delivered)?;
        let status = match difference.get().signum() {
            0 => Match::Matched,
            1 => Match::Over,
            _ => Match::Short,
        };
        let is_open = status != Match::Matched && invoice.accepted_difference != Some(difference);
        all.push(Matched { delivered, difference, status, is_open });
    }
    Ok(all)
}

/// The tax on `amount` at what `invoices` charged on the whole; none where there are none.
///
/// # Errors
/// [`Overflow`].
pub fn tax_on(invoices: &[SupplierInvoice], amount: Cents) -> Result<Cents, Overflow> {
    let tax = Cents::sum(invoices.iter().map(|invoice| invoice.tax))?;
    let net = Cents::sum(invoices.iter().map(|invoice| invoice.total))?.minus(tax)?;
    if net.get() <= 0 {
        return Ok(Cents::ZERO);
    }
    let share = i128::from(amount.get()) * i128::from(tax.get());
    round_div(share, i128::from(net.get())).map(Cents::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invoice(reference: &str, total: i64, tax: i64) -> SupplierInvoice {
        SupplierInvoice {
            id: Uuid::nil(),
            reference: reference.into(),
            total: Cents::new(total),
            tax: Cents::new(tax),
            business_date: NaiveDate::default(),
            at: Millis::new(0),
            by_name: String::new(),
            accepted_difference: None,
            accepted_at: None,
            accepted_by_name: None,
            accepted_reason: None,
        }
    }

    fn came(reference: Option<&str>, total: i64) -> Brought {
        Brought { reference: reference.map(str::to_owned), total: Cents::new(total) }
    }

    #[test]
    fn an_invoice_is_held_against_what_came_with_its_number_and_the_first_other_against_the_rest() {
        let invoices = [invoice("A-1", 1_050, 50), invoice("A-2", 2_000, 0)];
        let found =
            matched(&invoices, &[came(Some("a-1"), 1_000), came(None, 700), came(Some("note 7"), 1_400)]);
        let found = found.unwrap();
        assert_eq!(
            (found[0].status, found[0].is_open, found[0].difference),
            (Match::Matched, false, Cents::ZERO)
        );
        assert_eq!((found[1].status, found[1].delivered), (Match::Short, Cents::new(2_100)));
        assert_eq!((found[1].is_open, found[1].difference), (true, Cents::new(-100)));
        // One that no delivery has come of yet is for more than came.
        assert_eq!(matched(&invoices[1..], &[]).unwrap()[0].status, Match::Over);
        // Every delivery is billed by one that it names: this one by none.
        assert_eq!(billed_by(&invoices[..1], &[came(Some("A-1"), 1), came(None, 1)]), [Some(0), None]);
    }

    #[test]
    fn what_was_accepted_is_this_difference_and_no_other() {
        let mut invoice = invoice("A", 900, 0);
        invoice.accepted_difference = Some(Cents::new(-100));
        assert!(!matched(std::slice::from_ref(&invoice), &[came(None, 1_000)]).unwrap()[0].is_open);
        assert!(matched(&[invoice], &[came(None, 1_000), came(None, 5)]).unwrap()[0].is_open);
    }

    #[test]
    fn tax_is_taken_back_at_the_rate_it_was_charged() {
        let invoices = [invoice("A", 1_180, 180), invoice("B", 1_000, 0)];
        assert_eq!(tax_on(&invoices, Cents::new(500)), Ok(Cents::new(45)));
        assert_eq!(tax_on(&[], Cents::new(500)), Ok(Cents::ZERO));
    }
}
