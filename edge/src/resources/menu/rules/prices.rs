//! The prices in force: what a dish costs by the lists that hold for such an order at a moment, and what it cost a moment ago. Pure.

use super::hours::LocalNow;
use super::price_lists::{Listed, Occasion, PriceList, Rate, moments_before};
use super::{MenuItem, Sellable, variants};
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// A list with what it says of each dish, variant and category.
#[derive(Debug, PartialEq)]
pub struct Rated {
    /// The list.
    pub list: PriceList,
    /// What it says, by dish, variant and category.
    pub rates: HashMap<Uuid, Rate>,
}

/// The price lists of an outlet, in the order in which they are asked.
#[derive(Debug, Default, PartialEq)]
pub struct PriceLists(pub Vec<Rated>);

impl PriceLists {
    /// The prices of such an order at `at`.
    pub fn prices(&self, at: &LocalNow, occasion: &Occasion) -> Prices<'_> {
        let own: Vec<&Rated> = self.0.iter().filter(|rated| rated.list.is_for(occasion)).collect();
        if own.is_empty() {
            return Prices::default();
        }
        let held = |at: &LocalNow| -> Vec<&Rated> {
            own.iter().copied().filter(|rated| rated.list.draft.holds(at)).collect()
        };
        let now = held(at);
        let ids = |lists: &[&Rated]| -> Vec<Uuid> { lists.iter().map(|rated| rated.list.id).collect() };
        let is_other = |before: &Vec<&Rated>| ids(before) != ids(&now);
        let before = moments_before(at).map(|at| held(&at)).filter(is_other).collect();
        Prices { now, before }
    }
}

/// The lists that hold, and those that held a moment ago where those were others.
#[derive(Debug, Default)]
pub struct Prices<'l> {
    now: Vec<&'l Rated>,
    before: Vec<Vec<&'l Rated>>,
}

/// What `own` costs by `lists`, which say the most of the first of `targets`.
fn listed(lists: &[&Rated], targets: &[Uuid], own: Cents) -> Listed {
    let said = lists.iter().find_map(|rated| {
        let rate = targets.iter().find_map(|target| rated.rates.get(target))?;
        Some(Listed { price: rate.on(own), price_list_id: Some(rated.list.id) })
    });
    said.unwrap_or(Listed { price: own, price_list_id: None })
}

impl Prices<'_> {
    /// Whether every dish costs what the outlet's own price is.
    fn is_plain(&self) -> bool {
        self.now.is_empty() && self.before.is_empty()
    }

    fn now(&self, targets: &[Uuid], own: Cents) -> Listed {
        listed(&self.now, targets, own)
    }

    fn honoured(&self, targets: &[Uuid], own: Cents) -> Vec<Listed> {
        self.before.iter().map(|lists| listed(lists, targets, own)).collect()
    }

    /// A dish of the menu at these prices; it is at the outlet's own.
    #[must_use]
    pub fn shown(&self, mut item: MenuItem) -> MenuItem {
        if self.now.is_empty() {
            return item;
        }
        let (id, category) = (item.id, item.draft.category_id);
        for variant in &mut item.variants {
            let listed = self.now(&[variant.id, id, category], variant.price);
            (variant.price, variant.price_list_id) = (listed.price, listed.price_list_id);
        }
        let leading = variants::leading(&item.draft.variants).and_then(|at| item.variants.get(at));
        (item.price, item.price_list_id) = match leading {
            Some(variant) => (variant.price, variant.price_list_id),
            None => {
                let listed = self.now(&[id, category], item.price);
                (listed.price, listed.price_list_id)
            }
        };
        item
    }

    /// A dish at these prices, as an order sells it; it is at the outlet's own.
    #[must_use]
    pub fn sold(&self, mut dish: Sellable) -> Sellable {
        if self.is_plain() {
            return dish;
        }
        let (id, category) = (dish.id, dish.category_id);
        for variant in &mut dish.variants {
            let targets = [variant.id, id, category];
            variant.honoured = self.honoured(&targets, variant.price);
            let listed = self.now(&targets, variant.price);
            (variant.price, variant.price_list_id) = (listed.price, listed.price_list_id);
        }
        let targets = [id, category];
        dish.honoured = self.honoured(&targets, dish.price);
        let listed = self.now(&targets, dish.price);
        (dish.price, dish.price_list_id) = (listed.price, listed.price_list_id);
        dish
    }
}

#[cfg(test)]
mod tests;
