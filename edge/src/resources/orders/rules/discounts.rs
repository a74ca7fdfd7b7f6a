//! What a discount may be, and who may give it alone. Never looks at the store.

use super::kinds::DiscountKind;
use super::price::{PriceLine, Priced, Reduction};
use crate::http::FieldError;
use tiffin_common::{Bps, Cents, Overflow, Quantity};

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

/// Whether the last reduction may be given within `limit`, so that many small ones do not pass for one large: all discounts on its line
/// within that of the line, and all of the order within that of the order.
pub fn within(
    limit: Bps,
    lines: &[PriceLine<'_>],
    priced: &Priced,
    reductions: &[Reduction],
) -> Result<bool, Overflow> {
    let Some(last) = reductions.last() else { return Ok(true) };
    let all = vec![true; reductions.len()];
    let fits = |line| fits(limit, line, &all, lines, priced, reductions);
    Ok(fits(last.line)? && fits(None)?)
}

/// Whether every reduction is still within what it was given within, each of them in `limits`, on lines that have become less: those of
/// its limit or a narrower one together, as [`within`] has it.
pub fn still_within(
    limits: &[Bps],
    lines: &[PriceLine<'_>],
    priced: &Priced,
    reductions: &[Reduction],
) -> Result<bool, Overflow> {
    for (limit, reduction) in limits.iter().zip(reductions) {
        let counted: Vec<bool> = limits.iter().map(|other| other <= limit).collect();
        let fits = |line| fits(*limit, line, &counted, lines, priced, reductions);
        if !(fits(reduction.line)? && fits(None)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether those of the reductions that are `counted` stay within `limit` of `line`, or of the order.
fn fits(
    limit: Bps,
    line: Option<usize>,
    counted: &[bool],
    lines: &[PriceLine<'_>],
    priced: &Priced,
    reductions: &[Reduction],
) -> Result<bool, Overflow> {
    let base = match line {
        None => priced.gross,
        Some(index) => {
            let sold = lines.iter().enumerate();
            let sold = sold.filter(|(at, line)| *at == index || line.part_of == Some(index));
            Cents::sum(sold.map(|(_, line)| line.gross))?
        }
    };
    let (mut given, mut percents) = (Cents::ZERO, 0);
    for ((reduction, amount), is_counted) in reductions.iter().zip(&priced.reductions).zip(counted) {
        if *is_counted && (line.is_none() || reduction.line == line) {
            given = given.plus(*amount)?;
            percents += i64::from(reduction.kind == DiscountKind::Percent);
        }
    }
    // Each share is rounded by itself: half a cent of that is nobody's discount.
    Ok(given <= base.share(limit)?.plus(Cents::new(percents / 2))?)
}

#[cfg(test)]
mod tests {
    use super::super::price::{Terms, price};
    use super::*;

    /// Whether the last of `cuts`, shares of basis points, may be given within 10 percent on lines of these amounts.
    fn may_give(amounts: &[i64], cuts: &[(Option<usize>, i64)]) -> bool {
        let line = |gross: &i64| PriceLine {
            gross: Cents::new(*gross),
            taxes: &[],
            is_goods: false,
            by_operator: false,
            part_of: None,
        };
        let lines: Vec<_> = amounts.iter().map(line).collect();
        let cut = |(line, value): &(Option<usize>, i64)| Reduction {
            line: *line,
            kind: DiscountKind::Percent,
            value: *value,
        };
        let cuts: Vec<_> = cuts.iter().map(cut).collect();
        let priced = price(&Terms::default(), &lines, &cuts).unwrap();
        within(Bps::new(1_000), &lines, &priced, &cuts).unwrap()
    }

    #[test]
    fn a_limit_holds_for_the_line_and_for_the_order_whatever_was_given_first() {
        let two = [31_000, 31_000];
        assert!(may_give(&two, &[(None, 1_000)]));
        assert!(may_give(&two, &[(Some(0), 1_000), (Some(1), 1_000)]));
        assert!(!may_give(&two, &[(Some(0), 1_001)]), "of the line, little as it is of the order");
        assert!(!may_give(&two, &[(None, 1_000), (Some(0), 1_000)]));
        assert!(!may_give(&two, &[(Some(0), 1_000), (None, 1_000)]));
        assert!(may_give(&two, &[(Some(0), 500), (Some(1), 500), (None, 500)]));
        assert!(may_give(&[15, 15, 15], &[(Some(0), 1_000), (Some(1), 1_000), (Some(2), 1_000)]), "rounding");
    }

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
