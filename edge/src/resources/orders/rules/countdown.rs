//! Portions that are counted down, and whether they suffice for what is asked for. Never counts stock.

use super::drafts::Draft;
use super::record::ModifierRecord;
use crate::http::Checks;
use crate::resources::menu::rules::{Availability, Sellable, Status};
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Whether portions are counted down.
pub(super) fn is_limited(state: &Availability) -> bool {
    state.status == Status::Limited
}

/// The chosen options that are counted down.
pub(super) fn limited_options(dish: &Sellable, chosen: &[ModifierRecord]) -> Vec<Uuid> {
    let options = || dish.groups.iter().flat_map(|group| &group.options);
    let limited = |id: Uuid| options().any(|o| o.id == id && o.availability.status == Status::Limited);
    chosen.iter().filter_map(|modifier| modifier.option_id).filter(|id| limited(*id)).collect()
}

/// Several lines of one counted-down dish, or variant of it, share what is left of it; so do components of combos.
pub(super) fn check_countdowns(
    drafts: &[Draft],
    dishes: &HashMap<Uuid, Sellable>,
    path: &str,
    checks: &mut Checks,
) {
    let mut taken: HashMap<Uuid, i64> = HashMap::new();
    for draft in drafts {
        let Some(dish) = dishes.get(&draft.line.menu_item_id) else { continue };
        if dish.unavailable.is_some() {
            continue;
        }
        let is_sold = |id: Uuid| draft.line.variant_id == Some(id);
        let variant = dish.variants.iter().find(|variant| is_sold(variant.id));
        let variant = variant.map(|variant| (variant.id, &variant.availability));
        for (id, state) in std::iter::once((dish.id, &dish.availability)).chain(variant) {
            let Some(left) = state.quantity_left.filter(|_| is_limited(state)) else { continue };
            let sum = taken.entry(id).or_default();
            *sum = sum.saturating_add(draft.line.quantity);
            let path = format!("{path}[{}].quantity", draft.place);
            checks.require(*sum <= left, path, format!("only {left} left"));
        }
    }
}
