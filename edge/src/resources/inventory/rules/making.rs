//! What is made ahead and lies in the store room: what a portion takes of it, and of its ingredients for the part beyond. Pure: what is
//! there is asked of the caller.

use super::recipe::{self, Book, Needs, RecipeFault};
use super::units::{Ratio, factor};
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Millis, Overflow, Quantity, Uuid};

/// What one unit of a recipe's yield takes, no further than to what lies in the store room.
#[derive(Debug, Clone, PartialEq)]
pub struct Portion {
    /// Stock items, those among them that are made ahead.
    pub needs: Needs,
    /// What goes in where there is none of those.
    pub made: Vec<Made>,
}

/// What is made ahead, and what one unit of its stock is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Its stock item.
    pub item: Uuid,
    /// What one unit of that takes.
    pub needs: Needs,
}

/// What one unit of `root`'s yield takes. Its own stock is not taken: `root` is what is made.
///
/// # Errors
/// Why it cannot be computed.
pub fn portion(book: &Book, root: Uuid) -> Result<Portion, RecipeFault> {
    let mut known = HashMap::new();
    recipe::expand_to_shelves(book, root, &mut known)?;
    let needs = known.remove(&root).ok_or(RecipeFault::Unknown)?;
    let mut made = Vec::new();
    for (id, needs) in known {
        let Some((shelf, recipe)) = book.get(&id).and_then(|recipe| Some((recipe.shelf.as_ref()?, recipe)))
        else {
            continue;
        };
        // What is not counted in a unit that it converts to was expanded in its place.
        let Some(size) = factor(&shelf.unit, &recipe.yield_unit, &[]) else { continue };
        let of_unit = |(item, amount): (Uuid, Ratio)| Ok((item, amount.times(size)?));
        let needs = needs.into_iter().map(of_unit).collect::<Result<Needs, Overflow>>()?;
        made.push(Made { item: shelf.id, needs });
    }
    made.sort_unstable_by_key(|made| made.item);
    Ok(Portion { needs, made })
}

/// What so many portions of each of the parts together take out of stock, never less than nothing, rounded once per stock item: of what is made ahead
/// as much as `give` has (asked for no more than is wanted, it answers what it gives), of its ingredients for the rest.
///
/// # Errors
/// When a sum leaves the range, and what `give` fails with.
pub fn needs_of<E: From<Overflow>>(
    parts: &[(&Portion, Ratio)],
    give: &mut dyn FnMut(Uuid, Quantity) -> Result<Quantity, E>,
) -> Result<Vec<(Uuid, Quantity)>, E> {
    let mut sum = Needs::new();
    for (part, portions) in parts {
        for (item, amount) in &part.needs {
            recipe::add(&mut sum, *item, amount.times(*portions)?)?;
        }
    }
    let mut open: Vec<&Made> = Vec::new();
    for made in parts.iter().flat_map(|(part, _)| &part.made) {
        if !open.iter().any(|known| known.item == made.item) {
            open.push(made);
        }
    }
    let mut taken = Vec::new();
    while let Some(made) = next(&mut open) {
        let Some(place) = sum.iter().position(|(item, _)| *item == made.item) else { continue };
        let (item, wanted) = sum.remove(place);
        let given = match wanted.round()? {
            whole if whole.is_positive() => give(item, whole)?,
            _ => Quantity::ZERO,
        };
        if given.is_positive() {
            taken.push((item, given));
            if given == wanted.round()? {
                continue;
            }
        }
        let rest = wanted.plus(Ratio::millionths(given.negated()))?;
        let units = rest.times(Ratio::new(1, i128::from(MILLION))?)?;
        for (item, amount) in &made.needs {
            recipe::add(&mut sum, *item, amount.times(units)?)?;
        }
    }
    for (item, amount) in sum {
        let quantity = amount.round()?;
        if quantity.is_positive() {
            taken.push((item, quantity));
        }
    }
    Ok(taken)
}

