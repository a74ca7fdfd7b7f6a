//! What was sold in which combo, and what was sold alone. Never counts a portion twice: a combo's own row counts combos alone.

use super::weight_cells;
use crate::report_row;
use crate::resources::analytics::rules::money::{Hundredths, cents_of_micros, percent};
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::analytics::rules::rows::{Dish, Plus, Sold};
use crate::resources::menu::rules::weights::Weights;
use std::collections::{BTreeMap, HashMap};
use tiffin_common::quantity::cents_adding_up;
use tiffin_common::{Cents, Overflow, Uuid};

/// What a row is of: the combo (none: sold alone), the dish and its variant.
pub type Component = (Option<Uuid>, Uuid, Option<Uuid>);

const COMBOS: &[Column] = &[
    Column::new("comboId", "Combo id", Unit::Text),
    Column::new("combo", "Combo", Unit::Text),
    Column::new("menuItemId", "Dish id", Unit::Text),
    Column::new("variantId", "Variant id", Unit::Text),
    Column::new("item", "Dish", Unit::Text),
    Column::new("combosCount", "Combos", Unit::Count),
    Column::new("quantity", "Portions", Unit::Count),
    Column::new("grossRevenueCents", "Gross revenue", Unit::Cents),
    Column::new("discountCents", "Discounts", Unit::Cents),
    Column::new("revenueCents", "Revenue", Unit::Cents),
    Column::new("cogsCents", "Cost of goods", Unit::Cents),
    Column::new("marginCents", "Margin", Unit::Cents),
    Column::new("weight", "Weight", Unit::Quantity),
    Column::new("weightUnit", "Unit of weight", Unit::Text),
];

/// Dishes by the combo they were sold in, those sold alone last; each combo begins with a row that counts how many were sold. The rows of a
/// combo add up to what it came to, those of a dish to what the dish did, and all of them to all that was sold. What is sold by weight has
/// what it weighs, in the dish's unit of now.
///
/// # Errors
/// [`Overflow`].
pub fn combos(sold: BTreeMap<Component, Sold>, names: &HashMap<Uuid, Dish>) -> Result<Table, Overflow> {
    let name = |id: Option<Uuid>| id.and_then(|id| names.get(&id)).map_or("", |dish| dish.name.as_str());
    let mut sold: Vec<(Component, Sold)> = sold.into_iter().collect();
    let place = |(combo, dish, variant): Component| {
        let is_combo = combo == Some(dish);
        (combo.is_none(), name(combo), combo, !is_combo, name(variant.or(Some(dish))), dish, variant)
    };
    sold.sort_by(|(one, _), (other, _)| place(*one).cmp(&place(*other)));
    let costs = cents_adding_up(sold.iter().map(|(_, sold)| sold.cost_micros))?;
    let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
    let mut rows = Vec::with_capacity(sold.len());
    for (((combo, dish, variant), sold), cost) in sold.into_iter().zip(costs) {
        let revenue = sold.gross.minus(sold.discount)?;
        let of_dish = names.get(&dish).and_then(|dish| dish.weight_unit);
        let [weight, unit] = weight_cells(Weights { grams: sold.grams, ounces: sold.ounces }, of_dish)?;
        rows.push(report_row![
            id(combo),
            name(combo),
            dish.to_string(),
            id(variant),
            name(variant.or(Some(dish))),
            sold.combos,
            sold.quantity,
            sold.gross,
            sold.discount,
            revenue,
            cost,
            revenue.minus(cost)?,
            weight,
            unit
        ]);
    }
    Table::new(COMBOS, rows)
}

/// What a combo sold: the portions, money and cost of its components.
#[apply(figures!)]
pub struct ComboFigures {
    /// The combo on the menu.
    pub menu_item_id: Uuid,
    /// Its name now.
    pub name: String,
    /// Combos sold, voids taken off.
    pub combos_count: i64,
    /// Portions of dishes sold in them.
    pub quantity: i64,
    /// Before discounts, options included.
    pub gross_revenue_cents: Cents,
    /// Its discounts and its part of the orders'.
    pub discount_cents: Cents,
    /// grossRevenueCents − discountCents.
    pub revenue_cents: Cents,
    /// What its ingredients cost: rounded once.
    pub cogs_cents: Cents,
    /// revenueCents − cogsCents.
    pub margin_cents: Cents,
    /// marginCents in percent of revenueCents; 0 without revenue.
    pub margin_percentage: Hundredths,
}

