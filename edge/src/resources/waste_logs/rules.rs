//! What an entry may say, and how sums of waste are cut so that every cut adds up. Pure.

use crate::http::{Checks, FieldError};
use crate::resources::inventory::rules::WasteReason;
use crate::resources::inventory::rules::waste::{PORTIONS, WasteSum};
use crate::resources::menu::rules::WeightUnit;
use chrono::NaiveDate;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tiffin_common::quantity::{cents_adding_up, micro_cents_to_cents};
use tiffin_common::{Cents, Overflow, Quantity, Uuid};

/// What a client says was thrown away.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the fields of the request, explained there")]
pub struct WasteDraft {
    pub inventory_item_id: Option<Uuid>,
    pub menu_item_id: Option<Uuid>,
    pub variant_id: Option<Uuid>,
    pub quantity: Quantity,
    pub unit: Option<String>,
    pub batch_number: Option<String>,
    pub reason: WasteReason,
    pub note: Option<String>,
}

/// Whether a unit is a dish's portions; of a dish that is sold by weight, units of it.
pub fn is_of_portions(unit: &str) -> bool {
    unit == PORTIONS || unit == "pcs"
}

impl WasteDraft {
    /// The draft when everything in it holds that can be seen without the stock.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(self) -> Result<WasteDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        if self.inventory_item_id.is_some() == self.menu_item_id.is_some() {
            for name in ["inventoryItemId", "menuItemId"] {
                checks.add(name, "exactly one of inventoryItemId and menuItemId is required");
            }
        }
        checks.require(self.quantity.is_positive(), "quantity", "must be more than 0");
        if self.menu_item_id.is_some() {
            let is_weighed = |unit| WeightUnit::ALL.iter().any(|known| known.symbol() == unit);
            let fits = self.unit.as_deref().is_none_or(|unit| is_of_portions(unit) || is_weighed(unit));
            checks.require(fits, "unit", "a dish is counted in portions, or in what it is weighed in");
            let whole = self.batch_number.is_none();
            checks.require(whole, "batchNumber", "a dish has no batch of its own");
        } else {
            checks.require(self.variant_id.is_none(), "variantId", "is of a dish alone");
        }
        checks.finish(self)
    }
}

/// What was thrown away on some business dates.
#[apply(figures!)]
pub struct WasteSummary {
    /// First business date.
    from: NaiveDate,
    /// Last business date.
    to: NaiveDate,
    /// What it cost: the ledger's WASTE movements of these dates. Entries undone on a later date are taken off there.
    cost_cents: Cents,
    /// Entries of these dates that stand.
    entries_count: i64,
    /// By reason, the dearest first.
    by_reason: Vec<WasteByReason>,
    /// By stock item (dishes by what they were made of), the dearest first.
    by_item: Vec<WasteByItem>,
    /// By station, the dearest first.
    by_station: Vec<WasteByStation>,
}

/// Waste for one reason.
#[apply(figures!)]
pub struct WasteByReason {
    /// Why these things were thrown away.
    reason: WasteReason,
    /// How many entries there are.
    entries_count: i64,
    cost_cents: Cents,
}

/// Waste of one stock item.
#[apply(figures!)]
pub struct WasteByItem {
    inventory_item_id: Uuid,
    name: String,
    unit: String,
    quantity: Quantity,
    cost_cents: Cents,
}

/// Waste of one station's dishes; without a station: thrown away as stock.
#[apply(figures!)]
pub struct WasteByStation {
    /// The kitchen station; null for what belongs to none.
    station_id: Option<Uuid>,
    /// Name of the station; null for what belongs to none.
    name: Option<String>,
    cost_cents: Cents,
}

/// What has one key in common: how much and at what cost.
type Cut<K> = BTreeMap<K, (Quantity, i64)>;

fn cut<K: Ord>(parts: &[WasteSum], key: impl Fn(&WasteSum) -> K) -> Result<Cut<K>, Overflow> {
    let mut sums = Cut::new();
    for part in parts {
        let (quantity, micros) = sums.entry(key(part)).or_default();
        *quantity = quantity.plus(part.quantity)?;
        *micros = micros.checked_add(part.cost_micros).ok_or(Overflow)?;
    }
    Ok(sums)
}

