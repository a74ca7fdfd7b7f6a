//! Dishes compared: what each earns, which sell best, and where each stands on the menu. Never a dish without its cost.

use super::money::{Hundredths, cents_of_micros, percent};
use super::rows::{Dish, Sold};
use crate::resources::menu::rules::WeightUnit;
use crate::resources::menu::rules::weights::Weights;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use tiffin_common::quantity::{MILLION, cents_adding_up};
use tiffin_common::{Cents, Overflow, Quantity, Uuid};

/// What a dish sold and earned in the range. Figures are without tax and before refunds, which are not always of a dish.
#[apply(figures!)]
pub struct DishFigures {
    /// The dish these figures are of.
    pub menu_item_id: Uuid,
    /// Its name now.
    pub name: String,
    /// Name of the menu category it is in.
    pub category_name: String,
    /// Portions sold, voids taken off; of a dish that is sold by weight, how often.
    pub quantity: i64,
    /// What they weigh together, in `weightUnit`; absent of a dish that is sold by the piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Quantity>,
    /// What the dish is weighed in now; what was sold in another unit is told in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_unit: Option<WeightUnit>,
    /// Before discounts, options included.
    pub gross_revenue_cents: Cents,
    /// Its discounts and its part of the orders'.
    pub discount_cents: Cents,
    /// grossRevenueCents − discountCents.
    pub revenue_cents: Cents,
    /// What its ingredients cost, on the dates they were taken: rounded once.
    pub cogs_cents: Cents,
    /// revenueCents − cogsCents.
    pub margin_cents: Cents,
    /// marginCents in percent of revenueCents; 0 without revenue.
    pub margin_percentage: Hundredths,
    /// The same by the sizes it was sold in; none where it has but one.
    pub variants: Vec<VariantFigures>,
}

/// What a variant of a dish sold and earned: all of a dish's add up to the dish's.
#[apply(figures!)]
pub struct VariantFigures {
    /// The variant; null: sold before the dish had any.
    pub variant_id: Option<Uuid>,
    /// What dish and variant are called together now.
    pub name: String,
    /// Portions sold, voids taken off.
    pub quantity: i64,
    /// Before discounts, options included.
    pub gross_revenue_cents: Cents,
    /// Its discounts and its part of the orders'.
    pub discount_cents: Cents,
    /// grossRevenueCents − discountCents.
    pub revenue_cents: Cents,
    /// What its ingredients cost; rounded so that those of a dish add up to the dish's.
    pub cogs_cents: Cents,
    /// revenueCents − cogsCents.
    pub margin_cents: Cents,
}

impl VariantFigures {
    /// What a dish sold, as the only size it has.
    fn of_all(dish: &DishFigures) -> VariantFigures {
        VariantFigures {
            variant_id: None,
            name: dish.name.clone(),
            quantity: dish.quantity,
            gross_revenue_cents: dish.gross_revenue_cents,
            discount_cents: dish.discount_cents,
            revenue_cents: dish.revenue_cents,
            cogs_cents: dish.cogs_cents,
            margin_cents: dish.margin_cents,
        }
    }

    fn add(&mut self, other: &VariantFigures) -> Result<(), Overflow> {
        self.quantity = self.quantity.checked_add(other.quantity).ok_or(Overflow)?;
        for (sum, part) in [
            (&mut self.gross_revenue_cents, other.gross_revenue_cents),
            (&mut self.discount_cents, other.discount_cents),
            (&mut self.revenue_cents, other.revenue_cents),
            (&mut self.cogs_cents, other.cogs_cents),
            (&mut self.margin_cents, other.margin_cents),
        ] {
            *sum = sum.plus(part)?;
        }
        Ok(())
    }
}

