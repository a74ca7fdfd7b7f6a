//! Recipes of dishes and of modifier options.

use crate::access::Cx;
use crate::db::Source;
use crate::http::{Data, Id, Json, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::recipe::{self, Book, Head, Target};
use crate::resources::inventory::rules::{IngredientDraft, RecipeDraft, StockError};
use crate::resources::inventory::store::{levels, recipes};
use crate::resources::menu;
use chrono::NaiveDate;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Millis, Quantity, Uuid};

/// An ingredient: exactly one of `inventoryItemId` and `subRecipeId`.
#[apply(request!)]
pub struct RecipeIngredientInput {
    /// A stock item …
    inventory_item_id: Option<Uuid>,
    /// … or a preparation.
    sub_recipe_id: Option<Uuid>,
    /// How much one making takes; negative in an option that leaves something out.
    quantity: Quantity,
    /// Of which unit.
    #[schemars(length(min = 1, max = 20))]
    unit: String,
}

impl From<RecipeIngredientInput> for IngredientDraft {
    fn from(input: RecipeIngredientInput) -> Self {
        IngredientDraft {
            stock_item_id: input.inventory_item_id,
            sub_recipe_id: input.sub_recipe_id,
            quantity: input.quantity,
            unit: input.unit,
        }
    }
}

/// An ingredient of a recipe.
#[apply(answer!)]
pub struct RecipeIngredient {
    /// The stock item; null for a preparation.
    #[serde(skip_serializing_if = "Option::is_none")]
    inventory_item_id: Option<Uuid>,
    /// The preparation; null for a stock item.
    #[serde(skip_serializing_if = "Option::is_none")]
    sub_recipe_id: Option<Uuid>,
    name: String,
    quantity: Quantity,
    unit: String,
}

impl From<(IngredientDraft, String)> for RecipeIngredient {
    fn from((row, name): (IngredientDraft, String)) -> Self {
        RecipeIngredient {
            inventory_item_id: row.stock_item_id,
            sub_recipe_id: row.sub_recipe_id,
            name,
            quantity: row.quantity,
            unit: row.unit,
        }
    }
}

/// The recipe of a dish, a variant of one, or a modifier option.
#[apply(answer!)]
#[schemars(rename = "Recipe")]
pub struct RecipeView {
    id: Uuid,
    /// The dish it is of; null for an option's recipe.
    menu_item_id: Option<Uuid>,
    /// The variant of that dish it is of; null for the recipe of the dish, by which variants without one of their own go.
    variant_id: Option<Uuid>,
    /// The modifier option it is of; null for a dish's recipe.
    option_id: Option<Uuid>,
    /// Portions one making gives.
    r#yield: Quantity,
    /// What goes into one yield of the dish or option.
    ingredients: Vec<RecipeIngredient>,
    /// What one portion costs at the last costs of its ingredients.
    cost_cents: Cents,
    version: i64,
    updated_at: Millis,
}

fn view(conn: &dyn Source, outlet: Uuid, head: Head) -> Result<RecipeView, StockError> {
    let target = match (head.menu_item_id, head.option_id) {
        (Some(id), _) => Target::Dish(id),
        (None, Some(id)) => Target::Option(id),
        (None, None) => return Err(StockError::NotFound("recipe")),
    };
    let cost_cents = match recipes::find_book(conn, outlet, &target)? {
        Some((root, book)) => unit_cost(conn, outlet, &book, root)?,
        None => Cents::ZERO,
    };
    let dish = head.menu_item_id.map(|id| menu::store::find_dish_of(conn, id)).transpose()?.flatten();
    let variant_id = dish.and(head.menu_item_id);
    Ok(RecipeView {
        id: head.id,
        menu_item_id: dish.or(head.menu_item_id),
        variant_id,
        option_id: head.option_id,
        r#yield: head.makes,
        ingredients: recipes::list_ingredients(conn, head.id)?.into_iter().map(Into::into).collect(),
        cost_cents,
        version: head.version,
        updated_at: head.updated_at,
    })
}

