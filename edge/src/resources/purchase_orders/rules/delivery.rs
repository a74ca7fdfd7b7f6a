//! What a supplier brings, checked against what was ordered. Never takes in by itself what a person should look at first: much more
//! than was ordered, another price, what is past its date or was not ordered.

use super::lines::{NewLine, measure};
use super::prices::{larger_cost, stock_cost};
use super::record::OrderLine;
use crate::http::{Checks, FieldError};
use crate::resources::inventory::rules::StockItem;
use crate::resources::inventory::rules::units::Ratio;
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::{Bps, Cents, Overflow, Quantity, UnitCost, Uuid};

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
            // Told of by `unordered`.
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

/// Lines for what was not ordered: one for each item, of what comes of it first. Offending fields go to `checks`.
///
/// # Errors
/// When a number leaves the range.
pub fn unordered(
    arrivals: &[Arrival],
    lines: &[OrderLine],
    items: &[Option<StockItem>],
    checks: &mut Checks,
) -> Result<Vec<NewLine>, Overflow> {
    let mut extra: Vec<NewLine> = Vec::new();
    for (i, (arrival, item)) in arrivals.iter().zip(items).enumerate() {
        let is_of = |ordered: &NewLine| ordered.stock_item_id == arrival.stock_item_id;
        if lines.iter().any(|line| is_of(&line.ordered)) || extra.iter().any(is_of) {
            continue;
        }
        let path = format!("items[{i}]");
        let Some(item) = item else {
            checks.add(format!("{path}.inventoryItemId"), "is not an item of this outlet");
            continue;
        };
        let unit = arrival.unit.as_deref();
        let Some(measured) = measure(arrival.quantity, unit, item, &path, "quantityReceived", checks)? else {
            continue;
        };
        extra.push(NewLine::of(item, arrival.quantity, arrival.unit_cost, measured)?);
    }
    Ok(extra)
}

/// How far a delivery may be off what was ordered before somebody has to look at it.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// By how much more than was ordered may come.
    pub quantity: Bps,
    /// By how much the price may be another.
    pub price: Bps,
    /// The outlet's date: what is of an earlier one is past it.
    pub today: NaiveDate,
}

/// Whatever of `arrived` a person has to look at, by the field that says it. `arrived`, `items`: one for each arrival.
///
/// # Errors
/// When a number leaves the range.
pub fn concerns(
    arrived: &[Arrived],
    lines: &[OrderLine],
    items: &[Option<StockItem>],
    tolerance: Tolerance,
) -> Result<Vec<FieldError>, Overflow> {
    let mut coming: HashMap<Uuid, Quantity> = HashMap::new();
    let mut found = Vec::new();
    for (i, (arrived, item)) in arrived.iter().zip(items).enumerate() {
        let Some(line) = lines.iter().find(|line| line.id == arrived.order_line_id) else { continue };
        let mut say = |field: &str, reason: String| {
            found.push(FieldError::new(format!("items[{i}].{field}"), reason));
        };
        let sum = coming.entry(line.id).or_insert(line.received_stock_quantity);
        *sum = sum.plus(arrived.stock_quantity)?;
        let (ordered, unit) = (line.ordered.stock_quantity, &line.ordered.stock_unit);
        if line.is_extra {
            say("inventoryItemId", "is not on this purchase order".into());
        } else if is_beyond(sum.get(), ordered.get(), tolerance.quantity) {
            say("quantityReceived", format!("makes {sum} {unit} of {ordered} {unit} that were ordered"));
        }
        let last = item.as_ref().map_or(UnitCost::ZERO, |item| item.last_unit_cost);
        if let Some((paid, expected)) = prices(arrived, line, last)?
            && is_off(paid.get(), expected.get(), tolerance.price)
        {
            say("unitCostCents", format!("is another price than the {expected} cents that were expected"));
        }
        if arrived.expiry_date.is_some_and(|date| date < tolerance.today) {
            say("expiryDate", "has passed".into());
        }
    }
    Ok(found)
}

