//! Preparations: what the kitchen makes ahead and other recipes use.

use super::recipes::{RecipeIngredient, RecipeIngredientInput, unit_cost};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Query, Replace, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::recipe::{Book, Head};
use crate::resources::inventory::rules::{RecipeDraft, StockError};
use crate::resources::inventory::store::recipes;
use tiffin_common::{Cents, Millis, Quantity, Uuid};

/// Something the kitchen makes ahead by a recipe of its own.
#[apply(answer!)]
pub struct Preparation {
    id: Uuid,
    name: String,
    /// How much one making gives.
    r#yield: Quantity,
    /// Of which unit.
    unit: String,
    /// What goes into one yield of it.
    ingredients: Vec<RecipeIngredient>,
    /// What one unit of it costs at the last costs of its ingredients.
    cost_cents: Cents,
    version: i64,
    updated_at: Millis,
}

fn view(conn: &dyn Source, outlet: Uuid, book: &Book, head: Head) -> Result<Preparation, StockError> {
    Ok(Preparation {
        id: head.id,
        name: head.name.ok_or(StockError::NotFound("preparation"))?,
        r#yield: head.makes,
        unit: head.yield_unit,
        ingredients: recipes::list_ingredients(conn, head.id)?.into_iter().map(Into::into).collect(),
        cost_cents: unit_cost(conn, outlet, book, head.id)?,
        version: head.version,
        updated_at: head.updated_at,
    })
}

fn view_alone(conn: &dyn Source, outlet: Uuid, head: Head) -> Result<Preparation, StockError> {
    view(conn, outlet, &recipes::find_whole_book(conn, outlet)?, head)
}

/// Which preparations.
#[apply(request!)]
pub struct ListPreparations {
    /// Only those whose name contains it.
    #[schemars(length(min = 1, max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Preparations by name.
pub async fn list_preparations(cx: Cx, Query(query): Query<ListPreparations>) -> Result<Paged<Preparation>> {
    let paging = query.paging;
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        let search = query.q.as_deref();
        let heads = recipes::list_preparations(conn, outlet, search, paging.into())?;
        let book = recipes::find_whole_book(conn, outlet)?;
        heads.try_map(|head| view(conn, outlet, &book, head))
    })
    .await
}

/// One preparation.
pub async fn get_preparation(cx: Cx, Id(id): Id) -> Result<Data<Preparation>> {
    cx.get(move |conn, outlet| {
        let head = recipes::find_preparation(conn, outlet, id)?.ok_or(StockError::NotFound("preparation"))?;
        view_alone(conn, outlet, head)
    })
    .await
}

/// A new preparation.
#[apply(request!)]
pub struct CreatePreparation {
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// How much one making gives.
    r#yield: Quantity,
    /// Of which unit.
    #[schemars(length(min = 1, max = 20))]
    unit: String,
    /// What goes in.
    #[schemars(length(min = 1, max = 100))]
    ingredients: Vec<RecipeIngredientInput>,
}

/// Makes a preparation.
pub async fn create_preparation(cx: Cx, Json(body): Json<CreatePreparation>) -> Result<Created<Preparation>> {
    let draft = RecipeDraft {
        makes: body.r#yield,
        yield_unit: body.unit,
        ingredients: body.ingredients.into_iter().map(Into::into).collect(),
    };
    cx.create(move |tx, actor| {
        let head = actions::create_preparation(tx, actor, body.name, draft)?;
        view_alone(tx, actor.outlet_id, head)
    })
    .await
}

/// A change of a preparation.
#[apply(filters!)]
pub struct UpdatePreparation {
    #[schemars(length(min = 1, max = 120))]
    name: Replace<String>,
    /// How much one making gives.
    r#yield: Replace<Quantity>,
    /// Of which unit.
    #[schemars(length(min = 1, max = 20))]
    unit: Replace<String>,
    /// All of what goes in.
    #[schemars(length(min = 1, max = 100))]
    ingredients: Replace<Vec<RecipeIngredientInput>>,
}

/// Changes a preparation.
pub async fn update_preparation(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdatePreparation>,
) -> Result<Updated<Preparation>> {
    cx.change(move |tx, actor, expected| -> Result<_, StockError> {
        let outlet = actor.outlet_id;
        let head = recipes::find_preparation(tx, outlet, id)?.ok_or(StockError::NotFound("preparation"))?;
        let name = head.name.ok_or(StockError::NotFound("preparation"))?;
        let ingredients = match body.ingredients.0 {
            Some(new) => new.into_iter().map(Into::into).collect(),
            None => recipes::list_ingredients(tx, id)?.into_iter().map(|(present, _)| present).collect(),
        };
        let draft = RecipeDraft {
            makes: body.r#yield.apply(head.makes),
            yield_unit: body.unit.apply(head.yield_unit),
            ingredients,
        };
        let head = actions::update_preparation(tx, actor, id, expected, &body.name.apply(name), draft)?;
        view_alone(tx, outlet, head)
    })
    .await
}

/// Archives a preparation.
pub async fn delete_preparation(cx: Cx, Id(id): Id) -> Result<Updated<Preparation>> {
    cx.change(move |tx, actor, expected| -> Result<_, StockError> {
        let outlet = actor.outlet_id;
        let head = recipes::find_preparation(tx, outlet, id)?.ok_or(StockError::NotFound("preparation"))?;
        let shown = view_alone(tx, outlet, head)?;
        actions::archive_preparation(tx, actor, id, expected)?;
        Ok(shown)
    })
    .await
}
