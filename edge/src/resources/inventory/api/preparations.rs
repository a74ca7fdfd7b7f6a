//! Preparations: what the kitchen makes ahead and other recipes use.

use super::batches::InventoryBatch;
use super::recipes::{RecipeIngredient, RecipeIngredientInput, unit_cost};
use super::{now, today};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::making::Making;
use crate::resources::inventory::rules::recipe::{Book, Head};
use crate::resources::inventory::rules::units;
use crate::resources::inventory::rules::{RecipeDraft, StockError};
use crate::resources::inventory::store::{levels, recipes};
use crate::resources::menu::rules::{Warning, WarningCode};
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Cents, Millis, Quantity, UnitCost, Uuid};

/// Something the kitchen makes ahead by a recipe of its own.
#[apply(answer!)]
pub struct Preparation {
    id: Uuid,
    name: String,
    /// How much one making gives.
    r#yield: Quantity,
    /// Of which unit.
    unit: String,
    /// How many days more than the one it is made on a batch may be used; null: it keeps.
    shelf_life_days: Option<i64>,
    /// What goes into one yield of it.
    ingredients: Vec<RecipeIngredient>,
    /// What one unit of it costs at the last costs of its ingredients.
    cost_cents: Cents,
    /// The stock item that batches of it are kept as; null while none was made.
    inventory_item_id: Option<Uuid>,
    /// How much lies ready and may still be used, in `unit`.
    prepared_quantity: Quantity,
    version: i64,
    updated_at: Millis,
}

fn view(
    conn: &dyn Source,
    outlet: Uuid,
    (book, today): (&Book, NaiveDate),
    head: Head,
) -> Result<Preparation, StockError> {
    let shelf = book.get(&head.id).and_then(|recipe| recipe.shelf.as_ref());
    let prepared = match shelf {
        Some(shelf) => {
            let there = levels::sum_shelf(conn, shelf.id, today)?;
            units::convert(there, &shelf.unit, &head.yield_unit, &[])?.unwrap_or_default()
        }
        None => Quantity::ZERO,
    };
    Ok(Preparation {
        inventory_item_id: shelf.map(|shelf| shelf.id),
        prepared_quantity: prepared,
        id: head.id,
        name: head.name.ok_or(StockError::NotFound("preparation"))?,
        r#yield: head.makes,
        unit: head.yield_unit,
        shelf_life_days: head.shelf_life_days,
        ingredients: recipes::list_ingredients(conn, head.id)?.into_iter().map(Into::into).collect(),
        cost_cents: unit_cost(conn, outlet, book, head.id)?,
        version: head.version,
        updated_at: head.updated_at,
    })
}

fn view_alone(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
    head: Head,
) -> Result<Preparation, StockError> {
    view(conn, outlet, (&recipes::find_whole_book(conn, outlet)?, today), head)
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
    let (now, paging) = (now(&cx), query.paging);
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        let search = query.q.as_deref();
        let heads = recipes::list_preparations(conn, outlet, search, paging.into())?;
        let (book, today) = (recipes::find_whole_book(conn, outlet)?, today(conn, outlet, now)?);
        heads.try_map(|head| view(conn, outlet, (&book, today), head))
    })
    .await
}

