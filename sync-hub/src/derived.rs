//! What a branch keeps beside its rows and does not send, as head office has it: sums of stock by whoever applies the copied
//! rows, what a portion takes by the branch's own code. Never part of the copy itself.

use edge::db::{DbError, Sql};
use edge::resources::inventory;
use tiffin_common::Uuid;
use tiffin_common::registry::{self, Table};

/// Views that stand before the branch's tables of the same names on every connection to an outlet's SQLite file, made by
/// executing this text on it. They last as long as the connection, so that the file keeps the branch's schema.
pub const BEFORE_TABLES: &str = include_str!("derived.sql");

/// What one portion takes is made of these.
const RECIPES: [&str; 5] = ["recipes", "recipe_ingredients", "menu_items", "modifier_options", "stock_items"];

/// Whether a change in this table may change what [`settle`] keeps.
pub fn matters(table: &Table) -> bool {
    RECIPES.contains(&table.name)
}

/// The same by the table's number; one that is not known here changes nothing.
pub fn matters_no(table: u16) -> bool {
    registry::table(table).is_some_and(matters)
}

/// Works out anew what the outlet's changed recipes give: in the transaction that changed them.
pub fn settle(sql: &dyn Sql, outlet: Uuid) -> Result<(), DbError> {
    inventory::actions::keep_needs(sql, outlet)
}
