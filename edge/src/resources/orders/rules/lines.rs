//! What was asked for against what the menu sells: names every line that cannot be sold, with its path. Never counts stock.

use super::combos;
use super::countdown::check_countdowns;
use super::drafts::{Draft, LineRequest, Selling};
use super::payments::{CARD, holds_card_number};
use super::reading::{Reading, read_dish};
use crate::http::{Checks, FieldError};
use crate::resources::menu::rules::{ItemKind, Sellable};
use std::collections::HashMap;
use tiffin_common::{Overflow, Uuid};

/// Reads `requests` against `dishes`. `path` is where the list stands in the body, such as `items`.
///
/// # Errors
/// All offending fields with their paths.
pub fn resolve(
    requests: &[LineRequest],
    dishes: &HashMap<Uuid, Sellable>,
    selling: Selling,
    path: &str,
) -> Result<Vec<Draft>, Vec<FieldError>> {
    let mut checks = Checks::new();
    let mut drafts = Vec::with_capacity(requests.len());
    for (index, request) in requests.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let Some(dish) = dishes.get(&request.menu_item_id) else {
            checks.add(format!("{path}.menuItemId"), "is not on the menu");
            continue;
        };
        if request.notes.as_deref().is_some_and(holds_card_number) {
            checks.add(format!("{path}.notes"), CARD);
        }
        let reading = Reading { selling, path: &path, place: index };
        let found = if dish.kind == ItemKind::Combo {
            combos::read_combo(request, (dish, dishes), reading, &mut checks)
        } else {
            let is_whole = request.components.is_empty();
            checks.require(is_whole, format!("{path}.components"), "are for combos");
            read_dish(request, dish, reading, &mut checks).map(Vec::from_iter)
        };
        match found {
            Ok(found) => drafts.extend(found),
            Err(Overflow) => checks.add(format!("{path}.quantity"), "makes the line too expensive to count"),
        }
    }
    if !selling.is_for_later {
        check_countdowns(&drafts, dishes, path, &mut checks);
    }
    checks.finish(drafts)
}
