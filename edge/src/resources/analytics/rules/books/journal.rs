//! The journal: what the dates came to in double entry, one voucher for each date and kind of event. Every posting is made of two sides
//! that are equal, so that debits equal credits to the cent, in each voucher and in all.

use super::people::Slip;
use crate::report_row;
use crate::resources::analytics::rules::documents::Document;
use crate::resources::analytics::rules::money::Hundredths;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::orders::rules::invoices::InvoiceKind;
use crate::resources::orders::rules::slips::SlipKind;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Overflow, words};

words! {
    /// What a voucher is of.
    pub enum Voucher {
        /// Bills.
        Sales = "SALES",
        /// Credit notes.
        CreditNotes = "CREDIT_NOTES",
        /// Money that came in, and what was put right about it.
        Receipts = "RECEIPTS",
        /// Money that went back.
        Refunds = "REFUNDS",
        /// Bills that are never paid.
        WriteOffs = "WRITE_OFFS",
        /// What channels keep of what guests paid there.
        Commission = "COMMISSION",
        /// Drawers: paid in, paid out, tips given, over and short.
        Cash = "CASH",
        /// Goods that came, were sold, wasted, counted.
        Stock = "STOCK",
    }
}

/// What guests owe.
pub const GUESTS: &str = "Guests";
/// What is owed to staff.
pub const TIPS: &str = "Tips owed";
/// Cash in the drawers.
pub const CASH: &str = "CASH";

/// Postings of some dates: for each voucher what its accounts are debited (above nothing) or credited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Journal(BTreeMap<(NaiveDate, Voucher), BTreeMap<String, Cents>>);

impl Journal {
    /// Debits `debit` and credits `credit` by `amount`; one below nothing the other way round.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn post(
        &mut self,
        at: (NaiveDate, Voucher),
        debit: &str,
        credit: &str,
        amount: Cents,
    ) -> Result<(), Overflow> {
        if amount == Cents::ZERO {
            return Ok(());
        }
        let accounts = self.0.entry(at).or_default();
        let debited = accounts.entry(debit.to_owned()).or_default();
        *debited = debited.plus(amount)?;
        let credited = accounts.entry(credit.to_owned()).or_default();
        *credited = credited.minus(amount)?;
        Ok(())
    }

    /// Posts a document: what its guest owes against what it is for.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn post_document(&mut self, document: &Document) -> Result<(), Overflow> {
        let voucher = match document.kind {
            InvoiceKind::Invoice => Voucher::Sales,
            InvoiceKind::CreditNote => Voucher::CreditNotes,
        };
        let (at, sign) = ((document.business_date, voucher), document.sign());
        let mut post = |account: &str, amount: Cents| self.post(at, GUESTS, account, amount.times(sign)?);
        post("Sales", document.subtotal_cents)?;
        post("Discounts", document.discount_cents.times(-1)?)?;
        post("Service charge", document.service_charge_cents)?;
        post("Rounding", document.rounding_cents)?;
        for tax in &document.taxes {
            post(&format!("{} {} %", tax.name, Hundredths::new(tax.rate_bps.get())), tax.tax_cents)?;
        }
        Ok(())
    }

    /// Posts a slip: what an operator sold for the house, and owes the tax of.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn post_slip(&mut self, slip: &Slip) -> Result<(), Overflow> {
        let voucher = match slip.kind {
            SlipKind::Slip => Voucher::Sales,
            SlipKind::Return => Voucher::CreditNotes,
        };
        self.post((slip.date, voucher), GUESTS, "Sales through operators", slip.total.times(slip.sign())?)
    }

    /// The vouchers in their order, accounts that came to nothing left out.
    pub fn vouchers(&self) -> impl Iterator<Item = (NaiveDate, Voucher, Vec<(&str, Cents)>)> {
        self.0.iter().filter_map(|((date, voucher), accounts)| {
            let moved = accounts.iter().filter(|(_, amount)| **amount != Cents::ZERO);
            let moved: Vec<(&str, Cents)> = moved.map(|(name, amount)| (name.as_str(), *amount)).collect();
            (!moved.is_empty()).then_some((*date, *voucher, moved))
        })
    }
}

const JOURNAL: &[Column] = &[
    Column::new("businessDate", "Business date", Unit::Date),
    Column::new("voucher", "Voucher", Unit::Text),
    Column::new("account", "Account", Unit::Text),
    Column::new("debit", "Debit", Unit::Cents),
    Column::new("credit", "Credit", Unit::Cents),
];

/// The journal as a table.
///
/// # Errors
/// [`Overflow`].
pub fn journal(journal: &Journal) -> Result<Table, Overflow> {
    let mut rows = Vec::new();
    for (date, voucher, accounts) in journal.vouchers() {
        for (account, amount) in accounts {
            let (debit, credit) =
                if amount > Cents::ZERO { (amount, Cents::ZERO) } else { (Cents::ZERO, amount.times(-1)?) };
            rows.push(report_row![date, voucher.name(), account, debit, credit]);
        }
    }
    Table::new(JOURNAL, rows)
}
