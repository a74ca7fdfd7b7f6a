//! Recipes of dishes and options, and preparations. Every recipe that is stored can be computed: units convert, nothing
//! contains itself, no number leaves its range, here and in every recipe that uses it.

use super::availability;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, Stale};
use crate::resources::inventory::rules::recipe::{self, Book, Head, RecipeFault, Source, Target};
use crate::resources::inventory::rules::{ItemDraft, RecipeDraft, Result, StockError, units};
use crate::resources::inventory::store::{items, recipes};
use std::collections::BTreeSet;
use tiffin_common::{Quantity, Uuid};

/// Sets the recipe of a dish.
///
/// # Errors
/// Unknown dish; [`StockError::Stale`]; offending fields.
pub fn put_recipe(
    tx: &Tx<'_>,
    actor: &Actor,
    menu_item_id: Uuid,
    expected: Option<i64>,
    draft: RecipeDraft,
) -> Result<Head> {
    put(tx, actor, Target::Dish(menu_item_id), expected, draft.checked(false)?)
}

/// Sets what a modifier option adds to a dish's ingredients or (negative) leaves out.
///
/// # Errors
/// Unknown option; [`StockError::Stale`]; offending fields.
pub fn set_option_recipe(
    tx: &Tx<'_>,
    actor: &Actor,
    option_id: Uuid,
    expected: Option<i64>,
    draft: RecipeDraft,
) -> Result<Head> {
    put(tx, actor, Target::Option(option_id), expected, draft.checked(true)?)
}

fn put(
    tx: &Tx<'_>,
    actor: &Actor,
    target: Target,
    expected: Option<i64>,
    draft: RecipeDraft,
) -> Result<Head> {
    let outlet = actor.outlet_id;
    if !recipes::has_target(tx, outlet, &target)? {
        let what = if matches!(target, Target::Option(_)) { "modifier option" } else { "menu item" };
        return Err(StockError::NotFound(what));
    }
    check_ingredients(tx, outlet, &draft)?;
    match recipes::find_for(tx, outlet, &target)? {
        Some(head) => {
            Stale::check(expected, head.version)?;
            recipes::update(tx, outlet, head.id, None, &draft)?;
            settle(tx, actor, head.id)?;
        }
        None => {
            Stale::check(expected, 0)?;
            let id = tx.new_id();
            recipes::insert(tx, outlet, id, &target, &draft)?;
            settle(tx, actor, id)?;
        }
    }
    recipes::find_for(tx, outlet, &target)?.ok_or(StockError::NotFound("recipe"))
}

/// Takes the recipe of a dish or an option away: it then takes nothing out of stock.
///
/// # Errors
/// No such recipe; [`StockError::Stale`].
pub fn remove_recipe(tx: &Tx<'_>, actor: &Actor, target: &Target, expected: Option<i64>) -> Result<Head> {
    let head = recipes::find_for(tx, actor.outlet_id, target)?.ok_or(StockError::NotFound("recipe"))?;
    Stale::check(expected, head.version)?;
    recipes::set_archived(tx, actor.outlet_id, head.id)?;
    availability::recipes_changed(tx, actor, &recipes::find_whole_book(tx, actor.outlet_id)?)?;
    Ok(head)
}

/// Makes a preparation.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create_preparation(tx: &Tx<'_>, actor: &Actor, name: String, draft: RecipeDraft) -> Result<Head> {
    let draft = draft.checked(false)?;
    check_ingredients(tx, actor.outlet_id, &draft)?;
    let id = tx.new_id();
    recipes::insert(tx, actor.outlet_id, id, &Target::Preparation(named(&name)?), &draft)?;
    settle(tx, actor, id)?;
    preparation(tx, actor, id)
}

fn named(name: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() { Err(StockError::field("name", "must not be blank")) } else { Ok(name.to_owned()) }
}

