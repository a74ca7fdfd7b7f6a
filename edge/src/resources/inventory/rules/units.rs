//! The one conversion of units: g/kg/mg, ml/l and pcs/dozen by themselves, everything else through the item's own
//! conversions. Exact rationals, never a float, never a guess across dimensions.

use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Overflow, Quantity};

/// An exact fraction, in lowest terms, with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    numerator: i128,
    denominator: i128,
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Ratio = Ratio { numerator: 1, denominator: 1 };

    /// `numerator ÷ denominator`. Errors for a zero denominator and for numbers at the very edge of the range.
    pub fn new(numerator: i128, denominator: i128) -> Result<Ratio, Overflow> {
        if denominator == 0 {
            return Err(Overflow);
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
        let sign = if denominator < 0 { -1 } else { 1 };
        let numerator = (numerator / divisor).checked_mul(sign).ok_or(Overflow)?;
        let denominator = (denominator / divisor).checked_mul(sign).ok_or(Overflow)?;
        Ok(Ratio { numerator, denominator })
    }

    /// A quantity, counted in millionths.
    pub fn millionths(quantity: Quantity) -> Ratio {
        Ratio { numerator: i128::from(quantity.get()), denominator: 1 }
    }

    /// A quantity, counted in units.
    pub fn units(quantity: Quantity) -> Result<Ratio, Overflow> {
        Ratio::new(i128::from(quantity.get()), i128::from(MILLION))
    }

    /// Sum.
    pub fn plus(self, other: Ratio) -> Result<Ratio, Overflow> {
        let left = self.numerator.checked_mul(other.denominator).ok_or(Overflow)?;
        let right = other.numerator.checked_mul(self.denominator).ok_or(Overflow)?;
        let denominator = self.denominator.checked_mul(other.denominator).ok_or(Overflow)?;
        Ratio::new(left.checked_add(right).ok_or(Overflow)?, denominator)
    }

    /// Product.
    pub fn times(self, other: Ratio) -> Result<Ratio, Overflow> {
        // Crosswise reduction first: most products of recipes then stay small.
        let left = Ratio::new(self.numerator, other.denominator)?;
        let right = Ratio::new(other.numerator, self.denominator)?;
        Ratio::new(
            left.numerator.checked_mul(right.numerator).ok_or(Overflow)?,
            left.denominator.checked_mul(right.denominator).ok_or(Overflow)?,
        )
    }

    /// `self × count`.
    pub fn times_count(self, count: i64) -> Result<Ratio, Overflow> {
        self.times(Ratio { numerator: i128::from(count), denominator: 1 })
    }

    /// `1 ÷ self`. Errors for zero.
    pub fn inverse(self) -> Result<Ratio, Overflow> {
        Ratio::new(self.denominator, self.numerator)
    }

    /// Read as millionths, rounded half away from zero: the one rounding of a recipe.
    pub fn round(self) -> Result<Quantity, Overflow> {
        round_div(self.numerator, self.denominator).map(Quantity::from_millionths)
    }

    /// Whether it is less than nothing.
    pub fn is_negative(self) -> bool {
        self.numerator < 0
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// A unit of an item's own: how many of the item's unit are in one (`crate`, 12).
#[apply(value!)]
pub struct UnitConversion {
    /// Its name, such as `crate`.
    #[schemars(length(min = 1, max = 20))]
    pub unit: String,
    /// How many of the item's unit one of it holds.
    #[schemars(range(max = 1_000_000))]
    pub factor: Quantity,
}

/// Dimension and size of the units that convert by themselves.
fn standard(unit: &str) -> Option<(u8, Ratio)> {
    let of = |dimension, numerator, denominator| Some((dimension, Ratio { numerator, denominator }));
    match unit {
        "mg" => of(0, 1, 1_000),
        "g" => of(0, 1, 1),
        "kg" => of(0, 1_000, 1),
        "ml" => of(1, 1, 1),
        "l" => of(1, 1_000, 1),
        "pcs" => of(2, 1, 1),
        "dozen" => of(2, 12, 1),
        _ => None,
    }
}

/// How a unit is written: trimmed, lower case.
pub fn normal(unit: &str) -> String {
    unit.trim().to_lowercase()
}

fn standard_factor(from: &str, to: &str) -> Option<Ratio> {
    if from == to {
        return Some(Ratio::ONE);
    }
    let ((a, size), (b, other)) = (standard(from)?, standard(to)?);
    if a != b {
        return None;
    }
    size.times(other.inverse().ok()?).ok()
}

/// How many `to` are in one `from`, for an item counted in `to` with its own `conversions`. None where nothing says so.
pub fn factor(from: &str, to: &str, conversions: &[UnitConversion]) -> Option<Ratio> {
    let (from, to) = (normal(from), normal(to));
    if let Some(found) = standard_factor(&from, &to) {
        return Some(found);
    }
    conversions.iter().find_map(|own| {
        let step = standard_factor(&from, &normal(&own.unit))?;
        step.times(Ratio::units(own.factor).ok()?).ok()
    })
}

/// `quantity` of `from` in the item's unit `to`, rounded to millionths half away from zero. None where the units do not
/// convert.
///
/// # Errors
/// When it leaves the range.
pub fn convert(
    quantity: Quantity,
    from: &str,
    to: &str,
    conversions: &[UnitConversion],
) -> Result<Option<Quantity>, Overflow> {
    let Some(factor) = factor(from, to, conversions) else { return Ok(None) };
    Ratio::millionths(quantity).times(factor)?.round().map(Some)
}

/// Whether an item counted in `unit` may have a conversion of its own from `own`: not where the units convert by themselves.
pub fn may_convert(own: &str, unit: &str) -> bool {
    standard_factor(&normal(own), &normal(unit)).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn q(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn crate_of(count: &str) -> Vec<UnitConversion> {
        vec![UnitConversion { unit: "Crate".into(), factor: q(count) }]
    }

    #[test]
    fn kilos_grams_and_crates_are_exact() {
        assert_eq!(convert(q("250"), "g", "kg", &[]), Ok(Some(q("0.25"))));
        assert_eq!(convert(q("1.5"), "l", "ml", &[]), Ok(Some(q("1500"))));
        assert_eq!(convert(q("2"), "dozen", "pcs", &[]), Ok(Some(q("24"))));
        assert_eq!(convert(q("7"), "mg", "kg", &[]), Ok(Some(q("0.000007"))));
        assert_eq!(convert(q("2.5"), "crate", "pcs", &crate_of("12")), Ok(Some(q("30"))));
        assert_eq!(convert(q("1"), "g", "ml", &[]), Ok(None));
        assert_eq!(convert(q("1"), "bottle", "ml", &[]), Ok(None));
    }

    #[test]
    fn an_own_conversion_bridges_dimensions() {
        let oil = vec![UnitConversion { unit: "l".into(), factor: q("0.92") }];
        assert_eq!(convert(q("500"), "ml", "kg", &oil), Ok(Some(q("0.46"))));
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same(millionths in -999_999_999_999i64..999_999_999_999) {
            let amount = Quantity::from_millionths(millionths);
            for (big, small) in [("kg", "g"), ("l", "ml"), ("dozen", "pcs"), ("g", "mg")] {
                let there = convert(amount, big, small, &[]).unwrap().unwrap();
                prop_assert_eq!(convert(there, small, big, &[]).unwrap().unwrap(), amount);
            }
        }

        #[test]
        fn fractions_add_exactly(a in 1i64..1_000_000, b in 1i64..1_000_000) {
            let part = Ratio::new(1, i128::from(a)).unwrap();
            let whole = part.times_count(a).unwrap();
            prop_assert_eq!(whole, Ratio::ONE);
            let other = Ratio::new(i128::from(b), i128::from(a)).unwrap();
            prop_assert_eq!(other.plus(part).unwrap(), Ratio::new(i128::from(b) + 1, i128::from(a)).unwrap());
        }
    }
}
