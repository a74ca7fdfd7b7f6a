//! Which batches give what is needed, and how much of a taking is given back. Pure: the shelf is handed in, sorted.

use chrono::NaiveDate;
use tiffin_common::money::round_div;
use tiffin_common::{Millis, Overflow, Quantity, UnitCost, Uuid, words};

/// The expiry of a batch that keeps for ever: after every date, so that "earliest expiry first" puts it last.
pub const NEVER: NaiveDate = match NaiveDate::from_ymd_opt(9999, 12, 31) {
    Some(date) => date,
    None => NaiveDate::MAX,
};

words! {
    /// In which order batches are used up.
    pub enum Rotation {
        /// First expired, first out; without an expiry last; then first received.
        Fefo = "FEFO",
        /// First received, first out.
        Fifo = "FIFO",
    }
}

table! {
    /// A batch with something left.
    #[derive(PartialEq, Eq)]
    pub struct OpenBatch: stock_batch_levels {
        /// The batch.
        pub id: Uuid => batch_id,
        /// What is left of it.
        pub quantity: Quantity,
        /// What one unit cost.
        pub unit_cost: UnitCost,
        /// The last date it may be used; [`NEVER`] for what keeps.
        pub expiry_date: NaiveDate,
        /// When it came.
        pub received_at: Millis,
    }
}

/// What is taken from where; no batch: sold without stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taking {
    /// The batch.
    pub batch_id: Option<Uuid>,
    /// How much.
    pub quantity: Quantity,
    /// What one unit cost.
    pub unit_cost: UnitCost,
}

/// Takes `need` from the batches in their order, lowering what is left of them. Answers the takings and what was missing.
///
/// # Errors
/// When a difference leaves the range.
pub fn take(batches: &mut [OpenBatch], need: Quantity) -> Result<(Vec<Taking>, Quantity), Overflow> {
    let mut missing = need;
    let mut takings = Vec::with_capacity(1);
    for batch in batches.iter_mut() {
        if !missing.is_positive() {
            break;
        }
        let quantity = missing.min(batch.quantity);
        if quantity.is_positive() {
            batch.quantity = batch.quantity.minus(quantity)?;
            missing = missing.minus(quantity)?;
            takings.push(Taking { batch_id: Some(batch.id), quantity, unit_cost: batch.unit_cost });
        }
    }
    Ok((takings, missing))
}

/// A share of `whole` for `part` of `all` portions; all of it when they are the last. Half away from zero.
///
/// # Errors
/// When `all` is not positive.
pub fn share(whole: i64, part: i64, all: i64) -> Result<i64, Overflow> {
    if part >= all {
        return Ok(whole);
    }
    round_div(i128::from(whole) * i128::from(part), i128::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn batch(n: u128, quantity: i64) -> OpenBatch {
        OpenBatch {
            id: Uuid::from_u128(n),
            quantity: Quantity::from_millionths(quantity),
            unit_cost: UnitCost::from_millionths(7),
            expiry_date: NEVER,
            received_at: Millis::new(0),
        }
    }

    proptest! {
        #[test]
        fn what_is_taken_and_missing_is_what_was_needed(
            levels in proptest::collection::vec(0i64..1_000, 0..6),
            need in 0i64..4_000,
        ) {
            let mut shelf: Vec<OpenBatch> = (1u128..).zip(&levels).map(|(n, q)| batch(n, *q)).collect();
            let before: i64 = levels.iter().sum();
            let (takings, missing) = take(&mut shelf, Quantity::from_millionths(need)).unwrap();
            let taken: i64 = takings.iter().map(|t| t.quantity.get()).sum();
            let left: i64 = shelf.iter().map(|b| b.quantity.get()).sum();
            prop_assert_eq!(taken + missing.get(), need);
            prop_assert_eq!(left, before - taken);
            prop_assert!(missing.get() == 0 || left == 0, "nothing is missing while something is left");
            prop_assert!(shelf.iter().all(|b| b.quantity.get() >= 0));
            // Only the last batch touched may keep something.
            let open = shelf.iter().position(|b| b.quantity.get() > 0).unwrap_or(shelf.len());
            prop_assert!(takings.iter().all(|t| shelf.iter().position(|b| Some(b.id) == t.batch_id) <= Some(open)));
        }

        #[test]
        fn parts_given_back_one_by_one_add_up(whole in 0i64..1_000_000_000, portions in 1i64..40) {
            let mut left = whole;
            for outstanding in (1..=portions).rev() {
                left -= share(left, 1, outstanding).unwrap();
                prop_assert!(left >= 0);
            }
            prop_assert_eq!(left, 0);
        }
    }
}
