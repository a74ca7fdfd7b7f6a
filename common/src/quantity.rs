//! Quantities in integer millionths of their unit and unit costs in integer millionths of a cent. Never a float inside:
//! JSON numbers are read and written through their decimal text, which is exact within the allowed range.

use crate::money::round_div;
use crate::{Cents, Overflow};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Millionths in one unit.
pub const MILLION: i64 = 1_000_000;

/// The largest quantity a request may name, in units. With 6 decimals that is 15 digits: every such decimal passes
/// through a JSON number exactly.
pub const MAX_UNITS: i64 = 999_999_999;

/// An amount of something in millionths of its unit. May be negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(i64);

/// The cost of one unit in millionths of a cent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitCost(i64);

impl Quantity {
    /// Nothing.
    pub const ZERO: Quantity = Quantity(0);

    /// A quantity of `millionths` of the unit.
    pub const fn from_millionths(millionths: i64) -> Self {
        Quantity(millionths)
    }

    /// A whole number of units. Errors when it leaves the range.
    pub fn units(units: i64) -> Result<Self, Overflow> {
        units.checked_mul(MILLION).map(Quantity).ok_or(Overflow)
    }

    /// The number of millionths.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Sum. Errors when it leaves the range.
    pub fn plus(self, other: Quantity) -> Result<Quantity, Overflow> {
        self.0.checked_add(other.0).map(Quantity).ok_or(Overflow)
    }

    /// Difference. Errors when it leaves the range.
    pub fn minus(self, other: Quantity) -> Result<Quantity, Overflow> {
        self.0.checked_sub(other.0).map(Quantity).ok_or(Overflow)
    }

    /// `self × count`. Errors when it leaves the range.
    pub fn times(self, count: i64) -> Result<Quantity, Overflow> {
        self.0.checked_mul(count).map(Quantity).ok_or(Overflow)
    }

    /// `self × numerator ÷ denominator`, rounded half away from zero.
    pub fn ratio(self, numerator: i64, denominator: i64) -> Result<Quantity, Overflow> {
        round_div(i128::from(self.0) * i128::from(numerator), i128::from(denominator)).map(Quantity)
    }

    /// The same amount with the other sign.
    pub fn negated(self) -> Quantity {
        Quantity(-self.0)
    }

    /// Whether it is more than nothing.
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }
}

impl UnitCost {
    /// Free.
    pub const ZERO: UnitCost = UnitCost(0);

    /// A cost of `millionths` of a cent for one unit.
    pub const fn from_millionths(millionths: i64) -> Self {
        UnitCost(millionths)
    }

    /// The number of millionths of a cent.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// A whole number of cents for one unit.
    pub fn from_cents(cents: Cents) -> Result<Self, Overflow> {
        cents.get().checked_mul(MILLION).map(UnitCost).ok_or(Overflow)
    }

    /// What `quantity` costs, in millionths of a cent, rounded half away from zero. Sums of these are exact; round to
    /// cents once, at the end, with [`micro_cents_to_cents`].
    pub fn cost_micros(self, quantity: Quantity) -> Result<i64, Overflow> {
        round_div(i128::from(self.0) * i128::from(quantity.0), i128::from(MILLION))
    }

    /// What `quantity` costs, rounded to cents half away from zero.
    pub fn cost(self, quantity: Quantity) -> Result<Cents, Overflow> {
        let whole = i128::from(MILLION) * i128::from(MILLION);
        round_div(i128::from(self.0) * i128::from(quantity.0), whole).map(Cents::new)
    }
}

/// Millionths of a cent rounded to cents, half away from zero.
pub fn micro_cents_to_cents(micros: i64) -> Result<Cents, Overflow> {
    round_div(i128::from(micros), i128::from(MILLION)).map(Cents::new)
}

/// Costs in millionths of a cent as cents that add up to the rounded cost of all of them: each is what it adds to the rounded
/// sum of those before it.
pub fn cents_adding_up(micros: impl IntoIterator<Item = i64>) -> Result<Vec<Cents>, Overflow> {
    let (mut exact, mut shown) = (0i64, Cents::ZERO);
    let part = |micros: i64| {
        exact = exact.checked_add(micros).ok_or(Overflow)?;
        let sum = micro_cents_to_cents(exact)?;
        let part = sum.minus(shown)?;
        shown = sum;
        Ok(part)
    };
    micros.into_iter().map(part).collect()
}