/// The dearest first, in cents that add up to the rounded whole.
fn in_cents<K: Ord + Clone>(cut: Cut<K>) -> Result<Vec<(K, Quantity, Cents)>, Overflow> {
    let mut rows: Vec<(K, Quantity, i64)> =
        cut.into_iter().map(|(key, (q, micros))| (key, q, micros)).collect();
    rows.sort_by_key(|(key, _, micros)| (Reverse(*micros), key.clone()));
    let cents = cents_adding_up(rows.iter().map(|(_, _, micros)| *micros))?;
    Ok(rows.into_iter().zip(cents).map(|((key, quantity, _), cents)| (key, quantity, cents)).collect())
}

/// The summary of `parts`, with how many entries stand by reason and what the stations are called.
///
/// # Errors
/// When a sum leaves the range.
pub fn summary(
    (from, to): (NaiveDate, NaiveDate),
    parts: &[WasteSum],
    counts: &BTreeMap<WasteReason, i64>,
    stations: &BTreeMap<Uuid, String>,
) -> Result<WasteSummary, Overflow> {
    let mut reasons = cut(parts, |part| part.reason)?;
    for reason in counts.keys() {
        reasons.entry(*reason).or_default();
    }
    let by_reason = in_cents(reasons)?.into_iter().map(|(reason, _, cost_cents)| WasteByReason {
        reason,
        entries_count: counts.get(&reason).copied().unwrap_or(0),
        cost_cents,
    });
    let items = in_cents(cut(parts, |part| (part.name.clone(), part.stock_item_id, part.unit.clone()))?)?;
    let by_item = items.into_iter().map(|((name, item, unit), quantity, cost_cents)| WasteByItem {
        inventory_item_id: item,
        name,
        unit,
        quantity,
        cost_cents,
    });
    let by_station =
        in_cents(cut(parts, |part| part.station_id)?)?.into_iter().map(|(station, _, cost_cents)| {
            let name = station.and_then(|id| stations.get(&id).cloned());
            WasteByStation { station_id: station, name, cost_cents }
        });
    let micros =
        parts.iter().try_fold(0i64, |sum, part| sum.checked_add(part.cost_micros)).ok_or(Overflow)?;
    Ok(WasteSummary {
        from,
        to,
        cost_cents: micro_cents_to_cents(micros)?,
        entries_count: counts.values().sum(),
        by_reason: by_reason.collect(),
        by_item: by_item.collect(),
        by_station: by_station.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part() -> impl Strategy<Value = WasteSum> {
        (0usize..10, 0u128..4, proptest::option::of(0u128..3), -999_999i64..9_999_999).prop_map(
            |(reason, item, station, cost_micros)| WasteSum {
                reason: WasteReason::ALL[reason],
                stock_item_id: Uuid::from_u128(item),
                name: format!("Item {item}"),
                unit: "kg".into(),
                station_id: station.map(Uuid::from_u128),
                quantity: Quantity::from_millionths(cost_micros / 7),
                cost_micros,
            },
        )
    }

    proptest! {
        #[test]
        fn every_cut_adds_up_to_the_cent(parts in proptest::collection::vec(part(), 0..30)) {
            let date: NaiveDate = "2026-11-20".parse().unwrap();
            let found = summary((date, date), &parts, &BTreeMap::new(), &BTreeMap::new()).unwrap();
            let total = Ok(found.cost_cents);
            prop_assert_eq!(Cents::sum(found.by_reason.iter().map(|row| row.cost_cents)), total);
            prop_assert_eq!(Cents::sum(found.by_item.iter().map(|row| row.cost_cents)), total);
            prop_assert_eq!(Cents::sum(found.by_station.iter().map(|row| row.cost_cents)), total);
        }
    }

    #[test]
    fn a_dish_is_thrown_away_in_portions_and_has_no_batch() {
        let draft = WasteDraft {
            inventory_item_id: None,
            menu_item_id: Some(Uuid::nil()),
            variant_id: None,
            quantity: Quantity::ZERO,
            unit: Some("l".into()),
            batch_number: Some("b".into()),
            reason: WasteReason::Dropped,
            note: None,
        };
        let fields = draft.clone().checked().unwrap_err();
        assert_eq!(
            fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
            ["quantity", "unit", "batchNumber"]
        );
        let neither = WasteDraft { menu_item_id: None, quantity: Quantity::from_millionths(1), ..draft };
        let fields = neither.checked().unwrap_err();
        assert_eq!(
            fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
            ["inventoryItemId", "menuItemId"]
        );
    }
}
