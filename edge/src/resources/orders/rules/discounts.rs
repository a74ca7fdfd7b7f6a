//! What a discount may be, and who may give it alone. Never looks at the store.

use super::kinds::DiscountKind;
use super::price::{Priced, Reduction};
use crate::http::FieldError;
use tiffin_common::{Bps, Cents, Quantity};

/// Millionths of a percent in one basis point.
const MILLIONTHS_OF_A_BASIS_POINT: i64 = 10_000;

/// The value of a discount as asked for: percent with at most two decimals, or whole cents. Answers basis points or cents.
///
/// # Errors
/// The offending field.
pub fn value_of(kind: DiscountKind, value: Quantity) -> Result<i64, FieldError> {
    let wrong = |reason: &str| Err(FieldError::new("value", reason));
    let unit = match kind {
        DiscountKind::Percent => MILLIONTHS_OF_A_BASIS_POINT,
        DiscountKind::Fixed => tiffin_common::quantity::MILLION,
    };
    if !value.is_positive() {
        return wrong("must be more than 0");
    }
    if value.get() % unit != 0 {
        return wrong(match kind {
            DiscountKind::Percent => "must have at most two decimals",
            DiscountKind::Fixed => "must be a whole number of cents",
        });
    }
    let value = value.get() / unit;
    if kind == DiscountKind::Percent && value > Bps::WHOLE {
        return wrong("must be at most 100 percent");
    }
    Ok(value)
}

/// The value as the client wrote it: percent, or cents.
pub fn shown(kind: DiscountKind, value: i64) -> Quantity {
    let unit = match kind {
        DiscountKind::Percent => MILLIONTHS_OF_A_BASIS_POINT,
        DiscountKind::Fixed => tiffin_common::quantity::MILLION,
    };
    Quantity::from_millionths(value.saturating_mul(unit))
}

/// Whether all discounts on what the last reduction is on stay within `limit`, so that many small ones do not pass for
/// one large: the line's where it is on a line, the whole order's otherwise.
pub fn within(limit: Bps, priced: &Priced, gross_of_line: Option<Cents>, reductions: &[Reduction]) -> bool {
    let Some(last) = reductions.last() else { return true };
    let (given, base) = match (last.line, gross_of_line) {
        (Some(index), Some(gross)) => {
            let own = reductions.iter().zip(&priced.reductions).filter(|(r, _)| r.line == Some(index));
            (Cents::sum(own.map(|(_, amount)| *amount)), gross)
        }
        _ => (Cents::sum(priced.reductions.iter().copied()), priced.gross),
    };
    // Half a cent of rounding is nobody's discount.
    match (given, base.share(limit)) {
        (Ok(given), Ok(most)) => given <= most,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_have_two_decimals_and_amounts_none() {
        let value = |kind, text: &str| value_of(kind, text.parse().unwrap());
        assert_eq!(value(DiscountKind::Percent, "10"), Ok(1_000));
        assert_eq!(value(DiscountKind::Percent, "7.25"), Ok(725));
        assert_eq!(value(DiscountKind::Fixed, "500"), Ok(500));
        assert!(value(DiscountKind::Percent, "7.255").is_err());
        assert!(value(DiscountKind::Percent, "100.01").is_err());
        assert!(value(DiscountKind::Fixed, "0.5").is_err());
        assert!(value(DiscountKind::Fixed, "0").is_err());
        assert_eq!(shown(DiscountKind::Percent, 725).to_string(), "7.25");
        assert_eq!(shown(DiscountKind::Fixed, 500).to_string(), "500");
    }
}
