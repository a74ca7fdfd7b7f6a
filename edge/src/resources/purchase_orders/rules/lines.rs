//! The lines of a purchase order as a client names them, checked. Never a line whose unit says nothing about the item's.

use super::prices::Prices;
use crate::http::Checks;
use crate::resources::inventory::rules::StockItem;
use crate::resources::inventory::rules::units::{self, Ratio, UnitConversion, normal};
use tiffin_common::quantity::MAX_UNITS;
use tiffin_common::{Cents, Overflow, Quantity, UnitCost, Uuid};

/// A line as a client names it.
#[derive(Debug, Clone)]
pub struct LineDraft {
    /// The item.
    pub stock_item_id: Uuid,
    /// How much.
    pub quantity: Quantity,
    /// Of which unit; the item's where absent.
    pub unit: Option<String>,
    /// What one such unit costs; what the supplier is expected to take where absent.
    pub unit_cost: Option<UnitCost>,
}

table! {
    /// A line that may be written.
    #[derive(PartialEq, Eq)]
    pub struct NewLine: purchase_order_lines {
        /// The item.
        pub stock_item_id: Uuid,
        /// Its name.
        pub name: String,
        /// How much, in `unit`.
        pub quantity: Quantity,
        /// What it is ordered in.
        pub unit: String,
        /// What one such unit costs.
        pub unit_cost: UnitCost,
        /// What it costs in all.
        pub total: Cents => total_cents,
        /// How much, in the item's unit.
        pub stock_quantity: Quantity,
        /// The item's unit.
        pub stock_unit: String,
    }
}

/// An amount of an item in some unit, in the item's own as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The unit it is named in.
    pub unit: String,
    /// How much, in the item's unit.
    pub stock_quantity: Quantity,
    /// How many of the item's unit are in one.
    pub factor: Ratio,
}

impl NewLine {
    /// So much of `item`, as it was `measured`, at `unit_cost`.
    ///
    /// # Errors
    /// When the total leaves the range.
    pub fn of(
        item: &StockItem,
        quantity: Quantity,
        unit_cost: UnitCost,
        measured: Measured,
    ) -> Result<NewLine, Overflow> {
        Ok(NewLine {
            stock_item_id: item.id,
            name: item.draft.name.clone(),
            quantity,
            unit_cost,
            total: unit_cost.cost(quantity)?,
            unit: measured.unit,
            stock_quantity: measured.stock_quantity,
            stock_unit: item.draft.unit.clone(),
        })
    }
}

/// Reads `quantity` of `unit` (the item's where absent) of `item`. None when a field offends, which `checks` is told:
/// `{path}.{field}` for the quantity, `{path}.unit` for the unit.
///
/// # Errors
/// When a number leaves the range.
pub fn measure(
    quantity: Quantity,
    unit: Option<&str>,
    item: &StockItem,
    path: &str,
    field: &str,
    checks: &mut Checks,
) -> Result<Option<Measured>, Overflow> {
    let unit = unit.map_or_else(|| item.draft.unit.clone(), normal);
    let conversions: &[UnitConversion] = &item.draft.unit_conversions;
    let Some(factor) = units::factor(&unit, &item.draft.unit, conversions) else {
        checks.add(format!("{path}.unit"), format!("does not convert to {}", item.draft.unit));
        return Ok(None);
    };
    let stock_quantity = Ratio::millionths(quantity).times(factor)?.round()?;
    if !quantity.is_positive() {
        checks.add(format!("{path}.{field}"), "must be more than 0");
        return Ok(None);
    }
    if !(Quantity::from_millionths(1)..=Quantity::units(MAX_UNITS)?).contains(&stock_quantity) {
        checks.add(format!("{path}.{field}"), format!("is too little or too much in {}", item.draft.unit));
        return Ok(None);
    }
    Ok(Some(Measured { unit, stock_quantity, factor }))
}

