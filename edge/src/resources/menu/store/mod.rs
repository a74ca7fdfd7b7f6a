//! Rows of the menu: the only SQL that writes tax_categories, menu_categories, menu_items, modifier_groups,
//! modifier_options, menu_item_modifier_groups, menu_availability, menu_prices and menu_revision. Never decides.

mod availability;
mod categories;
mod groups;
mod items;
mod sell;
mod taxes;
mod tree;

pub use availability::{
    Stated, availability_of, bump_revision, insert_or_set_availability, revision, set_price, states, take,
};
pub use categories::{
    archive_category, category_by_name, find_category, insert_category, items_in, last_sort_order,
    list_categories, update_category,
};
pub use groups::{
    all_groups, archive_group, archive_option, find_group, find_option_group, group_of_option,
    groups_of_item, insert_group, insert_option, is_group, items_with_group, list_groups, option_recipes,
    update_group, update_option,
};
pub use items::{
    ItemFilter, archive_item, find_item, insert_item, is_station, list_items, set_groups, stations,
    update_item,
};
pub use sell::sellable;
pub use taxes::{archive_tax, find_tax, insert_tax, items_taxed, list_taxes, tax_by_name, update_tax};
pub use tree::{conditions, tree};

use super::rules::{LocalNow, MenuError};
use crate::db::{self, Row, Source};
use crate::resources::outlets;
use rusqlite::types::Type;
use serde::de::DeserializeOwned;
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
pub fn local_now(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<LocalNow> {
    outlets::store::find(conn, outlet).map(|outlet| LocalNow::new(now, outlet.timezone))
}

/// What an order reads for each of its dishes, for the test that looks at their plans.
#[cfg(test)]
pub(super) fn hot_queries() -> [String; 2] {
    [sell::SELECT.to_owned(), groups::of_item_sql()]
}

/// The JSON text of column `index`.
fn json<T: DeserializeOwned>(row: &Row<'_>, index: usize) -> db::Result<T> {
    let text: String = row.get(index)?;
    serde_json::from_str(&text).map_err(|error| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error)))
    })
}

/// The JSON text of column `index`, when there is one.
fn json_opt<T: DeserializeOwned>(row: &Row<'_>, index: usize) -> db::Result<Option<T>> {
    match row.get::<_, Option<String>>(index)? {
        None => Ok(None),
        Some(_) => json(row, index).map(Some),
    }
}

/// `value` as JSON text. Plain lists of texts and numbers cannot fail.
fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "[]".to_owned())
}

/// The record, or [`MenuError::NotFound`] of its kind.
fn found<T>(record: db::Result<Option<T>>, what: &'static str) -> Result<T, MenuError> {
    record?.ok_or(MenuError::NotFound(what))
}
