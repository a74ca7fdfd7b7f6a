//! What a supplier brings, checked against what was ordered. More than was ordered is taken in; what was not ordered is not.

use super::lines::{measure, stock_cost};
use super::record::OrderLine;
use crate::http::Checks;
use crate::resources::inventory::rules::StockItem;
use chrono::NaiveDate;
use tiffin_common::{Cents, Overflow, Quantity, UnitCost, Uuid};

/// One item of a delivery, as a client names it. An item may come in several batches.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The item.
    pub stock_item_id: Uuid,
    /// How much.
    pub quantity: Quantity,
    /// Of which unit; the one it was ordered in where absent.
    pub unit: Option<String>,
    /// What one such unit cost.
    pub unit_cost: UnitCost,
    /// The supplier's batch number; one is made up where none is given.
    pub batch_number: Option<String>,
    /// The last date it may be used.
    pub expiry_date: Option<NaiveDate>,
}

/// An item that may be taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// The order's line.
    pub order_line_id: Uuid,
    /// The item.
    pub stock_item_id: Uuid,
    /// How much, in `unit`.
    pub quantity: Quantity,
    /// What it is delivered in.
    pub unit: String,
    /// What one such unit cost.
    pub unit_cost: UnitCost,
    /// What it cost in all.
    pub total: Cents,
    /// How much, in the item's unit.
    pub stock_quantity: Quantity,
    /// What one of the item's units cost.
    pub stock_cost: UnitCost,
    /// The batch number, where one was given.
    pub batch_number: Option<String>,
    /// The last date it may be used.
    pub expiry_date: Option<NaiveDate>,
}

/// What `arrivals` bring of the order's `lines`, with the items found for them (none: archived since). Offending fields go
/// to `checks`; what they name is left out.
///
/// # Errors
/// When a number leaves the range.
pub fn checked(
    arrivals: Vec<Arrival>,
    lines: &[OrderLine],
    items: &[Option<StockItem>],
    checks: &mut Checks,
) -> Result<Vec<Arrived>, Overflow> {
    let mut arrived = Vec::with_capacity(arrivals.len());
    for (i, (arrival, item)) in arrivals.into_iter().zip(items).enumerate() {
        let path = format!("items[{i}]");
        let Some(line) = lines.iter().find(|line| line.ordered.stock_item_id == arrival.stock_item_id) else {
            checks.add(format!("{path}.inventoryItemId"), "is not on this purchase order");
            continue;
        };
        let Some(item) = item.as_ref().filter(|item| item.draft.unit == line.ordered.stock_unit) else {
            let reason = "is archived, or counted in another unit since it was ordered";
            checks.add(format!("{path}.inventoryItemId"), reason);
            continue;
        };
        let unit = arrival.unit.as_deref().unwrap_or(&line.ordered.unit);
        let measured = measure(arrival.quantity, Some(unit), item, &path, "quantityReceived", checks)?;
        let Some(measured) = measured else { continue };
        arrived.push(Arrived {
            order_line_id: line.id,
            stock_item_id: arrival.stock_item_id,
            quantity: arrival.quantity,
            total: arrival.unit_cost.cost(arrival.quantity)?,
            unit_cost: arrival.unit_cost,
            stock_quantity: measured.stock_quantity,
            stock_cost: stock_cost(arrival.unit_cost, measured.factor)?,
            unit: measured.unit,
            batch_number: arrival.batch_number,
            expiry_date: arrival.expiry_date,
        });
    }
    Ok(arrived)
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::item;
    use super::super::record::tests::line;
    use super::*;

    fn arrival(quantity: &str, unit: Option<&str>) -> Arrival {
        Arrival {
            stock_item_id: Uuid::nil(),
            quantity: quantity.parse().unwrap(),
            unit: unit.map(Into::into),
            unit_cost: "6000".parse().unwrap(),
            batch_number: None,
            expiry_date: None,
        }
    }

    #[test]
    fn what_comes_is_in_the_unit_of_the_order_unless_it_says_otherwise() {
        let (lines, tomatoes) = ([line("2", "24", "0")], item("kg", "0", "12"));
        let mut checks = Checks::new();
        let items = [Some(tomatoes.clone()), Some(tomatoes)];
        let arrived =
            checked(vec![arrival("1", None), arrival("500", Some("g"))], &lines, &items, &mut checks)
                .unwrap();
        assert!(checks.is_empty());
        let seen = |i: usize| {
            let a: &Arrived = &arrived[i];
            (a.unit.clone(), a.stock_quantity.to_string(), a.stock_cost.to_string(), a.total.get())
        };
        assert_eq!(seen(0), ("crate".into(), "12".into(), "500".into(), 6_000));
        assert_eq!(seen(1), ("g".into(), "0.5".into(), "6000000".into(), 3_000_000));
    }

    #[test]
    fn only_what_was_ordered_is_taken_in() {
        let (lines, tomatoes) = ([line("2", "24", "0")], item("kg", "0", "12"));
        let other = Arrival { stock_item_id: Uuid::from_u128(9), ..arrival("1", None) };
        let arrivals = vec![other, arrival("1", None), arrival("1", None), arrival("-1", Some("l"))];
        let items = [Some(tomatoes.clone()), None, Some(item("pcs", "0", "12")), Some(tomatoes)];
        let mut checks = Checks::new();
        assert!(checked(arrivals, &lines, &items, &mut checks).unwrap().is_empty());
        let names: Vec<String> = checks.finish(()).unwrap_err().into_iter().map(|field| field.name).collect();
        let id = |i: usize| format!("items[{i}].inventoryItemId");
        assert_eq!(names, [id(0), id(1), id(2), "items[3].unit".to_owned()]);
    }
}
