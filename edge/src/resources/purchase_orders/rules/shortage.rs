//! What is short and by how much: the drafts that purchasing writes by itself.

use crate::resources::inventory::rules::StockItem;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Overflow, Quantity};

/// Why an item is not ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkipReason {
    /// There is more than the minimum.
    NotLow,
    /// It is low, but there is nothing to fill it up to: its par level, or twice its minimum, is no more than there is.
    NoTarget,
    /// What open purchase orders bring fills it up.
    OnOrder,
    /// It names no supplier, or one that is archived.
    NoSupplier,
}

/// How much of `item` to order when `current` is usable and `on_order` is still to come: up to par (twice the minimum where
/// there is none) once there is no more than the minimum.
///
/// # Errors
/// When a number leaves the range.
pub fn to_order(
    item: &StockItem,
    current: Quantity,
    on_order: Quantity,
) -> Result<Result<Quantity, SkipReason>, Overflow> {
    let minimum = item.draft.min_stock_threshold;
    if current > minimum {
        return Ok(Err(SkipReason::NotLow));
    }
    let target = match item.draft.par_level {
        Some(par) => par,
        None => minimum.times(2)?,
    };
    let room = target.minus(current)?;
    if !room.is_positive() {
        return Ok(Err(SkipReason::NoTarget));
    }
    let missing = room.minus(on_order)?;
    if !missing.is_positive() {
        return Ok(Err(SkipReason::OnOrder));
    }
    whole(missing, &item.draft.unit).map(Ok)
}

/// Pieces are sold whole.
fn whole(quantity: Quantity, unit: &str) -> Result<Quantity, Overflow> {
    if unit != "pcs" {
        return Ok(quantity);
    }
    let up = quantity.plus(Quantity::from_millionths(MILLION - 1))?;
    Quantity::units(up.get() / MILLION)
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::item;
    use super::*;
    use SkipReason as No;

    fn decide(
        unit: &str,
        minimum: &str,
        par: Option<&str>,
        current: &str,
        on_order: &str,
    ) -> Result<String, SkipReason> {
        let mut stock = item(unit, "0", "1");
        stock.draft.min_stock_threshold = minimum.parse().unwrap();
        stock.draft.par_level = par.map(|text| text.parse().unwrap());
        to_order(&stock, current.parse().unwrap(), on_order.parse().unwrap()).unwrap().map(|q| q.to_string())
    }

    #[test]
    fn what_is_low_is_filled_up_to_par() {
        assert_eq!(decide("kg", "5", Some("20"), "5", "0"), Ok("15".into()));
        assert_eq!(decide("kg", "5", None, "1.25", "0"), Ok("8.75".into()), "twice the minimum");
        assert_eq!(decide("kg", "5", Some("20"), "-3", "4"), Ok("19".into()), "what is owed comes on top");
        assert_eq!(decide("pcs", "5", Some("20"), "4.4", "0"), Ok("16".into()), "no part of a piece");
    }

    #[test]
    fn what_is_not_ordered_says_why() {
        assert_eq!(decide("kg", "5", Some("20"), "5.000001", "0"), Err(No::NotLow));
        assert_eq!(decide("kg", "0", None, "0", "0"), Err(No::NoTarget));
        assert_eq!(decide("kg", "5", Some("3"), "4", "0"), Err(No::NoTarget));
        assert_eq!(decide("kg", "5", Some("20"), "5", "15"), Err(No::OnOrder));
    }
}
