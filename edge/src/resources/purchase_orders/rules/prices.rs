//! What a supplier's goods are expected to cost: what was agreed, else what they cost last. Pure.

use crate::resources::inventory::rules::units::{self, Ratio};
use crate::resources::inventory::rules::{AgreedPrice, StockItem};
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::{Overflow, UnitCost, Uuid};

/// How many days back a supplier's last price is looked for.
pub const WINDOW_DAYS: u64 = 400;

/// What a supplier took last for an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastPrice {
    /// Of which unit.
    pub unit: String,
    /// For one such unit.
    pub unit_cost: UnitCost,
    /// When it came.
    pub business_date: NaiveDate,
}

/// What a supplier's goods cost, by item.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    /// What was agreed.
    pub agreed: Vec<AgreedPrice>,
    /// What was taken last.
    pub last: HashMap<Uuid, LastPrice>,
}

impl Prices {
    /// What one of the unit `factor` times as large as the item's is expected to cost; what the item cost last of anybody where this
    /// supplier never said.
    ///
    /// # Errors
    /// When it leaves the range.
    pub fn expected(&self, item: &StockItem, factor: Ratio) -> Result<UnitCost, Overflow> {
        let agreed = self.agreed.iter().find(|price| price.inventory_item_id == item.id);
        let of_item = agreed
            .map(|price| (price.unit.as_deref().unwrap_or(&item.draft.unit), price.unit_cost_cents))
            .or_else(|| self.last.get(&item.id).map(|last| (last.unit.as_str(), last.unit_cost)));
        let Some((unit, cost)) = of_item else { return larger_cost(item.last_unit_cost, factor) };
        match units::factor(unit, &item.draft.unit, &item.draft.unit_conversions) {
            // No way round by the item's unit, where a third of a cent would be lost.
            Some(same) if same == factor => Ok(cost),
            Some(of) => larger_cost(stock_cost(cost, of)?, factor),
            None => larger_cost(item.last_unit_cost, factor),
        }
    }
}

/// What one of the item's units costs when one of the unit `factor` times as large costs `unit_cost`: exact but for the last
/// millionth of a cent.
///
/// # Errors
/// When it leaves the range.
pub fn stock_cost(unit_cost: UnitCost, factor: Ratio) -> Result<UnitCost, Overflow> {
    Ok(UnitCost::from_millionths(
        Ratio::new(i128::from(unit_cost.get()), 1)?.times(factor.inverse()?)?.round()?.get(),
    ))
}

/// The other way: what one of the larger unit costs.
///
/// # Errors
/// When it leaves the range.
pub(super) fn larger_cost(stock_cost: UnitCost, factor: Ratio) -> Result<UnitCost, Overflow> {
    Ok(UnitCost::from_millionths(Ratio::new(i128::from(stock_cost.get()), 1)?.times(factor)?.round()?.get()))
}