/// What no other of them is made with: all that is wanted of it is known.
fn next<'a>(open: &mut Vec<&'a Made>) -> Option<&'a Made> {
    let is_free = |one: &&Made| {
        !open
            .iter()
            .any(|other| other.item != one.item && other.needs.iter().any(|(item, _)| *item == one.item))
    };
    let place = open.iter().position(is_free).or_else(|| open.len().checked_sub(1))?;
    Some(open.remove(place))
}

/// Something that is made ahead.
#[derive(Debug, Clone, Copy)]
pub struct Making {
    /// How much, in the preparation's unit.
    pub quantity: Quantity,
    /// The last date it may be used; none for what keeps.
    pub expiry_date: Option<NaiveDate>,
}

/// What went into a batch that was made here.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The batch that was made.
    pub made_batch_id: Uuid,
    /// The stock item that went in.
    pub stock_item_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// How much went into the whole batch.
    pub quantity: Quantity,
    /// The batch; none: taken without stock.
    pub batch_id: Option<Uuid>,
    /// Its number.
    pub batch_number: Option<String>,
    /// Its last date.
    pub expiry_date: Option<NaiveDate>,
    /// Who delivered it.
    pub supplier_id: Option<Uuid>,
    /// Their name.
    pub supplier_name: Option<String>,
}

/// A batch that something went into, by way of whatever was made of it before.
#[derive(Debug, Clone)]
pub struct MadeBatch {
    /// The batch that was made.
    pub batch_id: Uuid,
    /// Its number.
    pub batch_number: String,
    /// The stock item it is of.
    pub stock_item_id: Uuid,
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// How much was made.
    pub made: Quantity,
    /// How much of what is traced is in all of it, in the unit of that.
    pub holds: Quantity,
    /// When it was made.
    pub at: Millis,
}

impl MadeBatch {
    /// How much of what is traced is in so much of it. What a number of this size cannot say exactly is rounded.
    pub fn share(&self, taken: Quantity) -> Quantity {
        let share = i128::from(self.holds.get()) * i128::from(taken.get());
        let rounded = round_div(share, i128::from(self.made.get()));
        rounded.map_or(self.holds, Quantity::from_millionths)
    }
}

