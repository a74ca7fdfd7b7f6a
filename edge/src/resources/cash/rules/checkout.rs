//! The checkout of who served on a date: what they sold, took and are owed. Pure.

use super::sums::MethodSum;
use crate::resources::orders::rules::PaymentMethod;
use tiffin_common::{Cents, Overflow};

/// What an employee sold and took on a date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the answer's fields, which say what they are")]
pub struct Checkout {
    pub orders: i64,
    pub covers: i64,
    pub sales: Cents,
    pub refunds: Cents,
    pub open_orders: i64,
    pub open_due: Cents,
    pub tips: Cents,
    pub tips_paid: Cents,
    pub tenders: Vec<MethodSum>,
}

impl Checkout {
    /// What they hand over of the cash they took, less the tips they are still owed; below nothing, what the house gives them.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn cash_owed(&self) -> Result<Cents, Overflow> {
        let cash = self.tenders.iter().filter(|sum| sum.method == PaymentMethod::Cash);
        Cents::sum(cash.map(|sum| sum.net_cents))?.minus(self.tips.minus(self.tips_paid)?)
    }
}