/// What is paid and what was expected, of the same unit: the price of the order in the order's unit, or what the item cost `last` in its
/// own. None where nobody knows what it costs.
fn prices(
    arrived: &Arrived,
    line: &OrderLine,
    last: UnitCost,
) -> Result<Option<(UnitCost, UnitCost)>, Overflow> {
    let ordered = &line.ordered;
    let is_priced = !line.is_extra && ordered.unit_cost > UnitCost::ZERO;
    Ok(if is_priced && arrived.unit == ordered.unit {
        Some((arrived.unit_cost, ordered.unit_cost))
    } else if is_priced {
        // What the order's unit would cost at this price.
        let unit = Ratio::new(ordered.stock_quantity.get().into(), ordered.quantity.get().into())?;
        Some((larger_cost(arrived.stock_cost, unit)?, ordered.unit_cost))
    } else {
        (last > UnitCost::ZERO).then_some((arrived.stock_cost, last))
    })
}

/// Whether `found` is more than `tolerance` beyond `expected`.
fn is_beyond(found: i64, expected: i64, tolerance: Bps) -> bool {
    let (found, expected) = (i128::from(found), i128::from(expected));
    found * i128::from(Bps::WHOLE) > expected * i128::from(Bps::WHOLE + tolerance.get())
}

/// Whether `found` is more than `tolerance` away from `expected`, more or less.
fn is_off(found: i64, expected: i64, tolerance: Bps) -> bool {
    let apart = (i128::from(found) - i128::from(expected)).abs();
    apart * i128::from(Bps::WHOLE) > i128::from(expected) * i128::from(tolerance.get())
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
    fn only_what_was_ordered_is_a_line_of_the_order() {
        let (lines, tomatoes) = ([line("2", "24", "0")], item("kg", "0", "12"));
        let other = Arrival { stock_item_id: Uuid::from_u128(9), ..arrival("1", None) };
        let arrivals = vec![other, arrival("1", None), arrival("1", None), arrival("-1", Some("l"))];
        let items = [Some(tomatoes.clone()), None, Some(item("pcs", "0", "12")), Some(tomatoes)];
        let mut checks = Checks::new();
        let extra = unordered(&arrivals, &lines, &items, &mut checks).unwrap();
        assert_eq!((extra.len(), extra[0].quantity.to_string()), (1, "1".into()));
        assert!(checked(arrivals, &lines, &items, &mut checks).unwrap().is_empty());
        let names: Vec<String> = checks.finish(()).unwrap_err().into_iter().map(|field| field.name).collect();
        let id = |i: usize| format!("items[{i}].inventoryItemId");
        assert_eq!(names, [id(1), id(2), "items[3].unit".to_owned()]);
    }

    /// The fields that somebody has to look at when `quantity` of `unit` comes at `cents`, of two crates of 12 kg at 6,000 each.
    fn looked_at(quantity: &str, unit: Option<&str>, cents: &str, received: &str) -> Vec<String> {
        let mut ordered = line("2", "24", received);
        ordered.ordered.unit_cost = "6000".parse().unwrap();
        let (lines, items) = ([ordered], [Some(item("kg", "0", "12"))]);
        let coming = Arrival { unit_cost: cents.parse().unwrap(), ..arrival(quantity, unit) };
        let arrived = checked(vec![coming], &lines, &items, &mut Checks::new()).unwrap();
        let today = "2026-11-20".parse().unwrap();
        let tolerance = Tolerance { quantity: Bps::new(1_000), price: Bps::new(1_000), today };
        concerns(&arrived, &lines, &items, tolerance).unwrap().into_iter().map(|field| field.name).collect()
    }

    #[test]
    fn a_tenth_is_as_ordered_and_more_is_not() {
        assert!(looked_at("2.2", None, "6600", "0").is_empty());
        assert!(looked_at("26.4", Some("kg"), "450", "0").is_empty());
        assert_eq!(
            looked_at("2.21", None, "6601", "0"),
            ["items[0].quantityReceived", "items[0].unitCostCents"]
        );
        assert_eq!(looked_at("1", Some("kg"), "449.99", "0"), ["items[0].unitCostCents"]);
        // What came before counts; a gift is another price, too.
        assert_eq!(looked_at("1", None, "0", "18"), ["items[0].quantityReceived", "items[0].unitCostCents"]);
    }
}