/// What one unit of the recipe's yield costs at the last costs of its ingredients; what an option leaves out saves nothing
/// here.
pub(super) fn unit_cost(
    conn: &dyn Source,
    outlet: Uuid,
    book: &Book,
    root: Uuid,
) -> Result<Cents, StockError> {
    let Ok(needs) = recipe::expand(book, root) else { return Ok(Cents::ZERO) };
    let needs = recipe::line_needs(&[&needs], 1)?;
    let ids: Vec<Uuid> = needs.iter().map(|(id, _)| *id).collect();
    // Only what they cost: on which date does not matter.
    let levels = levels::list(conn, outlet, &ids, NaiveDate::default())?;
    let mut micros = 0i128;
    for (id, quantity) in needs {
        let cost = levels.get(&id).map(|level| level.last_unit_cost).unwrap_or_default();
        micros += i128::from(cost.get()) * i128::from(quantity.get());
    }
    let whole = i128::from(MILLION) * i128::from(MILLION);
    Ok(Cents::new(tiffin_common::money::round_div(micros, whole)?))
}

async fn get(cx: Cx, target: Target) -> Result<Data<RecipeView>> {
    cx.get(move |conn, outlet| {
        let head = recipes::find_for(conn, outlet, &target)?.ok_or(StockError::NotFound("recipe"))?;
        view(conn, outlet, head)
    })
    .await
}

/// The recipe of a dish.
pub async fn get_recipe(cx: Cx, Id(id): Id) -> Result<Data<RecipeView>> {
    get(cx, Target::Dish(id)).await
}

/// What an option adds or leaves out.
pub async fn get_option_recipe(cx: Cx, Id(id): Id) -> Result<Data<RecipeView>> {
    get(cx, Target::Option(id)).await
}

/// The recipe of a dish, whole.
#[apply(request!)]
pub struct PutRecipe {
    /// Portions one making gives; 1 unless told otherwise.
    r#yield: Option<Quantity>,
    /// What goes in.
    #[schemars(length(max = 100))]
    ingredients: Vec<RecipeIngredientInput>,
}

/// Sets the recipe of a dish.
pub async fn put_recipe(cx: Cx, Id(id): Id, Json(body): Json<PutRecipe>) -> Result<Updated<RecipeView>> {
    let draft = RecipeDraft {
        makes: body.r#yield.unwrap_or(Quantity::from_millionths(MILLION)),
        yield_unit: "pcs".into(),
        shelf_life_days: None,
        ingredients: body.ingredients.into_iter().map(Into::into).collect(),
    };
    cx.change(move |tx, actor, expected| {
        let head = actions::put_recipe(tx, actor, id, expected, draft)?;
        view(tx, actor.outlet_id, head)
    })
    .await
}

/// What an option adds or leaves out, whole.
#[apply(request!)]
pub struct PutOptionRecipe {
    /// What goes in, or (negative) is left out, per portion.
    #[schemars(length(max = 100))]
    ingredients: Vec<RecipeIngredientInput>,
}

/// Sets what an option adds or leaves out.
pub async fn put_option_recipe(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<PutOptionRecipe>,
) -> Result<Updated<RecipeView>> {
    let draft = actions::option_draft(body.ingredients.into_iter().map(Into::into).collect());
    cx.change(move |tx, actor, expected| {
        let head = actions::set_option_recipe(tx, actor, id, expected, draft)?;
        view(tx, actor.outlet_id, head)
    })
    .await
}

async fn remove(cx: Cx, target: Target) -> Result<Updated<RecipeView>> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| -> Result<_, StockError> {
        let shown = recipes::find_for(tx, actor.outlet_id, &target)?.ok_or(StockError::NotFound("recipe"))?;
        let shown = view(tx, actor.outlet_id, shown)?;
        actions::remove_recipe(tx, actor, &target, expected)?;
        Ok(shown)
    })
    .await
}

/// Takes the recipe of a dish away.
pub async fn delete_recipe(cx: Cx, Id(id): Id) -> Result<Updated<RecipeView>> {
    remove(cx, Target::Dish(id)).await
}

/// Takes the recipe of an option away.
pub async fn delete_option_recipe(cx: Cx, Id(id): Id) -> Result<Updated<RecipeView>> {
    remove(cx, Target::Option(id)).await
}