impl DishFigures {
    /// Adds what the dish weighs elsewhere, in its own unit where it has one.
    fn add_weight(&mut self, other: &DishFigures) -> Result<(), Overflow> {
        let Some(unit) = self.weight_unit.or(other.weight_unit) else { return Ok(()) };
        let of = |dish: &DishFigures| match dish.weight.zip(dish.weight_unit) {
            Some((weight, unit)) => Weights::of(weight, unit),
            None => Ok(Weights::default()),
        };
        self.weight = Some(of(self)?.plus(of(other)?)?.within(unit)?);
        self.weight_unit = Some(unit);
        Ok(())
    }

    fn by_size(&self) -> Vec<VariantFigures> {
        if self.variants.is_empty() { vec![VariantFigures::of_all(self)] } else { self.variants.clone() }
    }

    /// Adds what the dish of that name sold elsewhere: sizes of one name are one.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn add(&mut self, other: &DishFigures) -> Result<(), Overflow> {
        let sizes = if self.variants.is_empty() && other.variants.is_empty() {
            Vec::new()
        } else {
            let mut sizes = self.by_size();
            for size in other.by_size() {
                match sizes.iter_mut().find(|known| known.name.to_lowercase() == size.name.to_lowercase()) {
                    Some(known) => known.add(&size)?,
                    None => sizes.push(size),
                }
            }
            sizes
        };
        let mut sum = VariantFigures::of_all(self);
        sum.add(&VariantFigures::of_all(other))?;
        self.quantity = sum.quantity;
        self.add_weight(other)?;
        self.gross_revenue_cents = sum.gross_revenue_cents;
        self.discount_cents = sum.discount_cents;
        self.revenue_cents = sum.revenue_cents;
        self.cogs_cents = sum.cogs_cents;
        self.margin_cents = sum.margin_cents;
        self.margin_percentage = percent(self.margin_cents, self.revenue_cents)?;
        self.variants = sizes;
        Ok(())
    }
}

/// What each variant of each dish sold.
pub type SoldVariants = BTreeMap<(Uuid, Option<Uuid>), Sold>;

/// Tells of each of `dishes` what its variants sold.
///
/// # Errors
/// [`Overflow`].
pub fn divide(
    dishes: &mut [DishFigures],
    sold: &SoldVariants,
    names: &HashMap<Uuid, Dish>,
) -> Result<(), Overflow> {
    for dish in dishes {
        let (first, last) = ((dish.menu_item_id, None), (dish.menu_item_id, Some(Uuid::max())));
        let parts: Vec<_> = sold.range(first..=last).map(|((_, variant), sold)| (*variant, *sold)).collect();
        if parts.iter().all(|(variant, _)| variant.is_none()) {
            continue;
        }
        let costs = cents_adding_up(parts.iter().map(|(_, sold)| sold.cost_micros))?;
        for ((variant_id, sold), cogs_cents) in parts.into_iter().zip(costs) {
            let revenue_cents = sold.gross.minus(sold.discount)?;
            let name = variant_id.and_then(|id| names.get(&id)).map(|variant| variant.name.clone());
            dish.variants.push(VariantFigures {
                variant_id,
                name: name.unwrap_or_else(|| dish.name.clone()),
                quantity: sold.quantity,
                gross_revenue_cents: sold.gross,
                discount_cents: sold.discount,
                revenue_cents,
                cogs_cents,
                margin_cents: revenue_cents.minus(cogs_cents)?,
            });
        }
    }
    Ok(())
}

