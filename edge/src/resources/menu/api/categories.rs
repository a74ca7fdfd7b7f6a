//! `/menu/categories`.

use super::parts::{ListMenuParts, MenuArchived};
use crate::access::Cx;
use crate::http::{Created, Data, Id, Json, Paged, Patch, Query, Replace, Result, Updated};
use crate::resources::menu::rules::{CategoryDraft, MenuCategory, MenuError, MenuHours, Texts, TextsPatch};
use crate::resources::menu::{actions, store};

/// Lists categories.
pub async fn list_categories(cx: Cx, Query(filter): Query<ListMenuParts>) -> Result<Paged<MenuCategory>> {
    let paging = filter.paging;
    cx.list(paging, move |conn, outlet| store::list_categories(conn, outlet, &filter.search())).await
}

/// One category.
pub async fn get_category(cx: Cx, Id(id): Id) -> Result<Data<MenuCategory>> {
    cx.get(move |conn, outlet| store::find_category(conn, outlet, id)).await
}

/// A new category.
#[apply(request!)]
pub struct CreateMenuCategory {
    /// Unique in the outlet.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// A line for guests below its name.
    #[schemars(length(max = 1_000))]
    description: Option<String>,
    /// Lower comes first; last when absent.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    sort_order: Option<i64>,
    /// For sale unless told otherwise.
    is_active: Option<bool>,
    /// The hours its dishes are sold in; always where there are none.
    #[serde(default)]
    #[schemars(length(max = 8))]
    windows: Vec<MenuHours>,
    /// Name and description in other languages: `{"hi": {"name": …, "description": …}}`.
    #[serde(default)]
    texts: TextsPatch,
}

/// Adds a category.
pub async fn create_category(cx: Cx, Json(body): Json<CreateMenuCategory>) -> Result<Created<MenuCategory>> {
    cx.create(move |tx, actor| -> Result<_, MenuError> {
        let behind = store::next_sort_order(tx, actor.outlet_id)?;
        let draft = CategoryDraft {
            name: body.name,
            description: body.description,
            sort_order: body.sort_order.unwrap_or(behind),
            is_active: body.is_active.unwrap_or(true),
            windows: body.windows,
            texts: body.texts.apply(Texts::default()),
        };
        actions::create_category(tx, actor, draft)
    })
    .await
}

patch! {
    /// A change of a category.
    pub struct UpdateMenuCategory of CategoryDraft {
        /// Unique in the outlet.
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        /// A line for guests below its name.
        #[schemars(length(max = 1_000))]
        description: Patch<String>,
        /// Lower comes first.
        #[schemars(range(min = -1_000_000, max = 1_000_000))]
        sort_order: Replace<i64>,
        /// Whether anything in it is for sale.
        is_active: Replace<bool>,
        /// All the hours its dishes are sold in; always where there are none.
        #[schemars(length(max = 8))]
        windows: Replace<Vec<MenuHours>>,
        /// In other languages: one that is absent stays, null takes one away.
        texts: TextsPatch,
    }
}

/// Changes a category.
pub async fn update_category(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateMenuCategory>,
) -> Result<Updated<MenuCategory>> {
    cx.change(move |tx, actor, expected| {
        actions::update_category(tx, actor, id, expected, |draft| body.over(draft))
    })
    .await
}

/// Archives a category.
pub async fn delete_category(cx: Cx, Id(id): Id) -> Result<Updated<MenuArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive_category(tx, actor, id, expected).map(|_| MenuArchived::of(id))
    })
    .await
}
