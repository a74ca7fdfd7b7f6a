//! What can happen to stock. Every change of a level goes through `ledger::Ledger`, so that the ledger and the levels
//! cannot part.

mod adjust;
mod availability;
mod deduct;
mod even;
mod files;
mod items;
mod ledger;
mod produce;
mod receive;
mod recipes;
mod returns;
mod stocktakes;
mod suppliers;
#[cfg(test)]
mod tests;
mod transfers;
mod waste;

pub use adjust::{Adjusted, adjust};
pub use availability::{
    due, follow_again, follow_all, keep_needs, larder, list_portions, needs_are_stale, rebuild_needs,
    settings_changed,
};
pub use deduct::deduct;
pub use files::{StockImport, export_recipes, import_items, import_recipes, import_suppliers};
pub use items::{archive_item, create_item, update_item};
pub use produce::{Missing, Produced, produce};
pub use receive::{
    are_levels_right, carry_levels, file_movements, rebuild_levels, receive, sum_ledger, take_back,
    take_last_costs,
};
pub use recipes::{
    archive_preparation, create_preparation, option_draft, put_recipe, remove_recipe, set_option_recipe,
    update_preparation,
};
pub use returns::{return_line, waste_line};
pub use stocktakes::{cancel_stocktake, close_stocktake, count_stock, open_stocktake};
pub use suppliers::{archive_supplier, create_supplier, update_supplier};
pub use transfers::{cancel_transfer, destinations, follow_transfers, receive_transfer, send_transfer};
pub use waste::{log_waste, reverse_waste};