/// The figures of every dish that sold something or cost something, and of those on the menu that did not.
///
/// # Errors
/// [`Overflow`].
pub fn dishes(
    sold: &BTreeMap<Uuid, Sold>,
    names: &HashMap<Uuid, Dish>,
) -> Result<Vec<DishFigures>, Overflow> {
    let is_idle = |id: &Uuid, dish: &Dish| dish.on_menu && !sold.contains_key(id);
    let idle = names.iter().filter(|(id, dish)| is_idle(id, dish)).map(|(id, _)| id);
    let has_figures =
        |id: &Uuid| sold.get(id).is_some_and(|sold| Sold { combos: 0, ..*sold } != Sold::default());
    let is_dish = |id: &&Uuid| names.get(*id).is_none_or(|dish| !dish.is_combo) || has_figures(id);
    let mut list = Vec::with_capacity(names.len());
    for id in sold.keys().chain(idle).filter(is_dish) {
        let sold = sold.get(id).copied().unwrap_or_default();
        let dish = names.get(id).cloned().unwrap_or_default();
        let revenue = sold.gross.minus(sold.discount)?;
        let cogs = cents_of_micros(sold.cost_micros)?;
        let margin = revenue.minus(cogs)?;
        let weights = Weights { grams: sold.grams, ounces: sold.ounces };
        // What was sold by weight before is told in kilograms.
        let unit = dish.weight_unit.or_else(|| (weights != Weights::default()).then(WeightUnit::default));
        list.push(DishFigures {
            menu_item_id: *id,
            name: dish.name,
            category_name: dish.category,
            quantity: sold.quantity,
            weight: unit.map(|unit| weights.within(unit)).transpose()?,
            weight_unit: unit,
            gross_revenue_cents: sold.gross,
            discount_cents: sold.discount,
            revenue_cents: revenue,
            cogs_cents: cogs,
            margin_cents: margin,
            margin_percentage: percent(margin, revenue)?,
            variants: Vec::new(),
        });
    }
    list.sort_by(|a, b| (&a.name, a.menu_item_id).cmp(&(&b.name, b.menu_item_id)));
    Ok(list)
}

/// What dishes are ranked by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RankBy {
    /// By portions sold.
    #[default]
    Quantity,
    /// By `revenueCents`.
    Revenue,
    /// By `marginCents`.
    Margin,
}

/// Which end of the list comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The best sellers.
    #[default]
    Desc,
    /// The worst ones; dishes on the menu that did not sell at all are the first.
    Asc,
}

/// Puts `list` in order; equals by name.
pub fn rank(list: &mut [DishFigures], by: RankBy, order: Order) {
    let value = |dish: &DishFigures| match by {
        RankBy::Quantity => dish.quantity,
        RankBy::Revenue => dish.revenue_cents.get(),
        RankBy::Margin => dish.margin_cents.get(),
    };
    match order {
        Order::Asc => list.sort_by_key(value),
        Order::Desc => list.sort_by_key(|dish| std::cmp::Reverse(value(dish))),
    }
}

/// Where a dish stands on the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Class {
    /// Popular, and earns well: keep it as it is.
    Star,
    /// Popular, but earns little: raise its price or lower its cost.
    Plowhorse,
    /// Earns well, but few want it: show it better.
    Puzzle,
    /// Neither popular nor profitable.
    Dog,
}

/// A dish of the menu analysis.
#[apply(figures!)]
pub struct EngineeredDish {
    /// What it sold and earned.
    #[serde(flatten)]
    pub figures: DishFigures,
    /// Its portions in percent of all portions.
    pub popularity_percentage: Hundredths,
    /// marginCents ÷ quantity.
    pub contribution_margin_cents: Cents,
    /// Where it stands.
    pub class: Class,
}

/// The menu, analysed.
#[apply(figures!)]
pub struct MenuAnalysis {
    /// A dish is popular when its share of portions is at least this: 70 % of an equal share (100 ÷ number of dishes sold).
    pub popularity_threshold_percentage: Hundredths,
    /// A dish earns well when its margin per portion is at least this: the margin of all ÷ the portions of all.
    pub average_contribution_margin_cents: Cents,
    /// Every dish that sold, by name.
    pub items: Vec<EngineeredDish>,
}

