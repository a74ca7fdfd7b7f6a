//! The loss-prevention ledger: what took money or food off the books, by whom, with whose leave, when and where, against the outlet's
//! own average. Pure: no SQL, no clock. Never says that somebody stole.

use super::{Hundredths, cents_of_micros};
use chrono::Timelike;
use chrono_tz::Tz;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Overflow, Uuid, words};

words! {
    /// What took money or food off the books.
    pub enum LossKind {
        /// Portions were voided.
        Void = "VOID",
        /// A line was made smaller.
        Less = "LESS",
        /// Portions went with an order that was called off.
        Cancel = "CANCEL",
        /// A discount of everything.
        Comp = "COMP",
        /// A discount.
        Discount = "DISCOUNT",
        /// An order was called off that the kitchen was never told of.
        Draft = "DRAFT",
        /// Money was given back.
        Refund = "REFUND",
        /// A bill was lowered without money going back.
        CreditNote = "CREDIT_NOTE",
        /// What was due of a bill was given up.
        WriteOff = "WRITE_OFF",
        /// A payment was said to be another: the amount is what changed its method, and by how much the tip differs.
        PaymentCorrected = "PAYMENT_CORRECTED",
        /// A payment was said not to hold.
        PaymentReversed = "PAYMENT_REVERSED",
        /// A dish was sold at another price than the menu's; the amount is the difference for one portion.
        PriceOverride = "PRICE_OVERRIDE",
        /// Money was taken out of a drawer.
        PayOut = "PAY_OUT",
        /// More was to be taken out than the drawer held.
        PayOutRefused = "PAY_OUT_REFUSED",
        /// A drawer was opened without a sale.
        NoSale = "NO_SALE",
        /// A count was short (or, below nothing, over).
        DrawerDifference = "DRAWER_DIFFERENCE",
    }
}

/// One entry of the ledger. Entries of one moment are ordered by what they say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named as the answer's fields, which say what they are")]
pub struct Loss {
    pub at: Millis,
    pub kind: LossKind,
    pub by_id: Option<Uuid>,
    pub approver_id: Option<Uuid>,
    pub order_number: Option<String>,
    pub table_number: Option<String>,
    pub amount: Cents,
    pub cost_micros: i64,
    pub reason: String,
}

/// How often, and how much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LossSum {
    /// How often.
    pub count: i64,
    /// At menu prices, or money as it was.
    pub amount: Cents,
    /// What food had cost that was thrown away, in millionths of a cent.
    pub cost_micros: i64,
}

impl LossSum {
    /// Of `losses`.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of<'l>(losses: impl IntoIterator<Item = &'l Loss>) -> Result<LossSum, Overflow> {
        losses.into_iter().try_fold(LossSum::default(), |sum, loss| sum.plus(loss))
    }

    fn plus(self, loss: &Loss) -> Result<LossSum, Overflow> {
        Ok(LossSum {
            count: self.count.checked_add(1).ok_or(Overflow)?,
            amount: self.amount.plus(loss.amount)?,
            cost_micros: self.cost_micros.checked_add(loss.cost_micros).ok_or(Overflow)?,
        })
    }

    /// What the food had cost.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn cost(self) -> Result<Cents, Overflow> {
        cents_of_micros(self.cost_micros)
    }

    /// What `days` of as many as it is of (`of_days`) come to on average.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn scaled(self, days: i64, of_days: i64) -> Result<LossSum, Overflow> {
        let scale = |value: i64| {
            tiffin_common::money::round_div(i128::from(value) * i128::from(days), i128::from(of_days))
        };
        Ok(LossSum {
            count: scale(self.count)?,
            amount: Cents::new(scale(self.amount.get())?),
            cost_micros: scale(self.cost_micros)?,
        })
    }
}

/// A sum against the average of its like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rated {
    /// The sum.
    pub sum: LossSum,
    /// Its amount as a multiple of the average.
    pub amount_times: Hundredths,
    /// Its count as a multiple of the average.
    pub count_times: Hundredths,
}

/// From this multiple of the average on something is unusual.
const UNUSUAL: Hundredths = Hundredths::new(200);

/// How often something has to happen before it can be unusual.
const OFTEN: i64 = 2;

impl Rated {
    /// Whether somebody should look at it.
    pub fn is_unusual(&self) -> bool {
        self.sum.count >= OFTEN && (self.amount_times >= UNUSUAL || self.count_times >= UNUSUAL)
    }
}

/// The entries by what `key` tells them apart by, each sum against the average of all `members` that might have had some, whether they
/// did or not; the largest first. What has no key is left out of the groups, not of the average.
///
/// # Errors
/// [`Overflow`].
pub fn rated<K: Ord>(
    losses: &[Loss],
    members: usize,
    key: impl Fn(&Loss) -> Option<K>,
) -> Result<Vec<(K, Rated)>, Overflow> {
    let all = LossSum::of(losses)?;
    let mut groups: BTreeMap<K, LossSum> = BTreeMap::new();
    for loss in losses {
        if let Some(key) = key(loss) {
            let sum = groups.entry(key).or_default();
            *sum = sum.plus(loss)?;
        }
    }
    let members = i64::try_from(members.max(groups.len())).map_err(|_| Overflow)?;
    let times = |part: i64, whole: i64| Hundredths::ratio(part.checked_mul(members).ok_or(Overflow)?, whole);
    let mut list = Vec::with_capacity(groups.len());
    for (key, sum) in groups {
        let amount_times = times(sum.amount.get(), all.amount.get())?;
        list.push((key, Rated { sum, amount_times, count_times: times(sum.count, all.count)? }));
    }
    list.sort_by_key(|(_, rated)| std::cmp::Reverse((rated.sum.amount, rated.sum.count)));
    Ok(list)
}

/// The hour of the outlet's clock at `moment`.
pub fn hour_of(moment: Millis, timezone: Tz) -> u32 {
    moment.to_utc().with_timezone(&timezone).hour()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss(by: u128, approver: Option<u128>, amount: i64) -> Loss {
        Loss {
            kind: LossKind::Void,
            at: Millis::new(0),
            by_id: Some(Uuid::from_u128(by)),
            approver_id: approver.map(Uuid::from_u128),
            order_number: None,
            table_number: None,
            amount: Cents::new(amount),
            cost_micros: 1_000_000,
            reason: String::new(),
        }
    }

    #[test]
    fn who_takes_off_more_than_their_share_stands_out_also_with_an_accomplice() {
        let losses = [loss(1, Some(9), 900), loss(1, Some(9), 900), loss(2, None, 100), loss(3, None, 100)];
        let people = rated(&losses, 4, |loss| loss.by_id).unwrap();
        let (who, first) = &people[0];
        assert_eq!((*who, first.sum.amount, first.sum.count), (Uuid::from_u128(1), Cents::new(1_800), 2));
        // 1800 of 2000 among four.
        assert_eq!(first.amount_times, Hundredths::new(360));
        assert!(first.is_unusual() && !people[1].1.is_unusual());
        let pairs = rated(&losses, 4, |loss| Some((loss.by_id, loss.approver_id?))).unwrap();
        assert_eq!(pairs.len(), 1);
        assert!(pairs[0].1.is_unusual());
        assert_eq!(rated(&[], 4, |loss| loss.by_id).unwrap(), []);
    }

    #[test]
    fn what_is_usual_is_scaled_to_the_days_asked_about() {
        let sum = LossSum::of(&[loss(1, None, 2_800)]).unwrap();
        assert_eq!(sum.scaled(7, 28).unwrap().amount, Cents::new(700));
        assert_eq!(sum.cost(), Ok(Cents::new(1)));
    }
}
