//! Taking in a file of recipes, and giving one. Recipes are computed once all are there: they may use each other in any order.

use super::{Meant, stock_items};
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::http::intake::{Did, Found, ImportCounts, Names, Report, Row, Rows};
use crate::http::{FieldError, Refused};
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::actions::availability;
use crate::resources::inventory::actions::recipes::{check_ingredients, computable};
use crate::resources::inventory::rules::recipe::{Head, Target};
use crate::resources::inventory::rules::recipe_files::{
    Choices, ExportedRecipe, ImportedIngredient, ImportedRecipe, Larder,
};
use crate::resources::inventory::rules::{RecipeDraft, Result, StockError};
use crate::resources::inventory::store::recipes;
use crate::resources::menu::store as menu;
use std::collections::{HashMap, HashSet};
use tiffin_common::Uuid;

/// Takes in the rows of a file. A dish, an option or a preparation has one recipe, which the file's takes the place of.
///
/// # Errors
/// Every offending cell of every row, by its place.
pub fn import_recipes(tx: &Tx<'_>, actor: &Actor, file: Rows<ImportedRecipe>) -> Result<ImportCounts> {
    let outlet = actor.outlet_id;
    let mut larder = larder(tx, outlet)?;
    let (mut report, rows) = Report::begin(file);
    let made = make_preparations(tx, actor, &rows, &mut larder)?;
    let (mut meant, mut written) = (Meant::default(), Vec::new());
    for row in rows {
        let place = row.place.clone();
        let mut changed = None;
        let stands = report.take(tx, row, |place, recipe: ImportedRecipe| -> Result<Did> {
            let target = recipe.target(&larder)?;
            let head = find(tx, outlet, &target, &larder)?;
            let is_new = head.as_ref().is_none_or(|head| made.contains(&head.id));
            let before = head.as_ref().map(|head| draft_of(tx, head)).transpose()?;
            let known = before.clone().filter(|_| !is_new);
            let draft = recipe.over_before(&target, known, &larder)?;
            check_ingredients(tx, outlet, &draft).map_err(in_file)?;
            let (id, name) = head.map_or_else(|| (tx.new_id(), None), |head| (head.id, head.name));
            let owner = match &target {
                Target::Dish(id) | Target::Option(id) => *id,
                Target::Preparation(_) => id,
            };
            meant.note(owner, place, column(&target), "one")?;
            match &before {
                None => recipes::insert(tx, outlet, id, &target, &draft)?,
                Some(before) if *before == draft && !is_new => return Ok(Did::Unchanged),
                Some(_) => recipes::update(tx, outlet, id, name.as_deref(), &draft)?,
            }
            changed = Some(id);
            Ok(if is_new { Did::Created } else { Did::Updated })
        })?;
        written.extend(changed.filter(|_| stands).map(|id| (id, place)));
    }
    let book = recipes::find_whole_book(tx, outlet)?;
    for (id, place) in &written {
        if let Err(refusal) = computable(&book, *id) {
            report.note(place, refusal.into_fields()?);
        }
    }
    let done = report.finish()?;
    if done.is_change() {
        availability::recipes_changed(tx, actor, &book)?;
        audit::actions::record(tx, actor, Entry::new("recipe.import", "recipe", None).after(&done))?;
    }
    Ok(done)
}

/// Makes the preparations that the file has and the outlet has not, empty: recipes may name what stands further down.
fn make_preparations(
    tx: &Tx<'_>,
    actor: &Actor,
    rows: &[Row<ImportedRecipe>],
    larder: &mut Larder,
) -> Result<HashSet<Uuid>> {
    let mut made = HashSet::new();
    for Row { item, .. } in rows {
        let Some(name) = item.preparation.as_deref().map(str::trim).filter(|name| !name.is_empty()) else {
            continue;
        };
        if larder.preparations.find(name) != Found::None {
            continue;
        }
        let (Some(makes), Some(unit)) = (item.r#yield.0, item.unit.0.clone()) else {
            // It will be refused; whatever uses it is not at fault.
            larder.preparations.add(tx.new_id(), None, name);
            continue;
        };
        let id = tx.new_id();
        let draft = RecipeDraft {
            makes,
            yield_unit: unit.trim().to_lowercase(),
            shelf_life_days: None,
            ingredients: Vec::new(),
        };
        recipes::insert(tx, actor.outlet_id, id, &Target::Preparation(name.to_owned()), &draft)?;
        larder.preparations.add(id, None, name);
        made.insert(id);
    }
    Ok(made)
}

fn column(target: &Target) -> &'static str {
    match target {
        Target::Dish(_) => "dish",
        Target::Option(_) => "option",
        Target::Preparation(_) => "preparation",
    }
}

fn find(tx: &Tx<'_>, outlet: Uuid, target: &Target, larder: &Larder) -> db::Result<Option<Head>> {
    match target {
        Target::Preparation(name) => match larder.preparations.find(name) {
            Found::One(id) => recipes::find_preparation(tx, outlet, id),
            _ => Ok(None),
        },
        target => recipes::find_for(tx, outlet, target),
    }
}

fn draft_of(conn: &dyn Source, head: &Head) -> db::Result<RecipeDraft> {
    let ingredients = recipes::list_ingredients(conn, head.id)?.into_iter().map(|(row, _)| row).collect();
    Ok(RecipeDraft {
        makes: head.makes,
        yield_unit: head.yield_unit.clone(),
        shelf_life_days: head.shelf_life_days,
        ingredients,
    })
}

/// A refusal with the names that a file's columns have.
fn in_file(refusal: StockError) -> StockError {
    let StockError::Invalid(fields) = refusal else { return refusal };
    let renamed = fields.into_iter().map(|field| {
        let name = field.name.replace("inventoryItemId", "item").replace("subRecipeId", "preparation");
        FieldError::new(name, field.reason)
    });
    StockError::Invalid(renamed.collect())
}