/// Analyses the dishes that sold at least a portion. Both comparisons are exact: neither threshold is rounded first.
///
/// # Errors
/// [`Overflow`].
pub fn analyse(
    sold: &BTreeMap<Uuid, Sold>,
    variants: &SoldVariants,
    names: &HashMap<Uuid, Dish>,
) -> Result<MenuAnalysis, Overflow> {
    let selling: BTreeMap<Uuid, Sold> =
        sold.iter().filter(|(_, sold)| sold.quantity > 0).map(|(id, sold)| (*id, *sold)).collect();
    let count = i64::try_from(selling.len()).map_err(|_| Overflow)?;
    let (mut portions, mut margin) = (0i64, 0i128);
    for dish in selling.values() {
        portions = portions.checked_add(dish.quantity).ok_or(Overflow)?;
        margin += margin_micros(dish)?;
    }
    let mut items = Vec::with_capacity(selling.len());
    let mut figures = dishes(&selling, names)?;
    divide(&mut figures, variants, names)?;
    for figures in figures {
        let Some(dish) = selling.get(&figures.menu_item_id) else { continue };
        let popular = i128::from(dish.quantity) * i128::from(count) * 10 >= i128::from(portions) * 7;
        let earns = margin_micros(dish)? * i128::from(portions) >= margin * i128::from(dish.quantity);
        let class = match (popular, earns) {
            (true, true) => Class::Star,
            (true, false) => Class::Plowhorse,
            (false, true) => Class::Puzzle,
            (false, false) => Class::Dog,
        };
        items.push(EngineeredDish {
            popularity_percentage: percent(Cents::new(dish.quantity), Cents::new(portions))?,
            contribution_margin_cents: per_portion(margin_micros(dish)?, dish.quantity)?,
            class,
            figures,
        });
    }
    Ok(MenuAnalysis {
        popularity_threshold_percentage: Hundredths::ratio(70, count)?,
        average_contribution_margin_cents: per_portion(margin, portions)?,
        items,
    })
}

fn margin_micros(dish: &Sold) -> Result<i128, Overflow> {
    let revenue = i128::from(dish.gross.minus(dish.discount)?.get()) * i128::from(MILLION);
    Ok(revenue - i128::from(dish.cost_micros))
}

fn per_portion(micros: i128, portions: i64) -> Result<Cents, Overflow> {
    if portions <= 0 {
        return Ok(Cents::ZERO);
    }
    tiffin_common::money::round_div(micros, i128::from(portions) * i128::from(MILLION)).map(Cents::new)
}

#[cfg(test)]
mod tests {
    use super::super::rows::Plus;
    use super::*;
    use proptest::prelude::*;

    fn sold(quantity: i64, gross: i64, cost: i64) -> Sold {
        Sold {
            quantity,
            combos: 0,
            gross: Cents::new(gross),
            discount: Cents::ZERO,
            cost_micros: cost * MILLION,
            ..Sold::default()
        }
    }

    fn menu() -> (BTreeMap<Uuid, Sold>, HashMap<Uuid, Dish>) {
        let dishes = [
            ("Star", sold(70, 70_000, 20_000)),
            ("Plowhorse", sold(70, 35_000, 28_000)),
            ("Puzzle", sold(20, 30_000, 6_000)),
            ("Dog", sold(20, 8_000, 5_000)),
        ];
        let id = |index: usize| Uuid::from_u128(index as u128 + 1);
        let dish = |name: &str| Dish {
            name: name.into(),
            category: "Mains".into(),
            on_menu: true,
            ..Dish::default()
        };
        let sold = dishes.iter().enumerate().map(|(i, (_, sold))| (id(i), *sold)).collect();
        let mut names: HashMap<Uuid, Dish> =
            dishes.iter().enumerate().map(|(i, (name, _))| (id(i), dish(name))).collect();
        names.insert(id(9), dish("Idle"));
        (sold, names)
    }

    #[test]
    fn dishes_are_told_apart_by_popularity_and_margin() {
        let (sold, names) = menu();
        let analysis = analyse(&sold, &SoldVariants::new(), &names).unwrap();
        let class = |name: &str| analysis.items.iter().find(|dish| dish.figures.name == name).unwrap().class;
        assert_eq!(
            ["Star", "Plowhorse", "Puzzle", "Dog"].map(class),
            [Class::Star, Class::Plowhorse, Class::Puzzle, Class::Dog]
        );
        assert_eq!(analysis.popularity_threshold_percentage, Hundredths::new(1_750));
        // (143 000 − 59 000) ÷ 180 = 466.67
        assert_eq!(analysis.average_contribution_margin_cents, Cents::new(467));
        assert_eq!(analysis.items.len(), 4, "what did not sell is not analysed");
    }

