//! What one portion takes out of stock: recipes expanded through their preparations, exactly. Never rounds before the end.

use super::units::{Ratio, UnitConversion, factor};
use std::collections::HashMap;
use tiffin_common::{Millis, Overflow, Quantity, Uuid};

/// Preparations may be nested this deep.
pub const MAX_DEPTH: usize = 8;

/// What a recipe is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A dish.
    Dish(Uuid),
    /// A modifier option: what it adds or removes.
    Option(Uuid),
    /// A preparation that others use, by its name.
    Preparation(String),
}

table! {
    /// A recipe's head. It is for a dish, for an option, or, under its name, for other recipes.
    pub struct Head: recipes {
        /// Id.
        pub id: Uuid,
        /// The dish.
        pub menu_item_id: Option<Uuid>,
        /// The option.
        pub option_id: Option<Uuid>,
        /// The preparation's name.
        pub name: Option<String>,
        /// How much one making gives.
        pub makes: Quantity => yield_quantity,
        /// Of which unit.
        pub yield_unit: String,
        /// Of a preparation: how many days more than the one it is made on a batch may be used.
        pub shelf_life_days: Option<i64>,
        /// 1, 2, ….
        pub version: i64,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

/// One ingredient of a recipe.
#[derive(Debug, Clone)]
pub struct Ingredient {
    /// What it is.
    pub source: Source,
    /// How much of it one making takes; negative where an option leaves something out.
    pub quantity: Quantity,
    /// Of which unit.
    pub unit: String,
}

/// A stock item or a preparation.
#[derive(Debug, Clone)]
pub enum Source {
    /// A stock item, with what its units say.
    Stock {
        /// The item.
        id: Uuid,
        /// What it is counted in.
        unit: String,
        /// Its own units.
        conversions: Vec<UnitConversion>,
    },
    /// Another recipe.
    Preparation(Uuid),
}

/// The stock item that a preparation lies in the store room as.
#[derive(Debug, Clone, PartialEq)]
pub struct Shelf {
    /// The item.
    pub id: Uuid,
    /// What it is counted in.
    pub unit: String,
    /// Its own units.
    pub conversions: Vec<UnitConversion>,
}

/// A recipe: what one making takes and gives.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// How much one making gives: portions for a dish, otherwise in `yield_unit`.
    pub makes: Quantity,
    /// Of which unit.
    pub yield_unit: String,
    /// What goes in.
    pub ingredients: Vec<Ingredient>,
    /// Where what was made of it lies; none while it never was made ahead.
    pub shelf: Option<Shelf>,
}

/// Recipes by id: one dish with all its preparations, or all of an outlet.
pub type Book = HashMap<Uuid, Recipe>;

/// Stock items and how many millionths of their unit one unit of the yield takes, in the recipe's order.
pub type Needs = Vec<(Uuid, Ratio)>;

/// Why a recipe cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecipeFault {
    /// It contains itself.
    #[error("contains itself through its preparations")]
    Cycle,
    /// Preparations within preparations too deep.
    #[error("nests preparations too deeply")]
    TooDeep,
    /// A unit does not convert.
    #[error("uses a unit that does not convert")]
    Unit,
    /// A preparation that does not exist.
    #[error("uses a preparation that does not exist")]
    Unknown,
    /// A number left the range.
    #[error("has quantities that are too large or too fine")]
    Overflow,
}

impl From<Overflow> for RecipeFault {
    fn from(_: Overflow) -> Self {
        RecipeFault::Overflow
    }
}

/// What one unit of `root`'s yield takes out of stock.
///
/// # Errors
/// Why it cannot be computed.
pub fn expand(book: &Book, root: Uuid) -> Result<Needs, RecipeFault> {
    let mut known = HashMap::new();
    expand_into(book, root, false, &mut Vec::new(), &mut known)?;
    known.remove(&root).ok_or(RecipeFault::Unknown)
}