/// Everything that a recipe in a file may name.
fn larder(conn: &dyn Source, outlet: Uuid) -> Result<Larder> {
    let mut larder = Larder { items: stock_items(conn, outlet)?.0, ..Larder::default() };
    for head in recipes::list_heads(conn, outlet)? {
        if let Some(name) = &head.name {
            larder.preparations.add(head.id, None, name);
        }
    }
    for dish in dishes(conn, outlet)? {
        larder.dishes.add(dish.id, dish.draft.sku.as_deref(), &dish.draft.name);
        larder.offered.insert(dish.id, dish.modifier_groups.iter().map(|group| group.id).collect());
        let variants = larder.variants.entry(dish.id).or_default();
        for variant in &dish.variants {
            larder.dishes.add(variant.id, variant.sku.as_deref(), &variant.full_name);
            variants.add(variant.id, variant.sku.as_deref(), &variant.name);
        }
    }
    for group in groups(conn, outlet)? {
        let mut options = Names::default();
        for option in &group.options {
            options.add(option.id, None, &option.name);
        }
        larder.groups.push(Choices { id: group.id, name: group.name, options });
    }
    Ok(larder)
}

fn dishes(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<crate::resources::menu::rules::MenuItem>> {
    let search = menu::Search { q: None, limit: u32::MAX, offset: 0 };
    let all = menu::ItemFilter { search, ..menu::ItemFilter::default() };
    // Only what they are called: at which moment does not matter.
    let at = menu::find_local_now(conn, outlet, tiffin_common::Millis::default())?;
    Ok(menu::list_items(conn, outlet, &all, &at)?.items)
}

fn groups(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<crate::resources::menu::rules::ModifierGroup>> {
    let at = menu::find_local_now(conn, outlet, tiffin_common::Millis::default())?;
    menu::list_all_groups(conn, outlet, &at)
}

/// All recipes of the outlet as a file gives them: preparations, then dishes, then options.
pub fn export_recipes(conn: &dyn Source, outlet: Uuid) -> Result<Vec<ExportedRecipe>> {
    let names = Called::read(conn, outlet)?;
    let mut exported = Vec::new();
    for head in recipes::list_heads(conn, outlet)? {
        let mut row = ExportedRecipe {
            dish: None,
            variant: None,
            option: None,
            modifier_group: None,
            preparation: head.name.clone(),
            r#yield: head.makes,
            unit: head.yield_unit.clone(),
            shelf_life_days: head.shelf_life_days,
            ingredients: Vec::new(),
        };
        match (head.menu_item_id, head.option_id) {
            // What is archived has a recipe that nothing leads to.
            (Some(id), _) => match names.dishes.get(&id) {
                Some((dish, variant)) => (row.dish, row.variant) = (Some(dish.clone()), variant.clone()),
                None => continue,
            },
            (None, Some(id)) => match names.options.get(&id) {
                Some((dish, group, option)) => {
                    row.dish.clone_from(dish);
                    (row.modifier_group, row.option) = (Some(group.clone()), Some(option.clone()));
                }
                None => continue,
            },
            (None, None) => {}
        }
        for (ingredient, name) in recipes::list_ingredients(conn, head.id)? {
            let is_item = ingredient.stock_item_id.is_some();
            let (item, preparation) = if is_item { (Some(name), None) } else { (None, Some(name)) };
            let (quantity, unit) = (ingredient.quantity, ingredient.unit);
            row.ingredients.push(ImportedIngredient { item, preparation, quantity, unit });
        }
        exported.push(row);
    }
    let order = |row: &ExportedRecipe| {
        let kind = if row.preparation.is_some() { 0 } else { 1 + i32::from(row.option.is_some()) };
        (kind, row.preparation.clone(), row.dish.clone(), row.variant.clone(), row.option.clone())
    };
    exported.sort_by_key(order);
    Ok(exported)
}

/// What dishes and options are called in a file: by name where only they have it, else by their sku, else by their id.
struct Called {
    /// The dish and, for a variant, its name.
    dishes: HashMap<Uuid, (String, Option<String>)>,
    /// The group and the option; before them a dish that offers it, where others have the group's name.
    options: HashMap<Uuid, (Option<String>, String, String)>,
}

impl Called {
    fn read(conn: &dyn Source, outlet: Uuid) -> Result<Called> {
        let larder = larder(conn, outlet)?;
        let mut called = Called { dishes: HashMap::new(), options: HashMap::new() };
        let mut offering: HashMap<Uuid, String> = HashMap::new();
        for dish in dishes(conn, outlet)? {
            let name = dish.draft.name.clone();
            let is_only = larder.dishes.find(&name) == Found::One(dish.id);
            let word =
                if is_only { name } else { dish.draft.sku.clone().unwrap_or_else(|| dish.id.to_string()) };
            for variant in &dish.variants {
                called.dishes.insert(variant.id, (word.clone(), Some(variant.name.clone())));
            }
            for group in &dish.modifier_groups {
                offering.entry(group.id).or_insert_with(|| word.clone());
            }
            called.dishes.insert(dish.id, (word, None));
        }
        for group in groups(conn, outlet)? {
            let alike = |other: &&Choices| other.name.to_lowercase() == group.name.to_lowercase();
            let is_only = larder.groups.iter().filter(alike).count() == 1;
            let dish = offering.get(&group.id).filter(|_| !is_only).cloned();
            let word = if is_only || dish.is_some() { group.name.clone() } else { group.id.to_string() };
            for option in &group.options {
                called.options.insert(option.id, (dish.clone(), word.clone(), option.name.clone()));
            }
        }
        Ok(called)
    }
}
