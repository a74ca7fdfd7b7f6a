//! Inventory: stock items in batches, the ledger of every change with its cost, recipes, suppliers, stocktakes, transfers
//! to other outlets, what is made ahead, and entries of waste (whose API is `waste_logs`).
//!
//! Invariants: an item's `on_hand` is the sum of its movements; what is left of a batch is the sum of its movements and a deficit the
//! negative sum of those without a batch, neither ever less than nothing (where two boxes worked with the same stock, `actions::even`
//! sees to it); a movement that takes something back names the one it takes from, and never more comes back than was taken. What a
//! portion takes (`portion_needs`) is what the recipes give; a dish that nobody set by hand is out of stock exactly when an ingredient
//! does not suffice for one portion.

pub mod actions;
mod api;
pub mod rules;
pub mod store;
pub mod worker;

pub use api::batches::MadeFrom;
pub use api::transfers::{TransferDetail, detail as transfer_detail};

use crate::access::{Cx, Permission as P, delete, get, patch, post, put};
use crate::db::{self, Source};
use crate::http::intake::ExportFile;
use crate::http::{Id, Paging, Query};
use crate::state::Routes;
use api::{
    adjustments, batches, files, items, portions, preparations, recipes, stocktakes, suppliers, transfers,
};
use axum::http::StatusCode;
use rules::SupplierPerformance;
use rules::files::{ExportedStockItem, ExportedSupplier};
use rules::recipe_files::ExportedRecipe;
use store::OpenOrders;
use tiffin_common::{Millis, Uuid};

/// What purchasing knows. It stands above the store room, which may not call it: it hands these down.
#[derive(Clone, Copy)]
pub struct Purchasing {
    /// How a supplier (the third argument) of an outlet kept their word, as of now.
    pub performance: fn(&dyn Source, Uuid, Uuid, Millis) -> db::Result<SupplierPerformance>,
    /// Where batches came from.
    pub deliveries: batches::DeliveriesOf,
    /// What is still to come of an item.
    pub open_orders: OpenOrders,
}

/// `/inventory` (contract section 8), and what stands under `/menu` but needs to know the stock: the recipes of modifier options,
/// and giving dishes and options back to the automatic availability.
pub fn routes(purchasing: Purchasing) -> Routes {
    Routes::all([
        item_routes(purchasing),
        stocktake_routes(),
        transfer_routes(),
        recipe_routes(),
        option_routes(),
        availability_routes(),
        supplier_routes(purchasing),
        file_routes(),
    ])
}

fn item_routes(purchasing: Purchasing) -> Routes {
    let trace = move |cx: Cx, id: Id, paging: Query<Paging>| async move {
        batches::trace_batch(cx, id, paging, purchasing.deliveries).await
    };
    let remove = move |cx: Cx, id: Id| items::delete_inventory_item(cx, id, purchasing.open_orders);
    Routes::group(
        "inventory",
        [
            get("/inventory/items", P::InventoryRead, items::list_inventory_items)
                .summary("Stock balances, units, thresholds and active batches")
                .typed::<items::InventoryItemList>(StatusCode::OK),
            post("/inventory/items", P::InventoryWrite, items::create_inventory_item)
                .summary("Make a stock item"),
            get("/inventory/items/{id}", P::InventoryRead, items::get_inventory_item)
                .summary("One stock item"),
            patch("/inventory/items/{id}", P::InventoryWrite, items::update_inventory_item)
                .summary("Change a stock item"),
            delete("/inventory/items/{id}", P::InventoryWrite, remove)
                .summary("Archive a stock item that nothing uses and of which nothing is left"),
            get("/inventory/items/{id}/batches", P::InventoryRead, batches::list_batches)
                .summary("The batches of a stock item"),
            get("/inventory/items/{id}/movements", P::InventoryRead, batches::list_movements)
                .summary("The ledger of a stock item, newest first"),
            get("/inventory/batches/{id}/trace", P::InventoryRead, trace)
                .summary("Where a batch came from and which orders it went into"),
            post("/inventory/adjustments", P::InventoryAdjust, adjustments::create_adjustment)
                .summary("Correct the stock of an item or a batch"),
        ],
    )
}

fn file_routes() -> Routes {
    Routes::group(
        "inventory",
        [
            post("/inventory/items/import", P::InventoryWrite, files::import_inventory_items)
                .summary("Take in stock items with opening batches as JSON or text/csv; all rows or none, every bad cell named"),
            get("/inventory/items/export", P::InventoryWrite, files::export_inventory_items)
                .summary("All stock items in the form that import takes, as JSON or CSV")
                .returns::<ExportFile<ExportedStockItem>>()
                .or_produces(&["text/csv"]),
            post("/inventory/suppliers/import", P::InventoryWrite, files::import_suppliers)
                .summary("Take in suppliers as JSON or text/csv; all rows or none, every bad cell named"),
            get("/inventory/suppliers/export", P::InventoryWrite, files::export_suppliers)
                .summary("All suppliers in the form that import takes, as JSON or CSV")
                .returns::<ExportFile<ExportedSupplier>>()
                .or_produces(&["text/csv"]),
            post("/inventory/recipes/import", P::InventoryWrite, files::import_recipes)
                .summary("Take in recipes as JSON or text/csv; all rows or none, every bad cell named"),
            get("/inventory/recipes/export", P::InventoryWrite, files::export_recipes)
                .summary("All recipes in the form that import takes, as JSON or CSV")
                .returns::<ExportFile<ExportedRecipe>>()
                .or_produces(&["text/csv"]),
        ],
    )
}