/// One preparation.
pub async fn get_preparation(cx: Cx, Id(id): Id) -> Result<Data<Preparation>> {
    let now = now(&cx);
    cx.get(move |conn, outlet| {
        let head = recipes::find_preparation(conn, outlet, id)?.ok_or(StockError::NotFound("preparation"))?;
        view_alone(conn, outlet, today(conn, outlet, now)?, head)
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
    /// How many days more than the one it is made on a batch may be used; it keeps where absent.
    #[schemars(range(min = 0, max = 3_650))]
    shelf_life_days: Option<i64>,
    /// What goes in.
    #[schemars(length(min = 1, max = 100))]
    ingredients: Vec<RecipeIngredientInput>,
}

/// Makes a preparation.
pub async fn create_preparation(cx: Cx, Json(body): Json<CreatePreparation>) -> Result<Created<Preparation>> {
    let draft = RecipeDraft {
        makes: body.r#yield,
        yield_unit: body.unit,
        shelf_life_days: body.shelf_life_days,
        ingredients: body.ingredients.into_iter().map(Into::into).collect(),
    };
    cx.create(move |tx, actor| {
        let head = actions::create_preparation(tx, actor, body.name, draft)?;
        view_alone(tx, actor.outlet_id, today(tx, actor.outlet_id, tx.now())?, head)
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
    /// How many days more than the one it is made on a batch may be used; null: it keeps.
    #[schemars(range(min = 0, max = 3_650))]
    shelf_life_days: Patch<i64>,
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
            shelf_life_days: body.shelf_life_days.apply(head.shelf_life_days),
            ingredients,
        };
        let head = actions::update_preparation(tx, actor, id, expected, &body.name.apply(name), draft)?;
        view_alone(tx, outlet, today(tx, outlet, tx.now())?, head)
    })
    .await
}

/// Archives a preparation.
pub async fn delete_preparation(cx: Cx, Id(id): Id) -> Result<Updated<Preparation>> {
    cx.change(move |tx, actor, expected| -> Result<_, StockError> {
        let outlet = actor.outlet_id;
        let head = recipes::find_preparation(tx, outlet, id)?.ok_or(StockError::NotFound("preparation"))?;
        let shown = view_alone(tx, outlet, today(tx, outlet, tx.now())?, head)?;
        actions::archive_preparation(tx, actor, id, expected)?;
        Ok(shown)
    })
    .await
}

/// A batch to be made.
#[apply(request!)]
pub struct ProducePreparation {
    /// How much, in the preparation's unit.
    quantity: Quantity,
    /// The last date it may be used; where it is not said, by the preparation's `shelfLifeDays`.
    expiry_date: Option<NaiveDate>,
}

/// A batch that was made ahead. Dishes take it before the ingredients.
#[apply(answer!)]
pub struct ProducedBatch {
    /// The preparation it is of.
    preparation_id: Uuid,
    /// The batch, as the stock item's list has it; its quantity is in `unit`.
    batch: InventoryBatch,
    /// What the stock item is counted in.
    unit: String,
    /// What all that went in had cost.
    cost_cents: Cents,
    /// What went in, by batch.
    ingredients: Vec<UsedIngredient>,
    /// Stock that the books say had run out; it was used all the same.
    warnings: Vec<Warning>,
}

/// What a making took of one batch.
#[apply(answer!)]
pub struct UsedIngredient {
    inventory_item_id: Uuid,
    /// The batch; null: taken without stock.
    batch_id: Option<Uuid>,
    batch_number: Option<String>,
    /// In the stock item's unit.
    quantity: Quantity,
    unit_cost_cents: UnitCost,
}

/// Makes a batch of a preparation.
pub async fn produce_preparation(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<ProducePreparation>,
) -> Result<Created<ProducedBatch>> {
    let making = Making { quantity: body.quantity, expiry_date: body.expiry_date };
    cx.create(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        let made = actions::produce(tx, actor, &outlet, id, &making)?;
        let today = outlet.business_date(tx.now());
        let warning = |missing: actions::Missing| Warning {
            code: WarningCode::OutOfStock,
            path: "quantity".into(),
            message: format!("{}: {} {} more than there is", missing.name, missing.quantity, missing.unit),
        };
        let used = made.taken.into_iter().map(|taken| UsedIngredient {
            inventory_item_id: taken.stock_item_id,
            batch_id: taken.batch_id,
            batch_number: taken.batch_number,
            quantity: taken.quantity_delta.negated(),
            unit_cost_cents: taken.unit_cost,
        });
        Ok(ProducedBatch {
            preparation_id: id,
            batch: InventoryBatch::of(made.batch, today),
            unit: made.item.draft.unit,
            cost_cents: micro_cents_to_cents(made.cost_micros)?,
            ingredients: used.collect(),
            warnings: made.short.into_iter().map(warning).collect(),
        })
    })
    .await
}
