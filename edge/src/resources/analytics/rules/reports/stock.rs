//! Reports of stock. Quantities are in each item's own unit and never summed over items.

use crate::report_row;
use crate::resources::analytics::rules::money::parts_of_micros;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::analytics::rules::rows::{Delivered, Moved, Names, Plus, StockName, Wasted};
use crate::resources::inventory::rules::Kind;
use std::collections::{BTreeMap, HashMap};
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Overflow, Quantity, Uuid};

/// Stock items by id.
pub type StockNames = HashMap<Uuid, StockName>;

const INVENTORY: &[Column] = &[
    Column::new("inventoryItemId", "Item id", Unit::Text),
    Column::new("item", "Item", Unit::Text),
    Column::new("category", "Category", Unit::Text),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("quantity", "Quantity", Unit::Quantity),
    Column::new("valueCents", "Value", Unit::Cents),
];

/// What was there of each item at the end of the last date, and what it had cost. Expired batches are still there; what was sold
/// without stock counts below nothing.
///
/// # Errors
/// [`Overflow`].
pub fn inventory(stock: &BTreeMap<Uuid, Moved>, names: &StockNames) -> Result<Table, Overflow> {
    let mut list: Vec<(Uuid, StockName, Moved)> = named(names, stock.iter().map(|(id, moved)| (*id, *moved)));
    list.retain(|(_, name, moved)| name.in_use || *moved != Moved::default());
    let micros: Vec<i64> = list.iter().map(|(_, _, moved)| moved.cost_micros).collect();
    let rows = list.into_iter().zip(parts_of_micros(&micros)?).map(|((id, name, moved), value)| {
        report_row![id.to_string(), name.name, name.category, name.unit, moved.quantity, value]
    });
    Table::new(INVENTORY, rows.collect())
}

/// Rows with the names of their stock items, by category and name.
fn named<T>(names: &StockNames, rows: impl Iterator<Item = (Uuid, T)>) -> Vec<(Uuid, StockName, T)> {
    let mut list: Vec<(Uuid, StockName, T)> =
        rows.map(|(id, row)| (id, names.get(&id).cloned().unwrap_or_default(), row)).collect();
    list.sort_by(|(a_id, a, _), (b_id, b, _)| {
        (&a.category, &a.name, a_id).cmp(&(&b.category, &b.name, b_id))
    });
    list
}

const VARIANCE: &[Column] = &[
    Column::new("inventoryItemId", "Item id", Unit::Text),
    Column::new("item", "Item", Unit::Text),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("theoreticalQuantity", "Theoretical use", Unit::Quantity),
    Column::new("actualQuantity", "Actual use", Unit::Quantity),
    Column::new("wasteQuantity", "Recorded waste", Unit::Quantity),
    Column::new("countDifferenceQuantity", "Count difference", Unit::Quantity),
    Column::new("unexplainedQuantity", "Unexplained", Unit::Quantity),
    Column::new("theoreticalCents", "Theoretical cost", Unit::Cents),
    Column::new("wasteCents", "Waste cost", Unit::Cents),
    Column::new("countDifferenceCents", "Count difference cost", Unit::Cents),
    Column::new("unexplainedCents", "Unexplained cost", Unit::Cents),
    Column::new("actualCents", "Actual cost", Unit::Cents),
];

#[derive(Clone, Copy, Default)]
struct Use {
    theoretical: Moved,
    waste: Moved,
    counted: Moved,
    corrected: Moved,
}

/// Theoretical against actual use of each item. Theoretical: what the recipes took for what was sold (SALE, RETURN, SETTLEMENT).
/// Actual: whatever left the stock other than to another outlet or into what is made ahead, which has a row of its own. The difference is recorded waste (WASTE), what stocktakes
/// found missing (STOCKTAKE), and what was corrected by hand without a count (ADJUSTMENT): unexplained. Positive is use; the
/// parts add up to the actual use, in quantity and to the cent.
///
/// # Errors
/// [`Overflow`].
pub fn variance(moved: &BTreeMap<(Uuid, Kind), Moved>, names: &StockNames) -> Result<Table, Overflow> {
    let mut items: BTreeMap<Uuid, Use> = BTreeMap::new();
    for ((item, kind), moved) in moved {
        let used = items.entry(*item).or_default();
        let sum = match kind {
            Kind::Sale | Kind::Return | Kind::Settlement => &mut used.theoretical,
            Kind::Waste => &mut used.waste,
            Kind::Stocktake => &mut used.counted,
            Kind::Adjustment => &mut used.corrected,
            Kind::Opening | Kind::Receipt | Kind::TransferIn | Kind::TransferOut | Kind::Production => {
                continue;
            }
        };
        *sum = sum.plus(moved.negated()?)?;
    }
    let list = named(names, items.into_iter());
    let cents = |pick: fn(&Use) -> Moved| {
        parts_of_micros(&list.iter().map(|(_, _, used)| pick(used).cost_micros).collect::<Vec<i64>>())
    };
    let (theoretical, waste) = (cents(|u| u.theoretical)?, cents(|u| u.waste)?);
    let (counted, corrected) = (cents(|u| u.counted)?, cents(|u| u.corrected)?);
    let mut rows = Vec::with_capacity(list.len());
    for (index, (id, name, used)) in list.iter().enumerate() {
        let at = |list: &[Cents]| list.get(index).copied().unwrap_or_default();
        let parts = [at(&theoretical), at(&waste), at(&counted), at(&corrected)];
        let actual = used.theoretical.plus(used.waste)?.plus(used.counted)?.plus(used.corrected)?;
        rows.push(report_row![
            id.to_string(),
            name.name.as_str(),
            name.unit.as_str(),
            used.theoretical.quantity,
            actual.quantity,
            used.waste.quantity,
            used.counted.quantity,
            used.corrected.quantity,
            parts[0],
            parts[1],
            parts[2],
            parts[3],
            Cents::sum(parts)?
        ]);
    }
    Table::new(VARIANCE, rows)
}