/// The lines that `drafts` name, with the items found for them (none: not an item of the outlet), at what their supplier's `prices` say
/// where they name none. Offending fields go to `checks`; their lines are left out.
///
/// # Errors
/// When a number leaves the range.
pub fn checked(
    drafts: &[LineDraft],
    items: &[Option<StockItem>],
    prices: &Prices,
    checks: &mut Checks,
) -> Result<Vec<NewLine>, Overflow> {
    checks.require(!drafts.is_empty(), "items", "must not be empty");
    let mut lines: Vec<NewLine> = Vec::with_capacity(drafts.len());
    for (i, (draft, item)) in drafts.iter().zip(items).enumerate() {
        let path = format!("items[{i}]");
        let repeated = drafts.iter().take(i).any(|other| other.stock_item_id == draft.stock_item_id);
        checks.require(!repeated, format!("{path}.inventoryItemId"), "must not repeat another line");
        let Some(item) = item else {
            checks.add(format!("{path}.inventoryItemId"), "is not an item of this outlet");
            continue;
        };
        let measured =
            measure(draft.quantity, draft.unit.as_deref(), item, &path, "quantityOrdered", checks)?;
        let Some(measured) = measured else { continue };
        let unit_cost = match draft.unit_cost {
            Some(cost) => cost,
            None => prices.expected(item, measured.factor)?,
        };
        lines.push(NewLine::of(item, draft.quantity, unit_cost, measured)?);
    }
    Ok(lines)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::prices::stock_cost;
    use super::*;
    use crate::resources::inventory::rules::{ItemDraft, Rotation};
    use proptest::prelude::*;
    use tiffin_common::Millis;

    fn q(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn cents(text: &str) -> UnitCost {
        text.parse().unwrap()
    }

    /// An item counted in `unit` that last cost `last_cost` cents, with a crate of `crate_of`.
    pub(crate) fn item(unit: &str, last_cost: &str, crate_of: &str) -> StockItem {
        StockItem {
            id: Uuid::from_u128(1),
            draft: ItemDraft {
                name: "Tomatoes".into(),
                category: "Vegetables".into(),
                unit: unit.into(),
                sku: None,
                rotation: Rotation::Fefo,
                min_stock_threshold: Quantity::ZERO,
                par_level: None,
                supplier_id: None,
                unit_conversions: vec![UnitConversion { unit: "crate".into(), factor: q(crate_of) }],
            },
            preparation_id: None,
            last_unit_cost: cents(last_cost),
            version: 1,
            created_at: Millis::new(0),
            updated_at: Millis::new(0),
        }
    }

    fn draft(quantity: &str, unit: Option<&str>, cost: Option<&str>) -> LineDraft {
        LineDraft {
            stock_item_id: Uuid::from_u128(1),
            quantity: q(quantity),
            unit: unit.map(Into::into),
            unit_cost: cost.map(cents),
        }
    }

    #[test]
    fn a_crate_is_ordered_and_costed_as_a_crate_and_stocked_as_kilos() {
        let tomatoes = item("kg", "4000", "7.5");
        let mut checks = Checks::new();
        let lines = checked(
            &[draft("3", Some("Crate"), None)],
            &[Some(tomatoes.clone())],
            &Prices::default(),
            &mut checks,
        )
        .unwrap();
        assert!(checks.is_empty());
        let line = &lines[0];
        assert_eq!((line.stock_quantity, line.unit.as_str()), (q("22.5"), "crate"));
        assert_eq!((line.unit_cost, line.total), (cents("30000"), Cents::new(90_000)));
        let grams =
            checked(&[draft("2500", Some("g"), None)], &[Some(tomatoes)], &Prices::default(), &mut checks)
                .unwrap();
        assert_eq!((grams[0].unit_cost, grams[0].total), (cents("4"), Cents::new(10_000)));
    }

    #[test]
    fn costs_are_exact_to_the_millionth_of_a_cent() {
        let factor =
            |unit| units::factor(unit, "kg", &item("kg", "0", "7.5").draft.unit_conversions).unwrap();
        assert_eq!(stock_cost(cents("30000"), factor("crate")), Ok(cents("4000")));
        assert_eq!(stock_cost(cents("4.125"), factor("g")), Ok(cents("4125")));
        assert_eq!(stock_cost(cents("10000"), Ratio::new(12, 1).unwrap()), Ok(cents("833.333333")));
    }

    #[test]
    fn everything_wrong_is_named_at_once() {
        let mut checks = Checks::new();
        let drafts = [draft("0", None, None), draft("1", Some("l"), None), draft("0.0001", Some("mg"), None)];
        let items = [Some(item("kg", "1", "1")), Some(item("kg", "1", "1")), Some(item("kg", "1", "1"))];
        assert!(checked(&drafts, &items, &Prices::default(), &mut checks).unwrap().is_empty());
        let mut unknown = Checks::new();
        assert!(checked(&drafts[..1], &[None], &Prices::default(), &mut unknown).unwrap().is_empty());
        let names = |checks: Checks| -> Vec<String> {
            checks.finish(()).unwrap_err().into_iter().map(|field| field.name).collect()
        };
        assert_eq!(
            names(checks),
            [
                "items[0].quantityOrdered",
                "items[1].inventoryItemId",
                "items[1].unit",
                "items[2].inventoryItemId",
                "items[2].quantityOrdered"
            ]
        );
        assert_eq!(names(unknown), ["items[0].inventoryItemId"]);
        let mut empty = Checks::new();
        checked(&[], &[], &Prices::default(), &mut empty).unwrap();
        assert_eq!(names(empty), ["items"]);
    }

    proptest! {
        /// What a delivery costs in its own unit and what stock is valued at differ by less than a cent.
        #[test]
        fn stock_is_worth_what_was_paid(
            crates in 1i64..1_000, cost in 1i64..10_000_000, size in 1_000i64..100_000_000,
        ) {
            let size = Quantity::from_millionths(size);
            let tomatoes = item("kg", "0", &size.to_string());
            let quantity = Quantity::units(crates).unwrap();
            let mut checks = Checks::new();
            let measured = measure(quantity, Some("crate"), &tomatoes, "", "", &mut checks).unwrap().unwrap();
            let unit_cost = UnitCost::from_cents(Cents::new(cost)).unwrap();
            let each = stock_cost(unit_cost, measured.factor).unwrap();
            let paid = unit_cost.cost(quantity).unwrap().get();
            let worth = each.cost(measured.stock_quantity).unwrap().get();
            prop_assert!((paid - worth).abs() <= 1, "{paid} paid, {worth} worth");
        }
    }
}
