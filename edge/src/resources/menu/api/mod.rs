//! `/menu` over HTTP: its routes, and how its refusals are answered.

mod availability;
mod categories;
mod groups;
mod items;
mod parts;
mod pictures;
mod price_lists;
mod shown;
mod taxes;
mod transfer;
mod tree;

pub use shown::{shown_category, shown_group, shown_item, shown_price_list};

use super::actions::Follow;
use super::rules::import::{ExportedItem, ImportedItem};
use super::rules::{MenuError, MenuTree};
use crate::access::{Access, Cx, Permission as P, delete, get, patch, post, put};
use crate::http::intake::{ExportFile, File, ImportQuery};
use crate::http::{Code, Id, Json, Problem, Query};
use crate::state::Routes;
use axum::http::HeaderMap;

pub(super) fn routes(follow: Follow) -> Routes {
    Routes::all([reading(follow), dishes(follow), parts(), price_lists()])
}

fn reading(follow: Follow) -> Routes {
    let import = move |cx: Cx, query: Query<ImportQuery>, file: File<ImportedItem>| {
        transfer::import_menu(cx, query, file, follow)
    };
    let kept = tree::Kept::default();
    let menu = move |cx: Cx, query: Query<tree::MenuQuery>, headers: HeaderMap| {
        tree::get_menu(cx, query, headers, kept.clone())
    };
    Routes::group(
        "menu",
        [
            get("/menu", P::MenuRead, menu)
                .summary("The whole menu with live availability and the prices in force; answers 304 to a current If-None-Match")
                .returns::<MenuTree>(),
            post("/menu/import", P::MenuWrite, import)
                .summary("Take in dishes as JSON or text/csv; all rows or none, every bad row named"),
            get("/menu/export", P::MenuRead, transfer::export_menu)
                .summary("All dishes in the form that import takes, as JSON or CSV")
                .returns::<ExportFile<ExportedItem>>()
                .or_produces(&["text/csv"]),
        ],
    )
}

fn dishes(follow: Follow) -> Routes {
    let update =
        move |cx: Cx, id: Id, body: Json<items::UpdateMenuItem>| items::update_item(cx, id, body, follow);
    Routes::group(
        "menu",
        [
            get("/menu/items", P::MenuRead, items::list_items).summary("Dishes in the order of the menu"),
            post("/menu/items", P::MenuWrite, items::create_item).summary("Add a dish"),
            get("/menu/items/{id}", P::MenuRead, items::get_item).summary("One dish"),
            patch("/menu/items/{id}", P::MenuWrite, update).summary("Change a dish"),
            delete("/menu/items/{id}", P::MenuWrite, items::delete_item).summary("Archive a dish"),
            get("/menu/items/{id}/image", Access::Public, pictures::get_item_image)
                .summary("A dish's own picture in one of two sizes; answers 304 to a current If-None-Match")
                .produces("image/jpeg"),
            put("/menu/items/{id}/image", P::MenuWrite, pictures::put_item_image)
                .summary("Give a dish a picture of its own: JPEG, PNG or WebP; its `imageUrl` leads there")
                .takes_as::<pictures::DishPicture>("image/jpeg"),
            delete("/menu/items/{id}/image", P::MenuWrite, pictures::delete_item_image)
                .summary("Take a dish's own picture away"),
            put("/menu/items/{id}/availability", P::MenuAvailability, availability::put_item_availability)
                .summary("Sell out, limit or bring back a dish"),
            put("/menu/items/{id}/price", P::MenuWrite, availability::put_item_price)
                .summary("Set or clear this outlet's own price of a dish"),
            put(
                "/menu/variants/{id}/availability",
                P::MenuAvailability,
                availability::put_variant_availability,
            )
            .summary("Sell out, limit or bring back a variant of a dish"),
            put("/menu/variants/{id}/price", P::MenuWrite, availability::put_variant_price)
                .summary("Set or clear this outlet's own price of a variant"),
        ],
    )
}

fn parts() -> Routes {
    Routes::group(
        "menu",
        [
            get("/menu/categories", P::MenuRead, categories::list_categories)
                .summary("Categories in their order"),
            post("/menu/categories", P::MenuWrite, categories::create_category).summary("Add a category"),
            get("/menu/categories/{id}", P::MenuRead, categories::get_category).summary("One category"),
            patch("/menu/categories/{id}", P::MenuWrite, categories::update_category)
                .summary("Change a category"),
            delete("/menu/categories/{id}", P::MenuWrite, categories::delete_category)
                .summary("Archive an empty category"),
            get("/menu/modifier-groups", P::MenuRead, groups::list_groups).summary("Modifier groups by name"),
            post("/menu/modifier-groups", P::MenuWrite, groups::create_group)
                .summary("Add a modifier group with its options"),
            get("/menu/modifier-groups/{id}", P::MenuRead, groups::get_group)
                .summary("One modifier group, with what its options do to a recipe"),
            patch("/menu/modifier-groups/{id}", P::MenuWrite, groups::update_group)
                .summary("Change a modifier group; `options` replaces all of them"),
            delete("/menu/modifier-groups/{id}", P::MenuWrite, groups::delete_group)
                .summary("Archive a modifier group that no dish has"),
            put(
                "/menu/modifier-options/{id}/availability",
                P::MenuAvailability,
                availability::put_option_availability,
            )
            .summary("Sell out, limit or bring back a modifier option"),
            get("/menu/tax-categories", P::MenuRead, taxes::list_taxes).summary("Tax categories by name"),
            post("/menu/tax-categories", P::MenuWrite, taxes::create_tax).summary("Add a tax category"),
            get("/menu/tax-categories/{id}", P::MenuRead, taxes::get_tax).summary("One tax category"),
            patch("/menu/tax-categories/{id}", P::MenuWrite, taxes::update_tax)
                .summary("Change a tax category; lines already ordered keep their taxes"),
            delete("/menu/tax-categories/{id}", P::MenuWrite, taxes::delete_tax)
                .summary("Archive a tax category that no dish uses"),
        ],
    )
}

fn price_lists() -> Routes {
    Routes::group(
        "menu",
        [
            get("/menu/price-lists", P::MenuRead, price_lists::list_price_lists)
                .summary("Price lists in the order in which they are asked, without what they say"),
            post("/menu/price-lists", P::MenuWrite, price_lists::create_price_list)
                .summary("Add a price list with what it says"),
            get("/menu/price-lists/{id}", P::MenuRead, price_lists::get_price_list)
                .summary("One price list with what it says"),
            patch("/menu/price-lists/{id}", P::MenuWrite, price_lists::update_price_list)
                .summary("Change a price list; `entries` replaces all that it says"),
            delete("/menu/price-lists/{id}", P::MenuWrite, price_lists::delete_price_list)
                .summary("Archive a price list: nothing costs what it says any more"),
        ],
    )
}

answered! {
    MenuError of "record" {
        MenuError::InUse(what) => Problem::new(Code::Conflict).detail(what),
        MenuError::SoldOut { left } => Problem::field("quantity", format!("only {left} left")),
    }
}
