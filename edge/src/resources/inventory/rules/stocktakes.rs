//! Counting the store: what a count says, and which batches a correction falls on. Pure.

use super::pick::OpenBatch;
use chrono::NaiveDate;
use tiffin_common::{Millis, Overflow, Quantity, UnitCost, Uuid, words};

words! {
    /// The state of a stocktake.
    pub enum StocktakeStatus {
        /// Being counted.
        Open = "OPEN",
        /// Its differences are booked.
        Closed = "CLOSED",
        /// Given up; nothing was booked.
        Cancelled = "CANCELLED",
    }
}

words! {
    /// What a close does with what nobody has counted.
    pub enum Uncounted {
        /// It stays as the ledger has it.
        Keep = "KEEP",
        /// It is not there.
        Zero = "ZERO",
    }
}

/// What is to be counted.
#[derive(Debug, Clone)]
pub enum StocktakeScope {
    /// Every item.
    Store,
    /// The items of one shelf.
    Category(String),
    /// These items.
    Items(Vec<Uuid>),
}

/// A stocktake to be opened.
#[derive(Debug, Clone)]
pub struct NewStocktake {
    /// What it is called; made up where absent.
    pub name: Option<String>,
    /// What is to be counted.
    pub scope: StocktakeScope,
    /// Counters do not see what is expected.
    pub is_blind: bool,
    /// More words.
    pub note: Option<String>,
}

table! {
    /// A stocktake.
    #[expect(missing_docs, reason = "the columns of stocktakes, explained in the schema")]
    pub struct Stocktake: stocktakes {
        pub id: Uuid,
        pub name: String,
        pub status: StocktakeStatus,
        pub category: Option<String>,
        pub is_blind: bool => blind,
        pub uncounted: Option<Uncounted>,
        pub business_date: NaiveDate,
        pub opened_at: Millis,
        pub opened_by_name: String,
        pub ended_at: Option<Millis>,
        pub ended_by_name: Option<String>,
        pub note: Option<String>,
        pub variance_micros: Option<i64>,
        pub version: i64,
        /// Items in it.
        pub items_count: i64 => none,
        /// Items in it that were counted, as a whole or by batch.
        pub counted_count: i64 => none,
    }
}

table! {
    /// An item of a stocktake, or a batch of it that was counted apart.
    #[expect(missing_docs, reason = "the columns of stocktake_lines, explained in the schema")]
    pub struct StocktakeLine: stocktake_lines {
        pub id: Uuid,
        pub stock_item_id: Uuid,
        pub name: String => none,
        pub category: String => none,
        pub unit: String => none,
        pub batch_id: Option<Uuid>,
        pub batch_number: Option<String> => none,
        pub count: Option<Counted> => none,
        pub times_counted: i64,
        pub variance_quantity: Option<Quantity>,
        pub variance_micros: Option<i64>,
    }
}

/// A count, beside what the ledger had at that moment.
#[derive(Debug, Clone)]
pub struct Counted {
    /// What the ledger had.
    pub expected: Quantity,
    /// What was found.
    pub counted: Quantity,
    /// When.
    pub at: Millis,
    /// By whom.
    pub by_name: String,
}

impl Counted {
    /// More than nothing: there was more than expected.
    pub fn difference(&self) -> Result<Quantity, Overflow> {
        self.counted.minus(self.expected)
    }
}

/// What somebody counted.
#[derive(Debug, Clone)]
pub struct Count {
    /// The item.
    pub stock_item_id: Uuid,
    /// Only this batch.
    pub batch_number: Option<String>,
    /// How much is there.
    pub quantity: Quantity,
    /// Unit of the quantity; the item's where absent.
    pub unit: Option<String>,
}

/// A change of one batch; no batch: what was not there was sold, a deficit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correction {
    /// The batch.
    pub batch_id: Option<Uuid>,
    /// By how much.
    pub delta: Quantity,
    /// What one unit cost.
    pub unit_cost: UnitCost,
}

/// Takes `missing` off the shelf, lowering what is left there: from the batch that was counted first, then from the others in
/// their order. What even they do not hold was sold before it could be missed: a deficit, at the last cost.
///
/// # Errors
/// When a difference leaves the range.
pub fn lower(
    shelf: &mut [OpenBatch],
    counted: Option<Uuid>,
    missing: Quantity,
    last_cost: UnitCost,
) -> Result<Vec<Correction>, Overflow> {
    let (own, others): (Vec<_>, Vec<_>) = shelf.iter_mut().partition(|batch| Some(batch.id) == counted);
    let mut left = missing;
    let mut corrections = Vec::new();
    for batch in own.into_iter().chain(others) {
        let quantity = left.min(batch.quantity);
        if quantity.is_positive() {
            batch.quantity = batch.quantity.minus(quantity)?;
            left = left.minus(quantity)?;
            let (batch_id, unit_cost) = (Some(batch.id), batch.unit_cost);
            corrections.push(Correction { batch_id, delta: quantity.negated(), unit_cost });
        }
    }
    if left.is_positive() {
        corrections.push(Correction { batch_id: None, delta: left.negated(), unit_cost: last_cost });
    }
    Ok(corrections)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn batch(n: u128, quantity: &str, cost: i64) -> OpenBatch {
        OpenBatch {
            id: Uuid::from_u128(n),
            quantity: q(quantity),
            unit_cost: UnitCost::from_millionths(cost),
            expiry_date: crate::resources::inventory::rules::pick::NEVER,
            received_at: Millis::new(0),
        }
    }

    #[test]
    fn what_is_missing_comes_off_the_counted_batch_then_the_others_then_nothing() {
        let mut shelf = [batch(1, "2", 10), batch(2, "3", 20), batch(3, "1", 30)];
        let last = UnitCost::from_millionths(40);
        let found = lower(&mut shelf, Some(Uuid::from_u128(2)), q("6.5"), last).unwrap();
        let found: Vec<_> =
            found.iter().map(|c| (c.batch_id.map(|id| id.as_u128()), c.delta, c.unit_cost.get())).collect();
        let expect =
            [(Some(2), q("-3"), 20), (Some(1), q("-2"), 10), (Some(3), q("-1"), 30), (None, q("-0.5"), 40)];
        assert_eq!(found, expect);
        assert!(shelf.iter().all(|batch| batch.quantity == Quantity::ZERO));
    }
}
