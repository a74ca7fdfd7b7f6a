//! Suppliers, stock items with their opening batches, preparations and recipes.

use super::failure::{Result, making};
use super::keys::{Keys, known};
use super::menu::Menu;
use crate::access::Actor;
use crate::cli::sample::data::{Ingredient, Restaurant, StockItem};
use crate::db::Tx;
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::{
    Cause, IngredientDraft, ItemDraft, Kind, Receipt, RecipeDraft, Rotation, SupplierDraft, UnitConversion,
};
use crate::resources::outlets::rules::Outlet;
use chrono::{Days, NaiveDate};
use tiffin_common::Uuid;

/// The store room's ids.
pub(super) struct StoreRoom {
    /// By the places in the restaurant's list.
    pub(super) items: Vec<Uuid>,
    pub(super) suppliers: Keys,
}

pub(super) fn seed(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    restaurant: &Restaurant,
    menu: &Menu,
) -> Result<StoreRoom> {
    let suppliers = suppliers(tx, actor, restaurant)?;
    let (mut items, mut stock) = (Vec::with_capacity(restaurant.stock_items.len()), Keys::new());
    let today = outlet.business_date(tx.now());
    for item in &restaurant.stock_items {
        let supplier = known(&suppliers, &item.supplier)?;
        let id = actions::create_item(tx, actor, item_draft(item, supplier)).map_err(making(&item.name))?.id;
        for batch in &item.batches {
            let receipt = Receipt {
                stock_item_id: id,
                quantity: batch.quantity,
                unit_cost: batch.unit_cost_cents,
                batch_number: None,
                expiry_date: expiry(today, batch.shelf_life_days),
                supplier_id: Some(supplier),
                kind: Kind::Opening,
                cause: Cause::new("ADJUSTMENT", None).reason("OPENING"),
            };
            actions::receive(tx, actor, outlet, &receipt).map_err(making(&item.name))?;
        }
        items.push(id);
        stock.insert(item.key.clone(), id);
    }
    recipes(tx, actor, restaurant, menu, &stock)?;
    Ok(StoreRoom { items, suppliers })
}

/// The last date of something that keeps for `shelf_life_days`.
pub(in crate::cli::sample) fn expiry(today: NaiveDate, shelf_life_days: Option<u32>) -> Option<NaiveDate> {
    shelf_life_days.and_then(|days| today.checked_add_days(Days::new(u64::from(days))))
}

fn suppliers(tx: &Tx<'_>, actor: &Actor, restaurant: &Restaurant) -> Result<Keys> {
    let mut made = Keys::new();
    for supplier in &restaurant.suppliers {
        let draft = SupplierDraft {
            name: supplier.name.clone(),
            contact_name: Some(supplier.contact_name.clone()),
            phone: Some(supplier.phone.clone()),
            email: Some(supplier.email.clone()),
            address: Some(supplier.address.clone()),
            tax_id: Some(supplier.tax_id.clone()),
            lead_time_days: supplier.lead_time_days,
            agreed_prices: Vec::new(),
        };
        let id = actions::create_supplier(tx, actor, draft).map_err(making(&supplier.name))?.id;
        made.insert(supplier.key.clone(), id);
    }
    Ok(made)
}

fn item_draft(item: &StockItem, supplier: Uuid) -> ItemDraft {
    let conversion = |c: &crate::cli::sample::data::UnitConversion| UnitConversion {
        unit: c.unit.clone(),
        factor: c.factor,
    };
    ItemDraft {
        name: item.name.clone(),
        category: item.category.clone(),
        unit: item.unit.clone(),
        sku: Some(item.sku.clone()),
        rotation: if item.rotation == "FIFO" { Rotation::Fifo } else { Rotation::Fefo },
        min_stock_threshold: item.min_stock_threshold,
        par_level: Some(item.par_level),
        supplier_id: Some(supplier),
        unit_conversions: item.unit_conversions.iter().map(conversion).collect(),
    }
}

fn recipes(tx: &Tx<'_>, actor: &Actor, restaurant: &Restaurant, menu: &Menu, stock: &Keys) -> Result<()> {
    let mut made = Keys::new();
    for preparation in &restaurant.preparations {
        let draft = RecipeDraft {
            makes: preparation.makes,
            yield_unit: preparation.unit.clone(),
            shelf_life_days: None,
            ingredients: ingredients(&preparation.ingredients, stock, &made)?,
        };
        let head = actions::create_preparation(tx, actor, preparation.name.clone(), draft);
        made.insert(preparation.key.clone(), head.map_err(making(&preparation.name))?.id);
    }
    for (item, id) in restaurant.menu_items.iter().zip(&menu.items) {
        let draft = RecipeDraft {
            makes: item.recipe.makes,
            yield_unit: "pcs".into(),
            shelf_life_days: None,
            ingredients: ingredients(&item.recipe.ingredients, stock, &made)?,
        };
        actions::put_recipe(tx, actor, *id, None, draft).map_err(making(&item.name))?;
    }
    for (group, ids) in restaurant.modifier_groups.iter().zip(&menu.options) {
        for (option, id) in group.options.iter().zip(ids).filter(|(option, _)| !option.recipe.is_empty()) {
            let draft = actions::option_draft(ingredients(&option.recipe, stock, &made)?);
            actions::set_option_recipe(tx, actor, *id, None, draft).map_err(making(&option.name))?;
        }
    }
    Ok(())
}

fn ingredients(list: &[Ingredient], stock: &Keys, made: &Keys) -> Result<Vec<IngredientDraft>> {
    let draft = |ingredient: &Ingredient| {
        Ok(IngredientDraft {
            stock_item_id: ingredient.item.as_deref().map(|key| known(stock, key)).transpose()?,
            sub_recipe_id: ingredient.recipe.as_deref().map(|key| known(made, key)).transpose()?,
            quantity: ingredient.quantity,
            unit: ingredient.unit.clone(),
        })
    };
    list.iter().map(draft).collect()
}
