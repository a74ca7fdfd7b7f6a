//! What deliveries cost against what was expected when they were ordered. Never a guess where nobody expected anything.

use super::StockNames;
use crate::report_row;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::analytics::rules::rows::Names;
use std::collections::BTreeMap;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Overflow, Quantity, UnitCost, Uuid};

/// What a delivery brought of one line of a purchase order.
#[derive(Debug, Clone, Copy)]
pub struct Received {
    /// Who delivered.
    pub supplier_id: Uuid,
    /// The item.
    pub stock_item_id: Uuid,
    /// How much, in the item's unit.
    pub received: Quantity,
    /// What it cost.
    pub paid: Cents,
    /// How much was ordered, in the order's unit …
    pub ordered: Quantity,
    /// … and in the item's.
    pub ordered_stock: Quantity,
    /// What one of the order's unit was to cost; 0: nobody knew.
    pub unit_cost: UnitCost,
}

impl Received {
    /// What as much would have cost at the price of the order.
    fn expected(&self) -> Result<Cents, Overflow> {
        if self.unit_cost == UnitCost::ZERO || !self.ordered_stock.is_positive() {
            return Ok(self.paid);
        }
        let of = |quantity: Quantity| i128::from(quantity.get());
        let whole = i128::from(MILLION) * i128::from(MILLION);
        let cost = i128::from(self.unit_cost.get()).checked_mul(of(self.received)).ok_or(Overflow)?;
        let cost = cost.checked_mul(of(self.ordered)).ok_or(Overflow)?;
        round_div(cost, of(self.ordered_stock).checked_mul(whole).ok_or(Overflow)?).map(Cents::new)
    }
}

#[derive(Clone, Copy, Default)]
struct Sums {
    deliveries: i64,
    quantity: Quantity,
    expected: Cents,
    paid: Cents,
}

const PRICE_VARIANCE: &[Column] = &[
    Column::new("supplierId", "Supplier id", Unit::Text),
    Column::new("supplier", "Supplier", Unit::Text),
    Column::new("inventoryItemId", "Item id", Unit::Text),
    Column::new("item", "Item", Unit::Text),
    Column::new("deliveriesCount", "Deliveries", Unit::Count),
    Column::new("quantity", "Quantity", Unit::Quantity),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("expectedCents", "Expected cost", Unit::Cents),
    Column::new("paidCents", "Cost", Unit::Cents),
    Column::new("varianceCents", "Paid more than expected", Unit::Cents),
];

/// What deliveries cost against the prices they were ordered at, by supplier and item; a cheaper delivery is below 0.
///
/// # Errors
/// [`Overflow`].
pub fn price_variance(
    received: &[Received],
    suppliers: &Names,
    names: &StockNames,
) -> Result<Table, Overflow> {
    let mut by: BTreeMap<(String, Uuid, String, Uuid), Sums> = BTreeMap::new();
    for line in received {
        let name = names.get(&line.stock_item_id).map(|name| name.name.clone()).unwrap_or_default();
        let key = (suppliers.get(Some(line.supplier_id)), line.supplier_id, name, line.stock_item_id);
        let sums = by.entry(key).or_default();
        sums.deliveries += 1;
        sums.quantity = sums.quantity.plus(line.received)?;
        sums.expected = sums.expected.plus(line.expected()?)?;
        sums.paid = sums.paid.plus(line.paid)?;
    }
    let mut rows = Vec::with_capacity(by.len());
    for ((supplier, supplier_id, name, item), sums) in by {
        rows.push(report_row![
            supplier_id.to_string(),
            supplier,
            item.to_string(),
            name,
            sums.deliveries,
            sums.quantity,
            names.get(&item).map(|name| name.unit.clone()).unwrap_or_default(),
            sums.expected,
            sums.paid,
            sums.paid.minus(sums.expected)?
        ]);
    }
    Table::new(PRICE_VARIANCE, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_expected_is_in_the_orders_unit() {
        // Two crates of 12 kg at 60.00, of which 18 kg came.
        let of = |unit_cost: &str| Received {
            supplier_id: Uuid::nil(),
            stock_item_id: Uuid::nil(),
            received: "18".parse().unwrap(),
            paid: Cents::new(9_400),
            ordered: "2".parse().unwrap(),
            ordered_stock: "24".parse().unwrap(),
            unit_cost: unit_cost.parse().unwrap(),
        };
        assert_eq!(of("6000").expected(), Ok(Cents::new(9_000)));
        assert_eq!(of("0").expected(), Ok(Cents::new(9_400)));
    }
}
