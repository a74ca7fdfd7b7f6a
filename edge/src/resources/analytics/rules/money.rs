//! Exact decimals of the figures: numbers with two decimals, and costs in millionths of a cent on their way to cents. Never a
//! float.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use tiffin_common::money::round_div;
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Cents, Overflow, Quantity};

/// Millionths in a hundredth.
const MILLIONTHS: i64 = 10_000;

/// A number with two decimals, held in hundredths and written as the decimal it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hundredths(i64);

impl Hundredths {
    /// So many hundredths.
    pub const fn new(hundredths: i64) -> Self {
        Hundredths(hundredths)
    }

    /// The number of hundredths.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// `a ÷ b`, rounded half away from zero; 0 where `b` is not more than nothing.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn ratio(a: i64, b: i64) -> Result<Hundredths, Overflow> {
        if b <= 0 {
            return Ok(Hundredths(0));
        }
        round_div(i128::from(a) * 100, i128::from(b)).map(Hundredths)
    }
}

impl std::fmt::Display for Hundredths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_hundredths(self.0, f)
    }
}

/// Writes hundredths as a decimal with exactly two places.
fn write_hundredths(hundredths: i64, out: &mut impl std::fmt::Write) -> std::fmt::Result {
    let sign = if hundredths < 0 { "-" } else { "" };
    let abs = hundredths.unsigned_abs();
    write!(out, "{sign}{}.{:02}", abs / 100, abs % 100)
}

impl Serialize for Hundredths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let millionths =
            self.0.checked_mul(MILLIONTHS).ok_or_else(|| serde::ser::Error::custom("too large"))?;
        Quantity::from_millionths(millionths).serialize(serializer)
    }
}

impl JsonSchema for Hundredths {
    fn schema_name() -> Cow<'static, str> {
        "Hundredths".into()
    }
    /// Inline: a description on a field would be lost beside a reference.
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "number", "description": "a decimal with at most 2 places, exact"})
    }
}

/// `part` as a percentage of `whole`, rounded half away from zero; 0 where `whole` is not more than nothing.
///
/// # Errors
/// [`Overflow`].
pub fn percent(part: Cents, whole: Cents) -> Result<Hundredths, Overflow> {
    if whole <= Cents::ZERO {
        return Ok(Hundredths(0));
    }
    round_div(i128::from(part.get()) * 10_000, i128::from(whole.get())).map(Hundredths)
}

/// How far `now` is from `before`, in percent of `before`; none where there was nothing before.
///
/// # Errors
/// [`Overflow`].
pub fn change(now: i64, before: i64) -> Result<Option<Hundredths>, Overflow> {
    if before == 0 {
        return Ok(None);
    }
    let difference = (i128::from(now) - i128::from(before)) * 10_000;
    round_div(difference, i128::from(before).abs()).map(Hundredths).map(Some)
}

/// Millionths of a cent in cents.
///
/// # Errors
/// [`Overflow`].
pub fn cents_of_micros(micros: i64) -> Result<Cents, Overflow> {
    micro_cents_to_cents(micros)
}

/// Costs of rows in cents such that the rows add up to their sum, rounded once: each row is less than a cent from its own.
///
/// # Errors
/// [`Overflow`].
pub fn parts_of_micros(micros: &[i64]) -> Result<Vec<Cents>, Overflow> {
    let (mut sum, mut given) = (0i64, Cents::ZERO);
    let mut parts = Vec::with_capacity(micros.len());
    for part in micros {
        sum = sum.checked_add(*part).ok_or(Overflow)?;
        let upto = cents_of_micros(sum)?;
        parts.push(upto.minus(given)?);
        given = upto;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentages_are_exact_decimals() {
        let text = |part, whole| {
            serde_json::to_string(&percent(Cents::new(part), Cents::new(whole)).unwrap()).unwrap()
        };
        assert_eq!(text(1, 3), "33.33");
        assert_eq!(text(2, 3), "66.67");
        assert_eq!(text(1, 2), "50");
        assert_eq!(text(-1, 8), "-12.5");
        assert_eq!(text(5, 0), "0");
        assert_eq!(text(5, -7), "0");
        assert_eq!(text(1, 20_000), "0.01");
    }

    #[test]
    fn a_change_from_nothing_is_no_percentage() {
        assert_eq!(change(5, 0).unwrap(), None);
        assert_eq!(change(150, 100).unwrap(), Some(Hundredths::new(5_000)));
        assert_eq!(change(-50, -100).unwrap(), Some(Hundredths::new(5_000)));
    }

    #[test]
    fn two_places_always() {
        assert_eq!(Hundredths::new(-5).to_string(), "-0.05");
        assert_eq!(Hundredths::new(1_234).to_string(), "12.34");
    }

    proptest! {
        #[test]
        fn rows_add_up_to_their_sum_and_stay_within_a_cent(
            micros in proptest::collection::vec(-5_000_000_000i64..5_000_000_000, 0..40)
        ) {
            let parts = parts_of_micros(&micros).unwrap();
            let sum: i64 = micros.iter().sum();
            prop_assert_eq!(Cents::sum(parts.iter().copied()).unwrap(), cents_of_micros(sum).unwrap());
            for (part, exact) in parts.iter().zip(&micros) {
                prop_assert!((part.get() * 1_000_000 - exact).abs() <= 1_000_000);
            }
        }
    }
}
