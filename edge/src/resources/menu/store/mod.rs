//! Rows of the menu: the only SQL that writes tax_categories, menu_categories, menu_items, modifier_groups,
//! modifier_options, menu_item_modifier_groups, combo_components, combo_options, menu_availability, menu_prices, menu_pictures,
//! price_lists, price_list_entries and menu_revision. Never decides.

mod availability;
mod categories;
mod combos;
mod components;
mod groups;
mod items;
pub mod pictures;
mod price_lists;
mod said;
mod sell;
mod taxes;
mod tree;
mod variants;

pub use availability::{
    Stated, find_availability, find_revision, list_states, next_revision, set_availability, set_price,
    set_quantity_left,
};
pub use categories::{
    count_items_in, find_category, insert_category, list_categories, next_sort_order, set_category_archived,
    update_category,
};
pub use combos::{find_choice, list_combos_with, list_names_of_combos_with, list_offers_of};
pub use groups::{
    count_items_with_group, find_group, find_option, insert_group, insert_option, is_group, list_all_groups,
    list_groups, list_groups_of_item, list_option_recipes, set_group_archived, set_option_archived,
    update_group, update_option,
};
pub use items::{
    ItemFilter, find_item, insert_item, is_station, list_items, list_stations, set_item_archived, update_item,
};
pub use price_lists::{
    Targets, count_price_lists, find_all_prices, find_area, find_price_list, find_prices, insert_price_list,
    list_price_lists, list_targets, set_price_list_archived, update_price_list,
};
pub use said::{Said, list_said};
pub use sell::list_sellable;
pub use taxes::{
    count_items_taxed, find_service_taxes, find_tax, insert_tax, list_taxes, set_tax_archived, update_tax,
};
pub use tree::{Turned, find_conditions, find_tree, list_turned};
pub use variants::{find_dish_of, find_variant};

use super::rules::{LocalNow, MenuError, Result};
use crate::db::{self, Columns, Source};
use crate::http::Page;
use crate::resources::outlets;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Which records: those an archive flag has not taken away, on a page, perhaps with a word in their name.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// A part of the name, in any case.
    pub q: Option<String>,
    /// Rows on a page.
    pub limit: u32,
    /// Rows to skip.
    pub offset: u32,
}

/// What the wall clock of `outlet` shows at `now`.
pub fn find_local_now(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<LocalNow> {
    outlets::store::find(conn, outlet).map(|outlet| LocalNow::new(now, outlet.timezone))
}

/// What an order reads for each of its dishes, and what reads them in a language, for the test that looks at their plans.
#[cfg(test)]
pub(super) fn hot_queries() -> [String; 5] {
    let [named, choices] = [said::NAMED, said::CHOICES].map(str::to_owned);
    [sell::SELECT.clone(), groups::OF_ITEM.clone(), variants::OF_ITEM.clone(), named, choices]
}

/// A page of the records of `T`'s table that are not archived, in `order`.
fn list_named<T: Columns>(
    conn: &dyn Source,
    outlet: Uuid,
    Search { q, limit, offset }: &Search,
    order: &str,
) -> db::Result<Page<T>> {
    let matches =
        "outlet_id = ?1 AND archived_at IS NULL AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0)";
    Page::read(conn, (matches, order), params![outlet, q], (*limit, *offset))
}

/// The record, or [`MenuError::NotFound`] of its kind.
fn found<T>(record: db::Result<Option<T>>, what: &'static str) -> Result<T> {
    record?.ok_or(MenuError::NotFound(what))
}