/// What one unit of the yield of `root`, and of everything it is made of, takes, no further than to what lies in the store room.
pub(super) fn expand_to_shelves(
    book: &Book,
    root: Uuid,
    known: &mut HashMap<Uuid, Needs>,
) -> Result<(), RecipeFault> {
    expand_into(book, root, true, &mut Vec::new(), known)
}

fn expand_into(
    book: &Book,
    id: Uuid,
    to_shelves: bool,
    path: &mut Vec<Uuid>,
    known: &mut HashMap<Uuid, Needs>,
) -> Result<(), RecipeFault> {
    if known.contains_key(&id) {
        return Ok(());
    }
    if path.contains(&id) {
        return Err(RecipeFault::Cycle);
    }
    if path.len() > MAX_DEPTH {
        return Err(RecipeFault::TooDeep);
    }
    let recipe = book.get(&id).ok_or(RecipeFault::Unknown)?;
    let portion = Ratio::units(recipe.makes)?.inverse()?;
    path.push(id);
    let mut needs = Needs::new();
    for ingredient in &recipe.ingredients {
        match &ingredient.source {
            Source::Stock { id: item, unit, conversions } => {
                let size = factor(&ingredient.unit, unit, conversions).ok_or(RecipeFault::Unit)?;
                let amount = Ratio::millionths(ingredient.quantity).times(size)?.times(portion)?;
                add(&mut needs, *item, amount)?;
            }
            Source::Preparation(other) => {
                expand_into(book, *other, to_shelves, path, known)?;
                let made = book.get(other).ok_or(RecipeFault::Unknown)?;
                if to_shelves && let Some((item, size)) = made.on_shelf(&ingredient.unit) {
                    let amount = Ratio::millionths(ingredient.quantity).times(size)?.times(portion)?;
                    add(&mut needs, item, amount)?;
                    continue;
                }
                let size = factor(&ingredient.unit, &made.yield_unit, &[]).ok_or(RecipeFault::Unit)?;
                let share = Ratio::units(ingredient.quantity)?.times(size)?.times(portion)?;
                for (item, amount) in known.get(other).into_iter().flatten() {
                    add(&mut needs, *item, amount.times(share)?)?;
                }
            }
        }
    }
    path.pop();
    known.insert(id, needs);
    Ok(())
}

impl Recipe {
    /// The stock item it lies in the store room as, and how many of its units are in one `unit`; none where those do not convert.
    fn on_shelf(&self, unit: &str) -> Option<(Uuid, Ratio)> {
        let shelf = self.shelf.as_ref()?;
        factor(&shelf.unit, &self.yield_unit, &[])?;
        Some((shelf.id, factor(unit, &shelf.unit, &shelf.conversions)?))
    }
}

pub(super) fn add(needs: &mut Needs, item: Uuid, amount: Ratio) -> Result<(), Overflow> {
    match needs.iter_mut().find(|(id, _)| *id == item) {
        Some((_, sum)) => *sum = sum.plus(amount)?,
        None => needs.push((item, amount)),
    }
    Ok(())
}

