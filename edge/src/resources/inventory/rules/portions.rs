//! How many portions stock suffices for, and which changes of it dishes have to follow. Pure.

use super::making::{self, Portion};
use super::recipe::Book;
use super::units::Ratio;
use std::collections::BTreeMap;
use tiffin_common::{Overflow, Quantity, Uuid};

/// What can be ordered: a dish or a variant of one, or an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Orderable {
    /// Its id.
    pub id: Uuid,
    /// Whether it is an option.
    pub is_option: bool,
}

/// How much one portion takes of each stock item, as it would be booked, were nothing made ahead; and, where the last is true, of what is
/// made ahead, were there enough of it.
pub type PortionNeeds = BTreeMap<(Orderable, Uuid, bool), Quantity>;

/// What one portion of each of `recipes` takes. A recipe that cannot be computed takes nothing: none such is ever stored, and
/// it must not stop the others.
///
/// # Errors
/// When a need leaves the range.
pub fn portion_needs(book: &Book, recipes: &[(Uuid, Orderable)]) -> Result<PortionNeeds, Overflow> {
    let mut all = PortionNeeds::new();
    for (recipe, orderable) in recipes {
        let Ok(portion) = making::portion(book, *recipe) else { continue };
        let mut made = Vec::new();
        let of_ingredients = making::needs_of::<Overflow>(&[(&portion, Ratio::ONE)], &mut |item, wanted| {
            made.push((item, wanted));
            Ok(Quantity::ZERO)
        })?;
        all.extend(of_ingredients.into_iter().map(|(item, quantity)| ((*orderable, item, false), quantity)));
        all.extend(made.into_iter().map(|(item, quantity)| ((*orderable, item, true), quantity)));
    }
    Ok(all)
}

/// What there is of a stock item.
#[derive(Debug, Clone)]
pub struct Stocked {
    /// Its name.
    pub name: String,
    /// What may still be sold of it.
    pub current: Quantity,
    /// Whether there being none of it keeps a dish off the menu.
    pub counts: bool,
}

/// What there is of everything.
pub type Stock = BTreeMap<Uuid, Stocked>;

/// Into how many parts a portion of a dish that is sold by weight is cut: with less than one of them left, it has run out.
pub const PARTS_OF_WEIGHT: i64 = 1_000;

/// The first by its name of what there is too little of for so many portions: what is made ahead is used up first, and its ingredients
/// for the rest.
///
/// # Errors
/// When a need leaves the range.
pub fn short_of(portion: &Portion, stock: &Stock, portions: Ratio) -> Result<Option<Uuid>, Overflow> {
    let there = |item: Uuid| stock.get(&item).map(|stocked| stocked.current).unwrap_or_default();
    let needs = making::needs_of::<Overflow>(&[(portion, portions)], &mut |item, wanted| {
        Ok(wanted.min(there(item)).max(Quantity::ZERO))
    })?;
    let counts = |item: Uuid| stock.get(&item).is_some_and(|stocked| stocked.counts);
    let short = needs.into_iter().filter(|(item, quantity)| there(*item) < *quantity && counts(*item));
    Ok(short.map(|(item, _)| item).min_by_key(|item| (stock.get(item).map(|stocked| &stocked.name), *item)))
}

/// How many portions there is enough for, and what allows no more; none when nothing that counts goes in.
///
/// # Errors
/// When a need of one portion leaves the range.
pub fn most(portion: &Portion, stock: &Stock) -> Result<Option<(i64, Uuid)>, Overflow> {
    let ingredients = making::needs_of::<Overflow>(&[(portion, Ratio::ONE)], &mut |_, _| Ok(Quantity::ZERO))?;
    if !ingredients.iter().any(|(item, _)| stock.get(item).is_some_and(|stocked| stocked.counts)) {
        return Ok(None);
    }
    let short_of = |portions: i64| short_of(portion, stock, Ratio::ONE.times_count(portions)?);
    // So many there is enough for, and for so many not. What leaves the range is more than there can be.
    let (mut enough, mut beyond) = (0i64, 1i64);
    while let Ok(None) = short_of(beyond) {
        enough = beyond;
        beyond = beyond.checked_mul(2).ok_or(Overflow)?;
    }
    while beyond - enough > 1 {
        let middle = enough + (beyond - enough) / 2;
        match short_of(middle) {
            Ok(None) => enough = middle,
            _ => beyond = middle,
        }
    }
    Ok(short_of(beyond).ok().flatten().map(|item| (enough, item)))
}

/// Whether a level's change can make a dish come or go, when no portion takes more than `largest_need` of the item. Also while
/// it stays too low: what has expired since is noticed with the next change.
pub fn matters(before: Quantity, after: Quantity, largest_need: Quantity) -> bool {
    before != after && (before < largest_need || after < largest_need)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_change_that_does_not_matter_changes_no_dish(
            before in -50i64..200,
            after in -50i64..200,
            needs in proptest::collection::vec(1i64..100, 0..5),
        ) {
            let (before, after) = (Quantity::from_millionths(before), Quantity::from_millionths(after));
            let needs: Vec<Quantity> = needs.into_iter().map(Quantity::from_millionths).collect();
            let largest = needs.iter().copied().max().unwrap_or_default();
            let changed = needs.iter().any(|need| (before >= *need) != (after >= *need));
            prop_assert!(!changed || matters(before, after, largest));
        }
    }
}
