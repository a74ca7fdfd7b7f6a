//! How many portions stock suffices for, and which changes of it dishes have to follow. Pure.

use super::recipe::{self, Book, Needs};
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

/// How much one portion takes of each stock item, as it would be booked.
pub type PortionNeeds = BTreeMap<(Orderable, Uuid), Quantity>;

/// What one portion of each of `recipes` takes. A recipe that cannot be computed takes nothing: none such is ever stored, and
/// it must not stop the others.
///
/// # Errors
/// When a need leaves the range.
pub fn portion_needs(book: &Book, recipes: &[(Uuid, Orderable)]) -> Result<PortionNeeds, Overflow> {
    let mut all = PortionNeeds::new();
    for (recipe, orderable) in recipes {
        let needs = recipe::expand(book, *recipe).unwrap_or_else(|_| Needs::new());
        for (item, quantity) in recipe::line_needs(&[&needs], 1)? {
            all.insert((*orderable, item), quantity);
        }
    }
    Ok(all)
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