/// What each combo sold that sold anything, by name.
///
/// # Errors
/// [`Overflow`].
pub fn by_combo(
    sold: &BTreeMap<Component, Sold>,
    names: &HashMap<Uuid, Dish>,
) -> Result<Vec<ComboFigures>, Overflow> {
    let mut sums: BTreeMap<Uuid, Sold> = BTreeMap::new();
    for ((combo, ..), sold) in sold {
        let Some(combo) = combo else { continue };
        let sum = sums.entry(*combo).or_default();
        *sum = sum.plus(*sold)?;
    }
    let mut list = Vec::with_capacity(sums.len());
    for (id, sold) in sums {
        let revenue = sold.gross.minus(sold.discount)?;
        let cogs = cents_of_micros(sold.cost_micros)?;
        let margin = revenue.minus(cogs)?;
        list.push(ComboFigures {
            menu_item_id: id,
            name: names.get(&id).map(|dish| dish.name.clone()).unwrap_or_default(),
            combos_count: sold.combos,
            quantity: sold.quantity,
            gross_revenue_cents: sold.gross,
            discount_cents: sold.discount,
            revenue_cents: revenue,
            cogs_cents: cogs,
            margin_cents: margin,
            margin_percentage: percent(margin, revenue)?,
        });
    }
    list.sort_by(|one, other| (&one.name, one.menu_item_id).cmp(&(&other.name, other.menu_item_id)));
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::analytics::rules::report::Cell;
    use tiffin_common::quantity::MILLION;

    #[test]
    fn a_combo_is_counted_once_and_its_money_is_its_components() {
        let [lunch, burger, cola] = [1, 2, 3].map(Uuid::from_u128);
        let dish = |name: &str, is_combo| Dish { name: name.into(), is_combo, ..Dish::default() };
        let names = HashMap::from([
            (lunch, dish("Lunch", true)),
            (burger, dish("Burger", false)),
            (cola, dish("Cola", false)),
        ]);
        let of = |quantity, combos, gross: i64| Sold {
            quantity,
            combos,
            gross: Cents::new(gross),
            discount: Cents::ZERO,
            cost_micros: quantity * MILLION,
            ..Sold::default()
        };
        let sold = BTreeMap::from([
            ((None, cola, None), of(1, 0, 100)),
            ((Some(lunch), lunch, None), of(0, 2, 0)),
            ((Some(lunch), burger, None), of(2, 0, 400)),
            ((Some(lunch), cola, None), of(2, 0, 150)),
        ]);
        let all = by_combo(&sold, &names).unwrap();
        assert_eq!((all.len(), all[0].combos_count, all[0].quantity), (1, 2, 4));
        assert_eq!((all[0].revenue_cents, all[0].margin_cents), (Cents::new(550), Cents::new(546)));
        let table = combos(sold, &names).unwrap();
        let items: Vec<_> = table.rows.iter().map(|row| (row[1].clone(), row[4].clone())).collect();
        let text = |text: &str| Cell::from(text);
        assert_eq!(
            items,
            [("Lunch", "Lunch"), ("Lunch", "Burger"), ("Lunch", "Cola"), ("", "Cola")]
                .map(|(combo, item)| (text(combo), text(item)))
        );
        assert!(
            table.rows.iter().all(|row| row[12] == Cell::Nothing && row[13] == text("")),
            "nothing was weighed"
        );
        assert_eq!(table.totals["combosCount"], Cell::Count(2));
        assert_eq!(table.totals["quantity"], Cell::Count(5));
        assert_eq!(table.totals["revenueCents"], Cell::Money(Cents::new(650)));
        assert_eq!(table.totals["marginCents"], Cell::Money(Cents::new(645)));
    }
}