    #[test]
    fn exactly_the_threshold_is_popular_and_exactly_the_average_earns_well() {
        let id = Uuid::from_u128;
        // Two dishes: popular is 35 % and more.
        let sold = BTreeMap::from([(id(1), sold(35, 3_500, 0)), (id(2), sold(65, 6_500, 0))]);
        let none = SoldVariants::new();
        let analysis = analyse(&sold, &none, &HashMap::new()).unwrap();
        assert!(analysis.items.iter().all(|dish| dish.class == Class::Star));
        assert_eq!(analyse(&BTreeMap::new(), &none, &HashMap::new()).unwrap().items, []);
    }

    proptest! {
        #[test]
        fn what_the_variants_sold_adds_up_to_what_the_dish_sold(
            parts in proptest::collection::vec((0u128..5, 0i64..50, 0i64..99_999, 0i64..9_999, 0i64..999_999_999), 1..12),
        ) {
            let id = Uuid::from_u128(99);
            let (mut whole, mut variants) = (Sold::default(), SoldVariants::new());
            for (variant, quantity, gross, discount, cost_micros) in parts {
                let key = (id, (variant > 0).then(|| Uuid::from_u128(variant)));
                let part = Sold { quantity, combos: 0, gross: Cents::new(gross), discount: Cents::new(discount), cost_micros, ..Sold::default() };
                let so_far = variants.entry(key).or_default();
                *so_far = so_far.plus(part).unwrap();
                whole = whole.plus(part).unwrap();
            }
            let mut list = dishes(&BTreeMap::from([(id, whole)]), &HashMap::new()).unwrap();
            divide(&mut list, &variants, &HashMap::new()).unwrap();
            let dish = &list[0];
            // The same again at another outlet, where the dish has one size.
            let mut chain = dish.clone();
            chain.add(&DishFigures { variants: Vec::new(), ..dish.clone() }).unwrap();
            let of_sizes = Cents::sum(chain.variants.iter().map(|size| size.cogs_cents)).unwrap();
            prop_assert!(chain.variants.is_empty() || of_sizes == chain.cogs_cents);
            prop_assert_eq!(chain.quantity, 2 * dish.quantity);
            prop_assert!(dish.variants.is_empty() == variants.keys().all(|(_, variant)| variant.is_none()));
            if !dish.variants.is_empty() {
                let sum = |of: fn(&VariantFigures) -> Cents| Cents::sum(dish.variants.iter().map(of)).unwrap();
                prop_assert_eq!(dish.variants.iter().map(|v| v.quantity).sum::<i64>(), dish.quantity);
                prop_assert_eq!(sum(|v| v.revenue_cents), dish.revenue_cents);
                prop_assert_eq!(sum(|v| v.cogs_cents), dish.cogs_cents);
                prop_assert_eq!(sum(|v| v.margin_cents), dish.margin_cents);
            }
        }
    }

    #[test]
    fn the_worst_sellers_begin_with_what_did_not_sell() {
        let (sold, names) = menu();
        let mut list = dishes(&sold, &names).unwrap();
        rank(&mut list, RankBy::Quantity, Order::Asc);
        let order: Vec<&str> = list.iter().map(|dish| dish.name.as_str()).collect();
        assert_eq!(order, ["Idle", "Dog", "Puzzle", "Plowhorse", "Star"]);
        rank(&mut list, RankBy::Margin, Order::Desc);
        assert_eq!(list.first().map(|dish| dish.name.as_str()), Some("Star"));
        rank(&mut list, RankBy::Revenue, Order::Desc);
        assert_eq!(list.get(1).map(|dish| dish.name.as_str()), Some("Plowhorse"));
    }
}