#[cfg(test)]
mod tests {
    use super::super::recipe::{Ingredient, Recipe, Shelf, Source};
    use super::*;
    use proptest::prelude::*;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    fn q(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn stock(n: u128, quantity: &str, unit: &str) -> Ingredient {
        let source = Source::Stock { id: id(n), unit: "kg".into(), conversions: Vec::new() };
        Ingredient { source, quantity: q(quantity), unit: unit.into() }
    }

    fn made(n: u128, quantity: &str, unit: &str) -> Ingredient {
        Ingredient { source: Source::Preparation(id(n)), quantity: q(quantity), unit: unit.into() }
    }

    fn recipe(makes: &str, unit: &str, shelf: Option<(u128, &str)>, ingredients: Vec<Ingredient>) -> Recipe {
        let shelf = shelf.map(|(n, unit)| Shelf { id: id(n), unit: unit.into(), conversions: Vec::new() });
        Recipe { makes: q(makes), yield_unit: unit.into(), ingredients, shelf }
    }

    /// 2 kg of gravy (10, kept as 100 in g) of 3 kg of tomatoes (1) and 1 kg of butter (2); 4 kg of sauce (11, kept as 101) of 2 kg of
    /// that and 1 kg of tomatoes; a dish (12) of 100 g of the sauce and 50 g of the gravy.
    fn book() -> Book {
        Book::from([
            (id(10), recipe("2", "kg", Some((100, "g")), vec![stock(1, "3", "kg"), stock(2, "1", "kg")])),
            (id(11), recipe("4", "kg", Some((101, "kg")), vec![made(10, "2000", "g"), stock(1, "1", "kg")])),
            (id(12), recipe("1", "pcs", None, vec![made(11, "100", "g"), made(10, "50", "g")])),
        ])
    }

    fn taken(portions: i64, there: &[(u128, &str)]) -> Vec<(u128, String)> {
        let portion = portion(&book(), id(12)).unwrap();
        let mut there: HashMap<Uuid, Quantity> = there.iter().map(|(n, text)| (id(*n), q(text))).collect();
        let mut give = |item: Uuid, most: Quantity| {
            let left = there.entry(item).or_default();
            let given = most.min(*left);
            *left = left.minus(given)?;
            Ok::<_, Overflow>(given)
        };
        let count = Ratio::ONE.times_count(portions).unwrap();
        let needs = needs_of(&[(&portion, count)], &mut give).unwrap();
        needs.into_iter().map(|(item, quantity)| (item.as_u128(), quantity.to_string())).collect()
    }

    fn all(list: &[(u128, &str)]) -> Vec<(u128, String)> {
        list.iter().map(|(item, text)| (*item, (*text).to_owned())).collect()
    }

    #[test]
    fn what_lies_ready_goes_first_and_the_rest_is_made_of_its_ingredients() {
        assert_eq!(taken(10, &[(101, "9"), (100, "9000")]), all(&[(101, "1"), (100, "500")]));
        // Half of the sauce: what is wanted of gravy is its own 500 g and 250 g for the other half, with 125 g of tomatoes.
        assert_eq!(
            taken(10, &[(101, "0.5"), (100, "9000")]),
            all(&[(101, "0.5"), (100, "750"), (1, "0.125")])
        );
        // Of that gravy a third: 500 g of it are 750 g of tomatoes and 250 g of butter.
        let third = [(101, "0.5"), (100, "250"), (1, "0.875"), (2, "0.25")];
        assert_eq!(taken(10, &[(101, "0.5"), (100, "250")]), all(&third));
        assert_eq!(taken(10, &[]), all(&[(1, "1.75"), (2, "0.5")]), "as without any");
    }

    #[test]
    fn what_is_made_does_not_take_of_itself() {
        let portion = portion(&book(), id(11)).unwrap();
        let items: Vec<u128> = portion.needs.iter().map(|(item, _)| item.as_u128()).collect();
        assert_eq!(items, [100, 1]);
    }

    #[test]
    fn an_option_that_leaves_out_more_gravy_than_there_is_in_the_dish_takes_none_of_it() {
        let mut book = book();
        let less = recipe("1", "pcs", None, vec![made(10, "-80", "g"), made(11, "-100", "g")]);
        book.insert(id(13), less);
        let (dish, option) = (portion(&book, id(12)).unwrap(), portion(&book, id(13)).unwrap());
        let mut asked = Vec::new();
        let needs = needs_of(&[(&dish, Ratio::ONE), (&option, Ratio::ONE)], &mut |item, most| {
            asked.push(item);
            Ok::<_, Overflow>(most)
        });
        assert_eq!((needs.unwrap(), asked), (vec![], vec![]));
    }

    proptest! {
        /// Whatever there is of it, what is taken is worth the same ingredients.
        #[test]
        fn nothing_is_taken_twice_or_left_out(portions in 1i64..200, sauce in 0i64..20_000_000, gravy in 0i64..20_000_000_000) {
            let there = [(101, Quantity::from_millionths(sauce).to_string()), (100, Quantity::from_millionths(gravy).to_string())];
            let there: Vec<(u128, &str)> = there.iter().map(|(item, text)| (*item, text.as_str())).collect();
            let (mut tomatoes, mut butter) = (0i128, 0i128);
            for (item, quantity) in taken(portions, &there) {
                let millionths = i128::from(q(&quantity).get());
                // In four-thousandths of a millionth of a kilo.
                let (of_tomatoes, of_butter) = match item {
                    1 => (4_000, 0),
                    2 => (0, 4_000),
                    100 => (6, 2),
                    _ => (4_000, 1_000),
                };
                tomatoes += of_tomatoes * millionths;
                butter += of_butter * millionths;
            }
            let expected = |kilos: i128| i128::from(portions) * kilos * 4_000;
            prop_assert!((tomatoes - expected(175_000)).abs() <= 8_000, "{tomatoes}");
            prop_assert!((butter - expected(50_000)).abs() <= 8_000, "{butter}");
        }
    }
}