const WASTE: &[Column] = &[
    Column::new("inventoryItemId", "Item id", Unit::Text),
    Column::new("item", "Item", Unit::Text),
    Column::new("reason", "Reason", Unit::Text),
    Column::new("movementsCount", "Movements", Unit::Count),
    Column::new("quantity", "Quantity", Unit::Quantity),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("costCents", "Cost", Unit::Cents),
];

/// What was thrown away by item and reason, the most expensive first; an entry that was reversed is taken off on that date.
///
/// # Errors
/// [`Overflow`].
pub fn waste(wasted: BTreeMap<(Uuid, String), Wasted>, names: &StockNames) -> Result<Table, Overflow> {
    let wasted = wasted.into_iter().map(|((item, reason), wasted)| (item, (reason, wasted)));
    let mut list = named(names, wasted);
    list.sort_by_key(|(_, _, (_, wasted))| std::cmp::Reverse(wasted.cost_micros));
    let micros: Vec<i64> = list.iter().map(|(_, _, (_, wasted))| wasted.cost_micros).collect();
    let rows = list.into_iter().zip(parts_of_micros(&micros)?).map(|((id, name, (reason, wasted)), cost)| {
        let Wasted { movements, quantity, .. } = wasted;
        report_row![id.to_string(), name.name, reason, movements, quantity, name.unit, cost]
    });
    Table::new(WASTE, rows.collect())
}

const PURCHASES: &[Column] = &[
    Column::new("supplierId", "Supplier id", Unit::Text),
    Column::new("supplier", "Supplier", Unit::Text),
    Column::new("inventoryItemId", "Item id", Unit::Text),
    Column::new("item", "Item", Unit::Text),
    Column::new("deliveriesCount", "Deliveries", Unit::Count),
    Column::new("quantity", "Quantity", Unit::Quantity),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("averageUnitCostCents", "Average unit cost", Unit::UnitCost),
    Column::new("costCents", "Cost", Unit::Cents),
];

/// What was delivered, by supplier and item.
///
/// # Errors
/// [`Overflow`].
pub fn purchases(
    delivered: BTreeMap<(Option<Uuid>, Uuid), Delivered>,
    suppliers: &Names,
    names: &StockNames,
) -> Result<Table, Overflow> {
    let delivered = delivered.into_iter().map(|((supplier, item), sums)| (item, (supplier, sums)));
    let mut list = named(names, delivered);
    list.sort_by_key(|(_, _, (supplier, _))| (suppliers.get(*supplier), *supplier));
    let micros: Vec<i64> = list.iter().map(|(_, _, (_, sums))| sums.cost_micros).collect();
    let mut rows = Vec::with_capacity(list.len());
    for ((id, name, (supplier, sums)), cost) in list.into_iter().zip(parts_of_micros(&micros)?) {
        rows.push(report_row![
            supplier.map(|id| id.to_string()).unwrap_or_default(),
            suppliers.get(supplier),
            id.to_string(),
            name.name,
            sums.receipts,
            sums.quantity,
            name.unit,
            unit_cost(&sums)?,
            cost
        ]);
    }
    Table::new(PURCHASES, rows)
}

fn unit_cost(delivered: &Delivered) -> Result<Quantity, Overflow> {
    if !delivered.quantity.is_positive() {
        return Ok(Quantity::ZERO);
    }
    let micros = i128::from(delivered.cost_micros) * i128::from(MILLION);
    round_div(micros, delivered.quantity.get().into()).map(Quantity::from_millionths)
}
