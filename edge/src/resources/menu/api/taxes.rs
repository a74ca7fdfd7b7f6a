//! `/menu/tax-categories`.

use super::parts::{ListMenuParts, MenuArchived};
use crate::access::Cx;
use crate::http::{Created, Data, Id, Json, Paged, Query, Replace, Result, Updated};
use crate::resources::menu::rules::{TaxCategory, TaxComponent, TaxDraft};
use crate::resources::menu::{actions, store};

/// Lists tax categories.
pub async fn list_taxes(cx: Cx, Query(filter): Query<ListMenuParts>) -> Result<Paged<TaxCategory>> {
    let paging = filter.paging;
    cx.list(paging, move |conn, outlet| store::list_taxes(conn, outlet, &filter.search())).await
}

/// One tax category.
pub async fn get_tax(cx: Cx, Id(id): Id) -> Result<Data<TaxCategory>> {
    cx.get(move |conn, outlet| store::find_tax(conn, outlet, id)).await
}

/// A new tax category.
#[apply(request!)]
pub struct CreateTaxCategory {
    /// Unique in the outlet.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The taxes; none when exempt.
    #[schemars(length(max = 10))]
    components: Vec<TaxComponent>,
    /// Of goods that are no restaurant service, such as beer or what is sold packed; where absent, of what has another tax than GST in
    /// India.
    #[serde(default)]
    is_goods: Option<bool>,
}

/// Adds a tax category.
pub async fn create_tax(cx: Cx, Json(body): Json<CreateTaxCategory>) -> Result<Created<TaxCategory>> {
    let CreateTaxCategory { name, components, is_goods } = body;
    cx.create(move |tx, actor| actions::create_tax(tx, actor, name, components, is_goods)).await
}

patch! {
    /// A change of a tax category.
    pub struct UpdateTaxCategory of TaxDraft {
        /// Unique in the outlet.
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        /// All the taxes; none when exempt.
        #[schemars(length(max = 10))]
        components: Replace<Vec<TaxComponent>>,
        /// Of goods that are no restaurant service.
        is_goods: Replace<bool>,
    }
}

/// Changes a tax category.
pub async fn update_tax(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateTaxCategory>,
) -> Result<Updated<TaxCategory>> {
    cx.change(move |tx, actor, expected| {
        actions::update_tax(tx, actor, id, expected, |draft| body.over(draft))
    })
    .await
}

/// Archives a tax category.
pub async fn delete_tax(cx: Cx, Id(id): Id) -> Result<Updated<MenuArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive_tax(tx, actor, id, expected).map(|_| MenuArchived::of(id))
    })
    .await
}