/// Reads a decimal text with at most 6 decimals into millionths. Exponents are accepted as JSON allows them.
fn parse_millionths(text: &str) -> Option<i64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((m, e)) => (m, e.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || digits.len() > 30 {
        return None;
    }
    let mut value: i128 = digits.parse().ok()?;
    let shift = 6 + exponent - i32::try_from(fraction.len()).ok()?;
    if value != 0 && !(-30..=15).contains(&shift) {
        return None;
    }
    for _ in 0..shift.clamp(0, 15) {
        value = value.checked_mul(10)?;
    }
    for _ in 0..(-shift).clamp(0, 30) {
        if value % 10 != 0 {
            return None;
        }
        value /= 10;
    }
    i64::try_from(if negative { -value } else { value }).ok()
}

/// Writes millionths as the shortest decimal text.
fn format_millionths(millionths: i64) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    let abs = millionths.unsigned_abs();
    let (whole, fraction) = (abs / 1_000_000, abs % 1_000_000);
    if fraction == 0 {
        return format!("{sign}{whole}");
    }
    let fraction = format!("{fraction:06}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

macro_rules! decimal {
    ($type:ident, $max:expr, $what:literal) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&format_millionths(self.0))
            }
        }

        impl std::str::FromStr for $type {
            type Err = Overflow;
            fn from_str(text: &str) -> Result<Self, Overflow> {
                let value = parse_millionths(text.trim()).ok_or(Overflow)?;
                if value.unsigned_abs() > ($max as u64) * 1_000_000 + 999_999 { Err(Overflow) } else { Ok($type(value)) }
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.0 % MILLION == 0 {
                    return serializer.serialize_i64(self.0 / MILLION);
                }
                let text = format_millionths(self.0);
                let number: serde_json::Number = text.parse().map_err(serde::ser::Error::custom)?;
                number.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = serde_json::Number::deserialize(deserializer)?;
                number.to_string().parse().map_err(|_| {
                    D::Error::custom(concat!("must be ", $what, " with at most 6 decimals, below 1000000000"))
                })
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            /// Inline: a range on a field would be lost beside a reference.
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": "number",
                    "description": concat!($what, " with at most 6 decimals, held exactly"),
                    "minimum": -($max as i64),
                    "maximum": $max as i64,
                })
            }
        }

        #[cfg(feature = "sqlite")]
        crate::sqlite_integer!($type, $type);
    };
}

decimal!(Quantity, MAX_UNITS, "a quantity");
decimal!(UnitCost, MAX_UNITS, "a unit cost in cents");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn more_than_six_decimals_are_refused() {
        assert!("0.0000001".parse::<Quantity>().is_err());
        assert_eq!("0.1000000".parse::<Quantity>(), Ok(Quantity(100_000)));
        assert_eq!("1e3".parse::<Quantity>(), Ok(Quantity(1_000 * MILLION)));
        assert_eq!("25e-1".parse::<Quantity>(), Ok(Quantity(2_500_000)));
        assert!("1e30".parse::<Quantity>().is_err());
        assert!("NaN".parse::<Quantity>().is_err());
        assert!("".parse::<Quantity>().is_err());
    }

    #[test]
    fn cost_of_a_part_is_exact() {
        let per_kilo = UnitCost::from_cents(Cents::new(333)).unwrap();
        assert_eq!(per_kilo.cost_micros(Quantity(250_000)), Ok(83_250_000));
        assert_eq!(per_kilo.cost(Quantity(250_000)), Ok(Cents::new(83)));
    }

    proptest! {
        #[test]
        fn cents_of_parts_add_up(parts in proptest::collection::vec(-9_999_999_999i64..9_999_999_999, 0..20)) {
            let cents = cents_adding_up(parts.iter().copied()).unwrap();
            prop_assert_eq!(Cents::sum(cents.iter().copied()), micro_cents_to_cents(parts.iter().sum()));
            for (cents, micros) in cents.iter().zip(&parts) {
                prop_assert!((cents.get() * MILLION - micros).abs() <= MILLION);
            }
        }

        #[test]
        fn json_round_trip_is_exact(millionths in -999_999_999_999_999i64..=999_999_999_999_999) {
            let text = serde_json::to_string(&Quantity(millionths)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Quantity>(&text).unwrap(), Quantity(millionths));
        }
    }
}
