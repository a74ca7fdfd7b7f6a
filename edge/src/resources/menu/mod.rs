//! The menu: categories, dishes, modifier groups, tax categories, price lists, and what this outlet has of them today.
//!
//! What holds: a dish belongs to exactly one category of its outlet; what history refers to is archived, never deleted;
//! stock state and own prices are the outlet's and lie beside the dish, not in it; whatever changes what `GET /menu` shows
//! moves the menu's revision, so that its ETag can be trusted. What an option does to a recipe is inventory's: groups only
//! show it.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

pub use api::{shown_category, shown_group, shown_item, shown_price_list};
pub use rules::prices::PriceLists;
pub use rules::{LocalNow, MenuError, Occasion, Sellable, TaxComponent};

use crate::state::Routes;
use actions::Follow;

/// `/menu` (contract section 4).
pub fn routes(follow: Follow) -> Routes {
    api::routes(follow)
}
