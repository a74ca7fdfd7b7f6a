//! Money in integer cents (the currency's sub-unit) and rates in basis points. Never a float, never a currency.

use crate::Overflow;
use serde::{Deserialize, Serialize};

/// An amount in the currency's sub-unit (cents, paise). May be negative.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
// Inline: a range on a field would be lost beside a reference.
#[schemars(inline)]
pub struct Cents(i64);

/// The largest amount any request may name: 10 billion units. Sums of a million of them still fit an `i64`.
pub const MAX_CENTS: i64 = 1_000_000_000_000;

impl Cents {
    /// No money.
    pub const ZERO: Cents = Cents(0);

    /// An amount of `cents` sub-units.
    pub const fn new(cents: i64) -> Self {
        Cents(cents)
    }

    /// The number of sub-units.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Sum. Errors when it leaves the range.
    pub fn plus(self, other: Cents) -> Result<Cents, Overflow> {
        self.0.checked_add(other.0).map(Cents).ok_or(Overflow)
    }

    /// Difference. Errors when it leaves the range.
    pub fn minus(self, other: Cents) -> Result<Cents, Overflow> {
        self.0.checked_sub(other.0).map(Cents).ok_or(Overflow)
    }

    /// `self × count`. Errors when it leaves the range.
    pub fn times(self, count: i64) -> Result<Cents, Overflow> {
        self.0.checked_mul(count).map(Cents).ok_or(Overflow)
    }

    /// `self × rate`, rounded half away from zero.
    pub fn share(self, rate: Bps) -> Result<Cents, Overflow> {
        self.ratio(rate.get(), Bps::WHOLE)
    }

    /// `self × numerator ÷ denominator`, rounded half away from zero. Errors on overflow or a zero denominator.
    pub fn ratio(self, numerator: i64, denominator: i64) -> Result<Cents, Overflow> {
        round_div(i128::from(self.0) * i128::from(numerator), i128::from(denominator)).map(Cents)
    }

    /// Splits the amount over `weights` so that the parts add up to it exactly: each part is its floor, the cents
    /// left over go to the largest remainders, earlier parts first. All-zero weights share equally.
    pub fn allocate(self, weights: &[i64]) -> Result<Vec<Cents>, Overflow> {
        let total: i128 = weights.iter().map(|w| i128::from(*w)).sum();
        if weights.is_empty() || weights.iter().any(|w| *w < 0) {
            return Err(Overflow);
        }
        let equal = total == 0;
        let total = if equal { weights.len() as i128 } else { total };
        let sign = self.0.signum();
        let amount = i128::from(self.0.unsigned_abs());
        let weight = |w: i64| if equal { 1 } else { i128::from(w) };
        let mut parts: Vec<i128> = weights.iter().map(|w| amount * weight(*w) / total).collect();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&i| (-(amount * weight(weights[i]) % total), i));
        let left = amount - parts.iter().sum::<i128>();
        for &i in order.iter().take(usize::try_from(left).map_err(|_| Overflow)?) {
            parts[i] += 1;
        }
        parts.into_iter().map(|p| i64::try_from(p).map(|p| Cents(p * sign)).map_err(|_| Overflow)).collect()
    }

    /// The sum of many amounts.
    pub fn sum(amounts: impl IntoIterator<Item = Cents>) -> Result<Cents, Overflow> {
        amounts.into_iter().try_fold(Cents::ZERO, Cents::plus)
    }
}

/// A rate in basis points: 10 000 is the whole, 250 is 2.5 %.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Bps(i64);

impl Bps {
    /// The whole, in basis points.
    pub const WHOLE: i64 = 10_000;

    /// A rate of `bps` basis points.
    pub const fn new(bps: i64) -> Self {
        Bps(bps)
    }

    /// The number of basis points.
    pub const fn get(self) -> i64 {
        self.0
    }
}

#[cfg(feature = "sqlite")]
crate::sqlite_integer!(Cents, Cents);
#[cfg(feature = "sqlite")]
crate::sqlite_integer!(Bps, Bps);

/// `a ÷ b` rounded half away from zero. Errors when `b` is zero or the result leaves `i64`.
pub fn round_div(a: i128, b: i128) -> Result<i64, Overflow> {
    if b == 0 {
        return Err(Overflow);
    }
    let (a, b) = if b < 0 { (-a, -b) } else { (a, b) };
    let half = b / 2 + b % 2;
    let q = a / b;
    let r = (a % b).abs();
    let q = if r >= half && r != 0 { q + a.signum() } else { q };
    i64::try_from(q).map_err(|_| Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_round_away_from_zero() {
        assert_eq!(round_div(5, 2), Ok(3));
        assert_eq!(round_div(-5, 2), Ok(-3));
        assert_eq!(round_div(7, 3), Ok(2));
        assert_eq!(round_div(4, 3), Ok(1));
        assert_eq!(Cents::new(1010).share(Bps::new(250)), Ok(Cents::new(25)));
        assert_eq!(Cents::new(1030).share(Bps::new(250)), Ok(Cents::new(26)));
    }

    #[test]
    fn sums_that_do_not_fit_are_refused() {
        assert_eq!(Cents::new(i64::MAX).plus(Cents::new(1)), Err(Overflow));
        assert_eq!(Cents::new(i64::MAX).times(2), Err(Overflow));
        assert_eq!(round_div(1, 0), Err(Overflow));
    }

    proptest! {
        #[test]
        fn allocation_adds_up(amount in -1_000_000_000i64..1_000_000_000, weights in proptest::collection::vec(0i64..10_000, 1..20)) {
            let parts = Cents::new(amount).allocate(&weights).unwrap();
            prop_assert_eq!(Cents::sum(parts.clone()).unwrap(), Cents::new(amount));
            prop_assert!(parts.iter().all(|p| p.get().signum() * amount.signum() >= 0));
        }
    }
}