fn stocktake_routes() -> Routes {
    Routes::group(
        "inventory",
        [
            get("/inventory/stocktakes", P::InventoryRead, stocktakes::list_stocktakes)
                .summary("Counts of the store, newest first"),
            post("/inventory/stocktakes", P::InventoryAdjust, stocktakes::create_stocktake)
                .summary("Open a count of the store, a category, or some items"),
            get("/inventory/stocktakes/{id}", P::InventoryRead, stocktakes::get_stocktake)
                .summary("A stocktake with what was expected and counted"),
            post("/inventory/stocktakes/{id}/counts", P::StockCount, stocktakes::count_stocktake)
                .summary("Enter counts; a recount replaces, and several people may count at once"),
            post("/inventory/stocktakes/{id}/close", P::InventoryAdjust, stocktakes::close_stocktake)
                .summary("Book the differences between counts and ledger"),
            post("/inventory/stocktakes/{id}/cancel", P::InventoryAdjust, stocktakes::cancel_stocktake)
                .summary("Give a stocktake up: nothing is booked"),
        ],
    )
}

fn transfer_routes() -> Routes {
    Routes::group(
        "inventory",
        [
            get("/inventory/transfers", P::InventoryRead, transfers::list_transfers)
                .summary("Stock sent to other outlets and by them, newest first"),
            post("/inventory/transfers", P::InventoryAdjust, transfers::create_transfer)
                .summary("Send stock to another outlet"),
            get("/inventory/transfers/outlets", P::InventoryRead, transfers::list_transfer_outlets)
                .summary("The outlets that stock can be sent to"),
            get("/inventory/transfers/{id}", P::InventoryRead, transfers::get_transfer)
                .summary("One transfer with its lines"),
            post("/inventory/transfers/{id}/receive", P::InventoryAdjust, transfers::receive_transfer)
                .summary("Take a transfer in where it was sent to"),
            post("/inventory/transfers/{id}/cancel", P::InventoryAdjust, transfers::cancel_transfer)
                .summary("Call a transfer back before it has come"),
        ],
    )
}

fn recipe_routes() -> Routes {
    Routes::group(
        "inventory",
        [
            get("/inventory/recipes/{id}", P::InventoryRead, recipes::get_recipe)
                .summary("The recipe of a dish, or of a variant of one"),
            put("/inventory/recipes/{id}", P::InventoryWrite, recipes::put_recipe)
                .summary("Set the recipe of a dish, or of a variant of one"),
            delete("/inventory/recipes/{id}", P::InventoryWrite, recipes::delete_recipe)
                .summary("Take the recipe of a dish, or of a variant of one, away"),
            get("/inventory/preparations", P::InventoryRead, preparations::list_preparations)
                .summary("What the kitchen makes ahead"),
            post("/inventory/preparations", P::InventoryWrite, preparations::create_preparation)
                .summary("Make a preparation that recipes can use"),
            get("/inventory/preparations/{id}", P::InventoryRead, preparations::get_preparation)
                .summary("One preparation"),
            patch("/inventory/preparations/{id}", P::InventoryWrite, preparations::update_preparation)
                .summary("Change a preparation"),
            post("/inventory/preparations/{id}/produce", P::StockCount, preparations::produce_preparation)
                .summary("Make a batch of a preparation ahead: of its ingredients, at their cost"),
            delete("/inventory/preparations/{id}", P::InventoryWrite, preparations::delete_preparation)
                .summary("Archive a preparation that no recipe uses"),
        ],
    )
}

fn option_routes() -> Routes {
    const PATH: &str = "/menu/modifier-options/{id}/recipe";
    Routes::group(
        "menu",
        [
            get(PATH, P::InventoryRead, recipes::get_option_recipe)
                .summary("What a modifier option adds to the ingredients or leaves out"),
            put(PATH, P::InventoryWrite, recipes::put_option_recipe)
                .summary("Set what a modifier option adds or leaves out"),
            delete(PATH, P::InventoryWrite, recipes::delete_option_recipe)
                .summary("Let a modifier option change nothing"),
        ],
    )
}

fn availability_routes() -> Routes {
    let of_stock = Routes::group(
        "inventory",
        [get("/inventory/portions", P::InventoryRead, portions::list_portions)
            .summary("How many portions stock suffices for, dish by dish, the fewest first")],
    );
    let of_menu = Routes::group(
        "menu",
        [
            delete("/menu/items/{id}/availability", P::MenuAvailability, portions::delete_item_availability)
                .summary("Let a dish follow the stock again"),
            delete(
                "/menu/variants/{id}/availability",
                P::MenuAvailability,
                portions::delete_item_availability,
            )
            .summary("Let a variant of a dish follow the stock again"),
            delete(
                "/menu/modifier-options/{id}/availability",
                P::MenuAvailability,
                portions::delete_option_availability,
            )
            .summary("Let a modifier option follow the stock again"),
        ],
    );
    Routes::all([of_stock, of_menu])
}

fn supplier_routes(purchasing: Purchasing) -> Routes {
    let get_supplier =
        move |cx: Cx, id: Id| async move { suppliers::get_supplier(cx, id, purchasing.performance).await };
    Routes::group(
        "inventory",
        [
            get("/inventory/suppliers", P::InventoryRead, suppliers::list_suppliers)
                .summary("Suppliers by name"),
            post("/inventory/suppliers", P::InventoryWrite, suppliers::create_supplier)
                .summary("Make a supplier"),
            get("/inventory/suppliers/{id}", P::InventoryRead, get_supplier)
                .summary("One supplier, and how they keep their word"),
            patch("/inventory/suppliers/{id}", P::InventoryWrite, suppliers::update_supplier)
                .summary("Change a supplier"),
            delete("/inventory/suppliers/{id}", P::InventoryWrite, suppliers::delete_supplier)
                .summary("Archive a supplier"),
        ],
    )
}
