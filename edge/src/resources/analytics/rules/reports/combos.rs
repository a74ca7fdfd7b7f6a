//! What was sold in which combo, and what was sold alone. Never counts a portion twice: a combo's own row counts combos alone.

use crate::report_row;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::analytics::rules::rows::{Dish, Sold};
use std::collections::{BTreeMap, HashMap};
use tiffin_common::quantity::cents_adding_up;
use tiffin_common::{Overflow, Uuid};

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
];

/// Dishes by the combo they were sold in, those sold alone last; each combo begins with a row that counts how many were sold. The rows of a
/// combo add up to what it came to, those of a dish to what the dish did, and all of them to all that was sold.
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
            revenue.minus(cost)?
        ]);
    }
    Table::new(COMBOS, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::analytics::rules::report::Cell;
    use tiffin_common::Cents;
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
        };
        let sold = BTreeMap::from([
            ((None, cola, None), of(1, 0, 100)),
            ((Some(lunch), lunch, None), of(0, 2, 0)),
            ((Some(lunch), burger, None), of(2, 0, 400)),
            ((Some(lunch), cola, None), of(2, 0, 150)),
        ]);
        let table = combos(sold, &names).unwrap();
        let items: Vec<_> = table.rows.iter().map(|row| (row[1].clone(), row[4].clone())).collect();
        let text = |text: &str| Cell::from(text);
        assert_eq!(
            items,
            [("Lunch", "Lunch"), ("Lunch", "Burger"), ("Lunch", "Cola"), ("", "Cola")]
                .map(|(combo, item)| (text(combo), text(item)))
        );
        assert_eq!(table.totals["combosCount"], Cell::Count(2));
        assert_eq!(table.totals["quantity"], Cell::Count(5));
        assert_eq!(table.totals["revenueCents"], Cell::Money(Cents::new(650)));
        assert_eq!(table.totals["marginCents"], Cell::Money(Cents::new(645)));
    }
}
