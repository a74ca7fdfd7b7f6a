//! `/menu/modifier-groups`.

use super::parts::{ListMenuParts, MenuArchived};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Patch, Query, Replace, Result, Updated};
use crate::resources::menu::rules::{
    GroupDraft, LocalNow, MenuError, ModifierGroup, OptionDraft, Texts, TextsPatch,
};
use crate::resources::menu::{actions, store};
use tiffin_common::{Cents, Uuid};

/// Lists modifier groups.
pub async fn list_groups(cx: Cx, Query(filter): Query<ListMenuParts>) -> Result<Paged<ModifierGroup>> {
    let (paging, now) = (filter.paging, cx.db.env().clock.now());
    cx.list(paging, move |conn, outlet| {
        store::list_groups(conn, outlet, &filter.search(), &store::find_local_now(conn, outlet, now)?)
    })
    .await
}

/// One modifier group.
pub async fn get_group(cx: Cx, Id(id): Id) -> Result<Data<ModifierGroup>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, MenuError> {
        group_of(conn, outlet, id, &store::find_local_now(conn, outlet, now)?)
    })
    .await
}

/// The group of that id with what its options do to a recipe.
pub(super) fn group_of(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    at: &LocalNow,
) -> Result<ModifierGroup, MenuError> {
    let mut group = store::find_group(conn, outlet, id, at)?;
    let mut recipes = store::list_option_recipes(conn, outlet, id)?;
    for option in &mut group.options {
        option.recipe = recipes.remove(&option.id);
    }
    Ok(group)
}

/// An option of a group.
#[apply(request!)]
pub struct ModifierOptionInput {
    /// The option that is changed; a new one when absent.
    id: Option<Uuid>,
    /// Unique in its group.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// Added to the dish's price; nothing when absent.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    price_cents: Cents,
    /// Chosen unless told otherwise.
    #[serde(default)]
    is_default: bool,
    /// For sale unless told otherwise.
    is_active: Option<bool>,
    /// Its name in other languages: one that is absent stays, null takes one away.
    #[serde(default)]
    texts: TextsPatch,
}

impl ModifierOptionInput {
    /// The option, where `present` are there.
    fn over(self, present: &[OptionDraft]) -> OptionDraft {
        let known = present.iter().find(|known| self.id.is_some() && known.id == self.id);
        OptionDraft {
            id: self.id,
            name: self.name,
            price: self.price_cents,
            is_default: self.is_default,
            is_active: self.is_active.unwrap_or(true),
            texts: self.texts.apply(known.map(|known| known.texts.clone()).unwrap_or_default()),
        }
    }
}

/// A new modifier group.
#[apply(request!)]
pub struct CreateModifierGroup {
    /// As guests see it.
    #[schemars(length(min = 1, max = 120))]
    name: String,
    /// The fewest choices.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    min_selections: i64,
    /// The most choices; any number when null.
    #[schemars(range(min = 1, max = 100))]
    max_selections: Option<i64>,
    /// In their order.
    #[schemars(length(min = 1, max = 100))]
    options: Vec<ModifierOptionInput>,
    /// Its name in other languages.
    #[serde(default)]
    texts: TextsPatch,
}

/// Adds a modifier group.
pub async fn create_group(cx: Cx, Json(body): Json<CreateModifierGroup>) -> Result<Created<ModifierGroup>> {
    let draft = GroupDraft {
        name: body.name,
        min: body.min_selections,
        max: body.max_selections,
        options: body.options.into_iter().map(|option| option.over(&[])).collect(),
        texts: body.texts.apply(Texts::default()),
    };
    cx.create(move |tx, actor| actions::create_group(tx, actor, draft)).await
}

/// A change of a modifier group.
#[apply(filters!)]
pub struct UpdateModifierGroup {
    /// As guests see it.
    #[schemars(length(min = 1, max = 120))]
    name: Replace<String>,
    /// The fewest choices.
    #[schemars(range(min = 0, max = 100))]
    min_selections: Replace<i64>,
    /// The most choices; any number when null.
    #[schemars(range(min = 1, max = 100))]
    max_selections: Patch<i64>,
    /// All its options: those with an `id` are changed, others added, missing ones archived.
    #[schemars(length(min = 1, max = 100))]
    options: Replace<Vec<ModifierOptionInput>>,
    /// Its name in other languages: one that is absent stays, null takes one away.
    texts: TextsPatch,
}

/// Changes a modifier group.
pub async fn update_group(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateModifierGroup>,
) -> Result<Updated<ModifierGroup>> {
    cx.change(move |tx, actor, expected| {
        actions::update_group(tx, actor, id, expected, |present| {
            let over = |option: ModifierOptionInput| option.over(&present.options);
            let options = body.options.0.map(|list| list.into_iter().map(over).collect());
            GroupDraft {
                name: body.name.apply(present.name),
                min: body.min_selections.apply(present.min),
                max: body.max_selections.apply(present.max),
                options: options.unwrap_or(present.options),
                texts: body.texts.apply(present.texts),
            }
        })
    })
    .await
}

/// Archives a modifier group.
pub async fn delete_group(cx: Cx, Id(id): Id) -> Result<Updated<MenuArchived>> {
    cx.change(move |tx, actor, expected| {
        actions::archive_group(tx, actor, id, expected).map(|_| MenuArchived::of(id))
    })
    .await
}
