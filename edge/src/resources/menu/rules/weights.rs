//! Sale by weight: what a dish is sold by, and the units of weights. Pure. Never a price: that of one unit times a weight is the order's.

use tiffin_common::{Overflow, Quantity, money::round_div, words};

/// The most units of one line.
pub const MAX_WEIGHT: i64 = 10_000;

words! {
    /// What the price of a dish is the price of.
    #[derive(Default)]
    pub enum SoldBy {
        /// One portion.
        #[default]
        Piece = "PIECE",
        /// One unit of its weight: a line has a weight.
        Weight = "WEIGHT",
    }
}

words! {
    /// A unit of weight.
    #[derive(Default)]
    pub enum WeightUnit {
        /// A kilogram: 1,000 grams.
        #[default]
        Kg = "KG",
        /// A gram.
        G = "G",
        /// A pound: 16 ounces.
        Lb = "LB",
        /// An ounce: 28.349523125 grams.
        Oz = "OZ",
    }
}

impl WeightUnit {
    /// As people write it, and as units of stock are named.
    pub const fn symbol(self) -> &'static str {
        match self {
            WeightUnit::Kg => "kg",
            WeightUnit::G => "g",
            WeightUnit::Lb => "lb",
            WeightUnit::Oz => "oz",
        }
    }

    /// `1.25 kg`.
    pub fn said(self, weight: Quantity) -> String {
        format!("{weight} {}", self.symbol())
    }
}

/// Weights together, exactly, in whatever units they were sold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weights {
    /// Grams, of what was sold in kilograms or grams.
    pub grams: Quantity,
    /// Ounces, of what was sold in pounds or ounces.
    pub ounces: Quantity,
}

impl Weights {
    /// What weighs that much.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn of(weight: Quantity, unit: WeightUnit) -> Result<Weights, Overflow> {
        let none = Quantity::ZERO;
        Ok(match unit {
            WeightUnit::Kg => Weights { grams: weight.times(1_000)?, ounces: none },
            WeightUnit::G => Weights { grams: weight, ounces: none },
            WeightUnit::Lb => Weights { grams: none, ounces: weight.times(16)? },
            WeightUnit::Oz => Weights { grams: none, ounces: weight },
        })
    }

    /// Sum.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn plus(self, other: Weights) -> Result<Weights, Overflow> {
        Ok(Weights { grams: self.grams.plus(other.grams)?, ounces: self.ounces.plus(other.ounces)? })
    }

    /// All of it in `unit`: exact, but where something was sold in units of the other system, which is rounded half up once.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn within(self, unit: WeightUnit) -> Result<Quantity, Overflow> {
        // An ounce is 28.349523125 grams.
        const OUNCE: (i128, i128) = (28_349_523_125, 1_000_000_000);
        let (grams, ounces) = (i128::from(self.grams.get()), i128::from(self.ounces.get()));
        let (metric, each) = match unit {
            WeightUnit::Kg => (true, 1_000),
            WeightUnit::G | WeightUnit::Oz => (unit == WeightUnit::G, 1),
            WeightUnit::Lb => (false, 16),
        };
        let sum = match metric {
            true => round_div(grams * OUNCE.1 + ounces * OUNCE.0, OUNCE.1 * each)?,
            false => round_div(ounces * OUNCE.0 + grams * OUNCE.1, OUNCE.0 * each)?,
        };
        Ok(Quantity::from_millionths(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn weights_of_both_systems_are_told_in_either() {
        let of = |millionths, unit| Weights::of(Quantity::from_millionths(millionths), unit).unwrap();
        let both = of(1_500_000, WeightUnit::Kg).plus(of(1_000_000, WeightUnit::Lb)).unwrap();
        assert_eq!(both.within(WeightUnit::G), Ok(Quantity::from_millionths(1_953_592_370)));
        assert_eq!(both.within(WeightUnit::Kg), Ok(Quantity::from_millionths(1_953_592)));
        assert_eq!(of(453_592_370, WeightUnit::G).within(WeightUnit::Oz), Quantity::units(16));
        assert_eq!(WeightUnit::Lb.said(Quantity::from_millionths(2_250_000)), "2.25 lb");
    }

    proptest! {
        #[test]
        fn what_was_sold_in_one_unit_is_told_in_it_exactly(
            weights in proptest::collection::vec(1i64..=10_000_000_000, 0..50), unit in 0usize..4,
        ) {
            let unit = WeightUnit::ALL[unit];
            let mut sum = Weights::default();
            for weight in &weights {
                sum = sum.plus(Weights::of(Quantity::from_millionths(*weight), unit).unwrap()).unwrap();
            }
            prop_assert_eq!(sum.within(unit), Ok(Quantity::from_millionths(weights.iter().sum())));
        }
    }
}
