//! What can happen to the menu, one function per change. Each checks everything first and names all offending fields, and
//! moves the menu's revision when the tree shows something else afterwards.

mod availability;
mod categories;
mod groups;
mod import;
mod items;
mod pictures;
mod price_lists;
mod taxes;

pub use availability::{
    clear_availability, follow_stock, give_back, give_back_option, set_availability, set_option_availability,
    set_price, set_variant_availability, set_variant_price, state_of, take_limited, take_limited_option,
};
pub use categories::{archive_category, create_category, update_category};
pub use groups::{archive_group, create_group, update_group};
pub use import::{MenuImport, import};
pub use items::{archive_item, create_item, update_item};
pub use pictures::{remove_picture, set_picture};
pub use price_lists::{archive_price_list, create_price_list, price_lists, update_price_list};
pub use taxes::{archive_tax, create_tax, update_tax};

use super::rules::LocalNow;
use super::store;
use crate::access::Actor;
use crate::db::{self, Tx};

/// What follows where a dish got other variants: what a portion of them takes.
pub type Follow = fn(&Tx<'_>, &Actor) -> db::Result<()>;

/// The present moment by the outlet's clock.
fn here(tx: &Tx<'_>, actor: &Actor) -> db::Result<LocalNow> {
    store::find_local_now(tx, actor.outlet_id, tx.now())
}

/// "3 dishes" for a refusal.
fn dishes(count: i64) -> String {
    if count == 1 { "1 dish".to_owned() } else { format!("{count} dishes") }
}

#[cfg(test)]
mod tests;