pub(super) fn preparation(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Head> {
    recipes::find_preparation(tx, actor.outlet_id, id)?.ok_or(StockError::NotFound("preparation"))
}

/// Sets a preparation anew.
///
/// # Errors
/// [`StockError::Stale`]; offending fields, also what recipes that use it could then not compute.
pub fn update_preparation(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    name: &str,
    draft: RecipeDraft,
) -> Result<Head> {
    let head = preparation(tx, actor, id)?;
    Stale::check(expected, head.version)?;
    let draft = draft.checked(false)?;
    check_ingredients(tx, actor.outlet_id, &draft)?;
    let name = named(name)?;
    if let Some(item) = items::find_shelf(tx, actor.outlet_id, id)? {
        if units::factor(&draft.yield_unit, &item.draft.unit, &[]).is_none() {
            let reason = format!("does not convert to {}, which its stock is counted in", item.draft.unit);
            return Err(StockError::field("unit", reason));
        }
        if Some(&item.draft.name) == head.name.as_ref() && item.draft.name != name {
            items::update(tx, actor.outlet_id, item.id, &ItemDraft { name: name.clone(), ..item.draft })?;
        }
    }
    recipes::update(tx, actor.outlet_id, id, Some(&name), &draft)?;
    settle(tx, actor, id)?;
    preparation(tx, actor, id)
}

/// Archives a preparation.
///
/// # Errors
/// [`StockError::Stale`]; a conflict while recipes use it.
pub fn archive_preparation(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Head> {
    let head = preparation(tx, actor, id)?;
    Stale::check(expected, head.version)?;
    let users = recipes::list_users(tx, id)?;
    if !users.is_empty() {
        return Err(StockError::Conflict(format!("It is used by: {}", users.join(", "))));
    }
    recipes::set_archived(tx, actor.outlet_id, id)?;
    Ok(head)
}

/// Every ingredient exists here and its unit converts; all that do not are named.
pub(super) fn check_ingredients(tx: &Tx<'_>, outlet: Uuid, draft: &RecipeDraft) -> Result<()> {
    let mut checks = Checks::new();
    for (i, ingredient) in draft.ingredients.iter().enumerate() {
        let (field, converts, to) = if let Some(id) = ingredient.stock_item_id {
            let Some(item) = items::find(tx, outlet, id)? else {
                checks.add(format!("ingredients[{i}].inventoryItemId"), "is not an item of this outlet");
                continue;
            };
            let to = item.draft.unit;
            ("unit", units::factor(&ingredient.unit, &to, &item.draft.unit_conversions).is_some(), to)
        } else if let Some(id) = ingredient.sub_recipe_id {
            let Some(made) = recipes::find_preparation(tx, outlet, id)? else {
                checks.add(format!("ingredients[{i}].subRecipeId"), "is not a preparation of this outlet");
                continue;
            };
            ("unit", units::factor(&ingredient.unit, &made.yield_unit, &[]).is_some(), made.yield_unit)
        } else {
            continue;
        };
        checks.require(converts, format!("ingredients[{i}].{field}"), format!("does not convert to {to}"));
    }
    Ok(checks.finish(())?)
}

/// The recipe just written, and all that use it, can be computed; the dishes follow it.
fn settle(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<()> {
    let book = recipes::find_whole_book(tx, actor.outlet_id)?;
    computable(&book, id)?;
    Ok(availability::recipes_changed(tx, actor, &book)?)
}

/// The recipe, and all that use it, can be computed.
pub(super) fn computable(book: &Book, id: Uuid) -> Result<()> {
    for root in with_users(book, id) {
        let portions = recipe::expand(book, root).map_err(fault)?;
        recipe::line_needs(&[&portions], 1).map_err(|error| fault(error.into()))?;
    }
    Ok(())
}

/// The recipe and everything that uses it, directly or through others.
fn with_users(book: &Book, id: Uuid) -> BTreeSet<Uuid> {
    let mut users = BTreeSet::from([id]);
    loop {
        let known = users.len();
        for (recipe_id, recipe) in book {
            let uses =
                |source: &Source| matches!(source, Source::Preparation(other) if users.contains(other));
            if recipe.ingredients.iter().any(|ingredient| uses(&ingredient.source)) {
                users.insert(*recipe_id);
            }
        }
        if users.len() == known {
            return users;
        }
    }
}

fn fault(fault: RecipeFault) -> StockError {
    StockError::field("ingredients", format!("the recipe, or one that uses it, {fault}"))
}

/// A draft of what an option changes: one portion.
pub fn option_draft(ingredients: Vec<crate::resources::inventory::rules::IngredientDraft>) -> RecipeDraft {
    RecipeDraft {
        makes: Quantity::from_millionths(tiffin_common::quantity::MILLION),
        yield_unit: "pcs".into(),
        shelf_life_days: None,
        ingredients,
    }
}
