//! `/menu/tax-categories`.

use super::parts::{ListMenuParts, MenuArchived};
use crate::access::Cx;
use crate::http::{Change, Data, Json, Paged, Path, Problem, Query};
use crate::resources::menu::rules::{MenuError, TaxCategory, TaxComponent, TaxDraft};
use crate::resources::menu::{actions, store};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::Uuid;

/// Lists tax categories.
pub(super) async fn list_taxes(
    cx: Cx,
    Query(filter): Query<ListMenuParts>,
) -> Result<Paged<TaxCategory>, Problem> {
    let paging = filter.paging;
    let page = cx.read(move |conn, outlet| store::list_taxes(conn, outlet, &filter.search())).await?;
    Ok(Paged::new(page, paging))
}

/// One tax category.
pub(super) async fn get_tax(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<TaxCategory>, Problem> {
    cx.read(move |conn, outlet| store::find_tax(conn, outlet, id)).await.map(Data::new)
}

/// A new tax category.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateTaxCategory {
    /// Unique in the outlet.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The taxes; none when exempt.
    #[schemars(length(max = 10))]
    components: Vec<TaxComponent>,
}

/// Adds a tax category.
pub(super) async fn create_tax(cx: Cx, Json(body): Json<CreateTaxCategory>) -> Result<Response, Problem> {
    let draft = TaxDraft { name: body.name, components: body.components };
    cx.create(move |tx, actor| actions::create_tax(tx, actor, draft)).await
}

/// A change of a tax category.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateTaxCategory {
    /// Unique in the outlet.
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    name: Change<String>,
    /// All the taxes; none when exempt.
    #[serde(default)]
    #[schemars(length(max = 10))]
    components: Change<Vec<TaxComponent>>,
}

/// Changes a tax category.
pub(super) async fn update_tax(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<UpdateTaxCategory>,
) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| {
        actions::update_tax(tx, actor, id, expected, |present| TaxDraft {
            name: body.name.apply(present.name),
            components: body.components.apply(present.components),
        })
    })
    .await
}

/// Archives a tax category.
pub(super) async fn delete_tax(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| -> Result<_, MenuError> {
        actions::archive_tax(tx, actor, id, expected)?;
        Ok(MenuArchived::of(id))
    })
    .await
}