/// What `portions` of a dish take with the options chosen: dish and options together, never less than nothing, rounded once
/// per stock item.
///
/// # Errors
/// When a sum leaves the range.
pub fn line_needs(parts: &[&Needs], portions: i64) -> Result<Vec<(Uuid, Quantity)>, Overflow> {
    let portions = Ratio::ONE.times_count(portions)?;
    let mut sum = Needs::new();
    for (item, amount) in parts.iter().flat_map(|needs| needs.iter()) {
        add(&mut sum, *item, *amount)?;
    }
    let mut needs = Vec::with_capacity(sum.len());
    for (item, amount) in sum {
        if !amount.is_negative() {
            let quantity = amount.times(portions)?.round()?;
            if quantity.is_positive() {
                needs.push((item, quantity));
            }
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    fn stock(n: u128, unit: &str, quantity: &str, of: &str, own: &[UnitConversion]) -> Ingredient {
        let source = Source::Stock { id: id(n), unit: unit.into(), conversions: own.to_vec() };
        Ingredient { source, quantity: q(quantity), unit: of.into() }
    }

    fn preparation(n: u128, quantity: &str, unit: &str) -> Ingredient {
        Ingredient { source: Source::Preparation(id(n)), quantity: q(quantity), unit: unit.into() }
    }

    fn recipe(makes: &str, yield_unit: &str, ingredients: Vec<Ingredient>) -> Recipe {
        Recipe { makes: q(makes), yield_unit: yield_unit.into(), ingredients, shelf: None }
    }

    /// complaints.md row 8: recipe in g, stock in kg, bought in crates, nested preparation.
    #[test]
    fn grams_kilos_crates_and_nested_preparations_add_up() {
        let crates = [UnitConversion { unit: "crate".into(), factor: q("18") }];
        let book = Book::from([
            (
                id(10),
                recipe("1000", "g", vec![stock(1, "kg", "480", "g", &[]), stock(2, "kg", "520", "g", &[])]),
            ),
            (
                id(11),
                recipe("3", "kg", vec![stock(3, "kg", "0.5", "crate", &crates), preparation(10, "200", "g")]),
            ),
            (id(12), recipe("1", "pcs", vec![preparation(11, "150", "g"), stock(1, "kg", "5", "g", &[])])),
        ]);
        let needs = expand(&book, id(12)).unwrap();
        let portions = line_needs(&[&needs], 2).unwrap();
        // 300 g of a gravy whose 3 kg hold 9 kg of tomatoes and 200 g of paste (96 g of item 1, 104 g of item 2).
        assert_eq!(portions, [(id(3), q("0.9")), (id(1), q("0.0196")), (id(2), q("0.0104"))]);
    }

    #[test]
    fn thirds_are_rounded_once_and_not_per_portion() {
        let book = Book::from([(id(1), recipe("3", "pcs", vec![stock(9, "kg", "1", "kg", &[])]))]);
        let needs = expand(&book, id(1)).unwrap();
        assert_eq!(line_needs(&[&needs], 1).unwrap(), [(id(9), q("0.333333"))]);
        assert_eq!(line_needs(&[&needs], 3).unwrap(), [(id(9), q("1"))]);
    }

    #[test]
    fn an_option_can_leave_out_but_not_give_back() {
        let book = Book::from([
            (id(1), recipe("1", "pcs", vec![stock(8, "g", "5", "g", &[]), stock(9, "g", "7", "g", &[])])),
            (id(2), recipe("1", "pcs", vec![stock(8, "g", "-9", "g", &[]), stock(9, "g", "-2", "g", &[])])),
        ]);
        let (dish, option) = (expand(&book, id(1)).unwrap(), expand(&book, id(2)).unwrap());
        assert_eq!(line_needs(&[&dish, &option], 2).unwrap(), [(id(9), q("10"))]);
    }

    #[test]
    fn a_recipe_cannot_contain_itself() {
        let book = Book::from([
            (id(1), recipe("1", "kg", vec![preparation(2, "1", "kg")])),
            (id(2), recipe("1", "kg", vec![preparation(1, "1", "kg")])),
        ]);
        assert_eq!(expand(&book, id(1)), Err(RecipeFault::Cycle));
        assert_eq!(expand(&book, id(3)), Err(RecipeFault::Unknown));
    }

    #[test]
    fn twenty_levels_of_two_uses_each_are_refused_not_computed_for_ever() {
        let mut book = Book::new();
        for n in 1..20 {
            book.insert(
                id(n),
                recipe("1", "kg", vec![preparation(n + 1, "1", "kg"), preparation(n + 1, "1", "kg")]),
            );
        }
        book.insert(id(20), recipe("1", "kg", vec![]));
        assert_eq!(expand(&book, id(1)), Err(RecipeFault::TooDeep));
    }
}
